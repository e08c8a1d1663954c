// The numbers of a page: arrays out of base64, and poses, velocities and forces at any time.
import { Quaternion } from "three";

function bytes(text) {
    const binary = atob(text);
    const out = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
    return out.buffer;
}

export function readScene() {
    const scene = JSON.parse(document.getElementById("scene").textContent);
    scene.time = Float64Array.from(scene.time);
    scene.poses = new Float32Array(bytes(scene.poses));
    scene.velocities = scene.velocities ? new Int16Array(bytes(scene.velocities)) : null;
    scene.force_data = scene.force_data ? new Float32Array(bytes(scene.force_data)) : new Float32Array(0);
    for (const curve of scene.curves) curve.data = new Float32Array(bytes(curve.data));
    for (const body of scene.bodies)
        for (const shape of body.shapes)
            if (shape.triangles) shape.triangles = new Float32Array(bytes(shape.triangles));
    return scene;
}

// Between which frames a time is: {i, share}, time = (1 - share) time[i] + share time[i + 1].
export function locate(time, t) {
    let low = 0;
    let high = time.length - 1;
    if (high <= 0 || t <= time[0]) return { i: 0, share: 0 };
    if (t >= time[high]) return { i: high - 1, share: 1 };
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (time[middle] <= t) low = middle;
        else high = middle;
    }
    const span = time[high] - time[low];
    return { i: low, share: span > 0 ? (t - time[low]) / span : 0 };
}

const turn = [0, 0, 0, 1];

// Poses of all bodies at a place between frames, into objects with position and quaternion.
export function placeBodies(scene, { i, share }, objects) {
    const moving = scene.bodies.length - 1;
    const p = scene.poses;
    const next = share > 0 && i + 1 < scene.frames ? 7 * moving : 0;
    for (let b = 0; b < moving; b++) {
        const a = 7 * (i * moving + b);
        const z = a + next;
        const object = objects[b + 1];
        object.position.set(
            p[a] + share * (p[z] - p[a]),
            p[a + 1] + share * (p[z + 1] - p[a + 1]),
            p[a + 2] + share * (p[z + 2] - p[a + 2]),
        );
        Quaternion.slerpFlat(turn, 0, p, a + 3, p, z + 3, share);
        object.quaternion.fromArray(turn).normalize();
    }
}

// Velocity of a point of a body: v + w x arm, all in ground.
export function pointVelocity(scene, { i, share }, body, arm, out) {
    out.set(0, 0, 0);
    if (!scene.velocities || body === 0) return out;
    const moving = scene.bodies.length - 1;
    const frame = Math.min(scene.frames - 1, Math.round(i + share));
    const at = 6 * (frame * moving + body - 1);
    const v = scene.velocity_scale[2 * (body - 1)] / 32767;
    const w = scene.velocity_scale[2 * (body - 1) + 1] / 32767;
    const d = scene.velocities;
    const [wx, wy, wz] = [w * d[at + 3], w * d[at + 4], w * d[at + 5]];
    return out.set(
        v * d[at] + wy * arm.z - wz * arm.y,
        v * d[at + 1] + wz * arm.x - wx * arm.z,
        v * d[at + 2] + wx * arm.y - wy * arm.x,
    );
}

export function forceAt(scene, { i, share }, k, out) {
    const n = scene.forces.length;
    const a = 3 * (i * n + k);
    const z = i + 1 < scene.frames ? a + 3 * n : a;
    const f = scene.force_data;
    return out.set(
        f[a] + share * (f[z] - f[a]),
        f[a + 1] + share * (f[z + 1] - f[a + 1]),
        f[a + 2] + share * (f[z + 2] - f[a + 2]),
    );
}

export function curveAt(curve, { i, share }) {
    const next = Math.min(i + 1, curve.data.length - 1);
    return curve.data[i] + share * (curve.data[next] - curve.data[i]);
}
