// A page that shows a mechanism: the picture, the time, the curves, and the keys that move them.
import * as THREE from "three";
import "./view.css";
import { Assemblies } from "./view/assemblies.js";
import { locate, readScene } from "./view/data.js";
import { button, element, icon } from "./view/dom.js";
import { vector } from "./view/geometry.js";
import { Mechanism, prepare } from "./view/mechanism.js";
import { overlays, tracePoints } from "./view/overlays.js";
import { Player, speeds } from "./view/player.js";
import { Plots } from "./view/plots.js";
import { Stage } from "./view/stage.js";

const started = performance.now();
const scene = readScene();
const shared = prepare(scene);
const motion = scene.kind === "motion";
const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;

// the page ----------------------------------------------------------------------------------------------
const app = element("div", "app");
const header = element("header");
const title = element("h1", "text", scene.name);
title.dir = "auto";
title.title = scene.name;
const main = element("main");
const picture = element("section", "stage");
const panel = element("aside", "panel");
const bar = element("div", "toolbar");
const transport = element("footer", "transport");
const labels = element("div", "labels");
const tip = element("div", "tip");
tip.hidden = true;
header.append(title);
app.append(header, main, transport);
document.body.append(app);
picture.append(bar, labels, tip);
main.append(picture, panel);
if (!motion) transport.hidden = true;

// the picture --------------------------------------------------------------------------------------------
let stage;
try {
    stage = new Stage(picture, scene, shared.m);
} catch (error) {
    picture.append(
        element("p", "failure", "This browser shows no WebGL, so there is no picture. The curves are here."),
    );
}
const box = new THREE.Box3(vector(scene.low), vector(scene.high)).expandByScalar(3 * shared.m.bar);
const mechanism = new Mechanism(scene, shared);
const points = tracePoints(scene);
const parts = { scene, shared, mechanism, points, labels, picture };
const laid = motion ? overlays.map(({ id, of }) => [id, new of(parts)]) : [];
const assemblies = motion || !stage ? null : new Assemblies(scene, shared, stage);
const travels =
    !scene.bodies[0].anchors.length && box.getSize(new THREE.Vector3()).length() > 1.5 * scene.size;

// The box of the mechanism as it stands now.
const p = new THREE.Vector3();
function boxNow() {
    const now = new THREE.Box3();
    scene.bodies.forEach((body, b) => {
        if (b || !travels)
            for (const at of body.anchors) now.expandByPoint(mechanism.point(b, vector(at), p));
    });
    return now.expandByScalar(3 * shared.m.bar + 0.04 * scene.size);
}
const wholeBox = () => (assemblies ? assemblies.box : travels ? boxNow() : box);

// time ---------------------------------------------------------------------------------------------------
let moved = true;
const player = new Player(scene.time, () => (moved = true));
const plots = motion ? new Plots(scene, panel, player) : null;
if (assemblies) {
    assemblies.labels(labels);
    assemblies.table(panel);
}

// switches -------------------------------------------------------------------------------------------------
let dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
// what can be switched on and off: the grid, the overlays, a picture that follows
const options = [
    { id: "grid", key: "R", button: "Grid", help: "grid", on: true },
    ...overlays.map((o) => ({ ...o, offered: () => motion && (o.offered?.(scene) ?? true) })),
    {
        id: "follow",
        key: "C",
        button: "Follow",
        help: "follow the mechanism",
        hint: "the picture follows the mechanism",
        offered: () => motion && travels,
        on: travels,
    },
];
const state = Object.fromEntries(
    options.map(({ id, on }) => [id, Boolean(typeof on === "function" ? on(scene) : on)]),
);

function setTheme() {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    stage?.setTheme(dark);
    plots?.setTheme();
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    dark = event.matches;
    setTheme();
});

function apply() {
    for (const [id, overlay] of laid) overlay.show(state[id]);
    if (stage?.grid) stage.grid.visible = state.grid;
    for (const [key, made] of Object.entries(switches)) made.setAttribute("aria-pressed", String(state[key]));
    moved = true;
}

function flip(key) {
    state[key] = !state[key];
    apply();
}

