// The tree in the sidebar: one row per selected entry; only visible rows have elements.

const ROW = 26;
/** Width of a column. */
const COLUMN = 15;
/** Maximum number of columns drawn; the number of further ones is shown. */
const DEEPEST = 14;

const outline = {
  box: document.getElementById("tree"),
  rows: document.getElementById("rows"),
  shown: [], // indices of entries, in order
  frames: [], // and the branch of each
  position: new Map(), // index of an entry → row
  drawn: [0, 0], // rows that exist: the first, and the one after the last
  onBranch: new Uint8Array(entries.length),
  leaf: -1,
  here: -1, // the entry that is shown
  active: -1, // the row that the keys act on
  pick: () => {},
  moved: () => {}, // an editor sets this: called with the entry that is shown now
};

/** Lay out the selected rows; an entry whose parent is hidden is below its nearest visible ancestor. */
function arrange(passes) {
  const { shown, below } = visibleForest(passes);
  outline.shown = shown;
  outline.frames = framesOf(shown, below);
  outline.position = new Map(shown.map((index, row) => [index, row]));
  outline.rows.style.height = `${shown.length * ROW}px`;
  outline.active = outline.position.get(outline.here) ?? (shown.length ? 0 : -1);
  draw();
}

/** The entries that pass, in order, and the direct children of each (of the roots: -1). */
function visibleForest(passes) {
  const above = new Int32Array(entries.length).fill(-1);
  const passed = new Uint8Array(entries.length);
  const shown = [];
  const below = new Map();
  for (const index of order) {
    const parent = parents[index];
    above[index] = parent < 0 || passed[parent] ? parent : above[parent];
    if (!passes(index)) continue;
    passed[index] = 1;
    shown.push(index);
    const found = below.get(above[index]);
    if (found) found.push(index);
    else below.set(above[index], [index]);
  }
  return { shown, below };
}

/**
 * The column of each row. A chain of entries stays in one column. At a fork, each branch is a
 * frame one column further in: `{up, fork, at}` is the frame around it, the branches of the fork,
 * and the index of this one among them. Entries of a chain share their frame; null is the first column.
 */
function framesOf(shown, below) {
  const frames = new Map();
  const put = (parent, frame) => {
    const fork = below.get(parent) ?? [];
    fork.forEach((index, at) => frames.set(index, fork.length > 1 ? { up: frame, fork, at, depth: (frame?.depth ?? 0) + 1 } : frame));
  };
  put(-1, null);
  for (const index of shown) put(index, frames.get(index));
  return shown.map((index) => frames.get(index));
}

/** The lines left of a row, from its own branch outwards; only columns with a line have an element. */
function guidesOf(row) {
  const made = el("span", "guides");
  const index = outline.shown[row];
  const columns = Math.min(outline.frames[row]?.depth ?? 0, DEEPEST);
  const hidden = (outline.frames[row]?.depth ?? 0) - columns;
  made.style.width = `${columns * COLUMN}px`;
  let column = columns;
  for (let frame = outline.frames[row]; frame && column-- > 0; frame = frame.up) {
    const lines = linesOf(frame, index);
    if (!lines) continue;
    const guide = el("span", `guide ${lines}`);
    guide.style.left = `${column * COLUMN}px`;
    made.append(guide);
  }
  return hidden > 0 ? [el("span", "deeper", `+${hidden}`), made] : [made];
}

/** As `sessiond tree` draws them: ├─ and └─ where a branch begins, │ or nothing below that. */
function linesOf({ fork, at }, index) {
  const isLast = at === fork.length - 1;
  const begins = fork[at] === index;
  if (!begins && isLast) return "";
  const active = fork.findIndex((branch) => outline.onBranch[branch]);
  const shape = begins ? (isLast ? "end" : "tee") : "pass";
  return `${shape}${active > at ? " later" : ""}${active === at && begins ? " own" : ""}`;
}

/** The visible rows, and some around them: `[first, last)`. */
function rangeInSight() {
  const { box, shown } = outline;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 12);
  return [first, Math.min(shown.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 12)];
}

function draw() {
  const { box, rows } = outline;
  const [first, last] = rangeInSight();
  outline.drawn = [first, last];
  const made = [];
  for (let row = first; row < last; row++) made.push(rowOf(row));
  rows.replaceChildren(...made);
  const active = outline.active >= first && outline.active < last ? `row-${outline.active}` : "";
  if (active) box.setAttribute("aria-activedescendant", active);
  else box.removeAttribute("aria-activedescendant");
}

function rowOf(row) {
  const index = outline.shown[row];
  const view = views[index];
  const made = el("div", `row k-${kindOf(view)}`);
  made.id = `row-${row}`;
  made.setAttribute("role", "treeitem");
  made.setAttribute("aria-level", String((outline.frames[row]?.depth ?? 0) + 1));
  made.setAttribute("aria-selected", String(index === outline.here));
  made.dataset.index = String(index);
  made.style.top = `${row * ROW}px`;
  if (outline.onBranch[index]) made.classList.add("on");
  if (index === outline.leaf) made.classList.add("leaf");
  if (index === outline.here) made.classList.add("here");
  if (row === outline.active) made.classList.add("active");
  const label = labels.get(view.entryId);
  made.append(...guidesOf(row), el("span", "dot"));
  if (label) made.append(el("span", "badge", label));
  made.append(el("span", "words", el("span", "who", `${str(view.title)} `), preview(view)));
  return made;
}

/** Mark the entry that is shown, and scroll to its row. */
function mark(index) {
  outline.here = index;
  const row = outline.position.get(index);
  if (row !== undefined) {
    outline.active = row;
    bring(row);
  }
  draw();
  outline.moved(index);
}

function bring(row) {
  const { box } = outline;
  if (row * ROW < box.scrollTop) box.scrollTop = row * ROW - ROW;
  else if ((row + 2) * ROW > box.scrollTop + box.clientHeight) {
    box.scrollTop = (row + 2) * ROW - box.clientHeight;
  }
}

function step(row) {
  outline.active = Math.max(0, Math.min(outline.shown.length - 1, row));
  bring(outline.active);
  draw();
}

/** The row of the nearest ancestor. */
function rowAbove(row) {
  for (let at = parents[outline.shown[row]]; at >= 0; at = parents[at]) {
    if (outline.position.has(at)) return outline.position.get(at);
  }
  return row;
}

outline.box.addEventListener(
  "scroll",
  () => {
    const [first, last] = rangeInSight();
    if (first !== outline.drawn[0] || last !== outline.drawn[1]) draw();
  },
  { passive: true },
);
outline.rows.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) outline.pick(Number(row.dataset.index));
});
outline.box.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || outline.active < 0) return;
  const page = Math.floor(outline.box.clientHeight / ROW) - 1;
  const { active, shown } = outline;
  const moves = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: shown.length - 1,
    ArrowLeft: rowAbove(active),
    ArrowRight: active + 1,
  };
  if (Object.hasOwn(moves, event.key)) step(moves[event.key]);
  else if (event.key === "Enter" || event.key === " ") outline.pick(shown[active]);
  else return;
  event.preventDefault();
});
