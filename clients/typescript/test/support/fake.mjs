// A scripted daemon: it ends during `session/create`, never answers `daemon/status`, and sends the
// notification that a test requests, or many of them. It opens `/late`, and subscribes to it, only
// after the request was cancelled. It logs every request on stderr, and counts its starts in a file. Mode `once` ends at every start except the first; `stubborn` never answers `shutdown`.

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
let ending = false;
const rpc = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const answers = {
  initialize: () => ({ protocolVersion: "1", capabilities: { methods: [], notifications: [] } }),
  shutdown: () => (mode === "stubborn" ? new Promise(() => {}) : null),
  "session/open": ({ path, session }, token) =>
    late(path, token, {
      session,
      sessionId: "x",
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
  "catalog/subscribe": ({ cwd, subscription }, token) =>
    late(cwd, token, { subscription, sequence: 0, sessions: [] }),
  "catalog/unsubscribe": () => null,
  "daemon/status": (params, token) =>
    new Promise((_, reject) => {
      token.onCancellationRequested(() => reject(new ResponseError(-32800, "cancelled")));
    }),
  "session/create": () => {
    // What is sent at the same time has reached it by then, and is not answered.
    ending = true;
    setTimeout(() => process.exit(9), 50);
    return new Promise(() => {});
  },
  flood: async ({ count, session, subscription }) => {
    for (let sequence = 1; sequence <= count; sequence += 1) {
      void rpc.sendNotification("catalog/didChange", { subscription, sequence, changes: [] });
      void rpc.sendNotification("session/didChange", { session, sequence, kind: "appended" });
    }
  },
  notify: ({ method, params }) => void rpc.sendNotification(method, params),
};

function late(path, token, result) {
  if (path !== "/late") return result;
  return new Promise((resolve) => token.onCancellationRequested(() => resolve(result)));
}

rpc.onRequest((method, params, token) => {
  process.stderr.write(`${method} ${JSON.stringify(params)}\n`);
  return ending ? new Promise(() => {}) : answers[method](params, token);
});
rpc.onNotification("exit", () => process.exit(0));
rpc.onClose(() => process.exit(0));
rpc.listen();
