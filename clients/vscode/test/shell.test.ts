import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";

import { commandLine, defaultCommand, directoryVariable, quoted, Unquotable } from "../src/commands/shell.ts";

const VALUES = { file: "/home/me/a session.jsonl", id: "01a2", cwd: "/shop" };

test("placeholders become words of the shell, also in quotation marks of the setting", () => {
  assert.equal(commandLine("pi --session ${file}", VALUES, "/bin/bash"), "pi --session '/home/me/a session.jsonl'");
  assert.equal(commandLine("pi --session \"${file}\" --id '${id}'", VALUES, "/bin/bash"), "pi --session '/home/me/a session.jsonl' --id 01a2");
  assert.equal(commandLine("cd ${cwd} && pi --resume ${id}", VALUES, "/bin/bash"), "cd /shop && pi --resume 01a2");
});

test("a command without a placeholder gets the file, as `sessiond resume` gives it", () => {
  assert.equal(commandLine("npx pi --session", { ...VALUES, file: "/a" }, "/bin/bash"), "npx pi --session /a");
});

/** Shells whose quotation marks are tried if they are installed; `printf` is a program also where the shell has its own. */
const SHELLS = { sh: "printf", bash: "printf", zsh: "printf", ksh: "printf", fish: "printf", tcsh: "/usr/bin/printf", elvish: "e:printf" };

const isInstalled = (program: string) => spawnSync(program, ["-c", "exit"]).error === undefined;

for (const [shell, printf] of Object.entries(SHELLS)) {
  test(`every text is one word of ${shell}, and nothing in it runs`, { skip: !isInstalled(shell) && "it is not installed" }, () => {
    const texts = ["plain", "it's", "a b", "$(touch x)", "`touch x`", "$HOME", "!!", "a\\!b", "a\\", "-x", "~", "*", "a;b", "#c", "=ls", "{a,b}", "", "'\"'", "ä😀"];
    const line = `${printf} '[%s]' ${texts.map((text) => quoted(text, `/bin/${shell}`)).join(" ")}`;
    assert.equal(execFileSync(shell, ["-c", line], { encoding: "utf8" }).trimEnd(), texts.map((text) => `[${text}]`).join(""));
  });
}

test("each shell has its own quotation marks", () => {
  const text = "it's a\\b !x #1 \u2019";
  assert.equal(quoted(text, "/usr/bin/fish"), "'it\\'s a\\\\b !x #1 \u2019'");
  assert.equal(quoted(text, "/usr/bin/pwsh"), "'it''s a\\b !x #1 \u2019\u2019'");
  assert.equal(quoted(text, "/usr/bin/elvish"), "'it''s a\\b !x #1 \u2019'");
  assert.equal(quoted(text, "/bin/tcsh"), "'it'\\''s a\\b \\!x #1 \u2019'");
  assert.equal(quoted("it's '# 1", "/usr/bin/nu"), "r##'it's '# 1'##");
});

test("what a terminal would act on is refused", () => {
  for (const text of ["a\nb", "a\u0003b", "a\u001b[A", "a\u0085b", "a\ud800b"]) assert.throws(() => quoted(text, "/bin/bash"), Unquotable);
});

test("the agents of pi's family have a command and a variable for their directory", () => {
  assert.equal(defaultCommand("clanker"), "clanker --session ${file}");
  assert.equal(directoryVariable("pi"), "PI_CODING_AGENT_DIR");
  assert.equal(defaultCommand("codex"), "codex resume ${id}");
  assert.equal(defaultCommand("openclaw"), undefined);
});
