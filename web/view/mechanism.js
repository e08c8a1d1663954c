// One drawn mechanism: a group for each body, the glyphs on them, and what stretches between bodies. Several
// of them share their geometry: the moving one, its ghost, and the assemblies side by side.
import * as THREE from "three";
import { placeBodies } from "./data.js";
import { bodyMeshes, comMark } from "./bodies.js";
import { jointGlyphs, pads, rods, wheels } from "./joints.js";
import { stops } from "./marks.js";
import * as G from "./geometry.js";

// Neighbours lie in different layers, so that bars pass in front of each other.
function layers(scene) {
    const layer = scene.bodies.map(() => -1);
    layer[0] = 0;
    const order = scene.bodies.map((_, b) => b).slice(1);
    for (const b of order) {
        const taken = new Set();
        for (const joint of scene.joints) {
            if (!joint.bodies || joint.virtual || !joint.bodies.includes(b)) continue;
            const other = joint.bodies[0] === b ? joint.bodies[1] : joint.bodies[0];
            if (layer[other] >= 0) taken.add(layer[other]);
        }
        for (layer[b] = 1; taken.has(layer[b]); ) layer[b]++;
    }
    return layer;
}

// Everything that instances share.
export function prepare(scene) {
    const m = G.measures(scene);
    scene.start = scene.bodies.map((_, b) =>
        b ? new THREE.Quaternion().fromArray(scene.poses, 7 * (b - 1) + 3) : new THREE.Quaternion(),
    );
    const gravity = G.vector(scene.gravity);
    scene.down =
        gravity.length() > 0
            ? gravity.normalize()
            : new THREE.Vector3(0, m.planar ? -1 : 0, m.planar ? 0 : -1);
    if (m.planar) {
        const n = G.vector(scene.normal);
        scene.down.addScaledVector(n, -scene.down.dot(n));
        if (scene.down.length() < 0.1) scene.down.copy(G.basis(n).v.negate());
        scene.down.normalize();
    }
    scene.lineLook = new THREE.LineBasicMaterial({ color: 0x6b737e });
    const layer = m.planar ? layers(scene) : null;
    m.depth = layer ? Math.max(...layer) - 1 : 0;
    return {
        m,
        layers: layer,
        bodies: bodyMeshes(scene, m),
        glyphs: jointGlyphs(scene, m).concat(wheels(scene), pads(scene, m), stops(scene, m)),
        rods: rods(scene, m),
    };
}

export class Mechanism {
    constructor(scene, shared, { ghost = false } = {}) {
        this.scene = scene;
        this.shared = shared;
        this.group = new THREE.Group();
        this.frames = scene.bodies.map(() => new THREE.Group()); // exact poses
        this.group.add(...this.frames);
        this.marks = [];
        const look = ghost
            ? new THREE.MeshBasicMaterial({
                  color: 0x8894a3,
                  transparent: true,
                  opacity: 0.22,
                  depthWrite: false,
              })
            : null;
        const copy = (object) => {
            const twin = object.clone();
            if (look) twin.traverse((o) => o.isMesh && (o.material = look));
            return twin;
        };
        this.offset = scene.bodies.map((_, b) => this.layerOffset(b, 1));
        this.drawn = scene.bodies.map((body, b) => {
            const group = new THREE.Group();
            for (const mesh of shared.bodies[b]) group.add(copy(mesh));
            group.userData.label = { name: body.name, what: b ? "body" : "ground" };
            this.frames[b].add(group);
            return group;
        });
        for (const { body, joint, mesh } of shared.glyphs) {
            if (ghost && joint.sign !== "wheel") continue;
            const twin = copy(mesh);
            twin.userData.label = { name: joint.name, what: joint.type };
            this.frames[body].add(twin);
        }
        this.rods = shared.rods.map((rod) => {
            const mesh = copy(rod.mesh);
            mesh.userData.label = { name: rod.owner.name, what: rod.owner.type };
            this.group.add(mesh);
            return { ...rod, mesh };
        });
        if (!ghost)
            scene.bodies.forEach((body, b) => {
                if (!b || !(body.mass > 0)) return;
                const mark = comMark((shared.m.planar ? 0.55 : 1.3) * shared.m.bar);
                mark.position.copy(G.vector(body.com));
                if (shared.m.planar) {
                    // in front of every bar
                    const n = G.vector(scene.normal).applyQuaternion(scene.start[b].clone().invert());
                    mark.position.addScaledVector(n, (shared.m.depth + 1.5) * shared.m.layer);
                }
                mark.userData.label = { name: body.name, what: "centre of mass" };
                mark.visible = false;
                this.frames[b].add(mark);
                this.marks.push(mark);
            });
        this.a = new THREE.Vector3();
        this.b = new THREE.Vector3();
    }

    layerOffset(b, sign) {
        const { layers: layer, m } = this.shared;
        if (!layer) return new THREE.Vector3();
        return G.vector(this.scene.normal).multiplyScalar(sign * (layer[b] - 1) * m.layer);
    }

    place(where) {
        placeBodies(this.scene, where, this.frames);
        if (this.shared.layers)
            this.drawn.forEach((group, b) => {
                // in the body's frame
                group.position
                    .copy(this.offset[b])
                    .applyQuaternion(this.frames[b].quaternion.clone().invert());
            });
        for (const rod of this.rods) {
            this.point(rod.bodies[0], rod.a, this.a);
            this.point(rod.bodies[1], rod.b, this.b);
            const length = this.a.distanceTo(this.b);
            if (length > 0) G.along(rod.mesh, this.a, this.b.clone().sub(this.a));
            rod.mesh.scale.set(1, 1, Math.max(length, 1e-9));
        }
    }

    // A point of a body in this mechanism's own space.
    point(body, at, out) {
        const f = this.frames[body];
        return out.copy(at).applyQuaternion(f.quaternion).add(f.position);
    }
}
