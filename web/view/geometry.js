// Solids that everything is drawn with. Lengths come from `measures`: how thick things are follows from the
// length of a typical link, so that a chain of forty four-bars and a single pendulum both look right.
import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

export const vector = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const Z = new THREE.Vector3(0, 0, 1);
const Y = new THREE.Vector3(0, 1, 0);

export function measures(scene) {
    const lengths = [];
    for (const body of scene.bodies.slice(1)) {
        let most = 0;
        for (const p of body.anchors)
            for (const q of body.anchors) most = Math.max(most, vector(p).distanceTo(vector(q)));
        if (most > 1e-6 * scene.size) lengths.push(most);
    }
    lengths.sort((a, b) => a - b);
    const typical = lengths.length ? lengths[lengths.length >> 1] : scene.size / 4;
    const link = Math.min(Math.max(typical, 0.06 * scene.size), 0.8 * scene.size);
    const planar = Boolean(scene.normal);
    return { link, planar, bar: (planar ? 0.05 : 0.036) * link, layer: 0.04 * link };
}

// z turned into a direction, at a place
export function along(object, from, direction) {
    object.position.copy(from);
    object.quaternion.setFromUnitVectors(Z, direction.clone().normalize());
    return object;
}

// A cylinder with its axis along z.
export function rod(radius, length, segments = 24, top = radius) {
    return new THREE.CylinderGeometry(top, radius, length, segments).rotateX(Math.PI / 2);
}

function between(geometry, from, to) {
    const turn = new THREE.Quaternion().setFromUnitVectors(Y, to.clone().sub(from).normalize());
    const middle = from.clone().add(to).multiplyScalar(0.5);
    return geometry.applyQuaternion(turn).translate(middle.x, middle.y, middle.z);
}

export function tube(from, to, radius, segments = 14) {
    return between(new THREE.CylinderGeometry(radius, radius, from.distanceTo(to), segments), from, to);
}

export function capsule(from, to, radius) {
    return between(new THREE.CapsuleGeometry(radius, from.distanceTo(to), 6, 16), from, to);
}

function plain(geometry) {
    const g = geometry.index ? geometry.toNonIndexed() : geometry;
    g.deleteAttribute("uv");
    return g;
}

export function merge(list) {
    return list.length === 1 ? list[0] : mergeGeometries(list.map(plain));
}

// Convex hull of points in the plane, counterclockwise (monotone chain).
function hull2(points) {
    const p = points.slice().sort((a, b) => a.x - b.x || a.y - b.y);
    const half = (list) => {
        const out = [];
        for (const q of list) {
            while (out.length > 1) {
                const [a, b] = out.slice(-2);
                if ((b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x) > 0) break;
                out.pop();
            }
            out.push(q);
        }
        out.pop();
        return out;
    };
    return half(p).concat(half(p.reverse()));
}

