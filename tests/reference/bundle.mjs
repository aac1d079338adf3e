// Loads a release of the reference from the directory of its package.
//
// 1.6.0 is a bundle that exports less than the tests compare with. Its chunks keep the functions'
// names, so the missing exports are added to the chunk that defines them while it is loaded.

import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const INTERNAL = [
  "computeFileLists",
  "createFileOps",
  "estimateContextTokens",
  "estimateProjectedContextTokens",
  "extractFileOpsFromMessage",
  "formatFileOperations",
  "fuzzyMatch",
  "prepareCompaction",
];

let chunk;

/** Remember the chunk that defines the internal functions, and let it export them. */
function exportInternals(url, context, next) {
  const loaded = next(url, context);
  if (!url.includes("/bundle/chunks/")) return loaded;
  const source = loaded.source.toString();
  if (!source.includes("function prepareCompaction(")) return loaded;
  chunk = url;
  const names = INTERNAL.map((name) => `${name} as internal_${name}`);
  return { ...loaded, source: `${source}\nexport { ${names.join(", ")} };\n` };
}

/** The class SessionManager of any release; the older ones load in a tenth of their package's time. */
export async function sessionManager(directory) {
  const single = join(directory, "dist/core/session-manager.js");
  const bundle = join(directory, "dist/bundle/index.js");
  const file = existsSync(bundle) ? bundle : single;
  return (await import(pathToFileURL(file).href)).SessionManager;
}

/** Everything the bundle exports, and its internal functions. */
export async function everything(directory) {
  nodeModule.registerHooks({ load: exportInternals });
  const bundle = await import(pathToFileURL(join(directory, "dist/bundle/index.js")).href);
  const inner = await import(chunk);
  const internal = INTERNAL.map((name) => [name, inner[`internal_${name}`]]);
  return { ...bundle, ...Object.fromEntries(internal) };
}
