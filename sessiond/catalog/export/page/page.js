// Puts the parts together: header, search, keys, colours, printing.

const byName = (id) => document.getElementById(id);
const search = byName("search");
const finding = { query: "", hits: [], at: -1 };

function go(index) {
  if (!outline.onBranch[index]) {
    showBranch(endOf(index));
    say();
  }
  mark(index);
  reveal(index);
  openHits(transcript.articles.get(index));
}

outline.pick = go;

function say() {
  const leaves = order.filter((index) => !children.has(index)).length;
  const branches = leaves > 1 ? `one of ${leaves} branches` : "the only branch";
  byName("where").textContent = transcript.path.length
    ? `${transcript.path.length.toLocaleString("en")} entries on this branch, ${branches}.`
    : "Nothing is on this branch; choose an entry of the tree.";
}

function header() {
  const sum = totals();
  const facts = [];
  const fact = (value, words) => value && facts.push(el("span", "", el("b", "", value), ` ${words}`));
  if (str(session.cwd)) facts.push(el("span", "", str(session.cwd)));
  const started = timeOf(obj(session.header), {});
  if (started.exact) facts.push(el("span", "", started.shown));
  fact(sum.messages.toLocaleString("en"), sum.messages === 1 ? "message" : "messages");
  if (sum.models.size) facts.push(el("span", "", [...sum.models].slice(0, 4).join(", ")));
  fact(sum.tokens ? count(sum.tokens) : "", `tokens (${count(sum.input)} in, ${count(sum.output)} out, ${count(sum.cache)} cached)`);
  fact(sum.cost ? money(sum.cost) : "", "");
  byName("facts").append(...facts);
}

function filter() {
  finding.query = search.value.trim().toLowerCase();
  finding.at = -1;
  const passes = Object.hasOwn(FILTERS, byName("filter").value) ? FILTERS[byName("filter").value] : FILTERS.all;
  const { query } = finding;
  // A search looks everywhere, whatever the tree shows otherwise.
  arrange(query ? (index) => holds(index, query) : (index) => passes(entries[index]));
  finding.hits = query ? outline.shown : [];
  const hits = finding.hits.length;
  byName("found").textContent = query ? `${hits || "No"} ${hits === 1 ? "entry" : "entries"} found${hits ? " · Enter for the next" : ""}` : "";
  if (query) outline.box.scrollTop = 0;
  draw();
  highlight();
}

function nextHit(by) {
  const { hits } = finding;
  if (!hits.length) return;
  finding.at = (finding.at + by + hits.length) % hits.length;
  go(hits[finding.at]);
  byName("found").textContent = `${finding.at + 1} of ${hits.length}`;
}

/** Open what a hit lies in. */
function openHits(article) {
  if (!article || !finding.query) return;
  for (const details of article.querySelectorAll("details")) {
    if (details.textContent.toLowerCase().includes(finding.query)) details.open = true;
  }
  highlight();
}

/** Mark the text that was searched for, where the browser can. It changes no node. */
function highlight() {
  if (!window.Highlight || !CSS.highlights) return;
  CSS.highlights.delete("found");
  const { query } = finding;
  if (query.length < 2) return;
  const ranges = [];
  for (const article of transcript.list.children) {
    if (!article.dataset.filled || !holds(Number(article.dataset.index), query)) continue;
    const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()) && ranges.length < 2000; ) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (let at = text.indexOf(query); at >= 0 && ranges.length < 2000; at = text.indexOf(query, at + query.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + query.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

let waiting = 0;
const soon = (work, ms) => {
  clearTimeout(waiting);
  waiting = setTimeout(work, ms);
};
search.addEventListener("input", () => soon(filter, entries.length > 1000 ? 150 : 30));
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    if (search.value.trim().toLowerCase() !== finding.query) filter();
    nextHit(event.shiftKey ? -1 : 1);
  } else if (event.key === "ArrowDown") outline.box.focus();
  else if (event.key === "Escape") {
    search.value = "";
    filter();
  } else return;
  event.preventDefault();
});
byName("filter").addEventListener("change", filter);

const THEMES = ["auto", "light", "dark"];
byName("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
  root.dataset.theme = next;
  byName("theme-name").textContent = next[0].toUpperCase() + next.slice(1);
});

function openAll() {
  transcript.allOpen = !transcript.allOpen;
  for (const details of transcript.list.querySelectorAll("details")) details.open = transcript.allOpen;
  byName("fold").textContent = transcript.allOpen ? "Close all" : "Open all";
  byName("fold").setAttribute("aria-pressed", String(transcript.allOpen));
}
byName("fold").addEventListener("click", openAll);

function side() {
  const nav = byName("side");
  nav.hidden = !nav.hidden;
  byName("menu").setAttribute("aria-expanded", String(!nav.hidden));
  draw();
}
byName("menu").addEventListener("click", side);
if (window.innerWidth <= 760) side();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === "/") {
    if (byName("side").hidden) side();
    search.focus();
  } else if (event.key === "t") side();
  else if (event.key === "o") openAll();
  else if (event.key === "j" || event.key === "k") {
    const at = transcript.path.indexOf(outline.here) + (event.key === "j" ? 1 : -1);
    if (at >= 0 && at < transcript.path.length) go(transcript.path[at]);
  } else return;
  event.preventDefault();
});

// The tree shows where the transcript has been scrolled to.
let looking = false;
transcript.box.addEventListener(
  "scroll",
  () => {
    if (looking || performance.now() < transcript.quietUntil) return;
    looking = true;
    requestAnimationFrame(() => {
      looking = false;
      const { left, top, width } = transcript.box.getBoundingClientRect();
      const below = (offset) => document.elementFromPoint(left + width / 2, top + offset)?.closest(".entry");
      const article = below(24) ?? below(70);
      if (article && Number(article.dataset.index) !== outline.here) mark(Number(article.dataset.index));
    });
  },
  { passive: true },
);

const named = () => {
  try {
    return byId.get(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return undefined;
  }
};
window.addEventListener("hashchange", () => {
  const index = named();
  if (index !== undefined) go(index);
});
window.addEventListener("beforeprint", () => {
  for (const article of transcript.list.children) fill(article);
});
window.addEventListener("resize", draw);

header();
showBranch(session.leafId === null ? -1 : (byId.get(session.leafId) ?? -1));
say();
outline.here = transcript.path[0] ?? -1;
filter();
if (named() !== undefined) go(named());
document.documentElement.dataset.ready = "yes";
