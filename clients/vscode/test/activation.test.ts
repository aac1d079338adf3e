// The commands of the built extension, with a real daemon and a stub in place of VS Code.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, appendFile, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { activated, DAEMON, directory, HEADER, path, run, stub, text, user } from "./running.ts";
import { fileOf } from "./support.ts";

const extension = activated();
const stored = async () => (await readFile(path, "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);

test("the commands of the manifest are those that are registered", async () => {
  const { contributes } = JSON.parse(await readFile(fileOf("package.json"), "utf8")) as { contributes: { commands: { command: string }[] } };
  const internal = ["sessiond.openRow"];
  assert.deepEqual([...stub.commands.keys()].sort(), [...contributes.commands.map(({ command }) => command), ...internal].sort());
});

test("other extensions get the typed client", async () => {
  const { hits } = await (await extension.api.client()).catalogSearch({ query: "second" });
  assert.deepEqual(hits.map(({ info }) => info.path), [path]);
});

test("a label is stored, and an empty one removes it", async () => {
  stub.input = async () => " start ";
  await run("label", { session: path, entryId: "aaaa" });
  stub.input = async () => "";
  await run("label", { session: path, entryId: "aaaa" });
  const labels = (await stored()).filter(({ type }) => type === "label").map(({ targetId, label }) => [targetId, label]);
  assert.deepEqual(labels, [["aaaa", "start"], ["aaaa", undefined]]);
  assert.deepEqual(stub.messages, []);
});

test("questions about an entry name it, and a copy or a branch contains the results of its calls", async () => {
  const calls = ["c1", "c2"].map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: `${id}.ts` } }));
  const base = { type: "message", timestamp: HEADER.timestamp };
  const asks = { ...base, id: "cccc", parentId: "bbbb", message: { role: "assistant", content: calls, timestamp: 1767225600000 } };
  const result = { ...base, id: "dddd", parentId: "cccc", message: { role: "toolResult", toolCallId: "c1", toolName: "read", content: [], isError: false, timestamp: 1767225600000 } };
  await appendFile(path, text(asks, result));
  const questions: string[] = [];
  stub.input = async ({ prompt }) => void questions.push(prompt ?? "");
  await run("label", { session: path, entryId: "aaaa" });
  await run("branchHere", { session: path, entryId: "cccc", endId: "dddd" });
  await run("branchHere", { session: path, entryId: "aaaa", endId: "aaaa" });
  assert.deepEqual(questions, [
    "Label of User: “first”. An empty text removes it.",
    "The session continues after Assistant: “read c1.ts” and the results of its calls. The label marks that entry in the tree.",
    "The session continues before User: “first”, whose text is copied to the clipboard. The label marks that entry in the tree.",
  ]);
  await run("forkHere", { session: path, entryId: "cccc", endId: "dddd" });
  const said = "The new session is a copy up to Assistant: “read c1.ts” and the results of its calls; the old one is unchanged.";
  assert.equal(stub.messages.at(-1)?.[0], said);
  const sessions = (await readdir(join(directory, "agent/sessions/--shop--"))).filter((name) => name !== "a.jsonl");
  assert.equal(sessions.length, 1);
  const copy = join(directory, "agent/sessions/--shop--", sessions[0] ?? "");
  assert.match(await readFile(copy, "utf8"), /"toolCallId":"c1"/);
  await rm(copy);
  for (const panel of stub.panels.splice(0)) panel.dispose();
});

test("a branch is not written if the user wants to see first what is new", async () => {
  stub.input = async () => {
    await appendFile(path, text(user("cccc", "bbbb", "meanwhile")));
    return "branch";
  };
  stub.answer = (_, choices) => choices.find((choice) => choice === "Show What Is New");
  await run("branchHere", { session: path, entryId: "bbbb" });
  assert.deepEqual(stub.messages[0]?.slice(1), ["Branch Anyway", "Show What Is New"]);
  assert.equal((await stored()).at(-1)?.["id"], "cccc");
});

