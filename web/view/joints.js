// One glyph for each sign of a joint. A glyph has a part on A and a part on B, each in its body's frame; rods
// between two bodies (links, springs) are laid anew in each frame.
import * as THREE from "three";
import * as G from "./geometry.js";
import { bodyColour, material } from "./bodies.js";

const steel = 0x3d4650;
const bright = 0xe9edf1;

function part(geometry, at, axis, look) {
    const mesh = new THREE.Mesh(geometry, look);
    return G.along(mesh, at, axis);
}

// Hatched support under a joint on ground: a pedestal for space, a triangle in the plane.
function support(at, axis, scene, m, hangs) {
    const group = new THREE.Group();
    const down = scene.down.clone().multiplyScalar(hangs ? -1 : 1);
    const size = 3.2 * m.bar;
    let across = down.clone().cross(axis);
    if (across.length() < 0.3) {
        const { u, v } = G.basis(axis);
        down.copy(m.planar ? v.negate() : axis.clone().negate());
        across = u;
    }
    across.normalize();
    down.sub(across.clone().multiplyScalar(down.dot(across))).normalize();
    const side = down.clone().cross(across);
    const foot = at.clone().addScaledVector(down, size);
    const look = material(bodyColour(0));
    if (m.planar) {
        const corner = (s) => foot.clone().addScaledVector(across, s * 0.62 * size);
        group.add(
            new THREE.Mesh(G.plate([at, corner(1), corner(-1)], side, 0.16 * size, 0.5 * m.layer), look),
        );
    } else {
        const cone = new THREE.Mesh(G.rod(0.62 * size, size, 28, 0.3 * size), look);
        group.add(G.along(cone, at.clone().addScaledVector(down, size / 2), down.clone().negate()));
    }
    const lines = [];
    const rows = m.planar ? [0] : [-0.4, 0, 0.4];
    for (const row of rows)
        for (let k = -3; k <= 3; k++) {
            const start = foot
                .clone()
                .addScaledVector(across, 0.27 * k * size)
                .addScaledVector(side, row * size);
            if (m.planar) start.addScaledVector(down, 0.16 * size);
            const end = start
                .clone()
                .addScaledVector(across, -0.24 * size)
                .addScaledVector(down, 0.3 * size);
            lines.push(start, end);
        }
    group.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(lines), scene.lineLook));
    if (m.planar) group.position.addScaledVector(G.vector(scene.normal), -m.layer);
    return group;
}

// Bearings at the ends of the hinge line, where the model names them.
function bearings(joint, at, axis) {
    return (joint.line || [0]).map((s) => at.clone().addScaledVector(axis, s));
}

function revolute(joint, at, axis, side, m, colour) {
    if (m.planar) {
        const through = 2 * (m.depth + (side ? 1.3 : 1.2)) * m.layer; // seen in front of every bar
        const disc = G.rod((side ? 0.42 : 0.68) * m.bar, through, 28);
        return [part(disc, at, axis, material(side ? bright : steel))];
    }
    return bearings(joint, at, axis).map((p) =>
        side
            ? part(G.rod(0.55 * m.bar, 4.6 * m.bar, 20), p, axis, material(steel))
            : part(G.rod(1.45 * m.bar, 2.6 * m.bar, 28), p, axis, material(colour)),
    );
}

// Telescope where the slide never comes near zero, else a rail on A and a block on B.
function sliding(joint, at, axis, side, scene, m, colour) {
    const [low, high] = joint.range || [0, 0];
    const direction = low + high < 0 ? -1 : 1;
    const near = Math.min(Math.abs(low), Math.abs(high));
    const far = Math.max(Math.abs(low), Math.abs(high));
    const turns = joint.type === "cylindrical";
    const u = axis.clone().multiplyScalar(direction);
    const telescope = joint.bodies[0] !== 0 && low * high > 0 && near > 0.35 * far && near > 4 * m.bar;
    const reach = (a, b, r, look) =>
        new THREE.Mesh(
            G.tube(at.clone().addScaledVector(u, a), at.clone().addScaledVector(u, b), r, 24),
            look,
        );
    if (telescope && side === 0)
        return [
            reach(0, 0.86 * near, 1.35 * m.bar, material(colour)),
            reach(0.86 * near, 0.9 * near, 1.6 * m.bar, material(steel)),
        ];
    if (telescope) return [reach(-(far - 0.5 * near), 0, 0.75 * m.bar, material(0xb9c2cb))];
    const margin = 4 * m.bar;
    if (side === 0) {
        const from = at.clone().addScaledVector(axis, low - margin);
        const to = at.clone().addScaledVector(axis, high + margin);
        const rail = new THREE.Mesh(G.tube(from, to, 0.45 * m.bar, 16), material(steel));
        return joint.bodies[0] === 0 ? [rail, hatchedRail(from, to, scene, m)] : [rail];
    }
    if (turns) return [part(G.rod(1.3 * m.bar, 5 * m.bar, 28), at, axis, material(colour))];
    const block = new THREE.BoxGeometry(2.2 * m.bar, 2.2 * m.bar, 4.4 * m.bar);
    const mesh = part(block, at, axis, material(colour));
    if (m.planar) {
        const n = G.vector(scene.normal).applyQuaternion(scene.start[joint.bodies[1]].clone().invert());
        const z = axis.clone().normalize();
        mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(n.clone().cross(z), n, z));
    }
    return [mesh];
}

