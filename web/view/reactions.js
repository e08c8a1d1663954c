// Reactions of joints over the mechanism, with a legend of their peaks.
import * as THREE from "three";
import { Arc, Arrow, arrowShape } from "./arrows.js";
import { curveAt } from "./data.js";
import { element } from "./dom.js";
import { vector } from "./geometry.js";
import { Overlay } from "./overlay.js";

const reactionColour = 0xd9771f;
const momentColour = 0x2f78c4;

// What joints carry: force and moment on body B at its joint point. The largest force of the run is a third of the
// mechanism long, the largest moment nearly a full turn; a legend says how large they are.
export class Reactions extends Overlay {
    constructor(parts) {
        super();
        this.scene = parts.scene;
        this.mechanism = parts.mechanism;
        const shared = arrowShape(parts);
        const full = 0.3 * this.scene.size;
        const carried = this.scene.reactions ?? [];
        this.most = ["force", "moment"].map((key) => Math.max(0, ...carried.map((r) => r[key][0])));
        this.scale = this.most.map((x) => (x > 0 ? full / x : 0));
        this.signs = carried.map((reaction) => {
            const joint = this.scene.joints[reaction.joint];
            const arrow = new Arrow(shared, reactionColour);
            const arc = new Arc(shared, 3.4 * parts.shared.m.bar, full, momentColour);
            for (const sign of [arrow, arc]) {
                sign.group.userData.label = { name: joint.name, what: "reaction" };
                this.group.add(sign.group);
            }
            return { joint, arrow, arc, curves: reaction.curves.map((k) => this.scene.curves[k]) };
        });
        this.p = new THREE.Vector3();
        this.v = new THREE.Vector3();
        this.legend = carried.length ? this.writeLegend(carried) : null;
        if (this.legend) parts.picture.append(this.legend);
    }

    // How long is how much, and the peaks of all joints, the largest force first.
    writeLegend(carried) {
        const legend = element("div", "peaks");
        const number = (x) => String(Number(x.toPrecision(4)));
        const key = (colour, text) => {
            const line = element("div", "key");
            const mark = element("span", `mark ${colour}`);
            line.append(mark, element("span", "", text));
            legend.append(line);
        };
        legend.append(element("b", "", "Reactions on body B"));
        key("force", `longest arrow: ${number(this.most[0])} N`);
        if (this.most[1] > 0) key("moment", `longest arc: ${number(this.most[1])} N m`);
        const table = element("table");
        const row = (cells, tag) => {
            const line = element("tr");
            line.append(...cells.map((text) => element(tag, "", text)));
            line.firstChild.dir = "auto";
            table.append(line);
        };
        row(["peak of", "N", "N m"], "th");
        for (const { joint, force, moment } of [...carried].sort((a, b) => b.force[0] - a.force[0]))
            row([this.scene.joints[joint].name, number(force[0]), number(moment[0])], "td");
        legend.append(table);
        return legend;
    }

    show(on) {
        super.show(on);
        if (this.legend) this.legend.hidden = !on;
    }

    place(where) {
        if (!this.group.visible) return;
        for (const { joint, arrow, arc, curves } of this.signs) {
            const [fx, fy, fz, mx, my, mz] = curves.map((c) => curveAt(c, where));
            this.mechanism.point(joint.bodies[1], vector(joint.at_b), this.p);
            arrow.set(this.p, this.v.set(fx, fy, fz).multiplyScalar(this.scale[0]));
            arc.set(this.p, this.v.set(mx, my, mz).multiplyScalar(this.scale[1]));
        }
    }
}
