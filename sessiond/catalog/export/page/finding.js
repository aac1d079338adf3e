// The search over all branches, and the filter of the tree and of the transcript.

const finding = {
  field: document.getElementById("search"),
  filter: document.getElementById("filter"),
  words: document.getElementById("found"),
  query: "",
  hits: [],
  at: -1,
};

const FILTERS = {
  talk: (view) => !isSetting(view),
  plain: (view) => !isSetting(view) && !isTool(view),
  user: (view) => view.role === "user",
  labelled: (view) => labels.has(view.entryId),
  all: () => true,
};

const withoutTools = () => finding.filter.value === "plain";

/** Whether the transcript shows an entry: one filter also removes the tools from it. */
const isShown = (index) => !withoutTools() || !isTool(views[index]);

/** Show the entries that pass the filter and the search. */
function find() {
  finding.query = finding.field.value.trim().toLowerCase();
  finding.at = -1;
  const { query } = finding;
  const passes = Object.hasOwn(FILTERS, finding.filter.value) ? FILTERS[finding.filter.value] : FILTERS.all;
  transcript.list.classList.toggle("no-tools", withoutTools());
  // A search includes the entries that the filter hides.
  arrange(query ? (index) => holds(index, query) : (index) => passes(views[index]));
  finding.hits = query ? outline.shown : [];
  const hits = finding.hits.length;
  finding.words.textContent = query ? `${hits || "No"} ${hits === 1 ? "entry" : "entries"} found${hits ? " · Enter for the next" : ""}` : "";
  if (query) outline.box.scrollTop = 0;
  draw();
  highlightHits();
}

/** Show an entry in the transcript that the filter hides. */
function unfilter(index) {
  if (isShown(index)) return;
  finding.filter.value = "talk";
  find();
}

function nextHit(by) {
  const { hits } = finding;
  if (!hits.length) return;
  const at = (finding.at + by + hits.length) % hits.length;
  const index = hits[at];
  outline.pick(index);
  finding.at = at;
  finding.words.textContent = `${at + 1} of ${hits.length}`;
}

/** Open the elements that contain a hit. */
function openHits(element) {
  if (!element || !finding.query) return;
  const holdsHit = (node) => node.textContent.toLowerCase().includes(finding.query);
  if (!holdsHit(element)) for (const more of element.querySelectorAll("button.cut")) more.click();
  for (const details of element.querySelectorAll("details")) if (holdsHit(details)) details.open = true;
  highlightHits();
}

const MOST_HITS = 2000;

/** Highlight the matches if the browser supports it; no node is changed. */
function highlightHits() {
  if (!window.Highlight || !CSS.highlights) return;
  CSS.highlights.delete("found");
  const { query } = finding;
  if (query.length < 2) return;
  const ranges = [];
  const holdsHit = (element) => holds(Number(element.dataset.index), query);
  for (const article of transcript.list.children) {
    if (!article.dataset.filled) continue;
    if (!holdsHit(article) && ![...article.querySelectorAll(".entry")].some(holdsHit)) continue;
    const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()) && ranges.length < MOST_HITS; ) ranges.push(...rangesIn(node, query));
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

function rangesIn(node, query) {
  const text = node.data.toLowerCase();
  const found = [];
  if (text.length !== node.data.length) return found;
  for (let at = text.indexOf(query); at >= 0 && found.length < MOST_HITS; at = text.indexOf(query, at + query.length)) {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + query.length);
    found.push(range);
  }
  return found;
}

let waiting = 0;
finding.field.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(find, entries.length > 1000 ? 150 : 30);
});
finding.field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    if (finding.field.value.trim().toLowerCase() !== finding.query) find();
    nextHit(event.shiftKey ? -1 : 1);
  } else if (event.key === "ArrowDown") outline.box.focus();
  else if (event.key === "Escape") {
    finding.field.value = "";
    find();
  } else return;
  event.preventDefault();
});
finding.filter.addEventListener("change", find);
