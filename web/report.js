// A report: formulas are typeset, folded ones when they are opened, and all of them before printing; the
// replay plays while it is in sight, and leaves a still picture for paper.
import katex from "katex";
import "katex/dist/katex.css";
import "./report.css";

function typeset(place) {
    for (const span of place.querySelectorAll(".tex:not(.done)")) {
        if (span.closest("details:not([open])")) continue;
        let source = span.textContent;
        if (source.length > 200) source = source.replaceAll("\\left(", "(").replaceAll("\\right)", ")"); // lines break inside
        span.classList.add("done");
        span.title = "";
        const display = span.parentElement.classList.contains("formula");
        katex.render(display ? `\\displaystyle ${source}` : source, span, { throwOnError: false, strict: false, trust: false, maxSize: 20, maxExpand: 2000, output: "html" });
        if (span.scrollWidth > span.parentElement.clientWidth + 1) span.parentElement.classList.add("long");
    }
}
typeset(document);
for (const fold of document.querySelectorAll("details")) fold.addEventListener("toggle", () => fold.open && typeset(fold));

// the replay -----------------------------------------------------------------------------------------------
const viewer = document.getElementById("viewer");
const still = document.createElement("img");
still.className = "paper still";
still.alt = "the mechanism";

// The picture as it stands now, light, and of a size that does not depend on the window.
function takeStill(inside) {
    const { stage } = inside;
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const { element } = stage;
    stage.element = { clientWidth: 1200, clientHeight: 720 };
    if (dark) stage.setTheme(false);
    stage.resize();
    stage.draw();
    still.src = stage.canvas.toDataURL("image/png");
    stage.element = element;
    if (dark) stage.setTheme(true);
    stage.resize();
    if (!still.isConnected) document.querySelector(".placeholder").replaceWith(still);
}

function watch(inside) {
    const quiet = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    inside.player.play(false);
    inside.player.seek(inside.player.start);
    setTimeout(() => takeStill(inside), 300);
    if (quiet) return;
    new IntersectionObserver((entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        inside.player.play(true);
        observer.disconnect();
    }, { threshold: 0.6 }).observe(viewer);
}

function wait() {
    const inside = viewer.contentWindow?.cotree;
    if (inside && !inside.stage) return; // no WebGL here
    if (inside?.stage.drawn > 0) watch(inside);
    else setTimeout(wait, 100);
}
if (viewer) wait();

window.addEventListener("beforeprint", () => {
    const inside = viewer?.contentWindow?.cotree;
    if (inside?.stage?.drawn > 0) takeStill(inside);
});
document.documentElement.dataset.ready = "yes";
