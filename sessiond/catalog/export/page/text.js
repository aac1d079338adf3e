"use strict";
// Texts of the session as nodes of the page. Whatever a session holds becomes text nodes and
// attributes named here; nothing is ever parsed as HTML.

/** An element with a class and children; strings become text. */
function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

// JSON may hold any type anywhere; these give a value of the type that belongs there.
const str = (value) => (typeof value === "string" ? value : "");
const num = (value) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const list = (value) => (Array.isArray(value) ? value : []);
const obj = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};

const LONG = 20000;
const LINES = 2000;

/** Without terminal sequences and other characters that show as nothing. */
function visible(text) {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

/** Show the beginning of a long text, the rest when asked for. */
function clipped(text, make) {
  if (text.length <= LONG) return [make(text)];
  const short = make(text.slice(0, LONG));
  const more = el("button", "more", `Show all ${text.length.toLocaleString("en")} characters`);
  more.type = "button";
  more.addEventListener("click", () => {
    short.replaceWith(make(text));
    more.remove();
  });
  return [short, more];
}

function preformatted(text) {
  return clipped(visible(text), (shown) => el("pre", "", shown));
}

function diff(text) {
  const pre = el("pre", "diff");
  const lines = visible(text).split("\n");
  for (const line of lines.slice(0, LINES)) {
    const kind = /^\+/.test(line) ? "added" : /^-/.test(line) ? "removed" : "";
    pre.append(kind ? el("span", kind, line || " ") : `${line}\n`);
  }
  if (lines.length > LINES) pre.append(`… ${lines.length - LINES} more lines`);
  return pre;
}

function json(value) {
  let text;
  try {
    text = JSON.stringify(value, null, 2) ?? "";
  } catch {
    text = "(nested too deeply to be shown)";
  }
  return preformatted(text);
}

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** A picture from a block `{mimeType, data}`; words in its place unless it is one for sure. */
function image(block) {
  const data = str(block.data).replace(/[\r\n]/g, "");
  const type = str(block.mimeType);
  const sound = data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!IMAGES.has(type) || !sound) return el("p", "muted", `[image: ${type || "unknown type"}]`);
  const made = el("img", "");
  made.alt = `Image (${type})`;
  made.decoding = "async";
  made.src = `data:${type};base64,${data}`;
  return made;
}

/** A link where the address is one that cannot do anything but lead somewhere; else null. */
function link(address, ...children) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return null;
  const made = el("a", "", ...children);
  made.href = url.href;
  made.title = url.href;
  made.target = "_blank";
  made.rel = "noopener noreferrer nofollow";
  return made;
}

// A small part of Markdown: paragraphs, headings, fences, lists, quotations, tables, rules; code,
// bold, italic, struck out, links. Everything else is text.

function markdown(text) {
  const clean = visible(text).replace(/^\n+|\s+$/g, "");
  return clean ? clipped(clean, (shown) => el("div", "md", ...blocks(shown.split("\n"), 0))) : [];
}

const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const NESTED = 8;

