// Pages in a browser: what is seen, what moves, how large and fast they are, and what they must never do.
import { spawnSync } from "node:child_process";
import {
    check,
    checks,
    cotree,
    failures,
    folder,
    launch,
    make,
    open,
    pause,
    picture,
    policyStopsScripts,
    settle,
    source,
    value,
} from "./browser.mjs";
import { controls } from "./controls.mjs";

const model = (name) => `${source}/models/${name}.yaml`;
const browser = await launch();
await controls(browser);

// a spatial one: bars of time -------------------------------------------------------------------------------
const gough = make("gough_stewart", [model("gough_stewart")]);
check("the page is made in less than a second", gough.seconds < 1, gough.seconds);
{
    const opened = [];
    for (let k = 0; k < 2; k++) {
        const page = await open(browser, "gough_stewart", gough, { t: 1.5 });
        opened.push(page.opened);
        await page.close();
    }
    const page = await open(browser, "gough_stewart", gough, { t: 1.5 });
    opened.push(page.opened);
    check("it opens in less than two seconds", Math.min(...opened) < 2000, `${opened} ms`);
    check(
        "a spatial mechanism opens in perspective",
        await value(page, "Boolean(cotree.stage.camera.isPerspectiveCamera)"),
    );
    const first = await picture(page);
    check("its picture is not blank", first.solid > 2000);
    await page.evaluate("cotree.player.seek(3)");
    check("it moves", (await picture(page)).sum !== first.sum);
    check("the loops are closed", await value(page, "Math.max(...cotree.scene.curves.at(-1).data) < 1e-8"));
    await page.close();
}

// a vehicle, and a chain of 81 bodies over 10001 rows: size and speed -------------------------------------------
const perUpdate = (page) =>
    page.evaluate(async () => {
        const { player, stage, update } = window.cotree;
        const times = [];
        for (let k = 0; k < 200; k++) {
            player.t = player.start + (((k * 37) % 200) / 200) * player.duration;
            const start = performance.now();
            update();
            await Promise.resolve(); // plots draw themselves then
            await Promise.resolve();
            stage.world.updateMatrixWorld(true);
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)[100];
    });
for (const name of ["vehicle", "four_bar_chain_40"]) {
    const made = make(name, [model(name)]);
    check(`${name} is smaller than 5 MB`, made.bytes < 5e6, made.bytes);
    const page = await open(browser, name, made, { t: 1 });
    const first = await picture(page);
    check(`${name} is drawn`, first.solid > 1000, JSON.stringify(first));
    const ms = await perUpdate(page);
    check(`${name}: a frame takes less than 16 ms`, ms < 16, `${ms} ms`);
    console.log(
        `${name}: ${made.bytes} bytes, ${made.frames} frames, ${ms.toFixed(2)} ms a frame, opened in ${page.opened} ms`,
    );
    if (name === "vehicle") {
        await page.evaluate("cotree.player.seek(4)");
        const later = await picture(page);
        await page.keyboard.press("c");
        check("key c stops following", !(await value(page, "cotree.state.follow")));
        await page.keyboard.press("c");
        check(
            "the picture follows the vehicle",
            later.solid > 0.5 * first.solid,
            JSON.stringify([first, later]),
        );
        await page.setViewport({ width: 1000, height: 700 });
        await pause(300);
        const resized = await picture(page);
        check(
            "and stays with it when the window changes",
            resized.solid > 0.3 * first.solid,
            JSON.stringify([first, resized]),
        );
    }
    await page.close();
}

// every assembly ----------------------------------------------------------------------------------------------
{
    const page = await open(
        browser,
        "three_rrr",
        make("three_rrr", [model("three_rrr"), "--configurations"]),
    );
    check("two assemblies", (await value(page, "cotree.assemblies.list.length")) === 2);
    check(
        "they are numbered",
        (await value(
            page,
            "[...document.querySelectorAll('.name.number')].map((x) => x.textContent).join()",
        )) === "1,2",
    );
    const { sides } = await picture(page);
    check(
        "side by side",
        sides.every((n) => n > 1500),
        JSON.stringify(sides),
    );
    check("with their coordinates", (await value(page, "document.querySelectorAll('td').length")) >= 24);
    const before = await picture(page);
    await page.click("th button");
    check("a click looks at one", (await picture(page)).sum !== before.sum);
    await page.close();
    const open_freedom = make("none", [`${source}/tests/view/hostile.yaml`, "--configurations"], 1);
    check("infinitely many are explained", /infinitely many/.test(open_freedom.error), open_freedom.error);
}

