// The tree at the side: one row for each entry that is wanted, of which only those in sight exist.

const ROW = 26;
const DEEPEST = 14;

const outline = {
  box: document.getElementById("tree"),
  rows: document.getElementById("rows"),
  shown: [], // indices of entries, in order
  depths: [], // and how far each is indented
  position: new Map(), // index of an entry → row
  onBranch: new Uint8Array(entries.length),
  leaf: -1,
  here: -1, // the entry looked at
  active: -1, // the row the keys are at
  pick: () => {},
};

const FILTERS = {
  talk: (entry) => !isSetting(entry),
  plain: (entry) => !isSetting(entry) && kindOf(entry)[0] !== "tool" && !isToolsOnly(entry) && roleOf(entry) !== "toolResult",
  user: (entry) => roleOf(entry) === "user",
  labelled: (entry) => labels.has(entry.id),
  all: () => true,
};

const isToolsOnly = (entry) =>
  roleOf(entry) === "assistant" &&
  !blocksOf(entry.message.content).some((block) => block.type === "text" && str(block.text).trim());

/** Lay out the rows that pass; entries whose parent is hidden hang under the next one above. */
function arrange(passes) {
  const above = new Int32Array(entries.length).fill(-1);
  const passed = new Uint8Array(entries.length);
  const below = new Int32Array(entries.length);
  for (const index of order) {
    const parent = parents[index];
    above[index] = parent < 0 || passed[parent] ? parent : above[parent];
    if (!passes(index)) continue;
    passed[index] = 1;
    if (above[index] >= 0) below[above[index]]++;
  }
  const depth = new Int32Array(entries.length);
  outline.shown = order.filter((index) => passed[index]);
  outline.depths = outline.shown.map((index) => {
    const parent = above[index];
    // Only forks are indented: a conversation is one long line of parents.
    depth[index] = parent < 0 ? 0 : depth[parent] + (below[parent] > 1 ? 1 : 0);
    return Math.min(depth[index], DEEPEST);
  });
  outline.position = new Map(outline.shown.map((index, row) => [index, row]));
  outline.rows.style.height = `${outline.shown.length * ROW}px`;
  outline.active = outline.position.get(outline.here) ?? (outline.shown.length ? 0 : -1);
  draw();
}

function draw() {
  const { box, rows, shown } = outline;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 12);
  const last = Math.min(shown.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 12);
  const made = [];
  for (let row = first; row < last; row++) made.push(rowOf(row));
  rows.replaceChildren(...made);
  const active = outline.active >= first && outline.active < last ? `row-${outline.active}` : "";
  if (active) box.setAttribute("aria-activedescendant", active);
  else box.removeAttribute("aria-activedescendant");
}

function rowOf(row) {
  const index = outline.shown[row];
  const entry = entries[index];
  const [kind, who] = kindOf(entry);
  const made = el("div", `row k-${kind}`);
  made.id = `row-${row}`;
  made.setAttribute("role", "treeitem");
  made.setAttribute("aria-level", String(outline.depths[row] + 1));
  made.setAttribute("aria-selected", String(index === outline.here));
  made.dataset.index = String(index);
  made.style.top = `${row * ROW}px`;
  made.style.setProperty("--depth", String(outline.depths[row]));
  if (outline.onBranch[index]) made.classList.add("on");
  if (index === outline.leaf) made.classList.add("leaf");
  if (index === outline.here) made.classList.add("here");
  if (row === outline.active) made.classList.add("active");
  const label = labels.get(entry.id);
  made.append(el("span", "dot"));
  if (label) made.append(el("span", "badge", label));
  made.append(el("span", "words", el("span", "who", `${who} `), preview(entry)));
  return made;
}

/** Mark the entry that is looked at, and bring its row into sight. */
function mark(index) {
  outline.here = index;
  const row = outline.position.get(index);
  if (row !== undefined) {
    outline.active = row;
    bring(row);
  }
  draw();
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

/** The row of the nearest entry above this one in the tree. */
function rowAbove(row) {
  for (let at = parents[outline.shown[row]]; at >= 0; at = parents[at]) {
    if (outline.position.has(at)) return outline.position.get(at);
  }
  return row;
}

outline.box.addEventListener("scroll", draw, { passive: true });
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
