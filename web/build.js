// Bundles every script of this folder (but itself) into bundles/: NAME.js, NAME.css and, for the policy of
// the page, their hashes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const entries = readdirSync(".")
    .filter((file) => file.endsWith(".js") && file !== "build.js")
    .map((file) => file.slice(0, -3));

rmSync("bundles", { recursive: true, force: true });
mkdirSync("bundles");
for (const name of entries) {
    await build({
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
    });
    for (const kind of ["js", "css"]) {
        const text = readFileSync(`bundles/${name}.${kind}`);
        const hash = createHash("sha256").update(text).digest("base64");
        writeFileSync(`bundles/${name}.${kind}.hash`, `sha256-${hash}`);
    }
}
