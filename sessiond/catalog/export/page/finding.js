// The search over all branches, and the filter of the tree and of the transcript.

const finding = {
  field: document.getElementById("search"),
  filter: document.getElementById("filter"),
  words: document.getElementById("found"),
  query: "",
  needles: [],
  hits: [],
  at: -1,
};

const FILTERS = {
  talk: (view) => !isSetting(view),
  plain: (view) => !isSetting(view) && !isTool(view),
  said: isSaid,
  user: (view) => view.role === "user",
  labelled: (view) => labels.has(view.entryId),
  all: () => true,
};

/** Filters that apply to the transcript, too, and what it shows with them. */
const SHOWN = { plain: (view) => !isTool(view), said: isSaid };

/** Whether the transcript shows an entry. */
const isShown = (index) => !Object.hasOwn(SHOWN, finding.filter.value) || SHOWN[finding.filter.value](views[index]);

/** The words and "quoted phrases" of a query, which an entry must all have, as in the terminal. */
function needlesOf(query) {
  const parts = query.split('"').flatMap((part, at) => (at % 2 ? [part.trim()] : part.split(/\s+/)));
  return [...new Set(parts.filter(Boolean))];
}

/** Show the entries that pass the filter and the search. */
function find() {
  finding.query = finding.field.value.trim().toLowerCase();
  finding.needles = needlesOf(finding.query);
  finding.at = -1;
  const { query, needles } = finding;
  const passes = Object.hasOwn(FILTERS, finding.filter.value) ? FILTERS[finding.filter.value] : FILTERS.all;
  transcript.list.classList.toggle("no-tools", Object.hasOwn(SHOWN, finding.filter.value));
  transcript.list.classList.toggle("only-said", finding.filter.value === "said");
  // A search includes the entries that the filter hides.
  arrange(query ? (index) => holds(index, needles) : (index) => passes(views[index]));
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
  const holdsHit = (node) => {
    const text = node.textContent.toLowerCase();
    return finding.needles.some((needle) => text.includes(needle));
  };
  if (!holdsHit(element)) for (const more of element.querySelectorAll("button.cut")) more.click();
  for (const details of element.querySelectorAll("details")) if (holdsHit(details)) details.open = true;
  highlightHits();
}

const MOST_HITS = 2000;

/** Highlight the matches if the browser supports it; no node is changed. */
function highlightHits() {
  if (!window.Highlight || !CSS.highlights) return;
  CSS.highlights.delete("found");
  if (finding.query.length < 2) return;
  CSS.highlights.set("found", new Highlight());
  for (const article of transcript.list.children) highlightIn(article);
}

/** Highlight the matches in an article that has its content, also if it gets that later. */
function highlightIn(article) {
  const marked = window.CSS?.highlights?.get("found");
  const { needles } = finding;
  if (!marked || !article.dataset.filled) return;
  const holdsHit = (element) => holds(Number(element.dataset.index), needles);
  if (!holdsHit(article) && ![...article.querySelectorAll(".entry")].some(holdsHit)) return;
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  for (let node; marked.size < MOST_HITS && (node = walker.nextNode()); ) {
    for (const needle of needles) for (const range of rangesIn(node, needle)) marked.add(range);
  }
}

function rangesIn(node, needle) {
  const text = node.data.toLowerCase();
  const found = [];
  if (text.length !== node.data.length) return found;
  for (let at = text.indexOf(needle); at >= 0 && found.length < MOST_HITS; at = text.indexOf(needle, at + needle.length)) {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + needle.length);
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
    transcript.box.focus({ preventScroll: true });
  } else return;
  event.preventDefault();
});
finding.filter.addEventListener("change", find);

/** Hide everything but what was said, or show it again, at the same place. */
function onlySaid() {
  finding.filter.value = finding.filter.value === "said" ? "talk" : "said";
  find();
  const { path } = transcript;
  const index = path.slice(0, path.indexOf(outline.here) + 1).findLast(isShown);
  if (index !== undefined) reveal(index);
}

// The rest of a long text is shown by a button in it.
transcript.list.addEventListener("click", ({ target }) => {
  if (finding.query && target.closest("button.cut")) highlightHits();
});
