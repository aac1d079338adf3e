// Code, diffs and values: coloured, copied, and shown in part if they are long.

const LONG = 20000;
const LINES = 2000;
/** Maximum number of characters of a block that are coloured; the rest is plain. */
const COLOURED = 60000;
/** A block with more lines or characters than these scrolls by itself. */
const TALL = [30, 3000];

/** Show the beginning of a long text, and all of it on request. */
function clipped(text, make) {
  if (text.length <= LONG) return [make(text)];
  const short = make(text.slice(0, LONG));
  const words = `Show all ${text.length.toLocaleString("en")} characters`;
  const more = button("more cut", words, "", () => {
    short.replaceWith(make(text));
    more.remove();
  });
  return [short, more];
}

const NUMBER = String.raw`(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)\w*`;
const NOTHING = "(?!)";
const CONSTANTS = new Set("true false null none nil undefined nan True False None NULL TRUE FALSE".split(" "));

/** One pattern that finds the next part of any kind. */
function patternOf(language) {
  language.pattern ??= new RegExp(
    `(?<comment>${language.comment})|(?<name>${language.name ?? NOTHING})|(?<string>(?:${language.before ?? ""})(?:${language.string}))` +
      `|(?<keyword>${language.keyword ?? NOTHING})|(?<variable>${language.variable ?? NOTHING})` +
      `|(?<number>${language.number ?? NUMBER})|(?<word>[#@]?[\\p{L}_$][\\p{L}\\p{N}_$]*)(?<call>\\()?`,
    "gmu",
  );
  return language.pattern;
}

/** The kind of a match, for its class; empty if it is plain. */
function kindOfPart(groups, language) {
  for (const kind of ["comment", "name", "string", "keyword", "variable", "number"]) if (groups[kind] !== undefined) return kind;
  if (language.keywords.has(language.anyCase ? groups.word.toLowerCase() : groups.word)) return "keyword";
  if (CONSTANTS.has(groups.word)) return "number";
  return groups.call ? "name" : "";
}

/** The nodes of code in the colours of a language. Their text is always the unchanged code. */
function coloured(code, name) {
  const language = languageNamed(name);
  if (!language) return [code];
  const made = [];
  let plain = 0;
  for (const found of code.slice(0, COLOURED).matchAll(patternOf(language))) {
    const { groups, index } = found;
    const kind = kindOfPart(groups, language);
    if (!kind) continue;
    const text = groups.word ?? found[0];
    if (!text) continue;
    if (index > plain) made.push(code.slice(plain, index));
    made.push(el("span", `t-${kind}`, text));
    plain = index + text.length;
  }
  made.push(code.slice(plain));
  return made;
}

/** A block with a button that copies the text, which may be more than the block shows. */
function framed(pre, text) {
  const lines = text.split("\n", TALL[0] + 1).length;
  if (lines > TALL[0] || text.length > TALL[1]) {
    pre.classList.add("tall");
    pre.tabIndex = 0; // so that it can be scrolled with the keys
  }
  return el("div", "code", pre, copyButton("Copy", "Copy this block", () => text));
}

/** Code of a fence; its first word names the language. */
function codeBlock(code, language) {
  if (/^(?:diff|patch)\b/i.test(language)) return diff(code);
  return framed(el("pre", "", el("code", "", ...coloured(code, language))), code);
}

/** Unchanged text, in the colours of a language if it is known. */
function preformatted(text, language = "") {
  const whole = visible(text);
  return clipped(whole, (shown) => framed(el("pre", "", ...coloured(shown, language)), whole));
}

// A sign, and in the diffs of pi's own edits the number of the line.
const CHANGED = /^([+-])( *\d+ |)(.*)$/s;
const UNCHANGED = /^( )( *\d+ |)(.*)$/s;
const HUNK = /^(?:@@|diff |index |--- |\+\+\+ )/;

/** A diff: each line by its sign, and changed code in the colours of its language. */
function diff(text, language = "", whole = text) {
  const pre = el("pre", "diff");
  const lines = visible(text).replace(/\n$/, "").split("\n");
  for (const line of lines.slice(0, LINES)) pre.append(lineOfDiff(line, language));
  if (lines.length > LINES) pre.append(`… ${(lines.length - LINES).toLocaleString("en")} more lines`);
  return framed(pre, visible(whole));
}

function lineOfDiff(line, language) {
  if (HUNK.test(line)) return el("span", "hunk", line);
  const [, sign, number, rest] = CHANGED.exec(line) ?? UNCHANGED.exec(line) ?? [null, "", "", line];
  const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
  return el("span", kind, el("span", "sign", sign + number), ...coloured(rest, language));
}

const SIGNS = { added: "+", removed: "-", same: " " };

/** The lines of a diff of a view, with their numbers. */
function changeNodes(block, language = languageOfPath(str(block.path))) {
  const changes = block.changes ?? [];
  const text = str(block.text).replace(/^\n+|\n+$/g, "");
  return clipped(text, (shown) => {
    const pre = el("pre", "diff");
    const most = Math.min(LINES, shown.split("\n").length);
    for (const change of changes.slice(0, most)) pre.append(lineOfChange(change, language));
    if (changes.length > most) pre.append(`… ${(changes.length - most).toLocaleString("en")} more lines`);
    return framed(pre, text);
  });
}

function lineOfChange({ kind, text, line }, language) {
  const sign = SIGNS[kind];
  if (sign === undefined) return el("span", "hunk", str(text) || "…");
  return el("span", kind, el("span", "sign", `${sign}${line === undefined ? "" : `${line} `}`), ...coloured(str(text), language));
}

/** A line of a session's file. It is copied as it is. */
const storedNodes = (line) => clipped(line, (shown) => framed(el("pre", "", ...coloured(visible(shown), "json")), line));

function json(value) {
  let text;
  try {
    text = JSON.stringify(value, null, 2) ?? "";
  } catch {
    return preformatted("(nested too deeply to be shown)");
  }
  return preformatted(text, "json");
}
