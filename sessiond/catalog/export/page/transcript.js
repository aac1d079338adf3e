// The transcript: the entries of one branch, filled in when they come near or the page is idle.

const transcript = {
  box: document.getElementById("transcript"),
  list: document.getElementById("entries"),
  articles: new Map(), // index of an entry → the element that shows it
  path: [],
  owners: new Map(), // index of a result → index of the entry whose call it answers
  results: new Map(), // call → index of its result
  here: -1, // the entry with an outline
  allOpen: false,
  quietUntil: 0, // until this time the page scrolls, not its reader
  actionsOf: () => [], // an editor sets this: buttons for a tool call of an entry
};

const near = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen) if (isIntersecting) fill(target);
  },
  { root: transcript.box, rootMargin: "1500px 0px" },
);

/** Show the branch that ends with an entry; -1 shows none. */
function showBranch(leaf) {
  outline.leaf = leaf;
  transcript.path = pathTo(leaf);
  outline.onBranch.fill(0);
  for (const index of transcript.path) outline.onBranch[index] = 1;
  near.disconnect();
  transcript.articles = new Map();
  joinResults();
  const made = transcript.path.filter((index) => !transcript.owners.has(index)).map(articleFor);
  transcript.list.replaceChildren(...made);
  fillIdly(made, 0);
}

/** Put each result into the card of its call, if that is on the branch and has no other result. */
function joinResults() {
  transcript.owners = new Map();
  transcript.results = new Map();
  for (const index of transcript.path) {
    const result = blocksOf(views[index]).find(({ kind }) => kind === "result");
    const owner = byId.get(result?.callEntryId);
    if (owner === undefined || !outline.onBranch[owner]) continue;
    const call = blocksOf(views[owner]).find((block) => isCall(block) && block.callId === result.callId);
    if (!call || transcript.results.has(call)) continue;
    transcript.owners.set(index, owner);
    transcript.results.set(call, index);
  }
}

function articleFor(index) {
  const view = views[index];
  const made = el("article", `entry k-${kindOf(view)}${isSetting(view) ? " set" : ""}${isTool(view) ? " tool-only" : ""}${isSaid(view) ? "" : " machinery"}`);
  made.dataset.index = String(index);
  made.classList.toggle("here", index === transcript.here);
  transcript.articles.set(index, made);
  near.observe(made);
  return made;
}

const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 5 }), 50));

/** Fill in all other entries in steps, so that the browser's own search finds everything. */
function fillIdly(articles, from) {
  whenIdle((deadline) => {
    if (articles.length > 8000 || articles[0] !== transcript.list.firstChild) return;
    let at = from;
    while (at < articles.length && deadline.timeRemaining() > 3) fill(articles[at++]);
    if (at < articles.length) fillIdly(articles, at);
  });
}

/** The element of an entry of this branch, with its content. */
function shownAt(index) {
  const around = transcript.articles.get(transcript.owners.get(index) ?? index);
  if (around) fill(around);
  return transcript.articles.get(index);
}

function fill(article) {
  if (article.dataset.filled) return;
  article.dataset.filled = "yes";
  near.unobserve(article);
  const index = Number(article.dataset.index);
  const view = views[index];
  const inside = [];
  const resultOf = (call) => {
    const found = transcript.results.get(call);
    if (found === undefined) return null;
    inside.push(found);
    return resultAt(found);
  };
  try {
    article.append(
      headOf(index, labels.get(view.entryId), article),
      ...bodyNodes(view, {
        allOpen: transcript.allOpen,
        entry: entries[index],
        resultOf,
        actionsOf: (call, edits) => transcript.actionsOf(call, edits, view),
      }),
      ...[index, ...inside].flatMap(forksAt),
    );
  } catch (error) {
    article.replaceChildren(el("p", "error", `This entry cannot be shown: ${error}`));
  }
  highlightIn(article);
}

/** A result in the form for the card of its call. */
function resultAt(index) {
  const view = views[index];
  const label = labels.get(view.entryId);
  const made = el("section", `entry result k-${kindOf(view)}`);
  made.dataset.index = String(index);
  made.dataset.filled = "yes";
  made.classList.toggle("here", index === transcript.here);
  transcript.articles.set(index, made);
  const place = (nodes) => {
    made.append(headOf(index, "", made, "h3"), ...nodes);
    return made;
  };
  return { view, label, place, context: { allOpen: transcript.allOpen, entry: entries[index] } };
}

/** A button for each other branch that starts here. */
function forksAt(index) {
  const found = children.get(index) ?? [];
  const others = found.filter((child) => !outline.onBranch[child]);
  if (!others.length || others.length === found.length) return [];
  const made = el("p", "muted forks", `${others.length} other ${others.length === 1 ? "branch" : "branches"} from here: `);
  for (const other of others.slice(0, 12)) {
    const words = preview(views[endOfTalk(other)]).slice(0, 60) || str(views[other].title);
    made.append(button("more", words, "", () => outline.pick(other)), " ");
  }
  return [made];
}

/** The first entry from there on that is not a setting. */
function endOfTalk(index) {
  for (let at = index; ; ) {
    if (!isSetting(views[at])) return at;
    const below = children.get(at);
    if (!below || below.length !== 1) return index;
    at = below[0];
  }
}

/** Outline an entry, a result with the card of its call, and no other; returns its element. */
function encircle(index) {
  transcript.articles.get(transcript.here)?.classList.remove("here");
  transcript.here = index;
  const article = shownAt(index);
  article?.classList.add("here");
  return article;
}

/**
 * Bring an entry of the branch to the top, a result with the whole card of its call. Entries above
 * get their size only when they are shown.
 */
function reveal(index) {
  const article = encircle(index);
  if (!article) return;
  openAround(article);
  const box = article.closest("details.tool") ?? article;
  let tries = 4;
  const settle = () => {
    box.scrollIntoView({ block: "start" });
    if (--tries) requestAnimationFrame(settle);
    else transcript.quietUntil = performance.now() + 150;
  };
  transcript.quietUntil = Infinity;
  settle();
}

/** The index of the entry that an element belongs to: a card belongs to the result in it. */
function indexAround(element) {
  const card = element?.closest("details.tool");
  const found = card?.querySelector(".entry") ?? element?.closest(".entry");
  return found ? Number(found.dataset.index) : undefined;
}

/** Open every part that contains an element. */
function openAround(element) {
  for (let at = element.parentElement.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
}

/** Open or close every part. */
function openAll(open) {
  transcript.allOpen = open;
  for (const details of transcript.list.querySelectorAll("details")) details.open = open;
}
