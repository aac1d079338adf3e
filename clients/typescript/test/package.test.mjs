// The packed package, as its users get it: types and entry points for `import` and `require`, and
// the file that a bundler makes of it for VS Code.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build } from "esbuild";
import { publint } from "publint";

import { plainEnvironment } from "./support/daemon.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => join(PACKAGE, "node_modules/.bin", name);
const run = promisify(execFile);

const PROGRAM = `
  const client = await Sessiond.start();
  const { session } = await client.sessionInMemory({});
  const { id } = await client.sessionAppendCustomEntry({ session, customType: "c", data: 1 });
  const { entry } = await client.sessionGetEntry({ session, id });
  console.log(entry.data, entry instanceof JsonText, client instanceof Sessiond);
  await client.close();`;
const MODULE = `import { Sessiond, JsonText } from "sessiond-client";${PROGRAM}`;
const COMMON = `const { Sessiond, JsonText } = require("sessiond-client");
(async () => {${PROGRAM}})();`;

describe("the package", { timeout: 120_000 }, () => {
  let user;
  let tarball;

  before(async () => {
    user = await realpath(await mkdtemp(join(tmpdir(), "sessiond-client-")));
    const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", user], {
      cwd: PACKAGE,
    });
    const [{ filename }] = JSON.parse(packed.stdout);
    tarball = join(user, filename);
    const home = join(user, "node_modules/sessiond-client");
    await mkdir(home, { recursive: true });
    await run("tar", ["xzf", tarball, "-C", home, "--strip-components", "1"]);
    await symlink(join(PACKAGE, "node_modules/@types"), join(user, "node_modules/@types"));
  });

  after(() => rm(user, { recursive: true, force: true }));

  const started = async (file) => {
    const env = { ...plainEnvironment, SESSIOND_AGENT_DIR: join(user, "agent") };
    return (await run(process.execPath, [file], { cwd: user, env, timeout: 30_000 })).stdout;
  };

  it("is built when its folder is installed", async () => {
    const folder = join(user, "folder");
    const program = join(user, "program");
    for (const each of [folder, program]) await mkdir(each);
    const names = ["package.json", "tsconfig.json", "src", "README.md", "LICENSE"];
    for (const name of names) await cp(join(PACKAGE, name), join(folder, name), { recursive: true });
    // What its own `npm install` would get from the registry.
    await symlink(join(PACKAGE, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(program, "package.json"), "{}");
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", folder], { cwd: program });
    await writeFile(join(program, "module.mjs"), MODULE);
    assert.equal(await started(join(program, "module.mjs")), "1 false true\n");
  });

  it("pleases publint and arethetypeswrong", async () => {
    const { messages } = await publint({ pkgDir: PACKAGE, strict: true, pack: "npm" });
    assert.deepEqual(messages, []);
    const { stdout } = await run(bin("attw"), [tarball, "--profile", "node16", "--format", "json"]);
    assert.deepEqual(JSON.parse(stdout).analysis.problems, []);
  });

  it("is imported and required", async () => {
    await writeFile(join(user, "module.mjs"), MODULE);
    await writeFile(join(user, "common.cjs"), COMMON);
    assert.equal(await started("module.mjs"), "1 false true\n");
    assert.equal(await started("common.cjs"), "1 false true\n");
  });

  it("works in a bundle of CommonJS, as a VS Code extension needs it", async () => {
    const options = { bundle: true, platform: "node", format: "cjs", logLevel: "silent" };
    const outfile = join(user, "bundle/extension.cjs");
    await writeFile(join(user, "extension.ts"), `(async () => {${PROGRAM}})();
      import { Sessiond, JsonText } from "sessiond-client";`);
    const entryPoints = [join(user, "extension.ts")];
    const { warnings } = await build({ ...options, entryPoints, outfile });
    assert.deepEqual(warnings, []);
    assert.deepEqual(await readdir(dirname(outfile)), ["extension.cjs"]);
    assert.equal(await started(outfile), "1 false true\n");
  });

  it("has types that need no options of the compiler, and with which the README compiles", async () => {
    const readme = await readFile(join(PACKAGE, "README.md"), "utf-8");
    const programs = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, text]) => text);
    const pieces = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, text]) => text);
    assert.ok(programs.length === 2 && pieces.length === 3);
    const around = pieces.map(
      (text, index) => `export async function piece${index}(
        session: Session, message: Message, expectedTipId: string, entry: Entry,
      ): Promise<unknown> { ${text} return undefined; }`,
    );
    const imported = "Session, isSessiondError, type Entry, type Message";
    const sources = [...programs, `import { ${imported} } from "sessiond-client"; ${around.join("")}`];
    const names = sources.map((_, index) => `readme${index}.mts`);
    for (const [index, name] of names.entries()) await writeFile(join(user, name), sources[index]);
    await writeFile(join(user, "module.mts"), `import { Sessiond } from "sessiond-client";
      export const client: Promise<Sessiond> = Sessiond.start({ env: process.env });`);
    await writeFile(join(user, "common.cts"), `import { Sessiond } from "sessiond-client";
      export const close = (client: Sessiond): Promise<void> => client.close();`);
    const compilerOptions = {
      target: "ES2022", lib: ["ES2022"], types: [], module: "NodeNext", strict: true,
      skipLibCheck: false, noEmit: true,
    };
    const files = ["module.mts", "common.cts", ...names];
    await writeFile(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    await run(process.execPath, [tsc, "-p", user]).catch(({ stdout }) => assert.fail(stdout));
  });
});