const switches = {};
const act = {
    fit: () => stage?.fit(wholeBox()),
    projection: () => stage?.toggleProjection(wholeBox()),
    theme: () => ((dark = !dark), setTheme()),
    help: () => (help.hidden = !help.hidden),
    points: () => (chooser.hidden = !chooser.hidden),
};
const tool = (text, hint, run, id) => bar.append(button(text, hint, run, id));
tool("Fit", "fit the picture (F)", act.fit, "fit");
tool("Flat", "flat or perspective (P)", act.projection, "projection");
for (const { id, key, button: text, help: what, hint, offered } of options) {
    if (offered && !offered()) continue;
    switches[id] = button(text, `${hint ?? what} (${key})`, () => flip(id), id);
    bar.append(switches[id]);
}
if (motion) tool("Points", "choose points to trace (O)", act.points, "points");
header.append(
    element(
        "span",
        "facts",
        motion
            ? `${count(scene.bodies.length - 1, "body", "bodies")}, ${count(scene.rows, "row", "rows")}`
            : "",
    ),
    button("◐", "light or dark (D)", act.theme, "theme"),
    button("?", "keys (?)", act.help, "help"),
);

// points to trace ------------------------------------------------------------------------------------------
const chooser = element("div", "popup chooser");
chooser.hidden = true;
for (const point of points) {
    const row = element("label", "choice");
    const tick = element("input");
    tick.type = "checkbox";
    tick.checked = Boolean(point.chosen);
    tick.addEventListener("change", () => {
        point.chosen = tick.checked;
        if (tick.checked && !state.traces && !state.velocities) state.traces = true;
        apply();
    });
    const name = element("span", "text", point.name);
    name.dir = "auto";
    name.title = point.name;
    row.append(tick, name);
    chooser.append(row);
}
picture.append(chooser);

// keys -----------------------------------------------------------------------------------------------------
const keys = [
    [" ", "Space", "play or pause", () => player.play()],
    ["ArrowLeft", "← →", "step back, forward (Shift: ten steps)", (e) => player.step(e.shiftKey ? -10 : -1)],
    ["ArrowRight", "", "", (e) => player.step(e.shiftKey ? 10 : 1)],
    ["Home", "Home End", "to the start, the end", () => player.seek(player.start)],
    ["End", "", "", () => player.seek(player.end)],
    ["[", "[ ]", "slower, faster", () => player.faster(-1)],
    ["]", "", "", () => player.faster(1)],
    ["l", "L", "loop", () => ((player.loops = !player.loops), (moved = true))],
    ["f", "F", "fit", act.fit],
    ["p", "P", "flat or perspective", act.projection],
    ["1", "1 2 3 4", "front, side, top, corner", () => stage?.standardView(wholeBox(), 1)],
    ["2", "", "", () => stage?.standardView(wholeBox(), 2)],
    ["3", "", "", () => stage?.standardView(wholeBox(), 3)],
    ["4", "", "", () => stage?.standardView(wholeBox(), 4)],
    ...options.map(({ id, key, help: what }) => [key.toLowerCase(), key, what, () => flip(id)]),
    ["o", "O", "points to trace", act.points],
    ["k", "K", "curves to plot", () => plots?.toggleList()],
    ["z", "Z", "zoom the plots out", () => plots?.zoomOut()],
    ["d", "D", "light or dark", act.theme],
    ["?", "?", "this help", act.help],
];
const help = element("div", "popup help");
help.hidden = true;
help.append(element("b", "", "Keys"));
const listing = element("dl");
for (const [, key, what] of keys) if (what) listing.append(element("dt", "", key), element("dd", "", what));
listing.append(
    element("dt", "", "drag"),
    element("dd", "", "turn; right button or two fingers: move; wheel or pinch: zoom"),
);
listing.append(
    element("dt", "", "plots"),
    element("dd", "", "click: time; drag: zoom; double click: whole time"),
);
help.append(listing);
picture.append(help);
window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName;
    if (tag === "INPUT" && event.target.type !== "range" && event.target.type !== "checkbox") return;
    if (tag === "SELECT" && event.key.startsWith("Arrow")) return;
    if (event.key === "Escape") help.hidden = chooser.hidden = true;
    if (event.key === " " && (tag === "BUTTON" || event.target.type === "checkbox")) event.target.blur();
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const entry = keys.find((k) => k[0] === key);
    if (!entry) return;
    event.preventDefault();
    entry[3](event);
});

