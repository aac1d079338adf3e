// Sessions to export, as lines of files.

const at = (number) => new Date(Date.UTC(2025, 5, 1, 10) + number * 1000).toISOString();

/** A session that grows with `add`; each entry follows the one before unless told otherwise. */
export class Session {
  constructor(cwd = "/home/ada/engine") {
    this.lines = [{ type: "session", version: 3, id: "s", timestamp: at(0), cwd }];
    this.last = null;
  }

  add(entry, { under = this.last, id = `e${this.lines.length}` } = {}) {
    this.lines.push({ ...entry, id, parentId: under, timestamp: at(this.lines.length) });
    this.last = id;
    return id;
  }

  user(text, options) {
    return this.add({ type: "message", message: { role: "user", content: text } }, options);
  }

  assistant(content, more = {}, options) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const message = { role: "assistant", content: blocks, provider: "p", model: "m", ...more };
    return this.add({ type: "message", message }, options);
  }

  result(text, more = {}) {
    const content = [{ type: "text", text }];
    return this.add({ type: "message", message: { role: "toolResult", toolName: "bash", content, ...more } });
  }

  label(targetId, label) {
    return this.add({ type: "label", targetId, label });
  }

  text() {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }
}

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** Two branches after the first answer, tools, thinking, an image, a label, a summary. */
export function conversation() {
  const session = new Session();
  session.add({ type: "model_change", provider: "p", modelId: "m" });
  session.add({ type: "session_info", name: "Mend the parser" });
  const first = session.user("Why does the **parser** fail?");
  const fork = session.assistant(
    [
      { type: "thinking", thinking: "Look at the pondered trace." },
      { type: "text", text: "I will look." },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "src/parse.py", lines: 3 } },
    ],
    { usage: { input: 1000, output: 200, cacheRead: 300, cacheWrite: 0, cost: { total: 0.25 } } },
  );
  session.user("Try the abandoned way");
  const old = session.assistant("Abandoned answer");
  session.result("def parse(text):\n    return text.split()", { toolName: "read" });
  session.label(first, "start here");
  const other = session.user("Try the better way", { under: fork });
  session.result("boom", { isError: true });
  const leaf = session.assistant([
    { type: "text", text: "# Done\n\n1. one\n2. two\n\n```js\nlet x = 1 < 2;\n```\n\n[docs](https://example.org/)" },
    { type: "image", mimeType: "image/png", data: PNG },
  ]);
  return { session, first, fork, old, other, leaf };
}

export const MARKDOWN = `### Plan

See [the manual](https://example.org/a_(b) "The manual"), [spaced](<https://example.org/a b>), <https://example.org/auto>
and <ada@example.org>; [not closed](https://example.org "x

- [ ] write it
- [x] test it
  - [X] twice

| Name | Left | Middle | Right |
|---|:---|:---:|---:|
| a\\|b | 1 | 2 | 3 |

![A chart](https://example.org/chart.png "Sales") ![](local.png) [![badge](https://example.org/b.svg)](https://example.org/ci)

\`\`\`python title="x"
# a comment
def f(x): return "text" + str(42)
\`\`\`

\`\`\`diff
--- a/x
+++ b/x
@@ -1 +1 @@
-old
+new
\`\`\`

\`\`\`nonsense
for x in y
\`\`\`
`;

/** Calls with their results: a file read, an edit, failures, one without a result; and Markdown. */
export function work() {
  const session = new Session();
  const call = (id, name, args) => ({ type: "toolCall", id, name, arguments: args });
  const user = session.user("Please **change** the parser\nand say why");
  const calls = session.assistant([
    { type: "thinking", thinking: "First a look." },
    call("c1", "read", { path: "src/parse.py" }),
    call("c2", "bash", { command: 'for x in *; do echo "$x"; done # all' }),
  ]);
  const read = session.result("def parse(text):\n    # none\n    return None", { toolName: "read", toolCallId: "c1" });
  const failed = session.result("no such file", { toolName: "bash", toolCallId: "c2", isError: true, details: { exitCode: 2 } });
  const edit = session.assistant([
    { type: "text", text: "I change it." },
    call("c3", "edit", { path: "src/parse.py", edits: [{ oldText: "return None", newText: "return 42" }] }),
    call("c4", "edit", { path: "b.js", oldText: "let a;", newText: "const a = 1;" }),
    call("c5", "write", { path: "c.rs", content: "fn main() {}\n" }),
  ]);
  const edited = session.result("Successfully replaced 1 block.", {
    toolName: "edit",
    toolCallId: "c3",
    details: { diff: "  1 def parse(text):\n-12     return None\n+12     return 42\n    ..." },
  });
  session.label(edited, "the edit");
  const lost = session.result("Nobody asked", { toolName: "bash", toolCallId: "gone" });
  const said = session.assistant(MARKDOWN);
  session.add({ type: "message", message: { role: "bashExecution", command: "git diff", output: "diff --git a/x b/x\n-a\n+b", exitCode: 1 } });
  const other = session.user("Another way", { under: said });
  const otherEnd = session.assistant("The other answer");
  const third = session.user("A third way", { under: said });
  const leaf = session.assistant("The third answer");
  return { session, user, calls, read, failed, edit, edited, lost, said, other, otherEnd, third, leaf };
}

