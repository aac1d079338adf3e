// The address of the page follows the entry in view, so that a copied address leads there.

/** Milliseconds: browsers refuse addresses that change more than a few times a second. */
const PAUSE = 250;

const position = {
  waiting: 0,
  inView: entryAtTop, // an editor sets this: the entry at which the reader is after scrolling
};

/** The index of the first entry in view; undefined: there is none. */
function entryAtTop() {
  const { left, top, width, height } = transcript.box.getBoundingClientRect();
  for (let offset = 24; offset < height; offset += 24) {
    const index = indexAround(document.elementFromPoint(left + width / 2, top + offset));
    if (index !== undefined) return index;
  }
  return undefined;
}

/** Mark the entry in view in the tree, and soon in the address. */
function arrive(index) {
  mark(index);
  clearTimeout(position.waiting);
  position.waiting = setTimeout(() => {
    const hash = hashOf(views[index]);
    if (hash === "#" || hash === location.hash) return;
    try {
      history.replaceState(branchState(), "", hash);
    } catch {
      // The browser does not let this page change its address.
    }
  }, PAUSE);
}

/** The present branch, so that the browser's Back returns to it and not to another one of an entry. */
const branchState = () => ({ end: transcript.path.at(-1) });

/** Begin a new entry of the browser's history before another branch is shown. */
function leave(index) {
  clearTimeout(position.waiting);
  try {
    const here = outline.here >= 0 ? hashOf(views[outline.here]) : location.hash;
    history.replaceState(branchState(), "", here === "#" ? null : here);
    history.pushState(null, "", hashOf(views[index]));
  } catch {
    // The browser does not let this page change its address.
  }
}

/** Go to an entry, also of another branch, and open the elements that contain it. */
function go(index) {
  if (!outline.onBranch[index]) {
    leave(index);
    showBranch(endOf(index));
    sayBranch();
  }
  unfilter(index);
  arrive(index);
  reveal(index);
  openHits(transcript.articles.get(index));
}

outline.pick = go;

/** The index of the entry that the address names. */
function named() {
  try {
    return byId.get(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return undefined;
  }
}

window.addEventListener("popstate", ({ state }) => {
  const end = state?.end;
  if (!Number.isInteger(end) || views[end] === undefined || end === transcript.path.at(-1)) return;
  showBranch(end);
  sayBranch();
  const index = named();
  if (index !== undefined && outline.onBranch[index]) go(index);
});

window.addEventListener("hashchange", () => {
  const index = named();
  if (index !== undefined && index !== outline.here) go(index);
});

// The tree and the address follow the scroll position of the transcript.
let looking = false;
transcript.box.addEventListener(
  "scroll",
  () => {
    if (looking || performance.now() < transcript.quietUntil) return;
    looking = true;
    requestAnimationFrame(() => {
      looking = false;
      const index = position.inView();
      if (index !== undefined && index !== outline.here) arrive(index);
    });
  },
  { passive: true },
);
