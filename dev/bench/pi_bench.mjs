// Measures the reference with the same work, one measurement per process:
//   node pi_bench.mjs <where it is installed> open <file>      open, build the context, stringify all entries
//   node pi_bench.mjs <where it is installed> list <directory> <cwd>
//   node pi_bench.mjs <where it is installed> append <file> <count>
//   node pi_bench.mjs <where it is installed> import           the whole package
// Prints one line of JSON; times in milliseconds, memory in bytes.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [root, work, target, more] = process.argv.slice(2);
const package_ = resolve(root, "node_modules/@mariozechner/pi-coding-agent/dist");
const load = (file) => import(pathToFileURL(resolve(package_, file)).href);
const resident = () => process.memoryUsage().rss;
const result = {};

async function timed(name, action) {
  const start = performance.now();
  const value = await action();
  result[name] = performance.now() - start;
  return value;
}

if (work === "import") {
  await timed("import", () => load("index.js"));
} else {
  const { SessionManager } = await load("core/session-manager.js");
  result.residentBefore = resident();
  if (work === "open") {
    const manager = await timed("open", () => SessionManager.open(target));
    await timed("context", () => manager.buildSessionContext());
    result.residentAfter = resident();
    const text = await timed("stringify", () => JSON.stringify(manager.getEntries()));
    result.characters = text.length;
    result.entries = manager.getEntries().length;
  } else if (work === "list") {
    result.sessions = (await timed("list", () => SessionManager.list(more, target))).length;
    await timed("again", () => SessionManager.list(more, target));
  } else if (work === "append") {
    const manager = SessionManager.open(target, undefined, "/home/someone/project");
    manager.appendMessage({ role: "assistant", content: [] });
    const message = { role: "user", content: "a short message", timestamp: 1767225600000 };
    await timed("append", () => {
      for (let i = 0; i < Number(more); i++) manager.appendMessage(message);
    });
  }
}
console.log(JSON.stringify(result));