function hatchedRail(from, to, scene, m) {
    const lines = [];
    const axis = to.clone().sub(from);
    const n = Math.max(4, Math.min(40, Math.round(axis.length() / (1.2 * m.bar))));
    const down = scene.down.clone().addScaledVector(axis, -scene.down.dot(axis) / axis.lengthSq());
    if (down.length() < 0.2) down.copy(G.basis(axis).u);
    down.normalize();
    const base = (s) =>
        from
            .clone()
            .addScaledVector(axis, s)
            .addScaledVector(down, 1.5 * m.bar);
    lines.push(base(0), base(1));
    for (let k = 1; k <= n; k++) {
        const end = base((k - 0.8) / n).addScaledVector(down, 1.1 * m.bar);
        lines.push(base(k / n), end);
    }
    return new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(lines), scene.lineLook);
}

function screw(at, axis, side, m, colour) {
    if (side) return [part(G.rod(1.5 * m.bar, 2.4 * m.bar, 6), at, axis, material(colour))];
    const spindle = G.merge([
        G.rod(0.6 * m.bar, 12 * m.bar, 18),
        thread(0.75 * m.bar, 12 * m.bar, 0.22 * m.bar),
    ]);
    return [part(spindle, at, axis, material(steel))];
}

function thread(radius, length, wire) {
    const points = [];
    const turns = 14;
    for (let k = 0; k <= 16 * turns; k++) {
        const a = (2 * Math.PI * k) / 16;
        points.push(
            new THREE.Vector3(radius * Math.cos(a), radius * Math.sin(a), length * (k / (16 * turns) - 0.5)),
        );
    }
    return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 16 * turns, wire, 5);
}

function universal(joint, at, side, m) {
    const axis = G.vector(side ? joint.second_b : joint.axis_a);
    const colour = bodyColour(joint.bodies[side]);
    const pin = part(G.rod(0.6 * m.bar, 5.2 * m.bar, 18), at, axis, material(side ? bright : steel));
    const yoke = part(
        new THREE.TorusGeometry(2.4 * m.bar, 0.42 * m.bar, 10, 28, Math.PI),
        at,
        axis,
        material(colour),
    );
    // half a ring whose ends carry the pin
    const { u } = G.basis(axis);
    yoke.quaternion.setFromRotationMatrix(
        new THREE.Matrix4().makeBasis(
            axis.clone(),
            side ? u : u.clone().negate(),
            axis.clone().cross(side ? u : u.clone().negate()),
        ),
    );
    return [pin, yoke];
}

function spherical(joint, at, side, scene, m) {
    if (side)
        return [
            part(
                new THREE.SphereGeometry(1.5 * m.bar, 28, 18),
                at,
                new THREE.Vector3(0, 0, 1),
                material(bright),
            ),
        ];
    const anchors = scene.bodies[joint.bodies[0]].anchors.map(G.vector);
    const centre = anchors
        .reduce((s, p) => s.add(p), new THREE.Vector3())
        .divideScalar(Math.max(1, anchors.length));
    const away = centre.sub(at);
    if (away.length() < 1e-9) away.copy(scene.down);
    const cup = new THREE.SphereGeometry(1.9 * m.bar, 28, 14, 0, 2 * Math.PI, 0, 0.5 * Math.PI).rotateX(
        Math.PI / 2,
    );
    const look = material(bodyColour(joint.bodies[0]));
    look.side = THREE.DoubleSide;
    return [part(cup, at, away, look)];
}

function flatPlate(at, axis, side, m) {
    if (side) return [part(G.rod(1.6 * m.bar, 0.8 * m.bar, 32), at, axis, material(bright))];
    return [
        part(new THREE.BoxGeometry(9 * m.bar, 9 * m.bar, 0.25 * m.bar), at, axis, material(0x6f8fb5, 0.35)),
    ];
}

