// The line above an entry: the speaker, the time, the cost, and buttons to copy the entry.

// Created once: creating one takes longer than everything else in an entry.
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const SMALL = new Intl.NumberFormat("en");
const LARGE = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const count = (value) => (num(value) < 10000 ? SMALL : LARGE).format(num(value));
const money = (value) => `$${num(value).toFixed(num(value) < 0.1 ? 4 : 2)}`;

/** The part of an address that leads to an entry. */
const hashOf = (entry) => `#${encodeURIComponent(wellFormed(str(entry.id)))}`;

/** The head of an entry that is shown in `box`, with a heading of that level. */
function headOf(entry, label, box, level = "h2") {
  const head = el("header", "");
  const body = bodyOf(entry);
  head.append(el(level, "who", kindOf(entry)[1]));
  if (label) head.append(el("span", "badge", label));
  for (const about of aboutOf(entry, body)) head.append(el("span", "about", about));
  head.append(timeNode(entry, body), controls(entry, box));
  return head;
}

function timeNode(entry, body) {
  const time = timeOf(entry, body);
  const anchor = el("a", "", time.shown);
  anchor.href = hashOf(entry);
  anchor.title = `${time.exact} · ${str(entry.id)}`;
  return el("time", "", anchor);
}

function controls(entry, box) {
  const made = el("span", "controls");
  if (!isSetting(entry) && sourceOf(entry).trim()) {
    made.append(copyButton("Copy", "Copy this message", () => sourceOf(entry)));
  }
  made.append(
    copyButton("Link", "Copy a link to this entry", () => location.href.split("#")[0] + hashOf(entry)),
    rawButton(entry, box),
  );
  return made;
}

function rawButton(entry, box) {
  const made = button("raw-entry", "{}", "The entry as it is stored", () => {
    const open = box.querySelector(":scope > .raw");
    if (open) open.remove();
    else box.append(el("div", "raw", ...json(entry)));
    made.setAttribute("aria-expanded", String(!open));
  });
  made.setAttribute("aria-expanded", "false");
  return made;
}

function timeOf(entry, body) {
  const given = entry.timestamp ?? body.timestamp;
  const date = new Date(typeof given === "number" ? given : str(given));
  if (Number.isNaN(date.getTime())) return { shown: str(given).slice(0, 40) || "no time", exact: "" };
  return { shown: MOMENT.format(date), exact: date.toISOString() };
}

function aboutOf(entry, body) {
  const about = [];
  const usage = obj(body.usage);
  if (body.role === "assistant") {
    about.push([str(body.provider), str(body.model)].filter(Boolean).join("/"));
    if (str(body.stopReason) === "aborted") about.push("aborted");
  }
  if (body.role === "toolResult") about.push(str(body.toolName));
  if (body.role === "bashExecution" && body.excludeFromContext === true) about.push("not in context");
  if (entry.type === "compaction" && num(entry.tokensBefore)) about.push(`${count(entry.tokensBefore)} tokens before`);
  if (body.display === false) about.push("hidden");
  const tokens = num(usage.input) + num(usage.output) + num(usage.cacheRead) + num(usage.cacheWrite);
  if (tokens) about.push(`${count(tokens)} tokens`);
  if (num(obj(usage.cost).total)) about.push(money(obj(usage.cost).total));
  if (isSetting(entry) || entry.type === "reset") about.push(preview(entry));
  return about.filter(Boolean);
}
