// Activate the extension without VS Code, and talk to the daemon through what it exports.
const Module = require("node:module");

/** An object of which every member is such an object, every call too. */
const anything = new Proxy(function () {}, {
  get: (_, name) => (typeof name === "symbol" || name === "then" ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});
const settings = { get: (_, otherwise) => (typeof otherwise === "boolean" ? false : otherwise) };
const workspace = new Proxy(
  { isTrusted: true, workspaceFolders: [], getConfiguration: () => settings },
  { get: (own, name) => own[name] ?? anything },
);
// As the prototype, because the bundle copies the module's own members when it is loaded.
const vscode = Object.create(new Proxy({}, { get: (_, name) => (name === "workspace" ? workspace : anything) }));
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  const extension = require(process.argv[2]);
  const { client } = extension.activate({ extensionPath: "", subscriptions: [] });
  const daemon = await client();
  const { session } = await daemon.sessionInMemory({ cwd: "/tmp" });
  await daemon.sessionAppendMessage({ session, message: { role: "user", content: "hello", timestamp: 0 } });
  const { messages } = await daemon.sessionBuildSessionContext({ session });
  console.log(`${messages[0].role}: ${messages[0].content}`);
  await extension.deactivate();
}

main();