const FIRE = "window.__fired=1;alert(1);fetch('http://127.0.0.1:9/x')";

export const HOSTILE = [
  `</script><script>${FIRE}</script>`,
  `<!--<script>${FIRE}</script>-->`,
  `<!-- --!><img src=x onerror="${FIRE}">`,
  `<img src="http://127.0.0.1:9/pixel.png" onload="${FIRE}">`,
  `<svg onload="${FIRE}"><style>@import "http://127.0.0.1:9/a.css"</style></svg>`,
  `<iframe srcdoc="<script>parent.__fired=1</script>"></iframe>`,
  `<a href="javascript:${FIRE}">x</a>`,
  `[click](javascript:${encodeURIComponent(FIRE)})`,
  `[click](JaVaScRiPt:alert(1)) [tab](java\tscript:alert(1)) [data](data:text/html,<script>alert(1)</script>)`,
  `[vb](vbscript:x) [file](file:///etc/passwd) [rel](//127.0.0.1:9/x) [blob](blob:null/1)`,
  `![x](http://127.0.0.1:9/pixel.png)`,
  `"><img src=x onerror=${FIRE}> ' onmouseover='${FIRE}`,
  `{{data}} {{script}} {{style}} {{policy}} \${${FIRE}} {{constructor.constructor('${FIRE}')()}}`,
  `</textarea></style></title><base href="http://127.0.0.1:9/"><meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">`,
  "\u2028\u2029\u0000\u202e\ud83d\u001b]0;title\u0007 \u001b[31mred\u001b[0m \ufffe",
  "**".repeat(4000) + "`".repeat(3000) + "[".repeat(4000) + "_a ".repeat(3000),
  `${"> ".repeat(3000)}deep\n${Array.from({ length: 60 }, (_, n) => `${" ".repeat(2 * n)}- x`).join("\n")}`,
  "A\u0301".repeat(500) + "x".repeat(5000),
  `[t](https://127.0.0.1/ "\\"><img src=x onerror=${FIRE}>") ![<img src=x onerror=${FIRE}>](javascript:${FIRE} "x") <javascript:${FIRE}> <data:text/html,x> [![a](http://127.0.0.1:9/p.png)](javascript:alert(1))`,
  `- [x] <input onfocus=${FIRE} autofocus>\n\n| <b> | "onload=${FIRE} |\n|:--|--:|\n| </td><script>${FIRE}</script> | \\| |`,
  ...["html", "js", "diff", `"><script>${FIRE}</script>`, "__proto__", "constructor"].map(
    (language) => `\`\`\`${language}\n<script>${FIRE}</script>\n+<img src=x onerror=${FIRE}>\n/* "' </span><script>${FIRE}</script>\n\`\`\``,
  ),
  "```yaml\n" + " ".repeat(15000) + "\n```",
  "```js\n" + "`\"'/*\\".repeat(3000),
];

