// A part of Markdown: paragraphs, headings, fences, lists, tasks, quotations, tables, rules;
// inline.js has the Markdown within a paragraph. Everything else is text.

function markdown(text) {
  const clean = visible(text).replace(/^\n+|\s+$/g, "");
  return clean ? clipped(clean, (shown) => el("div", "md", ...blocks(shown.split("\n"), 0, []))) : [];
}

const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const TASK = /^\[([ xX])\] +(?=\S)/;

/** `levels` holds the headings around these lines, as heading() needs them. */
function blocks(lines, depth, levels) {
  const made = [];
  let paragraph = [];
  const flush = () => {
    if (paragraph.length) made.push(el("p", "", ...inline(paragraph.join("\n"))));
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
      made.push(codeBlock(code.join("\n"), found[3]));
    } else if ((found = HEADING.exec(line))) {
      flush();
      made.push(heading(found[1].length, found[2], levels));
    } else if (RULE.test(line)) {
      flush();
      made.push(el("hr", ""));
    } else if (depth < NESTED && QUOTE.test(line)) {
      flush();
      const inside = [];
      while (at < lines.length && (found = QUOTE.exec(lines[at]))) inside.push(found[1]), at++;
      at--;
      made.push(el("blockquote", "", ...blocks(inside, depth + 1, levels)));
    } else if (depth < NESTED && ITEM.test(line)) {
      flush();
      const [items, next] = listAt(lines, at, depth, levels);
      made.push(items);
      at = next - 1;
    } else if (line.includes("|") && at + 1 < lines.length && TABLE.test(lines[at + 1]) && lines[at + 1].includes("|")) {
      flush();
      const rows = [line];
      const delimiters = lines[++at];
      while (at + 1 < lines.length && lines[at + 1].includes("|")) rows.push(lines[++at]);
      made.push(table(rows, delimiters));
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return made;
}

/** A heading below the h2 of its entry. No level is skipped, even if the text skips one. */
function heading(level, text, levels) {
  while (levels.length && levels[levels.length - 1] >= level) levels.pop();
  levels.push(level);
  return el(`h${Math.min(levels.length + 2, 6)}`, `level-${level}`, ...inline(text));
}

function listAt(lines, at, depth, levels) {
  const first = ITEM.exec(lines[at]);
  const indent = first[1].length;
  const ordered = /\d/.test(first[2]);
  const items = el(ordered ? "ol" : "ul", "");
  if (ordered) items.start = parseInt(first[2], 10);
  let inside = null;
  const flush = () => inside && items.append(item(inside, depth, levels));
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

function item(lines, depth, levels) {
  const task = TASK.exec(lines[0]);
  if (!task) return el("li", "", ...tight(blocks(lines, depth + 1, levels)));
  const done = task[1] !== " ";
  const box = el("span", "box", done ? "☑" : "☐");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", done ? "done" : "not done");
  const rest = [lines[0].slice(task[0].length), ...lines.slice(1)];
  return el("li", "task", box, " ", ...tight(blocks(rest, depth + 1, levels)));
}

/** An item that begins with a paragraph is shown without the paragraph's margins. */
function tight(made) {
  return made.length && made[0].tagName === "P" ? [...made[0].childNodes, ...made.slice(1)] : made;
}

/** The cells of a row, which are separated by `|` without a backslash before it. */
const cellsOf = (row) =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function table(rows, delimiters) {
  const sides = cellsOf(delimiters).map((cell) => {
    if (!cell.endsWith(":")) return "";
    return cell.startsWith(":") ? "center" : "right";
  });
  const made = el("table", "");
  rows.forEach((row, number) => {
    const cells = cellsOf(row).map((cell, column) =>
      // A heading without text is omitted.
      el(number === 0 && cell ? "th" : "td", sides[column] ?? "", ...inline(cell)),
    );
    made.append(el("tr", "", ...cells));
  });
  return made;
}