// transport --------------------------------------------------------------------------------------------------
const shapes = {
    play: "M4 2l10 6-10 6z",
    pause: "M3 2h4v12H3zM9 2h4v12H9z",
    back: "M3 2h2v12H3zM14 2v12L6 8z",
    forward: "M11 2h2v12h-2zM2 2l8 6-8 6z",
};
const play = button("", "play or pause (Space)", () => player.play(), "play");
const playShape = icon(play, shapes.play);
const back = button("", "step back (←)", () => player.step(-1), "back");
const forward = button("", "step forward (→)", () => player.step(1), "forward");
icon(back, shapes.back);
icon(forward, shapes.forward);
const scrubber = element("input");
Object.assign(scrubber, { type: "range", id: "scrubber", min: 0, max: 10000, step: 1, value: 0 });
scrubber.setAttribute("aria-label", "time");
scrubber.addEventListener("input", () => {
    player.playing = false;
    player.seek(player.start + (scrubber.value / 10000) * player.duration);
});
const clock = element("output", "clock");
const speed = element("select");
speed.id = "speed";
speed.title = "speed ([ and ])";
speed.setAttribute("aria-label", "speed");
for (const s of speeds) {
    const option = element("option", "", `${s}×`);
    option.value = s;
    speed.append(option);
}
speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
const loop = button("↻", "loop (L)", () => ((player.loops = !player.loops), (moved = true)), "loop");
transport.append(back, play, forward, scrubber, clock, speed, loop);
const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(1e-6, player.duration)))));

function showTime() {
    playShape.setAttribute("d", player.playing ? shapes.pause : shapes.play);
    scrubber.value =
        player.duration > 0 ? Math.round(((player.t - player.start) / player.duration) * 10000) : 0;
    clock.textContent = `${player.t.toFixed(digits)} s`;
    speed.value = String(player.speed);
    loop.setAttribute("aria-pressed", String(player.loops));
}

// names under the pointer -----------------------------------------------------------------------------------------
if (stage) {
    let waiting = null;
    stage.canvas.addEventListener("pointermove", (event) => {
        if (event.buttons) return;
        if (!waiting)
            requestAnimationFrame(() => {
                const { clientX, clientY } = waiting;
                waiting = null;
                showTip(clientX, clientY);
            });
        waiting = event;
    });
    stage.canvas.addEventListener("pointerdown", (event) => {
        stage.touched = true;
        if (event.pointerType === "touch") showTip(event.clientX, event.clientY);
    });
    stage.canvas.addEventListener("wheel", () => (stage.touched = true), { passive: true });
    stage.canvas.addEventListener("pointerleave", () => (tip.hidden = true));
}

function showTip(x, y) {
    const label = stage.pick(x, y, [stage.content]);
    tip.hidden = !label;
    if (!label) return;
    const area = picture.getBoundingClientRect();
    const name = element("b", "text", label.name);
    name.dir = "auto";
    tip.replaceChildren(name, element("span", "", label.what));
    tip.style.left = `${Math.min(x - area.left + 14, area.width - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y - area.top + 16, area.height - tip.offsetHeight - 8)}px`;
}

// every frame ------------------------------------------------------------------------------------------------------
const centre = new THREE.Vector3();
let before = null;

function update() {
    const where = locate(scene.time, player.t);
    moved = false;
    if (motion) {
        mechanism.place(where);
        for (const [, overlay] of laid) overlay.place(where);
        if (stage && travels && state.follow) {
            boxNow().getCenter(centre);
            if (before) stage.moveTarget(centre.clone().sub(before));
            before = (before || new THREE.Vector3()).copy(centre);
        } else before = null;
        showTime();
        plots.update();
    }
    if (stage) stage.dirty = true;
}

let last = performance.now();
function tick(now) {
    player.advance((now - last) / 1000);
    last = now;
    if (moved) update();
    if (stage?.dirty) {
        stage.controls.update();
        stage.draw();
        for (const [, overlay] of laid) overlay.draw(stage);
        assemblies?.update();
    }
    requestAnimationFrame(tick);
}

const at = /^#t=([-+.\deE]+)$/.exec(location.hash); // #t=1.5: starts there, at rest
if (at) player.seek(Number(at[1]));
if (stage) {
    if (motion) stage.content.add(mechanism.group, ...laid.map(([, overlay]) => overlay.group));
    mechanism.place(locate(scene.time, player.t));
    stage.box = assemblies ? wholeBox() : new THREE.Box3(vector(scene.low), vector(scene.high));
    stage.box.expandByScalar(4.5 * shared.m.bar);
    for (const f of scene.forces.filter((x) => x.sign === "wheel")) {
        // wheels stand on the floor
        const low = mechanism.point(f.bodies[0], vector(f.at_a), p).dot(stage.up) - f.radius;
        stage.floor = Math.min(low, stage.floor ?? low);
    }
    setTheme();
    stage.setGrid(true);
    if (travels && !assemblies) stage.whole = wholeBox;
    stage.resize();
    stage.standardView(wholeBox(), scene.normal ? 1 : assemblies ? 5 : 4);
} else setTheme();
if (!at && motion && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
apply();
update();
requestAnimationFrame(tick);

// for tests and for the curious
window.cotree = {
    scene,
    player,
    stage,
    plots,
    state,
    assemblies,
    mechanism,
    update,
    milliseconds: performance.now() - started,
};
