// A browser with software rendering, pages in it, and what can be seen of them.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import puppeteer from "puppeteer-core";

export const [cotree, source, browserPath, folder] = process.argv.slice(2);
export let failures = 0;
export let checks = 0;

export function check(what, good, detail = "") {
    checks++;
    if (good) return;
    failures++;
    console.log(`FAILED: ${what} ${detail}`);
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Runs `cotree view`; gives its JSON and the page's address.
export function make(name, args, code = 0) {
    const file = `${folder}/${name}.html`;
    const run = spawnSync(cotree, ["view", ...args, "-o", file, "--json"], { encoding: "utf8" });
    check(
        `cotree view ${args.join(" ")} ends with ${code}`,
        run.status === code,
        `${run.status} ${run.stderr}`,
    );
    if (run.status) return { error: run.stderr };
    const info = JSON.parse(run.stdout);
    check(`${name}: bytes are those of the file`, info.bytes === statSync(file).size);
    return { ...info, url: `file://${file}` };
}

export async function launch() {
    return puppeteer.launch({
        executablePath: browserPath,
        headless: true,
        args: [
            "--no-sandbox",
            "--use-gl=angle",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-dev-shm-usage",
        ],
    });
}

// Opens a page at rest at a time; everything that goes wrong in it is a failure.
export async function open(
    browser,
    name,
    made,
    { width = 1100, height = 700, t = 0, scheme = "light", touch = false } = {},
) {
    const page = await browser.newPage();
    await page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    page.on(
        "console",
        (m) =>
            ["error", "warn"].includes(m.type()) &&
            !/GPU stall|willReadFrequently/.test(m.text()) &&
            check(`${name}: console is silent`, false, m.text()),
    );
    page.on("pageerror", (e) => check(`${name}: no exception`, false, e.message));
    page.on("request", (r) =>
        check(`${name}: nothing is fetched`, /^(file|data|blob):/.test(r.url()), r.url()),
    );
    page.on("dialog", async (d) => (check(`${name}: no dialog`, false), d.dismiss()));
    const start = Date.now();
    await page.goto(`${made.url}#t=${t}`, { waitUntil: "load" });
    await page.waitForFunction("window.cotree && window.cotree.stage.drawn > 0", { timeout: 60000 });
    page.opened = Date.now() - start;
    return page;
}

export const value = (page, text) => page.evaluate(text);

// Two frames later everything is drawn.
export const settle = (page) =>
    page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );

// The picture as numbers: how many pixels differ from the background, a sum that tells pictures apart, and
// the share of differing pixels in the left and the right half.
export async function picture(page) {
    await settle(page);
    return page.evaluate(() => {
        const { canvas } = window.cotree.stage;
        window.cotree.stage.draw(); // its pixels can be read until the browser takes them
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const ctx = copy.getContext("2d", { willReadFrequently: true });
        ctx.drawImage(canvas, 0, 0);
        const { data } = ctx.getImageData(0, 0, copy.width, copy.height);
        const base = [...window.cotree.stage.world.background.clone().convertLinearToSRGB().toArray()].map(
            (x) => 255 * x,
        );
        let sum = 0;
        const sides = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
            const off =
                Math.abs(data[i] - base[0]) +
                Math.abs(data[i + 1] - base[1]) +
                Math.abs(data[i + 2] - base[2]);
            if (off > 90) sides[(i / 4) % copy.width < copy.width / 2 ? 0 : 1]++;
            sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) % 4294967291;
        }
        return { solid: sides[0] + sides[1], sides, sum };
    });
}

// Column of the red cursor in the first plot, as a share of its width; -1: none.
export const plotCursor = (page) =>
    page.evaluate(() => {
        const { ctx, bbox } = window.cotree.plots.plots[0].plot;
        const { data, width } = ctx.getImageData(0, Math.round(bbox.top), ctx.canvas.width, 1);
        for (let x = 0; x < width; x++) {
            const [r, g, b] = data.slice(4 * x, 4 * x + 3);
            if (r > 150 && g < 120 && b < 120 && data[4 * x + 3] > 100) return (x - bbox.left) / bbox.width;
        }
        return -1;
    });

// Is a script that somebody puts into the page kept from running?
export async function policyStopsScripts(page) {
    page.removeAllListeners("console"); // it says so there
    const blocked = await page.evaluate(
        () =>
            new Promise((done) => {
                document.addEventListener("securitypolicyviolation", () => done(true));
                const script = document.createElement("script");
                script.textContent = "window.hurt = 2";
                document.body.append(script);
                setTimeout(() => done(window.hurt === undefined), 300);
            }),
    );
    return blocked && (await value(page, "window.hurt")) === undefined;
}
