// Bundle the extension, and build the page of a transcript from the parts of the exported page.
// `node build.mjs --watch` does it again after every change of the extension.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, context } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const EXPORT = join(HERE, "../../sessiond/catalog/export");
/** The client from its sources, so that no built or installed copy of it can be stale. */
const CLIENT = join(HERE, "../typescript/src/index.ts");

const COMMON = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  keepNames: true,
  logLevel: "warning",
};
/** The client has a file of its own, which is not read before the daemon is needed. */
const BUNDLES = [
  {
    ...COMMON,
    entryPoints: [join(HERE, "src/extension.ts")],
    outfile: join(HERE, "dist/extension.cjs"),
    external: ["vscode", "./client.cjs"],
    alias: { "sessiond-client": "./client.cjs" },
    // `require`, when the promise is made: the extension host need not support modules.
    supported: { "dynamic-import": false },
  },
  {
    ...COMMON,
    entryPoints: [CLIENT],
    outfile: join(HERE, "dist/client.cjs"),
    nodePaths: [join(HERE, "node_modules")],
  },
];

/** The names of the parts, in the order in which `html.py` joins them. */
async function partsOf(name) {
  const source = await readFile(join(EXPORT, "html.py"), "utf8");
  const tuple = new RegExp(`^${name} = \\(([^]*?)^\\)|^${name} = \\((.*)\\)$`, "m").exec(source);
  if (tuple === null) throw new Error(`html.py has no ${name}`);
  const text = (tuple[1] ?? tuple[2]).replace(/#.*/g, "");
  return [...text.matchAll(/"([\w.]+)"/g)].map(([, part]) => part);
}

async function joined(names) {
  const texts = await Promise.all(names.map((part) => readFile(join(EXPORT, "page", part), "utf8")));
  return texts.join("");
}

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function page() {
  const live = await build({
    entryPoints: [join(HERE, "webview/live.ts")],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    logLevel: "warning",
  });
  const script = (await joined(await partsOf("_SCRIPTS"))) + live.outputFiles[0].text;
  const style = (await joined(await partsOf("_STYLES"))) + (await readFile(join(HERE, "webview/editor.css"), "utf8"));
  const policy =
    `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)};` +
    " img-src data:; base-uri 'none'; form-action 'none'";
  const values = { script, style, policy };
  const text = await readFile(join(EXPORT, "page/page.html"), "utf8");
  const whole = text.replace(/\{\{(\w+)\}\}/g, (place, name) => values[name] ?? place);
  await writeFile(join(HERE, "dist/transcript.html"), whole);
}

await mkdir(join(HERE, "dist"), { recursive: true });
await page();
for (const bundle of BUNDLES) {
  if (process.argv.includes("--watch")) await (await context(bundle)).watch();
  else await build(bundle);
}
