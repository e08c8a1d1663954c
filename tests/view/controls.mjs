// Everything that can be done to a page, on a planar mechanism: time, the picture, the pointer, the plots.
import { check, make, open, pause, picture, plotCursor, settle, source, value } from "./browser.mjs";

export async function controls(browser) {
    const fourBar = make("four_bar", [`${source}/models/four_bar.yaml`]);
    const page = await open(browser, "four_bar", fourBar, { t: 1 });
    check("a planar mechanism opens flat", await value(page, "cotree.stage.camera.isOrthographicCamera"));
    const first = await picture(page);
    check("the picture is not blank", first.solid > 2000, JSON.stringify(first));
    check("the plot shows the time", Math.abs((await plotCursor(page)) - 0.1) < 0.02, await plotCursor(page));
    await page.evaluate(() => {
        const slider = document.getElementById("scrubber");
        slider.value = 5000;
        slider.dispatchEvent(new Event("input"));
    });
    const second = await picture(page);
    check("scrubbing moves the picture", second.sum !== first.sum);
    check(
        "scrubbing moves the cursor",
        Math.abs((await plotCursor(page)) - 0.5) < 0.02,
        await plotCursor(page),
    );
    check(
        "scrubbing moves the clock",
        (await value(page, "document.querySelector('.clock').textContent")).startsWith("5.00"),
    );

    // keys of time
    const t = () => value(page, "cotree.player.t");
    await page.keyboard.press("Home");
    check("Home", (await t()) === 0);
    await page.keyboard.press("ArrowRight");
    const step = await t();
    check("a step forward", step > 0 && step < 0.1);
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    check("ten steps", Math.abs((await t()) - 11 * step) < 1e-9);
    await page.keyboard.press("ArrowLeft");
    check("a step back", Math.abs((await t()) - 10 * step) < 1e-9);
    await page.keyboard.press("End");
    check("End", (await t()) === 10);
    await page.keyboard.press("Space");
    await pause(500);
    check("Space plays", await value(page, "cotree.player.playing"));
    const running = await t();
    check("from the start again", running > 0 && running < 9);
    await page.keyboard.press("Space");
    const rest = await t();
    await pause(200);
    check("Space pauses", (await t()) === rest && !(await value(page, "cotree.player.playing")));
    await page.keyboard.press("]");
    check("faster", (await value(page, "cotree.player.speed")) === 2);
    await page.keyboard.press("[");
    await page.keyboard.press("[");
    check("slower", (await value(page, "cotree.player.speed")) === 0.5);
    await settle(page);
    check("the speed is shown", (await value(page, "document.getElementById('speed').value")) === "0.5");
    await page.keyboard.press("l");
    check("no loop", !(await value(page, "cotree.player.loops")));
    await page.evaluate("cotree.player.seek(9.95); cotree.player.setSpeed(10); cotree.player.play(true)");
    await pause(600);
    check("it stops at the end", (await t()) === 10 && !(await value(page, "cotree.player.playing")));
    await page.evaluate("cotree.player.loops = true; cotree.player.seek(9.9); cotree.player.play(true)");
    await pause(500);
    check("it begins again", await value(page, "cotree.player.playing"));
    await page.evaluate("cotree.player.play(false); cotree.player.seek(1.3)");

    // keys of the picture
    for (const [key, state] of [
        ["n", "names"],
        ["m", "com"],
        ["g", "ghost"],
        ["t", "traces"],
        ["v", "velocities"],
        ["a", "forces"],
        ["r", "grid"],
    ]) {
        const before = await picture(page);
        await page.keyboard.press(key);
        const on = await value(page, `cotree.state.${state}`);
        const after = await picture(page);
        const seen =
            key === "n"
                ? await value(page, "!document.querySelector('.labels').hidden")
                : before.sum !== after.sum;
        check(`key ${key} shows ${state}`, seen && on === (key !== "r"));
        check(
            `the button of ${state} is pressed`,
            (await value(page, `document.getElementById('${state}').getAttribute('aria-pressed')`)) ===
                String(on),
        );
        await page.keyboard.press(key);
        check(`key ${key} hides ${state}`, (await value(page, `cotree.state.${state}`)) === !on);
    }
    for (const key of ["4", "2", "3", "1"]) {
        const before = await picture(page);
        await page.keyboard.press(key);
        check(`view ${key}`, (await picture(page)).sum !== before.sum);
    }
    const flat = await value(page, "Boolean(cotree.stage.camera.isOrthographicCamera)");
    await page.keyboard.press("p");
    check(
        "key p changes the projection",
        flat !== (await value(page, "Boolean(cotree.stage.camera.isOrthographicCamera)")),
    );
    await page.keyboard.press("p");
    await page.mouse.move(300, 350);
    await page.mouse.wheel({ deltaY: -600 });
    await pause(200);
    const zoomed = await picture(page);
    await page.keyboard.press("f");
    check("fit after zooming", (await picture(page)).sum !== zoomed.sum);
    for (const [key, what] of [
        ["?", ".help"],
        ["o", ".chooser"],
        ["k", ".picker"],
    ]) {
        const shown = () => value(page, `!document.querySelector('${what}').hidden`);
        await page.keyboard.press(key);
        check(`key ${key} opens ${what}`, await shown());
        await page.keyboard.press(key);
        check(`key ${key} closes ${what}`, !(await shown()));
    }
    const theme = () => value(page, "document.documentElement.dataset.theme");
    check("light where the system is", (await theme()) === "light");
    await page.keyboard.press("d");
    check("key d", (await theme()) === "dark");
    await page.keyboard.press("d");

    // the pointer: names, turning
    await page.keyboard.press("1");
    await settle(page);
    const at = await page.evaluate(() => {
        const { mechanism, stage, scene } = window.cotree;
        const body = scene.bodies.findIndex((b) => b.name === "m2");
        const p = mechanism.frames[body].position.clone().copy({ x: 1, y: 0, z: 0 });
        const { x, y } = stage.project(mechanism.point(body, p.clone(), p));
        const box = stage.canvas.getBoundingClientRect();
        return [box.left + x, box.top + y];
    });
    await page.mouse.move(...at);
    await pause(150);
    const tip = await value(page, "document.querySelector('.tip').textContent");
    check("a name under the pointer", tip === "m2body", tip);
    const before = await picture(page);
    await page.mouse.down();
    await page.mouse.move(at[0] + 80, at[1] + 40, { steps: 4 });
    await page.mouse.up();
    check("dragging turns", (await picture(page)).sum !== before.sum);

    // plots: click, zoom, choose, export
    const over = await (await page.$(".u-over")).boundingBox();
    await page.mouse.click(over.x + over.width * 0.25, over.y + 40);
    check("a click in a plot sets the time", Math.abs((await t()) - 2.5) < 0.1, await t());
    await page.mouse.move(over.x + over.width * 0.4, over.y + 40);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.6, over.y + 40, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    const scales = () =>
        value(page, "cotree.plots.plots.map((p) => [p.plot.scales.x.min, p.plot.scales.x.max])");
    check(
        "dragging zooms all plots",
        (await scales()).every(([a, b]) => Math.abs(a - 4) < 0.3 && Math.abs(b - 6) < 0.3),
        JSON.stringify(await scales()),
    );
    await page.keyboard.press("z");
    await settle(page);
    check(
        "key z zooms out",
        (await scales()).every(([a, b]) => a === 0 && b === 10),
    );
    await page.keyboard.press("k");
    const plots = await value(page, "document.querySelectorAll('.plot').length");
    await page.evaluate(() =>
        [...document.querySelectorAll(".picker .choice")]
            .find((c) => c.textContent.startsWith("h11'"))
            .querySelector("input")
            .click(),
    );
    check(
        "a rate gets a plot",
        (await value(page, "document.querySelectorAll('.plot').length")) === plots + 1,
    );
    for (const group of ["coordinates", "rates", "outputs", "energy", "residual"])
        check(
            `curves: ${group}`,
            await value(page, `cotree.scene.curves.some((c) => c.group === "${group}")`),
        );
    await page.evaluate(() => {
        window.saved = [];
        URL.createObjectURL = (blob) => (window.saved.push(blob), "data:,");
    });
    for (const kind of ["csv", "svg", "png"]) await page.click(`#save-${kind}`);
    await pause(500);
    const [csv, svg, png] = await page.evaluate(() =>
        Promise.all(window.saved.map((b) => (b.type === "image/png" ? b.slice(1, 4) : b).text())),
    );
    const lines = csv.trim().split("\n");
    check(
        "CSV",
        lines[0].startsWith("t,") &&
            lines[0].includes("h11") &&
            lines.length === (await value(page, "cotree.scene.frames")) + 1,
    );
    check("SVG", svg.startsWith("<svg") && svg.includes("polyline") && svg.includes("coupler_x"));
    check("PNG", png === "PNG");
    await page.close();
}
