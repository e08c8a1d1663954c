// Curves beside the picture: one plot for each unit among the chosen ones, all with the time of the picture.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { curveAt, locate } from "./data.js";
import { button, element, save } from "./dom.js";

const colours = [
    "#3b74b9",
    "#d9792b",
    "#3f9a54",
    "#c8454a",
    "#8059a8",
    "#2a9d95",
    "#b8902a",
    "#8c6448",
    "#c9679a",
    "#5d6b7c",
];

function number(x) {
    if (!Number.isFinite(x)) return "–";
    const a = Math.abs(x);
    return a !== 0 && (a < 1e-3 || a >= 1e5)
        ? x.toExponential(3)
        : x
              .toPrecision(5)
              .replace(/(\.\d*?)0+$/, "$1")
              .replace(/\.$/, "");
}

// Short enough for an axis.
function tick(x) {
    const short = Number(x.toPrecision(6));
    return Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3)
        ? short.toExponential().replace("e+", "e")
        : String(short);
}

// Which curves are shown at first: the first few coordinates, what the model puts out, energy.
function firstChoice(curves) {
    const of = (group) => curves.filter((c) => c.group === group);
    const outputs = of("outputs").slice(0, 3);
    const first = outputs.concat(of("coordinates").slice(0, outputs.length ? 3 : 4), of("energy"));
    return new Set(first);
}

export class Plots {
    constructor(scene, panel, player) {
        this.scene = scene;
        this.player = player;
        this.chosen = firstChoice(scene.curves);
        this.plots = [];
        this.time = scene.time;
        this.colour = new Map(scene.curves.map((c, i) => [c, colours[i % colours.length]]));
        this.area = element("div", "plots");
        panel.append(this.tools(), this.picker(), this.area);
        new ResizeObserver(() => this.resize()).observe(this.area);
        this.rebuild();
    }

    tools() {
        const row = element("div", "tools");
        row.append(
            button("Curves", "choose curves (K)", () => this.toggleList(), "curves"),
            button("CSV", "save the chosen curves as CSV", () => this.saveCsv(), "save-csv"),
            button("SVG", "save the plots as SVG", () => this.saveSvg(), "save-svg"),
            button("PNG", "save the plots as PNG", () => this.savePng(), "save-png"),
            button("Zoom out", "show the whole time (Z)", () => this.zoomOut(), "zoom-out"),
        );
        return row;
    }

    picker() {
        this.list = element("div", "picker");
        this.list.hidden = true;
        const search = element("input");
        search.type = "search";
        search.placeholder = "filter";
        search.setAttribute("aria-label", "filter curves");
        this.list.append(search);
        const rows = [];
        let group = "";
        for (const curve of this.scene.curves) {
            if (curve.group !== group) {
                group = curve.group;
                const head = element("div", "group", group);
                this.list.append(head);
                rows.push({ row: head });
            }
            const row = element("label", "choice");
            const box = element("input");
            box.type = "checkbox";
            box.checked = this.chosen.has(curve);
            box.addEventListener("change", () => {
                if (box.checked) this.chosen.add(curve);
                else this.chosen.delete(curve);
                this.rebuild();
            });
            const name = element("span", "text", curve.name);
            name.dir = "auto";
            name.title = curve.name;
            row.append(box, name, element("span", "unit", curve.unit));
            this.list.append(row);
            rows.push({ row, curve });
        }
        search.addEventListener("input", () => {
            const text = search.value.toLowerCase();
            for (const { row, curve } of rows)
                row.hidden = Boolean(text) && !(curve && curve.name.toLowerCase().includes(text));
        });
        return this.list;
    }

    toggleList() {
        this.list.hidden = !this.list.hidden;
    }

    groups() {
        const out = new Map();
        for (const curve of this.scene.curves) {
            if (!this.chosen.has(curve)) continue;
            const key = curve.group === "outputs" ? `outputs` : `${curve.group} ${curve.unit}`;
            if (!out.has(key)) out.set(key, []);
            out.get(key).push(curve);
        }
        return [...out.entries()].map(([key, curves]) => ({
            key,
            curves,
            title: curves[0].group,
            unit: curves[0].unit,
        }));
    }