function triad(at, side, m) {
    if (!side) return [];
    const axes = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ].map(G.vector);
    const colours = [0xc8454a, 0x4b9a55, 0x3f72b8];
    return axes.map(
        (u, i) =>
            new THREE.Mesh(
                G.tube(at, at.clone().addScaledVector(u, 5 * m.bar), 0.22 * m.bar, 10),
                material(colours[i]),
            ),
    );
}

function glyph(joint, side, scene, m) {
    const at = G.vector(side ? joint.at_b : joint.at_a);
    const axis = G.vector(side ? joint.axis_b : joint.axis_a);
    const colour = bodyColour(joint.bodies[side]);
    const ball = () => [part(new THREE.SphereGeometry(1.1 * m.bar, 24, 16), at, axis, material(steel))];
    switch (joint.sign) {
        case "pin":
            return revolute(joint, at, axis, side, m, colour);
        case "slider":
            return sliding(joint, at, axis, side, scene, m, colour);
        case "screw":
            return screw(at, axis, side, m, colour);
        case "cross":
            return universal(joint, at, side, m);
        case "ball":
            return spherical(joint, at, side, scene, m);
        case "plate":
            return m.planar ? [] : flatPlate(at, axis, side, m);
        case "triad":
            return triad(at, side, m);
        case "block":
            return side ? [part(new THREE.OctahedronGeometry(1.4 * m.bar), at, axis, material(steel))] : [];
        case "rod":
            return ball();
        case "point_on_line":
            return side ? ball() : [part(G.rod(0.25 * m.bar, 1.2 * m.link, 10), at, axis, material(steel))];
        case "point_on_plate":
            return side ? ball() : flatPlate(at, axis, 0, m);
        default:
            return [];
    }
}

// Pitch circles of a pair of gears that turn about parallel axes on one body; teeth show how they turn.
function toothed(radius, m) {
    const n = Math.max(12, Math.min(90, Math.round((2 * Math.PI * radius) / (0.9 * m.bar))));
    const shape = new THREE.Shape();
    const depth = Math.min(0.5 * m.bar, 0.1 * radius);
    for (let k = 0; k < 4 * n; k++) {
        const r = radius + (k % 4 < 2 ? depth : -depth);
        const a = (2 * Math.PI * (k + (k % 2 ? 0.2 : -0.2))) / (4 * n);
        if (k) shape.lineTo(r * Math.cos(a), r * Math.sin(a));
        else shape.moveTo(r * Math.cos(a), r * Math.sin(a));
    }
    const hole = new THREE.Path();
    hole.absarc(0, 0, Math.max(0.25 * radius, radius - 5 * m.bar), 0, 2 * Math.PI, true);
    shape.holes.push(hole);
    return new THREE.ExtrudeGeometry(shape, { depth: 0.6 * m.layer, bevelEnabled: false, curveSegments: 32 });
}

function gears(joint, scene, m, add) {
    const [first, second] = joint.joints.map((k) => scene.joints[k]);
    if (first.sign !== "pin") return;
    if (joint.type === "rack") {
        const body = first.bodies[1];
        add(
            body,
            joint,
            part(
                toothed(Math.abs(joint.ratio), m),
                G.vector(first.at_b),
                G.vector(first.axis_b),
                material(bodyColour(body)),
            ),
        );
        return;
    }
    if (second.sign !== "pin" || first.bodies[0] !== second.bodies[0]) return;
    const a = G.vector(first.at_a);
    const b = G.vector(second.at_a);
    const axis = G.vector(first.axis_a);
    const d = b.clone().sub(a);
    d.addScaledVector(axis, -d.dot(axis));
    const parallel = Math.abs(axis.dot(G.vector(second.axis_a))) > 0.999;
    const ratio = Math.abs(joint.ratio);
    const outside = joint.ratio * axis.dot(G.vector(second.axis_a)) < 0;
    if (!parallel || d.length() < 1e-9 || (!outside && Math.abs(ratio - 1) < 1e-6)) return;
    const unit = d.length() / (outside ? 1 + ratio : Math.abs(1 - ratio));
    [first, second].forEach((hinge, k) => {
        const body = hinge.bodies[1];
        add(
            body,
            joint,
            part(
                toothed(unit * (k ? 1 : ratio), m),
                G.vector(hinge.at_b),
                G.vector(hinge.axis_b),
                material(bodyColour(body)),
            ),
        );
    });
}

