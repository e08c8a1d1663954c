// Reports in a browser: formulas are typeset, drawings are there, names stay text, paper is white.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { policyStopsScripts, check, checks, cotree, failures, folder, launch, pause, source } from "./browser.mjs";

const withoutDot = process.argv[6];
const hasDot = spawnSync("dot", ["-V"]).status === 0;
if (!hasDot) console.log("skipped: the drawings, for dot is not installed (Debian: graphviz)");
const browser = await launch();

function make(name, file, { args = [], env = process.env } = {}) {
    const path = `${folder}/${name}.html`;
    const run = spawnSync(cotree, ["report", file, "-o", path, "--json", ...args], { encoding: "utf8", env });
    check(`cotree report ${name}`, run.status === 0, `${run.status} ${run.stderr}`);
    const info = JSON.parse(run.stdout || "{}");
    check(`${name}: bytes are those of the file`, info.bytes === statSync(path).size);
    check(`${name}: below 8 MB`, info.bytes < 8e6, info.bytes);
    return { ...info, said: run.stderr, url: `file://${path}` };
}

// Opens a report; everything that goes wrong in it is a failure.
async function open(name, made, { width = 1100, scheme = "light" } = {}) {
    const page = await browser.newPage();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: scheme },
        { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    page.on(
        "console",
        (m) =>
            ["error", "warn", "warning"].includes(m.type()) &&
            !/GPU stall|willReadFrequently|swiftshader|WebGL/i.test(m.text()) &&
            check(`${name}: console is silent`, false, m.text()),
    );
    page.on("pageerror", (e) => check(`${name}: no exception`, false, e.message));
    page.on("request", (r) =>
        check(`${name}: nothing is fetched`, /^(file|data|blob|about):/.test(r.url()), r.url().slice(0, 80)),
    );
    page.on("dialog", async (d) => (check(`${name}: no dialog`, false), d.dismiss()));
    await page.goto(made.url, { waitUntil: "load" });
    await page.waitForFunction("document.documentElement.dataset.ready === 'yes'", { timeout: 60000 });
    return page;
}

const value = (page, text) => page.evaluate(text);
const count = (page, selector) => value(page, `document.querySelectorAll(${JSON.stringify(selector)}).length`);

async function checkFormulas(name, page) {
    check(`${name}: formulas are typeset`, (await count(page, ".tex.done .katex")) > 3);
    await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
    await page.waitForFunction("!document.querySelector('.tex:not(.done)')", { timeout: 60000 });
    check(`${name}: without a mistake`, (await count(page, ".katex-error")) === 0);
    check(`${name}: nothing in red`, !(await value(page, "document.querySelector('main').innerHTML.includes('rgb(204, 0, 0)')")));
    check(`${name}: no wider than the window`, await value(page, "document.documentElement.scrollWidth <= innerWidth"));
}

// a mechanism with a loop ------------------------------------------------------------------------------
{
    const made = make("four_bar", `${source}/models/four_bar.yaml`, { args: ["--time", "1"] });
    check("ten sections", made.sections?.length === 10);
    const page = await open("four_bar", made);
    await checkFormulas("four_bar", page);
    if (hasDot) {
        check("two drawings", (await count(page, ".diagram svg")) === 2);
        check("chords are dashed", (await count(page, ".edge.chord path[stroke-dasharray]")) === 1);
        check("branches of both trees", (await count(page, ".edge.both")) === 3);
    }
    check("plots", (await count(page, ".plot svg .curve")) >= 4);
    check("bars", (await count(page, "svg.bar")) > 5);
    await page.waitForSelector("img.still", { timeout: 60000 });
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    check("the replay is drawn", await inside.evaluate("window.cotree.stage.drawn > 0"));
    check("a still for paper", await value(page, "document.querySelector('.still').src.length > 5000"));
    check("not on the screen", await value(page, "getComputedStyle(document.querySelector('.still')).display === 'none'"));
    await page.emulateMediaType("print");
    check("on paper: no replay", await value(page, "getComputedStyle(document.querySelector('#viewer')).display === 'none'"));
    check("on paper: a still", await value(page, "getComputedStyle(document.querySelector('.still')).display === 'block'"));
    await page.close();
    const dark = await open("four_bar, dark", made, { scheme: "dark", width: 420 });
    const back = () => value(dark, "getComputedStyle(document.body).backgroundColor");
    check("dark where the system is", (await back()) === "rgb(21, 24, 28)", await back());
    await dark.waitForSelector("img.still", { timeout: 60000 });
    const corner = await dark.evaluate(async () => {
        const still = document.querySelector("img.still");
        await still.decode();
        const canvas = document.createElement("canvas");
        const ctx = canvas.getContext("2d");
        ctx.drawImage(still, 0, 0);
        return Math.min(...ctx.getImageData(2, 2, 1, 1).data);
    });
    check("the still is light", corner > 200, corner);
    await dark.emulateMediaType("print");
    check("paper is white", (await back()) === "rgb(255, 255, 255)", await back());
    await dark.close();
}

// no loops, driven, failing ------------------------------------------------------------------------------
for (const [name, file] of [
    ["double_pendulum", "models/double_pendulum.yaml"],
    ["landing_gear", "models/landing_gear.yaml"],
    ["locks", "tests/report/locks.yaml"],
]) {
    const made = make(name, `${source}/${file}`);
    const page = await open(name, made);
    await checkFormulas(name, page);
    if (name === "locks") {
        check("a failure is a warning", /warning: the run failed/.test(made.said), made.said);
        check("and on the page", /out of reach/.test(await value(page, "document.querySelector('.note.warning').textContent")));
    }
    await page.close();
}

// names that try to be more than text, with and without Graphviz -----------------------------------------
for (const dot of hasDot ? [true, false] : [false]) {
    const name = `hostile, ${dot ? "with" : "without"} dot`;
    const made = make("hostile", `${source}/tests/report/hostile.yaml`, { env: dot ? process.env : { ...process.env, PATH: withoutDot } });
    check(`${name}: a warning names the package`, dot !== /graphviz/.test(made.said), made.said);
    const page = await open(name, made);
    await checkFormulas(name, page);
    await pause(300);
    check(`${name}: nothing ran`, (await value(page, "window.hurt")) === undefined);
    check(`${name}: no elements came out of names`, (await count(page, "main :is(img:not(.still), iframe:not(#viewer), [onload], [onerror], a[href^='javascript'], u, td b b)")) === 0);
    check(`${name}: one script`, (await value(page, "document.scripts.length")) === 1);
    const text = await value(page, "document.querySelector('main').textContent");
    for (const part of ["$\\alpha_{1}^{2}$ % \\undefined{", "'\"><svg onload=hurt=1>", "&lt;b&gt;&amp;amp;<b>", "\\\"];n1->n2;//\\N\\G"])
        check(`${name}: ${part} is text`, text.includes(part));
    check(`${name}: a title`, (await page.title()).startsWith("</script><script>hurt=1</script>"));
    if (dot) {
        const labels = await value(page, "[...document.querySelectorAll('.diagram text')].map((t) => t.textContent).join('|')");
        check(`${name}: names in the drawing`, labels.includes("\\\"];n1->n2;//\\N\\G") && labels.includes("&lt;b&gt;&amp;amp;<b>"), labels);
    } else {
        check(`${name}: tables instead`, (await count(page, ".diagram")) === 0 && (await count(page, "#graph table")) >= 2);
    }
    check(`${name}: the policy stops scripts`, await policyStopsScripts(page));
    await page.close();
}

await browser.close();
console.log(`${checks - failures} of ${checks} checks passed`);
process.exit(failures ? 1 : 0);