    rebuild() {
        for (const { plot } of this.plots) plot.destroy();
        this.area.replaceChildren();
        this.plots = this.groups().map((group) => this.makePlot(group));
        this.setTheme();
        if (!this.plots.length) this.area.append(element("p", "hint", "Choose curves to plot."));
        this.update();
    }

    makePlot({ title, unit, curves }) {
        const holder = element("figure", "plot");
        const caption = element("figcaption");
        caption.append(element("b", "", title + (unit ? ` [${unit}]` : "")));
        const values = curves.map((curve) => {
            const item = element("span", "legend");
            const swatch = element("i");
            swatch.style.background = this.colour.get(curve);
            const name = element("span", "text", curve.name);
            name.dir = "auto";
            name.title = curve.name;
            const value = element("span", "value");
            item.append(swatch, name, value);
            caption.append(item);
            return { curve, value };
        });
        const body = element("div", "canvas");
        holder.append(caption, body);
        this.area.append(holder);
        const axis = () => getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
        const grid = () => getComputedStyle(document.documentElement).getPropertyValue("--rule").trim();
        const look = {
            stroke: axis,
            grid: { stroke: grid, width: 1 },
            ticks: { stroke: grid, width: 1 },
            font: "11px system-ui, sans-serif",
        };
        const plot = new uPlot(
            {
                width: Math.max(200, this.area.clientWidth - 2),
                height: 170,
                pxAlign: false,
                legend: { show: false },
                cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
                scales: { x: { time: false } },
                axes: [
                    { ...look, size: 26 },
                    { ...look, size: 58, values: (_, list) => list.map(tick) },
                ],
                series: [{}].concat(
                    curves.map((c) => ({
                        label: c.name,
                        stroke: this.colour.get(c),
                        width: 1.5,
                        points: { show: false },
                    })),
                ),
                hooks: {
                    draw: [(u) => this.drawCursor(u)],
                    setScale: [(u, key) => key === "x" && this.zoomTogether(u)],
                },
            },
            [this.time, ...curves.map((c) => c.data)],
            body,
        );
        this.scrubbing(plot);
        return { plot, values, holder };
    }

    // A click puts the time there; a drag zooms (uPlot's own); with the Alt key a drag scrubs.
    scrubbing(plot) {
        const over = plot.over;
        let down = null;
        const seek = (event) => {
            const box = over.getBoundingClientRect();
            this.player.playing = false;
            this.player.seek(plot.posToVal(event.clientX - box.left, "x"));
        };
        over.addEventListener("pointerdown", (event) => (down = event.clientX));
        over.addEventListener("pointermove", (event) => {
            if (down !== null && (event.altKey || event.pointerType === "touch")) seek(event);
        });
        window.addEventListener("pointerup", (event) => {
            if (down !== null && Math.abs(event.clientX - down) < 4) seek(event);
            down = null;
        });
    }

    drawCursor(u) {
        const x = Math.round(u.valToPos(this.player.t, "x", true)) + 0.5;
        const { left, top, width, height } = u.bbox;
        if (x < left || x > left + width) return;
        u.ctx.save();
        u.ctx.strokeStyle = "#d0454c";
        u.ctx.lineWidth = 1.5 * (window.devicePixelRatio || 1);
        u.ctx.beginPath();
        u.ctx.moveTo(x, top);
        u.ctx.lineTo(x, top + height);
        u.ctx.stroke();
        u.ctx.restore();
    }

    zoomTogether(from) {
        if (this.zooming) return;
        this.zooming = true;
        const { min, max } = from.scales.x;
        for (const { plot } of this.plots) if (plot !== from) plot.setScale("x", { min, max });
        this.zooming = false;
    }

    zoomOut() {
        const [min, max] = [this.time[0], this.time[this.time.length - 1]];
        for (const { plot } of this.plots) plot.setScale("x", { min, max });
    }

    update() {
        const where = locate(this.time, this.player.t);
        for (const { plot, values } of this.plots) {
            plot.redraw(false, false);
            for (const { curve, value } of values) value.textContent = number(curveAt(curve, where));
        }
    }

    resize() {
        const width = Math.max(200, this.area.clientWidth - 2);
        for (const { plot } of this.plots) if (plot.width !== width) plot.setSize({ width, height: 170 });
    }

