// The line above an entry: the speaker, the time, the cost, and buttons to copy the entry.

// Created once: creating one takes longer than everything else in an entry.
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const SMALL = new Intl.NumberFormat("en");
const LARGE = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const count = (value) => (num(value) < 10000 ? SMALL : LARGE).format(num(value));
const money = (value) => `$${num(value).toFixed(num(value) < 0.1 ? 4 : 2)}`;

/** The part of an address that leads to an entry. */
const hashOf = (view) => `#${encodeURIComponent(wellFormed(str(view.entryId)))}`;

/** The head of the entry with that index that is shown in `box`, with a heading of that level. */
function headOf(index, label, box, level = "h2") {
  const view = views[index];
  const head = el("header", "");
  // A later entry of an answer stands below the head of its first one.
  const isPart = Boolean(str(view.partOf));
  if (!isPart) head.append(el(level, "who", str(view.title)));
  if (label) head.append(el("span", "badge", label));
  if (!isPart) {
    for (const about of aboutOf(view)) head.append(el("span", "about", about));
    head.append(timeNode(view));
  }
  head.append(controls(view, index, box));
  return head;
}

function timeNode(view) {
  const time = timeOf(view.time);
  const anchor = el("a", "", time.shown);
  anchor.href = hashOf(view);
  anchor.title = `${time.exact} · ${str(view.entryId)}`;
  return el("time", "", anchor);
}

function controls(view, index, box) {
  const made = el("span", "controls");
  if (sourceOf(view).trim()) {
    made.append(copyButton("Copy", "Copy this message", () => sourceOf(view)));
  }
  made.append(
    copyButton("Link", "Copy a link to this entry", () => location.href.split("#")[0] + hashOf(view)),
    rawButton(index, box),
  );
  return made;
}

function rawButton(index, box) {
  const made = button("raw-entry", "{}", "The entry as it is stored", () => {
    const open = box.querySelector(":scope > .raw");
    if (open) open.remove();
    else box.append(el("div", "raw", ...storedNodes(storedLine(index))));
    made.setAttribute("aria-expanded", String(!open));
  });
  made.setAttribute("aria-expanded", "false");
  return made;
}

function timeOf(given) {
  const date = new Date(str(given));
  if (Number.isNaN(date.getTime())) return { shown: str(given).slice(0, 40) || "no time", exact: "" };
  return { shown: MOMENT.format(date), exact: date.toISOString() };
}

function aboutOf(view) {
  const about = [str(view.model), ...(view.notes ?? [])];
  if (num(view.tokens)) about.push(`${count(view.tokens)} tokens`);
  if (num(view.cost)) about.push(money(view.cost));
  return about.filter(Boolean);
}
