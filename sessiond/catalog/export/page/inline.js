// Markdown within a paragraph: code, bold, italic, struck out, links, addresses, and images as
// their alternative text. Everything else is text.

const MARKS = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
];
const NESTED = 8;

// Parts that exclude each other, so that matching takes time in proportion to the length.
const LABEL = String.raw`\[((?:[^\][\n]|\[[^\][\n]{0,500}\]){0,800})\]`;
const TARGET = String.raw`(?:<([^<>\n]{0,2000})>|((?:[^()\s<]|\([^()\s]{0,200}\)){1,2000}))`;
const TITLE = String.raw`(?:[ \n]{1,9}(?:"([^"]{0,500})"|'([^']{0,500})'|\(([^()]{0,500})\)))?`;
const LINK = new RegExp(`^!?${LABEL}\\([ \\n]{0,9}${TARGET}${TITLE}[ \\n]{0,9}\\)`);
const LONGEST_LINK = 4000;
const AUTOLINK = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})>/i;

/** Characters that start no markup. */
const PLAIN = /[^\\`<h[!*_~]+/y;

/** Nodes of a text within a paragraph. Reads each character a few times at most. */
function inline(text, depth = 0, inLink = false) {
  const made = [];
  const missing = new Set(); // marks that do not occur any more
  let plain = "";
  const put = (node) => {
    if (plain) made.push(document.createTextNode(plain));
    plain = "";
    made.push(node);
  };
  for (let at = 0; at < text.length; ) {
    PLAIN.lastIndex = at;
    const run = PLAIN.exec(text);
    if (run) {
      plain += run[0];
      at += run[0].length;
      continue;
    }
    const found =
      escapeAt(text, at) ??
      codeAt(text, at, missing) ??
      (inLink ? null : addressAt(text, at)) ??
      linkAt(text, at, depth, inLink) ??
      (depth < NESTED ? markAt(text, at, depth, inLink, missing) : null);
    if (!found) plain += text[at++];
    else {
      if (found.node) put(found.node);
      else plain += found.text;
      at += found.length;
    }
  }
  if (plain) made.push(document.createTextNode(plain));
  return made;
}

// Each of these returns `{length, node}` or `{length, text}`, or null if it does not match.

function escapeAt(text, at) {
  if (text[at] !== "\\" || !/[\\`*_[\]()#+\-.!~|<>]/.test(text[at + 1] ?? "")) return null;
  return { length: 2, text: text[at + 1] };
}

function closing(text, mark, from, missing) {
  if (missing.has(mark)) return -1;
  const end = text.indexOf(mark, from);
  if (end < 0) missing.add(mark);
  return end;
}

function codeAt(text, at, missing) {
  if (text[at] !== "`") return null;
  const ticks = /^`+/.exec(text.slice(at, at + 64))[0];
  const from = at + ticks.length;
  const end = closing(text, ticks, from, missing);
  if (end <= 0 || text[end + ticks.length] === "`") return { length: ticks.length, text: ticks };
  const code = text.slice(from, end).replace(/^ (.*[^ ].*) $/s, "$1");
  return { length: end + ticks.length - at, node: el("code", "", code) };
}

/** `<https://…>`, `<name@host>`, and an address without brackets. */
function addressAt(text, at) {
  if (text[at] === "<") {
    const found = AUTOLINK.exec(text.slice(at, at + 2100));
    const node = found && link(/^(?:https?|mailto):/i.test(found[1]) ? found[1] : `mailto:${found[1]}`, "", found[1]);
    return node && { length: found[0].length, node };
  }
  if (text[at] !== "h" || /\w/.test(text[at - 1] ?? "") || !/^https?:\/\//.test(text.slice(at, at + 8))) return null;
  const found = /^https?:\/\/[^\s<>"'`]{1,2000}/.exec(text.slice(at, at + 2010));
  const address = found && found[0].replace(/[).,;:!?*_\]]+$/, "");
  const node = address && link(address, "", address);
  return node ? { length: address.length, node } : null;
}

/** `[words](address "title")` and `![words](address "title")`. */
function linkAt(text, at, depth, inLink) {
  const isImage = text[at] === "!" && text[at + 1] === "[";
  if (!isImage && (text[at] !== "[" || inLink)) return null;
  const found = LINK.exec(text.slice(at, at + LONGEST_LINK));
  if (!found) return null;
  const [whole, label, quoted, bare, ...titles] = found;
  const title = shorten(titles.find((given) => given !== undefined) ?? "");
  const address = quoted ?? bare;
  if (isImage) return { length: whole.length, node: pictureFor(label, address, title, inLink) };
  if (!label) return null;
  const node = link(address, title, ...inline(label, Math.max(depth, NESTED - 2), true));
  return node && { length: whole.length, node };
}

/** An image is never loaded: its alternative text is shown and leads to its address. */
function pictureFor(label, address, title, inLink) {
  const words = `[image: ${label || title || "without description"}]`;
  const node = (inLink ? null : link(address, title, words)) ?? el("span", "", words);
  node.classList.add("picture");
  return node;
}

function markAt(text, at, depth, inLink, missing) {
  const mark = MARKS.find(([sign]) => text.startsWith(sign, at));
  if (!mark) return null;
  const [sign, tag] = mark;
  const from = at + sign.length;
  const opens = /\S/.test(text[from] ?? "") && !(sign[0] === "_" && /\w/.test(text[at - 1] ?? ""));
  const end = opens ? closing(text, sign, from + 1, missing) : -1;
  const after = text[end + sign.length] ?? "";
  if (end <= 0 || !/\S/.test(text[end - 1]) || (sign[0] === "_" && /\w/.test(after))) {
    return { length: sign.length, text: sign };
  }
  const inside = inline(text.slice(from, end), depth + 1, inLink);
  return { length: end + sign.length - at, node: el(tag, "", ...inside) };
}
