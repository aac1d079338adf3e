// A second baseline: vscode-jsonrpc on Node, which answers one small request.
//   node vscode_bench.mjs <where it is installed>

import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve(process.argv[2], "package.json"));
const { createMessageConnection } = require("vscode-jsonrpc/node");

const connection = createMessageConnection(process.stdin, process.stdout);
connection.onRequest("session/getLeafId", () => ({ leafId: "0123abcd" }));
connection.onClose(() => process.exit(0));
connection.listen();
