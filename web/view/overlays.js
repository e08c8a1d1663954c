// What is laid over the mechanism: names, centres of mass, a ghost of the start, traces of points, arrows of
// velocities and forces. The table at the end lists them; the page takes buttons, keys and help from it.
import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { Arc, Arrow, arrowShape } from "./arrows.js";
import { forceAt, placeBodies, pointVelocity } from "./data.js";
import { vector } from "./geometry.js";
import { bodyColour } from "./bodies.js";
import { Touches } from "./marks.js";
import { Mechanism } from "./mechanism.js";
import { Overlay } from "./overlay.js";
import { Reactions } from "./reactions.js";

const velocityColour = 0x2a9d5c;
const forceColour = 0xd0454c;

// Points that can be traced: named ones, joints, centres of mass.
export function tracePoints(scene) {
    const out = [];
    const near = 1e-6 * scene.size;
    scene.bodies.forEach((body, b) => {
        if (!b) return;
        const held = scene.joints
            .filter((j) => j.bodies && !j.virtual && j.bodies.includes(b))
            .map((j) => vector(j.bodies[0] === b ? j.at_a : j.at_b));
        for (const p of body.points) {
            const at = vector(p.at);
            out.push({
                body: b,
                at,
                name: `${body.name}.${p.name}`,
                free: held.every((q) => q.distanceTo(at) > near),
            });
        }
        out.push({ body: b, at: vector(body.com), name: `${body.name}.com`, com: true });
    });
    const good = out.filter((p) => p.free);
    const chosen = good.length ? good : out.filter((p) => !p.com).length ? out.filter((p) => !p.com) : out;
    for (const p of chosen.slice(0, 6)) p.chosen = true;
    return out;
}

class Traces extends Overlay {
    constructor({ scene, points }) {
        super();
        this.scene = scene;
        this.lines = new Map();
        this.points = points;
    }

    path(point) {
        const frames = this.scene.bodies.map(() => ({
            position: new THREE.Vector3(),
            quaternion: new THREE.Quaternion(),
        }));
        const out = [];
        const p = new THREE.Vector3();
        const step = Math.max(1, Math.floor(this.scene.frames / 1500));
        for (let i = 0; i < this.scene.frames; i += step) {
            placeBodies(this.scene, { i, share: 0 }, frames);
            p.copy(point.at).applyQuaternion(frames[point.body].quaternion).add(frames[point.body].position);
            out.push(p.x, p.y, p.z);
        }
        return out;
    }

    show(on) {
        super.show(on);
        if (!on) return;
        for (const point of this.points) {
            let line = this.lines.get(point);
            if (point.chosen && !line) {
                const look = new LineMaterial({
                    color: bodyColour(point.body),
                    linewidth: 2,
                    transparent: true,
                    opacity: 0.85,
                });
                line = new Line2(new LineGeometry().setPositions(this.path(point)), look);
                line.userData.label = { name: point.name, what: "trace" };
                this.lines.set(point, line);
                this.group.add(line);
            }
            if (line) line.visible = Boolean(point.chosen);
        }
    }
}

class Velocities extends Overlay {
    constructor(parts) {
        super();
        this.scene = parts.scene;
        this.mechanism = parts.mechanism;
        this.points = parts.points;
        this.shared = arrowShape(parts);
        this.speedScale = 0;
        this.byPoint = new Map();
        this.p = new THREE.Vector3();
        this.v = new THREE.Vector3();
        this.arm = new THREE.Vector3();
    }

    scaleSpeeds() {
        let most = 0;
        this.points
            .filter((p) => p.chosen)
            .forEach((p) => {
                for (let i = 0; i < this.scene.frames; i += 1 + (this.scene.frames >> 8)) {
                    const q = new THREE.Quaternion().fromArray(
                        this.scene.poses,
                        7 * (i * (this.scene.bodies.length - 1) + p.body - 1) + 3,
                    );
                    this.arm.copy(p.at).applyQuaternion(q);
                    most = Math.max(
                        most,
                        pointVelocity(this.scene, { i, share: 0 }, p.body, this.arm, this.v).length(),
                    );
                }
            });
        this.speedScale = most > 0 ? (0.3 * this.scene.size) / most : 0;
    }