// All glyphs: {body, mesh, joint}, made once.
export function jointGlyphs(scene, m) {
    const out = [];
    const add = (body, joint, mesh) => out.push({ body, joint, mesh });
    const supported = [];
    const stand = (owner, at, axis, hangs) => {
        if (scene.bodies[0].shapes.length || supported.some((p) => p.distanceTo(at) < m.bar)) return;
        supported.push(at);
        add(0, owner, support(at, m.planar ? G.vector(scene.normal) : axis, scene, m, hangs));
    };
    for (const joint of scene.joints) {
        if (joint.virtual) continue;
        if (joint.joints) gears(joint, scene, m, add);
        if (!joint.bodies) continue;
        for (const side of [0, 1]) {
            const body = joint.bodies[side];
            for (const mesh of glyph(joint, side, scene, m)) add(body, joint, mesh);
            const stands = ["pin", "cross", "ball", "screw", "rod", "block"].includes(joint.sign);
            if (body !== 0 || !stands) continue;
            const own = G.vector(side ? joint.axis_b : joint.axis_a);
            for (const at of bearings(joint, G.vector(side ? joint.at_b : joint.at_a), own))
                stand(joint, at, own);
        }
    }
    for (const force of scene.forces)
        if (force.sign === "coil")
            force.bodies.forEach(
                (body, k) =>
                    body === 0 &&
                    stand(force, G.vector(k ? force.at_b : force.at_a), G.basis(scene.down).u, true),
            );
    return out;
}

// Rods and springs from a point of one body to a point of another.
export function rods(scene, m) {
    const out = [];
    for (const joint of scene.joints)
        if (joint.sign === "rod") {
            const mesh = new THREE.Mesh(G.rod(0.6 * m.bar, 1, 18).translate(0, 0, 0.5), material(0x8a94a0));
            out.push({
                owner: joint,
                bodies: joint.bodies,
                a: G.vector(joint.at_a),
                b: G.vector(joint.at_b),
                mesh,
            });
        }
    for (const force of scene.forces)
        if (force.sign === "coil") {
            const mesh = new THREE.Mesh(G.coil(2.1 * m.bar, 0.36 * m.bar), material(0xc9a13b));
            out.push({
                owner: force,
                bodies: force.bodies,
                a: G.vector(force.at_a),
                b: G.vector(force.at_b),
                mesh,
            });
        }
    return out;
}

// Rings of rubber where bushings are, and the spheres that touch.
export function pads(scene, m) {
    const out = [];
    const sphere = (force, body, at, radius) => {
        const look = material(0x5d8aa8);
        look.transparent = true;
        look.opacity = 0.45;
        const mesh = new THREE.Mesh(new THREE.SphereGeometry(radius || 0.9 * m.bar, 32, 20), look);
        mesh.position.copy(G.vector(at));
        out.push({ body, joint: force, mesh });
    };
    for (const force of scene.forces) {
        if (force.sign === "touch") {
            sphere(force, force.bodies[1], force.at_b, force.radius);
            if (force.other_radius) sphere(force, force.bodies[0], force.at_a, force.other_radius);
        }
        if (force.sign !== "pad") continue;
        const mesh = new THREE.Mesh(new THREE.TorusGeometry(1.5 * m.bar, 0.7 * m.bar, 16, 40), material(0x2b2f35));
        mesh.position.copy(G.vector(force.at_b));
        out.push({ body: force.bodies[1], joint: force, mesh });
    }
    return out;
}

export function wheels(scene) {
    return scene.forces
        .filter((f) => f.sign === "wheel")
        .map((force) => {
            const r = force.radius;
            const group = new THREE.Group();
            const rubber = new THREE.Mesh(
                new THREE.TorusGeometry(0.8 * r, 0.2 * r, 18, 56).scale(1, 1, 1.5),
                material(0x2b2f35),
            );
            const rim = new THREE.Mesh(G.rod(0.62 * r, 0.3 * r, 40), material(0xaab3bd));
            group.add(rubber, rim);
            for (let k = 0; k < 5; k++) {
                const a = (2 * Math.PI * k) / 5;
                const hole = new THREE.Mesh(G.rod(0.12 * r, 0.32 * r, 18), material(0x4a525c));
                hole.position.set(0.38 * r * Math.cos(a), 0.38 * r * Math.sin(a), 0);
                group.add(hole);
            }
            G.along(group, G.vector(force.at_a), G.vector(force.axis));
            return { body: force.bodies[0], joint: force, mesh: group };
        });
}
