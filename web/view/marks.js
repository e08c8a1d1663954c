// Marks of stops: where coordinates are limited, and discs where bodies touch.
import * as THREE from "three";
import { material } from "./bodies.js";
import { forceAt } from "./data.js";
import { along, rod, tube, vector } from "./geometry.js";
import { Overlay } from "./overlay.js";

const stopColour = 0xd98c2b;
const touchColour = 0xd0454c;

// The direction on B that shows its angle: from the joint to the farthest point that B is drawn through.
function pointer(scene, joint) {
    const axis = vector(joint.axis_b);
    const arms = scene.bodies[joint.bodies[1]].anchors
        .map((a) => vector(a).sub(vector(joint.at_b)))
        .map((a) => a.addScaledVector(axis, -a.dot(axis)));
    const far = arms.reduce((a, b) => (b.length() > a.length() ? b : a), new THREE.Vector3());
    if (far.length() > 1e-9 * scene.size) return far.normalize();
    return new THREE.Vector3(axis.y, axis.z, axis.x).cross(axis).normalize();
}

// That direction in A where the coordinate is zero: turned back from the first frame.
function pointerAtZero(scene, joint, curve) {
    const [a, b] = joint.bodies.map((k) => scene.start[k]);
    const back = new THREE.Quaternion().setFromAxisAngle(vector(joint.axis_a), -curve.data[0]);
    return pointer(scene, joint).applyQuaternion(b).applyQuaternion(a.clone().invert()).applyQuaternion(back);
}

// An arc on A from the lower to the upper limit, with a bar at each that is there.
function angleStops(scene, force, joint, m, curve) {
    const zero = pointerAtZero(scene, joint, curve);
    const axis = vector(joint.axis_a);
    const at = vector(joint.at_a);
    const radius = 3.6 * m.bar;
    const spot = (angle, r) => at.clone().addScaledVector(zero.clone().applyAxisAngle(axis, angle), r);
    const out = [];
    for (const angle of [force.lower, force.upper])
        if (angle !== undefined) out.push(tube(spot(angle, 1.6 * m.bar), spot(angle, 4.6 * m.bar), 0.28 * m.bar));
    if (force.lower !== undefined && force.upper !== undefined) {
        const turn = Math.min(force.upper - force.lower, 2 * Math.PI);
        const points = Array.from({ length: 65 }, (_, k) => spot(force.lower + (turn * k) / 64, radius));
        out.push(new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 64, 0.14 * m.bar, 8));
    }
    return out.map((g) => new THREE.Mesh(g, material(stopColour)));
}

// A plate across the rail at each limit.
function slideStops(force, joint, m) {
    const axis = vector(joint.axis_a);
    return [force.lower, force.upper]
        .map((at, k) => ({ at, side: k ? 1 : -1 }))
        .filter(({ at }) => at !== undefined)
        .map(({ at, side }) =>
            along(
                new THREE.Mesh(rod(2 * m.bar, 0.5 * m.bar, 28), material(stopColour)),
                vector(joint.at_a).addScaledVector(axis, at + side * 2.45 * m.bar),
                axis,
            ),
        );
}

// Limits of coordinates along or about the axis of their joint.
export function stops(scene, m) {
    const out = [];
    for (const force of scene.forces) {
        if (force.lower === undefined && force.upper === undefined) continue;
        const joint = scene.joints[force.joint];
        const curve = scene.curves.find((c) => c.group === "coordinates" && c.name === force.coordinate);
        if (!joint.bodies || joint.virtual || !curve) continue;
        const turns = force.angle && ["pin", "slider", "screw"].includes(joint.sign);
        const slides = !force.angle && joint.sign === "slider";
        const made = turns
            ? angleStops(scene, force, joint, m, curve)
            : slides
              ? slideStops(force, joint, m)
              : [];
        for (const mesh of made) out.push({ body: joint.bodies[0], joint: force, mesh });
    }
    return out;
}

// A disc in the plane of contact, as long as the bodies touch: at the foot of q on the plane, or between two spheres.
class Touch {
    constructor(scene, shared, force) {
        this.force = force;
        const look = new THREE.MeshBasicMaterial({ color: touchColour, depthTest: false, transparent: true });
        this.mesh = new THREE.Mesh(rod(1.1 * shared.m.bar, 0.3 * shared.m.bar, 32), look);
        this.mesh.userData.label = { name: force.name, what: "touches" };
        this.p = new THREE.Vector3();
        this.q = new THREE.Vector3();
    }

    place(mechanism, depth) {
        const { bodies, at_a: a, at_b: b, plane, other_radius: radius } = this.force;
        this.mesh.visible = depth > 0;
        if (!this.mesh.visible) return;
        mechanism.point(bodies[0], vector(a), this.p);
        mechanism.point(bodies[1], vector(b), this.q);
        const between = this.q.clone().sub(this.p);
        if (plane) {
            const n = vector(plane).applyQuaternion(mechanism.frames[bodies[0]].quaternion);
            along(this.mesh, this.q.addScaledVector(n, -between.dot(n)), n);
        } else {
            const n = between.normalize();
            along(this.mesh, this.p.addScaledVector(n, radius - depth / 2), n);
        }
    }
}

// Discs where bodies touch.
export class Touches extends Overlay {
    constructor({ scene, shared, mechanism }) {
        super();
        this.scene = scene;
        this.mechanism = mechanism;
        this.v = new THREE.Vector3();
        this.marks = scene.forces
            .map((force, k) => ({ k, force }))
            .filter(({ force }) => force.sign === "touch")
            .map(({ k, force }) => ({ k, touch: new Touch(scene, shared, force) }));
        for (const { touch } of this.marks) this.group.add(touch.mesh);
    }

    place(where) {
        for (const { k, touch } of this.marks)
            touch.place(this.mechanism, forceAt(this.scene, where, k, this.v).x);
    }
}
