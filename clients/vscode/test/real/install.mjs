// Install VS Code (code-server) below a directory, unless it is there: `node install.mjs DIRECTORY`.
// Everything comes from npm. It needs Node 24, which the reference of the repository brings.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const VERSION = "4.139.1";
const directory = resolve(process.argv[2]);
const mark = join(directory, `installed-${VERSION}`);

function npm(cwd, ...words) {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  execFileSync("npm", ["install", ...words, ...quiet], { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

if (!existsSync(mark)) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
  npm(directory, `code-server@${VERSION}`);
  npm(join(directory, "node_modules/code-server/lib/vscode"), "--omit=dev");
  writeFileSync(mark, "");
}
