// The picture: renderer, cameras, light, grid, names under the pointer. Drawn only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { basis, vector } from "./geometry.js";

// Squared paper in x and y, n squares to each side. Lines end at every crossing: some rasterisers drop a line
// that begins behind the eye.
function squares(cell, n, colour) {
    const at = [];
    for (let i = -n; i <= n; i++)
        for (let k = -n; k < n; k++) at.push(i, k, 0, i, k + 1, 0, k, i, 0, k + 1, i, 0);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute(
        "position",
        new THREE.Float32BufferAttribute(
            at.map((x) => x * cell),
            3,
        ),
    );
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

export class Stage {
    constructor(element, scene, measures) {
        this.element = element;
        this.scene = scene;
        this.m = measures;
        this.world = new THREE.Scene();
        this.renderer = new THREE.WebGLRenderer({ antialias: true });
        this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("aria-label", "the mechanism");
        element.append(this.canvas);
        this.up = scene.down.clone().negate();
        this.normal = scene.normal ? vector(scene.normal) : null;
        this.target = new THREE.Vector3();
        this.perspective = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
        this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
        this.camera = this.normal ? this.flat : this.perspective;
        for (const camera of [this.perspective, this.flat]) camera.up.copy(this.up);
        this.light();
        this.dirty = true;
        this.drawn = 0;
        this.follows = false;
        this.content = new THREE.Group(); // what fitting and picking look at
        this.world.add(this.content);
        this.setControls();
        new ResizeObserver(() => this.resize()).observe(element);
    }

    light() {
        this.sky = new THREE.HemisphereLight(0xffffff, 0x9aa3ad, 1.9);
        this.sky.position.copy(this.up);
        this.sun = new THREE.DirectionalLight(0xffffff, 1.7);
        this.world.add(this.sky, this.sun, this.sun.target);
    }

    setControls() {
        this.controls?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.target.copy(this.target);
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => (this.dirty = true));
        this.controls.update();
    }

    setTheme(dark) {
        this.world.background = new THREE.Color(dark ? 0x16191d : 0xf7f8fa);
        this.sky.intensity = dark ? 1.5 : 1.9;
        this.scene.lineLook.color.set(dark ? 0x9aa4b0 : 0x59616b);
        this.gridColour = dark ? 0x2c3238 : 0xdce0e5;
        if (this.grid) this.setGrid(this.grid.visible);
        this.dirty = true;
    }

    // A floor below everything (spatial), or squared paper behind it (planar).
    setGrid(visible) {
        if (this.grid) {
            this.world.remove(this.grid);
            this.grid.geometry.dispose();
        }
        const box = this.box;
        const size = box.getSize(new THREE.Vector3());
        const wide = Math.min(2.2 * Math.max(size.x, size.y, size.z, this.scene.size), 12 * this.scene.size);
        const power = 10 ** Math.floor(Math.log10(this.scene.size / 4));
        const cell = power * [1, 2, 5].filter((k) => k * power <= this.scene.size / 4).pop();
        this.grid = squares(cell, Math.min(60, Math.ceil(wide / cell / 2)), this.gridColour);
        this.cell = cell;
        const axis = this.normal || this.up;
        this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
        const lowest = Math.min(
            ...[0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
                new THREE.Vector3(
                    k & 1 ? box.max.x : box.min.x,
                    k & 2 ? box.max.y : box.min.y,
                    k & 4 ? box.max.z : box.min.z,
                ).dot(axis),
            ),
        );
        this.depth = this.floor ?? lowest - (this.normal ? 4 * this.m.layer : 0);
        this.centreGrid();
        this.grid.visible = visible;
        this.world.add(this.grid);
        this.dirty = true;
    }

    // The grid goes with the picture, by whole cells: it has no end.
    centreGrid() {
        const axis = this.normal || this.up;
        const at = this.controls.target.toArray().map((x) => this.cell * Math.round(x / this.cell));
        this.grid.position.set(...at);
        this.grid.position.addScaledVector(axis, this.depth - this.grid.position.dot(axis));
    }

    resize() {
        const width = Math.max(1, this.element.clientWidth);
        const height = Math.max(1, this.element.clientHeight);
        this.renderer.setSize(width, height, false);
        this.perspective.aspect = width / height;
        this.perspective.updateProjectionMatrix();
        const h = this.flat.top;
        this.flat.left = (-h * width) / height;
        this.flat.right = (h * width) / height;
        this.flat.updateProjectionMatrix();
        if (this.lastFit && !this.touched) this.fit(this.lastFit);
        this.dirty = true;
    }

    // Looks at a box from where it looks now, or from a direction.
    fit(box, direction) {
        this.lastFit = box;
        const centre = box.getCenter(new THREE.Vector3());
        const from = direction
            ? direction.clone().normalize()
            : this.camera.position.clone().sub(this.controls.target).normalize();
        const camera = this.camera;
        this.target.copy(centre);
        camera.up.copy(Math.abs(from.dot(this.up)) > 0.99 ? this.upFor(from) : this.up);
        camera.position.copy(centre).add(from);
        camera.lookAt(centre);
        camera.updateMatrixWorld();
        // the picture stands below the buttons
        const [wide, tall] = [this.element.clientWidth, Math.max(1, this.element.clientHeight)];
        const bar = Math.min(0.3 * tall, 50);
        const aspect = wide / tall;
        const free = wide / (tall - bar);
        const x = new THREE.Vector3();
        const [right, up, back] = [0, 1, 2].map((k) =>
            new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, k),
        );
        let half = 1e-6;
        let distance = 0;
        const tan = Math.tan((this.perspective.fov * Math.PI) / 360);
        for (let k = 0; k < 8; k++) {
            x.set(
                k & 1 ? box.max.x : box.min.x,
                k & 2 ? box.max.y : box.min.y,
                k & 4 ? box.max.z : box.min.z,
            ).sub(centre);
            const [w, h, d] = [Math.abs(x.dot(right)) / free, Math.abs(x.dot(up)), x.dot(back)];
            half = Math.max(half, w, h);
            distance = Math.max(distance, d + Math.max(w, h) / tan);
        }
        half *= (1.08 * tall) / (tall - bar);
        distance = Math.max((distance * 1.06 * tall) / (tall - bar), 1e-3 * this.scene.size);
        const flat = camera === this.flat;
        centre.addScaledVector(up, (bar / tall) * (flat ? half : distance * tan));
        this.target.copy(centre);
        this.flat.top = half;
        this.flat.bottom = -half;
        this.flat.left = -half * aspect;
        this.flat.right = half * aspect;
        this.flat.zoom = 1;
        const far = 40 * (distance + box.getSize(x).length() + this.scene.size);
        this.flat.near = -far;
        this.flat.far = far;
        this.perspective.near = distance / 500;
        this.perspective.far = far;
        camera.position.copy(centre).addScaledVector(from, distance);
        camera.updateProjectionMatrix();
        this.setControls();
        this.touched = false;
        this.dirty = true;
    }

    upFor(from) {
        const other = this.normal || new THREE.Vector3(1, 0, 0);
        return Math.abs(other.dot(from)) > 0.99 ? basis(from).v : other;
    }

    // Between the flat picture and perspective, from the same side.
    toggleProjection(box) {
        const from = this.camera.position.clone().sub(this.controls.target);
        this.camera = this.camera === this.flat ? this.perspective : this.flat;
        this.fit(box, from);
        return this.camera === this.flat;
    }

    // 1 front, 2 side, 3 top, 4 from a corner, 5 front from above
    standardView(box, which) {
        const up = this.up.clone();
        const front = this.normal ? this.normal.clone() : basis(up).v.negate();
        if (!this.normal && Math.abs(up.z) > 0.9) front.set(0, -1, 0);
        const side = up.clone().cross(front).normalize();
        const corner = front
            .clone()
            .multiplyScalar(0.85)
            .addScaledVector(side, this.normal ? 0.5 : 0.75)
            .addScaledVector(up, 0.55);
        const above = front.clone().addScaledVector(side, 0.2).addScaledVector(up, 0.5);
        if (which === 4 && this.camera === this.flat) this.camera = this.perspective;
        this.fit(box, [front, side, up, corner, above][which - 1]);
    }

    moveTarget(delta) {
        this.camera.position.add(delta);
        this.controls.target.add(delta);
        this.target.add(delta);
    }

    pick(x, y, objects) {
        const box = this.canvas.getBoundingClientRect();
        const at = new THREE.Vector2(
            (2 * (x - box.left)) / box.width - 1,
            1 - (2 * (y - box.top)) / box.height,
        );
        const ray = new THREE.Raycaster();
        ray.setFromCamera(at, this.camera);
        ray.params.Line.threshold = this.m.bar;
        for (const hit of ray.intersectObjects(objects, true))
            for (let o = hit.object; o; o = o.parent)
                if (o.visible && o.userData.label) return o.userData.label;
        return null;
    }

    // Where a point of the world is on the page, in pixels of the stage.
    project(p) {
        const q = p.clone().project(this.camera);
        return {
            x: ((q.x + 1) / 2) * this.element.clientWidth,
            y: ((1 - q.y) / 2) * this.element.clientHeight,
            seen: q.z > -1 && q.z < 1,
        };
    }

    draw() {
        if (this.grid) this.centreGrid();
        this.sun.position.copy(this.camera.position).addScaledVector(this.up, 0.6 * this.scene.size);
        this.sun.target.position.copy(this.controls.target);
        this.renderer.render(this.world, this.camera);
        this.drawn++;
        this.dirty = false;
    }
}