test("a branch before the first message has no parent", async () => {
  stub.input = async () => "again";
  await run("branchHere", { session: path, entryId: "aaaa" });
  const { type, parentId, targetId, label } = (await stored()).at(-1) ?? {};
  assert.deepEqual([type, parentId, targetId, label], ["label", null, "aaaa", "again"]);
});

test("a repair that differs from its plan is not done: the new plan is shown", async () => {
  const damaged = text(HEADER, user("aaaa", null, "first"), user("bbbb", "aaaa", "second"));
  await writeFile(path, `${damaged}{"broken\n`);
  stub.reading = async () => {
    stub.reading = async () => {};
    await appendFile(path, '{"worse\n');
  };
  const answers = ["Repair", undefined];
  stub.answer = () => answers.shift();
  await run("check", { session: path });
  assert.deepEqual(stub.documents.map((shown) => /line 5/.test(shown)), [false, true]);
  assert.match(stub.messages.at(-1)?.[0] ?? "", /^The file has changed since\./);
  assert.equal(await readFile(path, "utf8"), `${damaged}{"broken\n{"worse\n`);
  stub.answer = (_, choices) => choices.find((choice) => choice === "Repair");
  await run("check", { session: path });
  assert.equal(await readFile(path, "utf8"), damaged);
});

test("a session that another process writes is deleted only on request", async () => {
  const other = spawn(DAEMON, [], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    other.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/open", params: { path } })}\n`);
    await once(other.stdout, "data");
    stub.answer = (_, choices) => choices.find((choice) => choice === "Move to Trash");
    await run("delete", { session: path });
    assert.deepEqual(stub.messages.map(([, ...choices]) => choices), [["Move to Trash"], ["Move It Anyway", "Show Session"]]);
    const why = `Session is open for writing in another program (process ${other.pid}): ${path}`;
    assert.equal(stub.details.at(-1), `${why}\nIf that program goes on writing, the file appears again.`);
    await access(path);
    stub.answer = (_, choices) => choices.find((choice) => choice.startsWith("Move"));
    await run("delete", { session: path });
    await assert.rejects(access(path));
  } finally {
    other.kill();
    await once(other, "exit");
  }
});

test("a session that another process only shows is deleted", async () => {
  const other = spawn(DAEMON, [], { stdio: ["pipe", "pipe", "ignore"] });
  try {
    other.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/open", params: { path, readOnly: true } })}\n`);
    await once(other.stdout, "data");
    await run("open", { kind: "session", info: { path, id: "", cwd: "", firstMessage: "first" } });
    const [panel] = stub.panels.splice(0);
    stub.answer = () => undefined;
    await run("delete", { session: path });
    assert.equal(panel?.closed, false, "a question that is not answered closes nothing");
    stub.answer = (_, choices) => choices.find((choice) => choice === "Move to Trash");
    await run("delete", { session: path });
    await assert.rejects(access(path));
    assert.equal(panel?.closed, true);
  } finally {
    other.kill();
    await once(other, "exit");
  }
});

test("a handle is closed with its tab, and those of commands when they have ended", async () => {
  const handles = async () => (await (await extension.api.client()).daemonStatus()).openSessions;
  stub.input = async () => "label";
  await run("label", { session: path, entryId: "aaaa" });
  assert.equal(await handles(), 0);
  await run("open", { kind: "session", info: { path, id: "", cwd: "", firstMessage: "first" } });
  const [panel] = stub.panels.splice(0);
  assert.ok(panel?.webview.html.startsWith("<!doctype html>"));
  assert.equal(await handles(), 1);
  panel?.dispose();
  // The close is in the daemon's queue before this request.
  assert.equal(await handles(), 0);
});

