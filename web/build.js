// Bundles every script of this folder (but itself) into bundles/: NAME.js with the licences of the packages in it,
// NAME.css and, for the policy of the page, their hashes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const entries = readdirSync(".")
    .filter((file) => file.endsWith(".js") && file !== "build.js")
    .map((file) => file.slice(0, -3));

// The licences of the packages that went into a bundle.
function licences(inputs) {
    const names = new Set();
    for (const path of Object.keys(inputs)) {
        const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
        if (found) names.add(found[1]);
    }
    const texts = [...names].sort().map((name) => {
        const file = readdirSync(`node_modules/${name}`).find((f) => /^licen[cs]e/i.test(f));
        return `${name}\n\n${readFileSync(`node_modules/${name}/${file}`, "utf8").trim()}\n`;
    });
    return `/*\n${texts.join("\n")}*/\n`;
}

rmSync("bundles", { recursive: true, force: true });
mkdirSync("bundles");
for (const name of entries) {
    const { metafile } = await build({
        entryPoints: [`${name}.js`],
        outfile: `bundles/${name}.js`,
        bundle: true,
        minify: true,
        format: "iife",
        target: ["es2020"],
        charset: "ascii",
        legalComments: "none",
        loader: { ".woff2": "dataurl", ".woff": "empty", ".ttf": "empty" },
        logLevel: "warning",
        metafile: true,
    });
    const script = `bundles/${name}.js`;
    writeFileSync(script, licences(metafile.inputs) + readFileSync(script, "utf8"));
    for (const kind of ["js", "css"]) {
        const text = readFileSync(`bundles/${name}.${kind}`);
        const hash = createHash("sha256").update(text).digest("base64");
        writeFileSync(`bundles/${name}.${kind}.hash`, `sha256-${hash}`);
    }
}