// Two directions across a normal.
export function basis(normal) {
    const n = normal.clone().normalize();
    const seed = Math.abs(n.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    const u = seed.sub(n.clone().multiplyScalar(seed.dot(n))).normalize();
    return { u, v: n.clone().cross(u), n };
}

// The plate around circles at these points: a bar for two of them, a rounded triangle for three.
export function plate(points, normal, radius, thickness, holes = 0) {
    const { u, v, n } = basis(normal);
    const flat = points.map((p) => new THREE.Vector2(p.dot(u), p.dot(v)));
    const around = [];
    for (const c of flat)
        for (let k = 0; k < 40; k++) {
            const a = (2 * Math.PI * k) / 40;
            around.push(new THREE.Vector2(c.x + radius * Math.cos(a), c.y + radius * Math.sin(a)));
        }
    const shape = new THREE.Shape(hull2(around));
    if (holes)
        for (const c of flat) {
            const path = new THREE.Path();
            path.absarc(c.x, c.y, holes, 0, 2 * Math.PI, true);
            shape.holes.push(path);
        }
    const bevel = 0.15 * thickness;
    const geometry = new THREE.ExtrudeGeometry(shape, {
        depth: thickness - 2 * bevel,
        bevelEnabled: true,
        bevelThickness: bevel,
        bevelSize: bevel,
        bevelOffset: -bevel,
        bevelSegments: 2,
        curveSegments: 20,
    });
    geometry.translate(0, 0, -thickness / 2 + bevel);
    const height = points.reduce((sum, p) => sum + p.dot(n), 0) / points.length;
    const turn = new THREE.Matrix4().makeBasis(u, v, n);
    geometry.applyMatrix4(turn);
    return geometry.translate(n.x * height, n.y * height, n.z * height);
}

// The normal of points in one plane, or null.
export function commonPlane(points, size) {
    let normal = null;
    let area = 1e-6 * size * size;
    for (let i = 1; i < points.length; i++)
        for (let k = i + 1; k < points.length; k++) {
            const cross = points[i].clone().sub(points[0]).cross(points[k].clone().sub(points[0]));
            if (cross.length() > area) [area, normal] = [cross.length(), cross.clone().normalize()];
        }
    if (!normal) return null;
    const off = points.map((p) => Math.abs(p.clone().sub(points[0]).dot(normal)));
    return Math.max(...off) < 0.02 * size ? normal : null;
}

// The two points of a straight row that are farthest apart.
export function farthest(points) {
    let best = [points[0], points[0]];
    for (const p of points)
        for (const q of points) if (p.distanceTo(q) > best[0].distanceTo(best[1])) best = [p, q];
    return best;
}

// Outline of points in space as tubes with round corners.
export function frame(points, radius) {
    const parts = [];
    const solid = new ConvexGeometry(points);
    const edges = new THREE.EdgesGeometry(solid, 12).getAttribute("position");
    for (let i = 0; i < edges.count; i += 2) {
        const a = new THREE.Vector3().fromBufferAttribute(edges, i);
        const b = new THREE.Vector3().fromBufferAttribute(edges, i + 1);
        if (a.distanceTo(b) > 1e-9) parts.push(capsule(a, b, radius));
    }
    return { solid, edges: merge(parts) };
}

// The corners of points in one plane, around it.
function corners(points, normal) {
    const { u, v, n } = basis(normal);
    const height = points[0].dot(n);
    const ring = hull2(points.map((p) => new THREE.Vector2(p.dot(u), p.dot(v))));
    return ring.map((c) => u.clone().multiplyScalar(c.x).addScaledVector(v, c.y).addScaledVector(n, height));
}

export function outline(points, normal, radius) {
    const ring = corners(points, normal);
    return merge(ring.map((p, i) => capsule(p, ring[(i + 1) % ring.length], radius)));
}

// Bars around points in one plane, and a round plate at each point inside.
export function truss(points, normal, radius, thickness) {
    const ring = corners(points, normal);
    const bars = ring.map((p, i) => plate([p, ring[(i + 1) % ring.length]], normal, radius, thickness));
    return merge(bars.concat(points.map((p) => plate([p], normal, radius, thickness))));
}

// A coil along z from 0 to 1; scaled along z it stretches like a spring.
export function coil(radius, wire, turns = 9) {
    const points = [];
    for (let k = 0; k <= 28 * turns; k++) {
        const s = k / (28 * turns);
        const a = 2 * Math.PI * turns * s;
        points.push(new THREE.Vector3(radius * Math.cos(a), radius * Math.sin(a), 0.1 + 0.8 * s));
    }
    points.unshift(new THREE.Vector3(0, 0, 0), new THREE.Vector3(0, 0, 0.07));
    points.push(new THREE.Vector3(0, 0, 0.93), new THREE.Vector3(0, 0, 1));
    const path = new THREE.CatmullRomCurve3(points, false, "centripetal");
    const tubes = new THREE.TubeGeometry(path, 24 * turns, 1, 6);
    // the cross-section is set across the axis only, so that stretching does not thicken the wire
    const p = tubes.getAttribute("position");
    const center = new THREE.Vector3();
    for (let i = 0; i < p.count; i++) {
        const ring = Math.floor(i / 7) / (24 * turns);
        path.getPointAt(Math.min(1, ring), center);
        p.setXYZ(
            i,
            center.x + wire * (p.getX(i) - center.x),
            center.y + wire * (p.getY(i) - center.y),
            center.z + 0.012 * (p.getZ(i) - center.z),
        );
    }
    tubes.computeVertexNormals();
    return tubes;
}

// An arrow along z of length 1 in two parts: a shaft that stretches and a head that does not.
export function arrow(radius) {
    const shaft = rod(radius, 1, 12).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(3 * radius, 8 * radius, 20).rotateX(Math.PI / 2);
    head.translate(0, 0, -4 * radius);
    return { shaft, head, radius, headLength: 8 * radius };
}

export function triangles(xyz, scale) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute(
        "position",
        new THREE.BufferAttribute(
            xyz.map((x) => x * scale),
            3,
        ),
    );
    geometry.computeVertexNormals();
    return geometry;
}