test("a command of a row that VS Code has forgotten is about no other session", async () => {
  await run("open", { kind: "session", info: { path, id: "", cwd: "", firstMessage: "first" } });
  stub.answer = (_, choices) => choices.find((choice) => choice === "Move to Trash");
  await run("delete", undefined, undefined);
  assert.match(stub.messages[0]?.[0] ?? "", /^The list has changed/);
  await access(path);
});

test("ids and the path are copied, and the text of a message that is written anew", async () => {
  await run("copyId", { session: path });
  await run("copyPath", { session: path });
  await run("copyEntryId", { session: path, entryId: "bbbb" });
  stub.input = async () => "again";
  await run("branchHere", { session: path, entryId: "bbbb" });
  assert.deepEqual(stub.copied, ["11111111-aaaa", path, "bbbb", "second"]);
});

test("a session is copied for another directory", async () => {
  stub.input = async () => ({ label: "/other" });
  await run("fork", { session: path });
  const made = join(directory, "agent/sessions/--other--");
  const [name = ""] = await readdir(made);
  const [header, ...entries] = (await readFile(join(made, name), "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([header?.["cwd"], header?.["parentSession"]], ["/other", path]);
  assert.deepEqual(entries.map(({ id }) => id), ["aaaa", "bbbb"]);
});

test("an agent gets a copy of a session in which another one works, if the user wants that", async () => {
  const info = { path, id: "11111111-aaaa", cwd: directory, firstMessage: "first", inUse: { pids: [1] } };
  await run("resume", { kind: "session", info });
  assert.deepEqual(stub.messages.map(([, ...choices]) => choices), [["Fork and Resume the Copy", "Resume Anyway"]]);
  assert.deepEqual(stub.typed, []);
  stub.answer = (_, choices) => choices.find((choice) => choice.startsWith("Fork"));
  await run("resume", { kind: "session", info });
  const [{ line = "", options = {} } = {}] = stub.typed;
  assert.match(line, /^pi --session \/.*\.jsonl$/);
  assert.ok(!line.includes(path));
  const { cwd, env } = options as { cwd?: string; env?: object };
  assert.deepEqual([cwd, env], [directory, { PI_CODING_AGENT_DIR: join(directory, "agent") }]);
});

test("an agent is not started in a workspace that is not trusted", async () => {
  stub.trusted = false;
  await run("resume", { session: path });
  stub.trusted = true;
  assert.match(stub.messages[0]?.[0] ?? "", /not trusted/);
});

test("a session is pinned and tagged", async () => {
  const marks = async () => {
    const file = join(directory, "data/sessiond/marks.jsonl");
    const { pinned, tags } = JSON.parse(await readFile(file, "utf8")) as { pinned: boolean; tags: string[] };
    return { pinned, tags };
  };
  await run("pin", { session: path });
  stub.input = async () => " review  bug ";
  await run("tag", { session: path });
  assert.deepEqual(await marks(), { pinned: true, tags: ["bug", "review"] });
});

test("an error is told in words, with the log", async () => {
  stub.input = async () => "label";
  await rm(path);
  await run("label", { session: path, entryId: "aaaa" });
  const [[message = "", ...choices] = []] = stub.messages;
  assert.ok(message.includes(path) && !message.includes("Error"), message);
  assert.deepEqual(choices, ["Show Log"]);
});

test("a click opens its row, although VS Code has no rows while it reads them again", async () => {
  const other = path.replace("a.jsonl", "b.jsonl");
  await writeFile(other, text({ ...HEADER, id: "22222222-bbbb" }, user("aaaa", null, "other")));
  const opened = run("openRow");
  stub.selection = [{ kind: "session", info: { path: other } }];
  await opened;
  stub.selection = [];
  assert.equal(stub.panels.length, 1);
});

test("a command of a row that VS Code has forgotten is about no other session", async () => {
  for (const name of ["open", "rename", "delete"]) await run(name, undefined, undefined);
  assert.match(stub.messages.map(([message]) => message).join(), /^(The list has changed[^,]*(,|$)){3}$/);
  assert.deepEqual(stub.panels, []);
});