/** Hostile text wherever a session can hold text, and values of types that do not belong there. */
export function hostile() {
  const session = new Session(HOSTILE[0]);
  session.lines[0].id = "</script><script>alert('id')</script>";
  session.lines[0].parentSession = HOSTILE[2];
  HOSTILE.forEach((text, number) => {
    const id = session.user(text, { id: `${number}"'><script>${FIRE}</script>` });
    session.label(id, text);
    session.assistant(
      [
        { type: "text", text },
        { type: "thinking", thinking: text },
        { type: "toolCall", id: text, name: text, arguments: { [text]: text, "__proto__x": [text] } },
        { type: "image", mimeType: "image/svg+xml", data: btoa(`<svg onload="${FIRE}"/>`) },
        { type: "image", mimeType: "text/html", data: btoa(`<script>${FIRE}</script>`) },
        { type: "image", mimeType: 'image/png" onerror="alert(1)', data: PNG },
        { type: "image", mimeType: "image/png", data: `x" onerror="${FIRE}` },
        { type: text, text },
      ],
      { provider: text, model: text, errorMessage: text, stopReason: "error" },
    );
    const calls = ["edit", "read"].map((name) => ({ type: "toolCall", id: `${name}${number}`, name, arguments: { path: `${text}.html`, oldText: text, newText: text, command: text } }));
    session.assistant(calls);
    for (const { id } of calls) session.result(text, { toolName: text, toolCallId: id, details: { diff: id.startsWith("edit") ? text : 5, exitCode: text } });
    session.result(text, { toolName: text, isError: true, toolCallId: [text], details: { diff: `+${text}\n-${text}` } });
    session.add({ type: "message", message: { role: "bashExecution", command: text, output: text, exitCode: 1, truncated: true, fullOutputPath: text } });
    session.add({ type: "compaction", summary: text, firstKeptEntryId: "e", tokensBefore: text });
    session.add({ type: "branch_summary", summary: text, fromId: text });
    session.add({ type: "custom_message", customType: text, content: text, display: false });
    session.add({ type: "custom", customType: text, data: { [text]: text } });
    session.add({ type: "model_change", provider: text, modelId: text });
    session.add({ type: "session_info", name: text });
    session.add({ type: text || "x", [text]: text });
  });
  for (const odd of [null, 1, "text", [], [null, 1, "x", [[]]], { type: 5 }, { constructor: 1 }]) {
    session.add({ type: "message", message: odd });
    session.add({ type: "message", message: { role: odd, content: odd, usage: odd, timestamp: odd } });
    session.add({ type: "message", message: { role: "constructor", content: [{ type: "text", text: odd }, { type: "toolCall", name: odd, arguments: odd }] } });
    session.add({ type: "compaction", summary: odd });
    session.add({ type: "label", targetId: odd, label: odd });
    session.assistant([{ type: "toolCall", id: "odd", name: odd, arguments: { path: odd, edits: odd, oldText: odd, command: odd } }, { type: "toolCall", id: odd, name: "edit", arguments: { edits: [odd, { oldText: "a", newText: odd }] } }]);
    session.result(odd, { toolCallId: "odd", details: odd });
    session.result(odd, { toolCallId: odd, details: { diff: odd, exitCode: odd } });
  }
  session.add({ type: "constructor" });
  session.add({ type: "__proto__" });
  session.add({ type: "session_info", name: HOSTILE[0] });
  return session;
}

/** As many megabytes as wanted of what agents write: Markdown, code, calls, edits and long results. */
export function large(megabytes) {
  const session = new Session();
  const code = "def value(text):\n    # a comment\n    return int(text) + 42\n".repeat(20);
  let bytes = 0;
  for (let turn = 0; bytes < megabytes * 1e6; turn++) {
    const before = session.lines.length;
    session.user(`Question ${turn}: what of **part ${turn}**?`);
    session.assistant([
      { type: "thinking", thinking: "Hm. ".repeat(100) },
      { type: "text", text: `Answer ${turn}.\n\n\`\`\`python\n${code}\`\`\`` },
      { type: "toolCall", id: `r${turn}`, name: "read", arguments: { path: `src/part${turn}.py` } },
      { type: "toolCall", id: `w${turn}`, name: "edit", arguments: { path: "a.py", oldText: "a", newText: "b" } },
    ]);
    session.result(code.repeat(turn % 10), { toolName: "read", toolCallId: `r${turn}` });
    session.result("Done.", { toolName: "edit", toolCallId: `w${turn}`, details: { diff: " 1 def a():\n-2     a\n+2     b\n".repeat(20) } });
    for (const line of session.lines.slice(before)) bytes += JSON.stringify(line).length + 1;
  }
  session.user("The needle in the haystack");
  return session;
}

/** A long one with a fork now and then. */
export function long(count) {
  const session = new Session();
  const turns = [];
  for (let turn = 0; session.lines.length <= count; turn++) {
    if (turn % 100 === 99) session.last = turns[turn - 10];
    turns.push(session.user(`Question ${turn}: what of **part ${turn}**?`));
    session.assistant([
      { type: "thinking", thinking: "Hm. ".repeat(30) },
      { type: "text", text: `Answer ${turn}.\n\n\`\`\`\n${"code line\n".repeat(8)}\`\`\`` },
      { type: "toolCall", id: `c${turn}`, name: "bash", arguments: { command: `make part-${turn}` } },
    ]);
    session.result(`line ${turn}\n`.repeat(60));
  }
  session.user("The needle in the haystack");
  return session;
}
