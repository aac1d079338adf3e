// Makes the exported page an editor's page: it grows with its session and follows its end.

import type { FromPage, Structure, Tip, ToPage } from "../src/transcript/messages.ts";
import { actionsOf } from "./actions.ts";
import { placeAt } from "./contexts.ts";
import { current, follow, isFollowing, keepPlace, leave, whenReaderMoves } from "./following.ts";

const editor = acquireVsCodeApi();
const send = (message: FromPage) => editor.postMessage(message);

/** The entry that was in view when VS Code ended an earlier page of this tab. */
let returning: unknown = editor.getState()?.here;

/** Entries of the load that is under way. */
let parts: { load: number; entries: object[]; views: View[] } = { load: 0, entries: [], views: [] };

/** The present tree, which grows with appended entries. */
let tree: { roots: number[]; children: Map<number, readonly number[]> } = { roots: [], children: new Map() };

function put(structure: Structure): void {
  const before = new Map(labels);
  labels.clear();
  for (const [id, label] of structure.labels) labels.set(id, label);
  folded.length = 0;
  session.cwd = structure.cwd;
  session.header = structure.header;
  tree = { roots: [...structure.roots], children: new Map(structure.children) };
  plant(structure);
  // Only the entries whose labels have changed are drawn again.
  for (const id of new Set([...before.keys(), ...labels.keys()])) {
    const index = byId.get(id);
    if (index !== undefined && before.get(id) !== labels.get(id)) fillAgain(transcript.owners.get(index) ?? index);
  }
}

/** Add entries and what a person sees of each; a loop, because there may be too many for arguments. */
function take(added: readonly object[], seen: readonly View[]): void {
  for (const entry of added) entries.push(entry as Entry);
  for (const view of seen) views.push(view);
}

/** Put appended entries below their parents. */
function putBelow(from: number, tip: Tip): void {
  for (let index = from; index < entries.length; index++) {
    const parent = byId.get(entries[index]?.["parentId"]);
    if (parent === undefined) tree.roots.push(index);
    else tree.children.set(parent, [...(tree.children.get(parent) ?? []), index]);
    byId.set(views[index]?.entryId, index);
  }
  plant(tip);
}

function plant({ name }: Tip): void {
  grow(tree.roots, [...tree.children]);
  outline.onBranch = new Uint8Array(entries.length);
  for (const index of transcript.path) outline.onBranch[index] = 1;
  if (name) entitle(name);
}

const entitle = (title: string) => void (byName("title").textContent = title);

const leafOf = ({ leafId }: Tip) => (leafId === null ? -1 : (byId.get(leafId) ?? -1));

/** Draw everything around the transcript again. */
function drawAround(): void {
  sayBranch();
  byName("facts").replaceChildren();
  sayFacts();
  find();
}

function replace(structure: Structure): void {
  const atLeaf = outline.leaf;
  const viewed = views[atLeaf]?.entryId;
  const here = views[outline.here]?.entryId;
  const isFirst = entries.length === 0;
  const back = keepPlace();
  entries.length = 0;
  views.length = 0;
  take(parts.entries, parts.views);
  parts.entries = [];
  parts.views = [];
  transcript.path = [];
  put(structure);
  const leaf = isFollowing() ? leafOf(structure) : (byId.get(viewed) ?? leafOf(structure));
  showBranch(leaf);
  outline.here = byId.get(here) ?? transcript.path[0] ?? -1;
  if (isFirst) {
    // A hidden page has no frames, but is idle at some time.
    requestIdleCallback(() => send({ type: "shown" }), { timeout: 1000 });
  }
  drawAround();
  outline.moved(outline.here);
  back();
  const wanted = byId.get(returning);
  if (wanted === undefined) return;
  returning = undefined;
  leave();
  go(wanted);
}

function append({ from, entries: added, views: seen, structure, ...tip }: ToPage & { type: "append" }): void {
  if (from !== entries.length) return; // a later load has these entries
  const atTip = outline.leaf;
  take(added, seen);
  if (structure === undefined) putBelow(from, tip);
  else put(structure);
  const leaf = leafOf(tip);
  const path = pathTo(leaf);
  const { length } = transcript.path;
  const continues = path[length - 1] === transcript.path[length - 1] && path.length >= length;
  if (continues) extend(path);
  else if (isFollowing()) showBranch(leaf);
  else outline.leaf = atTip;
  drawAround();
  if (isFollowing()) follow();
}

/** Show further entries of the branch below those that are shown. */
function extend(path: number[]): void {
  const added = path.slice(transcript.path.length);
  transcript.path = path;
  outline.leaf = path.at(-1) ?? -1;
  for (const index of added) outline.onBranch[index] = 1;
  joinResults();
  const owners = new Set<number>();
  for (const index of added) {
    const owner = transcript.owners.get(index);
    if (owner !== undefined) owners.add(owner);
    else transcript.list.append(articleFor(index));
  }
  for (const owner of owners) fillAgain(owner);
}

/** A result has arrived: show it in the card of its call. Parts that were opened stay open. */
function fillAgain(index: number): void {
  const article = transcript.articles.get(index);
  if (article?.dataset["filled"] === undefined) return;
  const open = [...article.querySelectorAll("details")].map((details) => details.open);
  delete article.dataset["filled"];
  article.replaceChildren();
  fill(article);
  [...article.querySelectorAll("details")].forEach((details, at) => (details.open ||= open[at] ?? false));
}

const notice = el("p", "notice editor", "");
notice.setAttribute("role", "status");
notice.hidden = true;
byName("where").before(notice);

function say(text: string): void {
  notice.textContent = text;
  notice.hidden = text === "";
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case "part":
      if (parts.load !== data.load) parts = { load: data.load, entries: [], views: [] };
      for (const entry of data.entries) parts.entries.push(entry);
      for (const view of data.views) parts.views.push(view);
      break;
    case "replace":
      if (parts.load !== data.load) parts = { load: data.load, entries: [], views: [] };
      say("");
      replace(data.structure);
      break;
    case "append":
      say("");
      append(data);
      break;
    case "notice":
      say(data.text);
      break;
    case "title":
      entitle(data.text);
      break;
    case "where":
      send({ type: "here", place: placeAt(current()) });
      break;
    case "reveal": {
      const index = byId.get(data.id);
      if (index === undefined) break;
      leave();
      go(index);
    }
  }
});

// The page decides once whether there is room for the tree; an editor changes its width.
window.matchMedia("(max-width: 760px)").addEventListener("change", ({ matches }) => {
  if (byName("side").hidden !== matches) side();
});

transcript.actionsOf = actionsOf(send);
const remember = (here?: string) => editor.setState({ path: session.path, here });
remember(typeof returning === "string" ? returning : undefined);
whenReaderMoves((here) => {
  returning = undefined;
  remember(here);
});
byName("where").textContent = "Reading the session…";
follow();
send({ type: "ready" });