    setTheme() {
        for (const { plot } of this.plots) plot.redraw(false, true);
    }

    // export ------------------------------------------------------------------------------------------
    shown() {
        return this.scene.curves.filter((c) => this.chosen.has(c));
    }

    saveCsv() {
        const quote = (s) => (/[",\r\n]|^ /.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
        const curves = this.shown();
        const lines = [["t", ...curves.map((c) => quote(c.name))].join(",")];
        for (let i = 0; i < this.time.length; i++)
            lines.push([this.time[i], ...curves.map((c) => c.data[i])].join(","));
        save("curves.csv", new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    }

    savePng() {
        const list = this.plots.map(({ plot, values }) => ({
            canvas: plot.ctx.canvas,
            names: values.map((v) => v.curve.name),
        }));
        if (!list.length) return;
        const ratio = window.devicePixelRatio || 1;
        const band = 20 * ratio;
        const out = element("canvas");
        out.width = Math.max(...list.map((p) => p.canvas.width));
        out.height = list.reduce((sum, p) => sum + p.canvas.height + band, 0);
        const ctx = out.getContext("2d");
        const style = getComputedStyle(document.documentElement);
        ctx.fillStyle = style.getPropertyValue("--panel");
        ctx.fillRect(0, 0, out.width, out.height);
        let y = 0;
        for (const { canvas, names } of list) {
            ctx.fillStyle = style.getPropertyValue("--text");
            ctx.font = `${12 * ratio}px system-ui, sans-serif`;
            ctx.fillText(names.join(", ").slice(0, 120), 8 * ratio, y + 14 * ratio);
            ctx.drawImage(canvas, 0, y + band);
            y += canvas.height + band;
        }
        out.toBlob((blob) => save("plots.png", blob), "image/png");
    }

    saveSvg() {
        const ns = "http://www.w3.org/2000/svg";
        const make = (tag, attributes, text) => {
            const node = document.createElementNS(ns, tag);
            for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
            if (text !== undefined) node.textContent = text;
            return node;
        };
        const [width, height, left, top] = [640, 240, 70, 28];
        const svg = make("svg", {
            xmlns: ns,
            width,
            height: height * this.plots.length,
            "font-family": "sans-serif",
            "font-size": 11,
        });
        svg.append(make("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
        this.plots.forEach(({ plot, values }, k) => {
            const x = { ...plot.scales.x };
            const y = { ...plot.scales.y };
            const px = (v) => left + ((v - x.min) / (x.max - x.min)) * (width - left - 12);
            const py = (v) => height * k + top + (1 - (v - y.min) / (y.max - y.min)) * (height - top - 34);
            const clip = `clip${k}`;
            const area = {
                x: left,
                y: height * k + top,
                width: width - left - 12,
                height: height - top - 34,
            };
            const path = make("clipPath", { id: clip });
            path.append(make("rect", area));
            svg.append(path, make("rect", { ...area, fill: "none", stroke: "#888888" }));
            for (let i = 0; i <= 5; i++) {
                const [vx, vy] = [x.min + (i * (x.max - x.min)) / 5, y.min + (i * (y.max - y.min)) / 5];
                svg.append(
                    make(
                        "text",
                        { x: px(vx), y: height * (k + 1) - 18, "text-anchor": "middle" },
                        number(vx),
                    ),
                );
                svg.append(make("text", { x: left - 6, y: py(vy) + 4, "text-anchor": "end" }, number(vy)));
            }
            values.forEach(({ curve }, i) => {
                const points = [];
                for (let n = 0; n < this.time.length; n++)
                    points.push(`${px(this.time[n]).toFixed(2)},${py(curve.data[n]).toFixed(2)}`);
                const stroke = this.colour.get(curve);
                svg.append(
                    make("polyline", {
                        points: points.join(" "),
                        fill: "none",
                        stroke,
                        "stroke-width": 1.4,
                        "clip-path": `url(#${clip})`,
                    }),
                );
                svg.append(
                    make(
                        "text",
                        { x: left + (i * (width - left)) / values.length, y: height * k + 18, fill: stroke },
                        curve.name.slice(0, 40),
                    ),
                );
            });
        });
        save("plots.svg", new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
    }
}
