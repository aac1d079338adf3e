// Combines the parts: the head of the page, buttons, keys, colours.

const byName = (id) => document.getElementById(id);

function sayBranch() {
  const leaves = order.filter((index) => !children.has(index)).length;
  const branches = leaves > 1 ? `one of ${leaves} branches` : "the only branch";
  const { length } = transcript.path;
  let words = `${length.toLocaleString("en")} ${length === 1 ? "entry" : "entries"} on this branch, ${branches}.`;
  if (!session.isBranch && views.every(isSetting)) words = "This session is empty: nothing has been said in it.";
  else if (!length) words = `Nothing is on this branch${entries.length ? "; choose an entry of the tree" : ""}.`;
  byName("where").textContent = words;
}

function sayFacts() {
  const sum = totals();
  const facts = [];
  const fact = (value, words) => value && facts.push(el("span", "", el("b", "", value), ` ${words}`));
  if (str(session.cwd)) facts.push(el("span", "", str(session.cwd)));
  const started = timeOf(obj(session.header).timestamp);
  if (started.exact) facts.push(el("span", "", started.shown));
  fact(sum.messages.toLocaleString("en"), sum.messages === 1 ? "message" : "messages");
  if (sum.models.size) facts.push(el("span", "", [...sum.models].slice(0, 4).join(", ")));
  fact(sum.tokens ? count(sum.tokens) : "", `tokens (${count(sum.input)} in, ${count(sum.output)} out, ${count(sum.cache)} cached)`);
  fact(sum.cost ? money(sum.cost) : "", "");
  byName("facts").append(...facts);
}

const THEMES = ["auto", "light", "dark"];
byName("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
  root.dataset.theme = next;
  byName("theme-name").textContent = next[0].toUpperCase() + next.slice(1);
});

function fold() {
  openAll(!transcript.allOpen);
  byName("fold").textContent = transcript.allOpen ? "Close all" : "Open all";
  byName("fold").setAttribute("aria-pressed", String(transcript.allOpen));
}
byName("fold").addEventListener("click", fold);

function side() {
  const nav = byName("side");
  nav.hidden = !nav.hidden;
  byName("menu").setAttribute("aria-expanded", String(!nav.hidden));
  draw();
}
byName("menu").addEventListener("click", side);
if (window.innerWidth <= 760) side();

const help = byName("help");
byName("keys").addEventListener("click", () => help.showModal());
byName("help-close").addEventListener("click", () => help.close());
help.addEventListener("keydown", (event) => {
  // The button is the only element to focus; the browser itself closes the dialog on Escape.
  if (event.key === "Tab") event.preventDefault();
});

function search() {
  if (byName("side").hidden) side();
  finding.field.focus();
}

/** Go to the next or the previous entry that the transcript shows, and that passes. */
function stepInTranscript(by, passes = () => true) {
  const { path } = transcript;
  let at = path.indexOf(outline.here) + by;
  while (at >= 0 && at < path.length && !(isShown(path[at]) && passes(views[path[at]]))) at += by;
  if (at >= 0 && at < path.length) go(path[at]);
}

const isMine = (view) => view.role === "user";

byName("download").addEventListener("click", () => {
  const made = el("a", "");
  made.href = URL.createObjectURL(new Blob(storedLines().map((line) => `${line}\n`), { type: "application/jsonl" }));
  made.download = `${str(obj(session.header).id).replace(/[^\w-]/g, "").slice(0, 80) || "session"}.jsonl`;
  made.click();
  setTimeout(() => URL.revokeObjectURL(made.href), 60_000);
});

const KEYS = {
  "/": search,
  t: side,
  o: fold,
  j: () => stepInTranscript(1),
  k: () => stepInTranscript(-1),
  n: () => stepInTranscript(1, isMine),
  p: () => stepInTranscript(-1, isMine),
  m: onlySaid,
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.target.closest("input, select, textarea") || !Object.hasOwn(KEYS, event.key)) return;
  KEYS[event.key]();
  event.preventDefault();
});
window.addEventListener("resize", draw);

sayFacts();
showBranch(session.leafId === null ? -1 : (byId.get(session.leafId) ?? -1));
sayBranch();
outline.here = transcript.path[0] ?? -1;
find();
if (named() !== undefined) go(named());
document.documentElement.dataset.ready = "yes";
