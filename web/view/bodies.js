// Meshes of the bodies: the shapes of the model, else what follows from the points that a body is held at.
import * as THREE from "three";
import * as G from "./geometry.js";

const palette = [
    0x4878a8, 0xe08a3c, 0x5a9e5d, 0xc9545a, 0x8466a8, 0x2f9c95, 0xc7a42e, 0x9b6b52, 0xcf7aa4, 0x6d7f96,
];
export const bodyColour = (b) => (b === 0 ? 0x7b838e : palette[(b - 1) % palette.length]);

export function material(colour, opacity = 1) {
    return new THREE.MeshStandardMaterial({
        color: colour,
        roughness: 0.55,
        metalness: 0.08,
        transparent: opacity < 1,
        opacity,
        depthWrite: opacity >= 1,
        side: opacity < 1 ? THREE.DoubleSide : THREE.FrontSide,
    });
}

const Z = new THREE.Vector3(0, 0, 1);

function shapeGeometry(shape, m) {
    const axis = shape.axis ? G.vector(shape.axis) : Z;
    const turned = (g) => g.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(Z, axis));
    switch (shape.type) {
        case "box":
            return new THREE.BoxGeometry(...shape.size);
        case "cylinder":
            return turned(G.rod(shape.radius, shape.length, 40));
        case "sphere":
            return new THREE.SphereGeometry(shape.radius, 32, 20);
        case "capsule":
            return turned(new THREE.CapsuleGeometry(shape.radius, shape.length, 8, 24).rotateX(Math.PI / 2));
        case "link":
            return G.capsule(G.vector(shape.from), G.vector(shape.to), shape.radius || m.bar);
        default:
            return G.triangles(shape.triangles, shape.scale);
    }
}

function given(body, b, m) {
    return body.shapes.map((shape) => {
        const colour = shape.colour ?? bodyColour(b);
        const mesh = new THREE.Mesh(shapeGeometry(shape, m), material(colour, shape.opacity));
        mesh.position.copy(G.vector(shape.position));
        mesh.quaternion.fromArray(shape.orient);
        return mesh;
    });
}

// Points of a body that its joints slide along: a slider does not reach to its rail by a bar.
function isWheel(scene, b) {
    return scene.forces.some((f) => f.sign === "wheel" && f.bodies[0] === b);
}

function derived(scene, body, b, m) {
    const solid = material(bodyColour(b));
    const points = body.anchors.map(G.vector);
    const [p, q] = G.farthest(points);
    const reach = p.distanceTo(q);
    if (reach < 0.2 * m.bar || (isWheel(scene, b) && reach < 0.1 * m.link)) {
        if (isWheel(scene, b)) return [];
        const size = (m.planar ? 2.2 : 2.6) * m.bar;
        const block = new THREE.Mesh(new THREE.BoxGeometry(size, size, size * 0.8), solid);
        block.position.copy(p);
        return [block];
    }
    if (m.planar) {
        const n = G.vector(scene.normal).applyQuaternion(scene.start[b].clone().invert());
        const flat = points.map((x) => x.clone().addScaledVector(n, -x.dot(n) + points[0].dot(n)));
        const [u, v] = G.farthest(flat);
        const row = flat.every(
            (x) => x.clone().sub(u).cross(v.clone().sub(u)).length() < 0.5 * m.bar * reach,
        );
        if (row) return [new THREE.Mesh(G.plate([u, v], n, m.bar, 0.8 * m.layer), solid)];
        return [
            new THREE.Mesh(G.truss(flat, n, 0.8 * m.bar, 0.8 * m.layer), solid),
            new THREE.Mesh(G.plate(flat, n, 0.3 * m.bar, 0.5 * m.layer), material(bodyColour(b), 0.45)),
        ];
    }
    const straight = points.every((x) => {
        const d = x.clone().sub(p);
        return d.clone().cross(q.clone().sub(p)).length() / reach < 0.02 * reach;
    });
    if (straight) return [new THREE.Mesh(G.capsule(p, q, m.bar), solid)];
    const glass = material(bodyColour(b), 0.28);
    const normal = G.commonPlane(points, reach);
    if (normal)
        return [
            new THREE.Mesh(G.outline(points, normal, 0.8 * m.bar), solid),
            new THREE.Mesh(G.plate(points, normal, 0.3 * m.bar, 0.5 * m.bar), glass),
        ];
    const hull = G.frame(points, 0.6 * m.bar);
    return [new THREE.Mesh(hull.edges, solid), new THREE.Mesh(hull.solid, glass)];
}

// Geometry and material of every body, made once; instances share them.
export function bodyMeshes(scene, m) {
    return scene.bodies.map((body, b) => {
        if (body.shapes.length) return given(body, b, m);
        return b === 0 || !body.anchors.length ? [] : derived(scene, body, b, m);
    });
}

// Where the centre of mass is: the draughtsman's quartered ball.
export function comMark(radius) {
    const group = new THREE.Group();
    for (let k = 0; k < 8; k++) {
        // eighths, so that it is quartered from every side
        const quarter = Math.PI / 2;
        const part = new THREE.SphereGeometry(
            radius,
            10,
            10,
            (k >> 1) * quarter,
            quarter,
            (k & 1) * quarter,
            quarter,
        );
        const light = ((k >> 1) + (k & 1)) % 2;
        group.add(new THREE.Mesh(part, new THREE.MeshBasicMaterial({ color: light ? 0xd5dae0 : 0x20242a })));
    }
    return group;
}
