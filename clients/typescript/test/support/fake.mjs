// A scripted daemon: it ends during `session/create`, never answers `daemon/status`, and sends the
// notification that a test requests. It logs every request on stderr, and counts its starts in a
// file. Mode `once` ends at every start except the first; `stubborn` never answers `shutdown`.

import { readFileSync, writeFileSync } from "node:fs";

import {
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node";

const [, , mode = "", counter = ""] = process.argv;
if (counter !== "") {
  let starts = 0;
  try {
    starts = Number(readFileSync(counter, "utf-8"));
  } catch {
    // The first start.
  }
  writeFileSync(counter, String(starts + 1));
  if (mode === "once" && starts > 0) process.exit(7);
}
let handles = 0;
const rpc = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const answers = {
  initialize: () => ({ capabilities: { methods: [], notifications: [] } }),
  shutdown: () => (mode === "stubborn" ? new Promise(() => {}) : null),
  "session/open": ({ path }) => ({
    session: `s${(handles += 1)}`,
    sessionFile: path,
    sessionDir: "/d",
    cwd: "/w",
    readOnly: false,
    leafId: "tip",
    tipId: "tip",
  }),
  "session/branch": ({ entryId }) => ({ leafId: entryId }),
  "session/getLeafId": ({ session }) => ({ leafId: `leaf of ${session}` }),
  "session/close": () => null,
  "catalog/subscribe": () => ({ subscription: "c1", sequence: 0, sessions: [] }),
  "daemon/status": (params, token) =>
    new Promise((_, reject) => {
      token.onCancellationRequested(() => reject(new ResponseError(-32800, "cancelled")));
    }),
  "session/create": () => process.exit(9),
  notify: ({ method, params }) => void rpc.sendNotification(method, params),
};
rpc.onRequest((method, params, token) => {
  process.stderr.write(`${method} ${JSON.stringify(params)}\n`);
  return answers[method](params, token);
});
rpc.onNotification("exit", () => process.exit(0));
rpc.onClose(() => process.exit(0));
rpc.listen();
