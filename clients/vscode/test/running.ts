// The built extension with a real daemon and one session, and with a stub in place of VS Code.

import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach } from "node:test";

import type { Api } from "../src/extension.ts";
import { fileOf } from "./support.ts";
import { loaded } from "./vscode-stub.ts";

export const DAEMON = process.env["SESSIOND"] ?? "sessiond";

const { stub, activate, deactivate } = loaded(fileOf("dist/extension.cjs"));
const directory = mkdtempSync(join(tmpdir(), "sessiond-extension-"));
const path = join(directory, "agent/sessions/--shop--/a.jsonl");
const subscriptions: { dispose(): void }[] = [];

export { directory, path, stub };

export const HEADER = { type: "session", version: 3, id: "11111111-aaaa", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/shop" };

export const user = (id: string, parentId: string | null, content: string) => ({
  type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content, timestamp: 1767225600000 },
});

/** Lines of a session file. */
export const text = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

export const run = (name: string, ...given: unknown[]) => stub.commands.get(`sessiond.${name}`)?.(...given);

/** Activate the extension for the tests of a file. Each of them begins with a session of two messages. */
export function activated(): { readonly api: Api } {
  const extension = {} as { api: Api };
  before(async () => {
    await mkdir(join(directory, "agent/sessions/--shop--"), { recursive: true });
    Object.assign(process.env, { HOME: directory, XDG_RUNTIME_DIR: directory, XDG_DATA_HOME: join(directory, "data"), SESSIOND_NO_CATALOG_CACHE: "1" });
    Object.assign(stub.settings, { path: DAEMON, agentDirectory: join(directory, "agent"), shared: false });
    extension.api = activate({ subscriptions, extensionPath: fileOf("") }) as Api;
  });
  beforeEach(async () => {
    await writeFile(path, text(HEADER, user("aaaa", null, "first"), user("bbbb", "aaaa", "second")));
    Object.assign(stub, { answer: () => undefined, input: async () => undefined });
    stub.messages.length = 0;
    stub.documents.length = 0;
    stub.panels.length = 0;
    stub.copied.length = 0;
  });
  after(async () => {
    for (const each of subscriptions) each.dispose();
    await deactivate();
    await rm(directory, { recursive: true });
  });
  return extension;
}