    show(on) {
        super.show(on);
        if (!on) return;
        for (const point of this.points) {
            if (point.chosen && !this.byPoint.has(point)) {
                const made = new Arrow(this.shared, velocityColour);
                made.group.userData.label = { name: point.name, what: "velocity" };
                this.group.add(made.group);
                this.byPoint.set(point, made);
            }
            const made = this.byPoint.get(point);
            if (made && !point.chosen) made.group.visible = false;
        }
        this.scaleSpeeds();
    }

    place(where) {
        if (!this.group.visible) return;
        for (const [point, made] of this.byPoint) {
            if (!point.chosen) continue;
            this.mechanism.point(point.body, point.at, this.p);
            this.arm.copy(point.at).applyQuaternion(this.mechanism.frames[point.body].quaternion);
            pointVelocity(this.scene, where, point.body, this.arm, this.v);
            made.set(this.p, this.v.multiplyScalar(this.speedScale));
        }
    }
}

class Forces extends Overlay {
    constructor(parts) {
        super();
        this.scene = parts.scene;
        this.mechanism = parts.mechanism;
        this.shared = arrowShape(parts);
        this.byForce = this.scene.forces.map((force, k) => this.forceArrow(force, k)).filter(Boolean);
        this.scaleForces();
        this.p = new THREE.Vector3();
        this.v = new THREE.Vector3();
    }

    forceArrow(force, k) {
        // how each sign is drawn: an arc or an arrow, at how many ends
        const signs = {
            arrow: { arc: false, ends: 1 },
            arc: { arc: true, ends: 1 },
            axial: { arc: Boolean(force.angle), ends: 1 },
            coil: { arc: false, ends: 2 },
        };
        if (!(force.sign in signs)) return null;
        const { arc: torque, ends } = signs[force.sign];
        const arrows = [];
        for (let e = 0; e < ends; e++) {
            const made = torque
                ? new Arc(this.shared, 3.4 * this.mechanism.shared.m.bar, 0.3 * this.scene.size)
                : new Arrow(this.shared, forceColour);
            made.group.userData.label = { name: force.name, what: force.type };
            this.group.add(made.group);
            arrows.push(made);
        }
        return { force, k, torque, arrows };
    }

    // The largest force of all, and the largest torque, are a third of the mechanism long.
    scaleForces() {
        const most = [0, 0];
        const v = new THREE.Vector3();
        for (const { k, torque, force } of this.byForce)
            for (let i = 0; i < this.scene.frames; i++) {
                forceAt(this.scene, { i, share: 0 }, k, v);
                const size = force.sign === "arrow" || force.sign === "arc" ? v.length() : Math.abs(v.x);
                if (size > most[torque ? 1 : 0]) most[torque ? 1 : 0] = size;
            }
        this.forceScale = most.map((x) => (x > 0 ? (0.3 * this.scene.size) / x : 0));
    }

    place(where) {
        if (this.group.visible) for (const entry of this.byForce) this.updateForce(entry, where);
    }

    updateForce({ force, k, torque, arrows }, where) {
        const scale = this.forceScale[torque ? 1 : 0];
        forceAt(this.scene, where, k, this.v);
        if (force.sign === "coil") {
            // pulls its ends together
            const ends = [force.at_a, force.at_b].map((at, e) =>
                this.mechanism.point(force.bodies[e], vector(at), new THREE.Vector3()),
            );
            const pull = ends[1]
                .clone()
                .sub(ends[0])
                .normalize()
                .multiplyScalar(this.v.x * scale);
            arrows[0].set(ends[0], pull);
            arrows[1].set(ends[1], pull.negate());
            return;
        }
        if (force.bodies) {
            this.mechanism.point(force.bodies[0], vector(force.at_a), this.p);
            arrows[0].set(this.p, this.v.multiplyScalar(scale));
            return;
        }
        const joint = this.scene.joints[force.joint];
        if (!joint.bodies) return;
        this.mechanism.point(joint.bodies[1], vector(joint.at_b), this.p);
        const axis = vector(joint.axis_b).applyQuaternion(this.mechanism.frames[joint.bodies[1]].quaternion);
        arrows[0].set(this.p, axis.multiplyScalar(this.v.x * scale));
    }
}