// reactions with their peaks, limits, contacts ------------------------------------------------------------------------
{
    const stops = `${source}/tests/view/stops.yaml`;
    const page = await open(browser, "stops", make("stops", [stops, "--reactions"]), { t: 0.25 });
    const run = spawnSync(cotree, ["simulate", stops, "--reactions", "--json"], { encoding: "utf8" });
    const { reactions } = JSON.parse(run.stdout);
    const shown = await page.evaluate(() =>
        [...document.querySelectorAll(".peaks tr")].map((r) => [...r.cells].map((c) => c.textContent)),
    );
    const short = (x) => String(Number(x.toPrecision(4)));
    for (const [name, { max_force: force, max_moment: moment }] of Object.entries(reactions))
        check(
            `the peaks of ${name} are those of the run`,
            shown.some((r) => r.join() === [name, short(force), short(moment)].join()),
            JSON.stringify(shown),
        );
    check("the largest comes first", shown[1][0] === "A", JSON.stringify(shown));
    check("the legend has the scale", (await value(page, "document.querySelector('.peaks').textContent")).includes("48.87 N"));
    const on = await picture(page);
    await page.keyboard.press("j");
    check("key j hides reactions", (await picture(page)).sum !== on.sum && (await value(page, "document.querySelector('.peaks').hidden")));
    await page.keyboard.press("j");
    check("key j shows them again", (await picture(page)).sum === on.sum);
    await page.keyboard.press("x");
    check("key x hides the contact", (await picture(page)).sum !== on.sum);
    await page.keyboard.press("x");
    await page.evaluate("cotree.player.seek(0)");
    const apart = await picture(page);
    await page.keyboard.press("x");
    check("nothing touches at the start", (await picture(page)).sum === apart.sum);
    check(
        "limits have marks",
        (await value(page, "cotree.mechanism.shared.glyphs.filter((g) => g.joint.type === 'limit').length")) === 5,
    );
    await page.close();
    for (const more of [["--configurations"], ["--over", "A=0..1"]])
        check("reactions belong to a run", /leave/.test(make("none", [stops, "--reactions", ...more], 2).error));
}

// names that try to be more than text ------------------------------------------------------------------------------
{
    const page = await open(browser, "hostile", make("hostile", [`${source}/tests/view/hostile.yaml`]), {
        t: 0.5,
    });
    const name = await value(page, "cotree.scene.name");
    for (const key of ["n", "t", "v", "a", "o", "k", "?"]) await page.keyboard.press(key);
    for (let x = 60; x < 700; x += 40) await page.mouse.move(x, 300);
    await page.evaluate(() =>
        document
            .querySelectorAll(".picker input[type=checkbox]")
            .forEach((box) => box.checked || box.click()),
    );
    await pause(300);
    check("nothing ran", (await value(page, "window.hurt")) === undefined);
    check(
        "the name is the title",
        (await page.title()) === name.replace(/\s+/g, " ") || (await page.title()) === name,
    );
    check("the name is text", (await value(page, "document.querySelector('h1').textContent")) === name);
    check(
        "no elements came out of names",
        (await value(
            page,
            "document.querySelectorAll('img, iframe, [onmouseover], [onload], figure u').length",
        )) === 0,
    );
    check("the page has its two scripts", (await value(page, "document.scripts.length")) === 2);
    check(
        "names are on the page",
        (await value(page, "document.querySelector('.picker').textContent")).includes("<svg onload=hurt=1>"),
    );
    check(
        "no wider than the window",
        await value(page, "document.documentElement.scrollWidth <= innerWidth"),
    );
    check("the policy stops scripts", await policyStopsScripts(page));
    await page.close();
}

// shapes, a result with its model, a telephone in the dark ------------------------------------------------------------
{
    const page = await open(browser, "shapes", make("shapes", [`${source}/tests/view/shapes.yaml`]), {
        t: 0.5,
    });
    check("all shapes are drawn", (await picture(page)).solid > 5000);
    check(
        "files are in the page",
        await value(
            page,
            "cotree.scene.bodies.filter((b) => b.shapes.some((s) => s.triangles?.length === 54)).length === 2",
        ),
    );
    const glyphs = await value(page, "new Set(cotree.mechanism.shared.glyphs.map((g) => g.joint.type)).size");
    check("a glyph for every type of joint", glyphs >= 11, glyphs);
    await page.close();

    const csv = `${folder}/result.csv`;
    const run = spawnSync(cotree, ["simulate", model("excavator"), "-o", csv, "--quiet"]);
    check("simulate", run.status === 0);
    const result = make("result", [csv, "--model", model("excavator")]);
    const phone = await open(browser, "phone", result, {
        width: 390,
        height: 780,
        scheme: "dark",
        touch: true,
        t: 1,
    });
    check(
        "dark where the system is",
        (await value(phone, "document.documentElement.dataset.theme")) === "dark",
    );
    const first = await picture(phone);
    check("a picture on a telephone", first.solid > 1500, JSON.stringify(first));
    const boxes = await phone.evaluate(() =>
        ["header", ".stage", ".panel", ".transport"].map((s) => {
            const { left, right, top, bottom } = document.querySelector(s).getBoundingClientRect();
            return { left, right, top, bottom };
        }),
    );
    check(
        "panels stand below each other",
        boxes.every((b, i) => b.left >= 0 && b.right <= 390 && (!i || b.top >= boxes[i - 1].bottom - 1)) &&
            boxes[3].bottom <= 781,
        JSON.stringify(boxes),
    );
    await phone.tap("#play");
    const played = await phone.waitForFunction("cotree.player.playing", { timeout: 5000 }).catch(() => null);
    check("a finger plays", played);
    await phone.evaluate("cotree.player.play(false); cotree.player.seek(1)");
    await settle(phone);
    const [x, y] = [195, (boxes[1].top + boxes[1].bottom) / 2];
    await phone.touchscreen.touchStart(x, y);
    await phone.touchscreen.touchMove(x + 60, y + 30);
    await phone.touchscreen.touchEnd();
    await pause(200);
    check("a finger turns", (await picture(phone)).sum !== first.sum);
    await phone.close();
}

await browser.close();
console.log(`${checks - failures} of ${checks} checks passed`);
process.exit(failures ? 1 : 0);