function blocks(lines, depth) {
  const made = [];
  let paragraph = [];
  const flush = () => {
    if (paragraph.length) made.push(el("p", "", ...inline(paragraph.join("\n"), 0)));
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    let found;
    if (!line.trim()) {
      flush();
    } else if ((found = FENCE.exec(line))) {
      flush();
      const close = new RegExp(`^ {0,3}\\${found[2][0]}{${Math.min(found[2].length, 999)},}\\s*$`);
      const code = [];
      while (++at < lines.length && !close.test(lines[at])) code.push(lines[at]);
      made.push(el("pre", "", el("code", "", code.join("\n"))));
    } else if ((found = HEADING.exec(line))) {
      flush();
      made.push(el(`h${Math.min(found[1].length + 1, 6)}`, "", ...inline(found[2], 0)));
    } else if (RULE.test(line)) {
      flush();
      made.push(el("hr", ""));
    } else if (depth < NESTED && QUOTE.test(line)) {
      flush();
      const inside = [];
      while (at < lines.length && (found = QUOTE.exec(lines[at]))) inside.push(found[1]), at++;
      at--;
      made.push(el("blockquote", "", ...blocks(inside, depth + 1)));
    } else if (depth < NESTED && (found = ITEM.exec(line))) {
      flush();
      const [items, next] = listAt(lines, at, depth);
      made.push(items);
      at = next - 1;
    } else if (line.includes("|") && at + 1 < lines.length && TABLE.test(lines[at + 1]) && lines[at + 1].includes("|")) {
      flush();
      const rows = [line];
      at++;
      while (at + 1 < lines.length && lines[at + 1].includes("|")) rows.push(lines[++at]);
      made.push(table(rows));
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return made;
}

function listAt(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  const indent = first[1].length;
  const ordered = /\d/.test(first[2]);
  const items = el(ordered ? "ol" : "ul", "");
  if (ordered) items.start = parseInt(first[2], 10);
  let inside = null;
  const flush = () => inside && items.append(el("li", "", ...tight(blocks(inside, depth + 1))));
  for (; at < lines.length; at++) {
    const line = lines[at];
    const found = ITEM.exec(line);
    const margin = line.length - line.trimStart().length;
    if (found && found[1].length <= indent + 1 && found[1].length >= indent) {
      if (/\d/.test(found[2]) !== ordered) break;
      flush();
      inside = [found[3]];
    } else if (!line.trim()) {
      const next = lines[at + 1];
      if (next === undefined || (next.length - next.trimStart().length <= indent && !ITEM.test(next))) break;
      inside.push("");
    } else if (margin > indent) {
      inside.push(line.slice(Math.min(margin, indent + 2)));
    } else if (found || FENCE.test(line) || HEADING.test(line) || lines[at - 1].trim() === "") {
      break;
    } else {
      inside.push(line);
    }
  }
  flush();
  return [items, at];
}

/** An item of one paragraph is shown without the paragraph's margins. */
function tight(made) {
  return made.length && made[0].tagName === "P" ? [...made[0].childNodes, ...made.slice(1)] : made;
}

function table(rows) {
  const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|");
  const made = el("table", "");
  rows.forEach((row, number) => {
    const tag = number === 0 ? "th" : "td";
    made.append(el("tr", "", ...cells(row).map((cell) => el(tag, "", ...inline(cell.trim(), 0)))));
  });
  return made;
}

const MARKS = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
];

/** Nodes of a text within a paragraph. Looks at each character a few times at most. */
function inline(text, depth) {
  const made = [];
  let plain = "";
  const missing = new Set();
  const put = (node) => {
    if (plain) made.push(document.createTextNode(plain));
    plain = "";
    made.push(node);
  };
  const closing = (mark, from) => {
    if (missing.has(mark)) return -1;
    const end = text.indexOf(mark, from);
    if (end < 0) missing.add(mark);
    return end;
  };
  for (let at = 0; at < text.length; ) {
    const rest = text[at];
    if (rest === "\\" && /[\\`*_[\]()#+\-.!~|<>]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
      continue;
    }
    if (rest === "`") {
      const ticks = /^`+/.exec(text.slice(at, at + 64))[0];
      const end = closing(ticks, at + ticks.length);
      if (end > 0 && text[end + ticks.length] !== "`") {
        put(el("code", "", text.slice(at + ticks.length, end).replace(/^ (.*[^ ].*) $/s, "$1")));
        at = end + ticks.length;
      } else {
        plain += ticks;
        at += ticks.length;
      }
      continue;
    }
    if (rest === "[") {
      const found = /^\[([^\][\n]{1,500})\]\(([^()\s]{1,2000})\)/.exec(text.slice(at, at + 2600));
      const made = found && link(found[2], ...inline(found[1], NESTED));
      if (made) {
        put(made);
        at += found[0].length;
        continue;
      }
    }
    if (rest === "h" && !/\w/.test(text[at - 1] ?? "") && /^https?:\/\//.test(text.slice(at, at + 8))) {
      const found = /^https?:\/\/[^\s<>"'`]{1,2000}/.exec(text.slice(at, at + 2010));
      const address = found && found[0].replace(/[).,;:!?*_\]]+$/, "");
      const made = address && link(address, address);
      if (made) {
        put(made);
        at += address.length;
        continue;
      }
    }
    const mark = depth < NESTED && MARKS.find(([sign]) => text.startsWith(sign, at));
    if (mark) {
      const [sign, tag] = mark;
      const from = at + sign.length;
      const opens = /\S/.test(text[from] ?? "") && !(sign[0] === "_" && /\w/.test(text[at - 1] ?? ""));
      const end = opens ? closing(sign, from + 1) : -1;
      const after = text[end + sign.length] ?? "";
      if (end > 0 && /\S/.test(text[end - 1]) && !(sign[0] === "_" && /\w/.test(after))) {
        put(el(tag, "", ...inline(text.slice(from, end), depth + 1)));
        at = end + sign.length;
      } else {
        plain += sign;
        at = from;
      }
      continue;
    }
    plain += rest;
    at++;
  }
  if (plain) made.push(document.createTextNode(plain));
  return made;
}