// Names of bodies and joints beside them, as text on the page.
class Names extends Overlay {
    constructor({ scene, mechanism, labels: element }) {
        super();
        this.element = element;
        this.mechanism = mechanism;
        this.items = [];
        const add = (text, kind, body, at) => {
            const label = document.createElement("div");
            label.className = `name ${kind}`;
            label.dir = "auto";
            label.textContent = text;
            element.append(label);
            this.items.push({ label, body, at });
        };
        scene.bodies.forEach((body, b) => {
            if (!b || !body.anchors.length) return;
            const middle = body.anchors.map(vector).reduce((s, p) => s.add(p), new THREE.Vector3());
            add(body.name, "body", b, middle.divideScalar(body.anchors.length));
        });
        for (const joint of scene.joints)
            if (joint.bodies && !joint.virtual)
                add(
                    joint.name,
                    "joint",
                    joint.bodies[0] || joint.bodies[1],
                    vector(joint.bodies[0] ? joint.at_a : joint.at_b),
                );
        this.p = new THREE.Vector3();
    }

    draw(stage) {
        this.element.hidden = !this.group.visible;
        if (!this.group.visible) return;
        for (const { label, body, at } of this.items) {
            this.mechanism.point(body, at, this.p);
            const { x, y, seen } = stage.project(this.p);
            label.style.display = seen ? "" : "none";
            label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        }
    }
}

// Centres of mass: marks that the bodies carry.
class Masses extends Overlay {
    constructor({ mechanism }) {
        super();
        this.marks = mechanism.marks;
    }

    show(on) {
        for (const mark of this.marks) mark.visible = on;
    }
}

// The mechanism as it stood at the start; made when it is first shown.
class Ghost extends Overlay {
    constructor(parts) {
        super();
        this.parts = parts;
    }

    show(on) {
        super.show(on);
        if (!on || this.group.children.length) return;
        const ghost = new Mechanism(this.parts.scene, this.parts.shared, { ghost: true });
        ghost.place({ i: 0, share: 0 });
        this.group.add(ghost.group);
    }
}

const moves = (scene) => scene.frames > 1;
const carries = (scene) => Boolean(scene.reactions?.length);
const touches = (scene) => scene.forces.some((f) => f.sign === "touch");
const pushes = (scene) => scene.forces.some((f) => !["wheel", "pad", "touch", "none"].includes(f.sign));

// Each overlay: its class, the key and the button that switch it, what the help and the button's hint say, and
// whether a scene offers the button. The order is that of the buttons.
export const overlays = [
    { id: "names", of: Names, key: "N", button: "Names", help: "names", hint: "names of bodies and joints" },
    { id: "com", of: Masses, key: "M", button: "Masses", help: "centres of mass" },
    {
        id: "ghost",
        of: Ghost,
        key: "G",
        button: "Start",
        help: "ghost of the start",
        hint: "ghost of the initial configuration",
        offered: moves,
    },
    {
        id: "traces",
        of: Traces,
        key: "T",
        button: "Traces",
        help: "traces",
        hint: "traces of the chosen points",
        offered: moves,
    },
    {
        id: "velocities",
        of: Velocities,
        key: "V",
        button: "Speeds",
        help: "velocities",
        hint: "velocities of the chosen points",
        offered: (scene) => scene.velocities,
    },
    {
        id: "forces",
        of: Forces,
        key: "A",
        button: "Forces",
        help: "forces",
        hint: "applied forces",
        offered: pushes,
    },
    {
        id: "reactions",
        of: Reactions,
        key: "J",
        button: "Reactions",
        help: "reactions of the joints",
        hint: "what joints carry: force and moment on body B",
        offered: carries,
        on: carries,
    },
    {
        id: "touches",
        of: Touches,
        key: "X",
        button: "Contacts",
        help: "contacts",
        hint: "where bodies touch",
        offered: touches,
        on: touches,
    },
];
