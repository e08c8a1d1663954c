// Every assembly of a mechanism side by side, with its number and its coordinates in a table.
import * as THREE from "three";
import { Mechanism } from "./mechanism.js";
import { basis, vector } from "./geometry.js";
import { element } from "./dom.js";

// Columns and rows of cells that fill a wide picture.
function grid(n, width, height) {
    let best = [n, 1];
    let worst = Infinity;
    for (let columns = 1; columns <= n; columns++) {
        const rows = Math.ceil(n / columns);
        const off = Math.abs(Math.log((columns * width) / (rows * height) / 1.5)) + (columns * rows - n) / n;
        if (off < worst) [worst, best] = [off, [columns, rows]];
    }
    return best;
}

export class Assemblies {
    constructor(scene, shared, stage) {
        this.scene = scene;
        this.stage = stage;
        this.list = [];
        const box = new THREE.Box3(vector(scene.low), vector(scene.high)).expandByScalar(4 * shared.m.bar);
        const up = scene.down.clone().negate();
        const right = scene.normal ? up.clone().cross(vector(scene.normal)).normalize() : basis(up).u;
        if (!scene.normal && Math.abs(up.z) > 0.9) right.set(1, 0, 0);
        const away = scene.normal ? up.clone().negate() : up.clone().cross(right).negate();
        const size = box.getSize(new THREE.Vector3());
        const spread = (d) => Math.abs(size.x * d.x) + Math.abs(size.y * d.y) + Math.abs(size.z * d.z);
        const room = scene.normal ? 1.2 : 1.5;
        const [width, height] = [room * spread(right), room * spread(away)];
        const [columns] = grid(scene.frames, width, height);
        for (let i = 0; i < scene.frames; i++) {
            const mechanism = new Mechanism(scene, shared);
            mechanism.place({ i, share: 0 });
            mechanism.group.position
                .copy(right)
                .multiplyScalar((i % columns) * width)
                .addScaledVector(away, Math.floor(i / columns) * height);
            stage.content.add(mechanism.group);
            const label = element("div", "name number", String(i + 1));
            this.list.push({
                mechanism,
                label,
                box: box.clone().translate(mechanism.group.position),
                top: this.top(mechanism, up),
            });
        }
        this.box = this.list.reduce((all, x) => all.union(x.box), new THREE.Box3());
    }

    // Above the highest point of an assembly, in the middle of it.
    top(mechanism, up) {
        const all = new THREE.Box3();
        let highest = -Infinity;
        this.scene.bodies.forEach((body, b) =>
            body.anchors.forEach((at) => {
                const p = mechanism.point(b, vector(at), new THREE.Vector3());
                highest = Math.max(highest, p.dot(up));
                all.expandByPoint(p);
            }),
        );
        const middle = all.getCenter(new THREE.Vector3());
        middle.addScaledVector(up, highest + 0.08 * this.scene.size - middle.dot(up));
        return middle.add(mechanism.group.position);
    }

    labels(parent) {
        parent.hidden = false;
        for (const { label } of this.list) parent.append(label);
    }

    update() {
        for (const { label, top } of this.list) {
            const { x, y } = this.stage.project(top);
            label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        }
    }

    // A click on a column's head looks at that assembly.
    table(panel) {
        const holder = element("div", "table");
        const table = element("table");
        const head = element("tr");
        head.append(element("th", "", "coordinate"));
        this.list.forEach(({ box }, i) => {
            const cell = element("th");
            const look = element("button", "", String(i + 1));
            look.type = "button";
            look.title = `look at assembly ${i + 1}`;
            look.addEventListener("click", () => this.stage.fit(box));
            cell.append(look);
            head.append(cell);
        });
        table.append(head);
        for (const curve of this.scene.curves) {
            const row = element("tr");
            const name = element("th", "text", curve.name);
            name.dir = "auto";
            name.title = curve.name;
            row.append(name, ...Array.from(curve.data, (x) => element("td", "", x.toPrecision(6))));
            table.append(row);
        }
        holder.append(table);
        const count = this.list.length;
        panel.append(
            element("p", "hint", `${count} real ${count === 1 ? "assembly" : "assemblies"}`),
            holder,
        );
    }
}
