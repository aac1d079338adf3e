// The transcript: the entries of one branch, each filled in when it comes near or there is time.

const transcript = {
  box: document.getElementById("transcript"),
  list: document.getElementById("entries"),
  articles: new Map(), // index of an entry → its article
  path: [],
  allOpen: false,
  quietUntil: 0, // until then it is not somebody's hand that scrolls
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
  const made = transcript.path.map((index) => {
    const entry = entries[index];
    const [kind] = kindOf(entry);
    const article = el("article", `entry k-${kind}${isSetting(entry) ? " set" : ""}`);
    article.dataset.index = String(index);
    transcript.articles.set(index, article);
    near.observe(article);
    return article;
  });
  transcript.list.replaceChildren(...made);
  fillIdly(made, 0);
}

const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 5 }), 50));

/** Fill in the rest bit by bit, so that the browser's own search finds everything. */
function fillIdly(articles, from) {
  whenIdle((deadline) => {
    if (articles.length > 8000 || articles[0] !== transcript.list.firstChild) return;
    let at = from;
    while (at < articles.length && deadline.timeRemaining() > 3) fill(articles[at++]);
    if (at < articles.length) fillIdly(articles, at);
  });
}

function fill(article) {
  if (article.dataset.filled) return;
  article.dataset.filled = "yes";
  near.unobserve(article);
  const index = Number(article.dataset.index);
  const entry = entries[index];
  try {
    article.append(headOf(entry, index, article), ...bodyNodes(entry), ...forksAt(index));
  } catch (error) {
    article.replaceChildren(el("p", "error", `This entry cannot be shown: ${error}`));
  }
}

function headOf(entry, index, article) {
  const head = el("header", "");
  const body = bodyOf(entry);
  head.append(el("span", "who", kindOf(entry)[1]));
  const label = labels.get(entry.id);
  if (label) head.append(el("span", "badge", label));
  for (const about of aboutOf(entry, body)) head.append(el("span", "about", about));
  const time = timeOf(entry, body);
  const anchor = el("a", "", time.shown);
  anchor.href = `#${encodeURIComponent(wellFormed(str(entry.id)))}`;
  anchor.title = `${time.exact} · ${str(entry.id)}`;
  const raw = el("button", "", "{}");
  raw.type = "button";
  raw.title = "The entry as it is stored";
  raw.setAttribute("aria-expanded", "false");
  raw.addEventListener("click", () => {
    const open = article.querySelector(":scope > .raw");
    if (open) open.remove();
    else article.append(el("div", "raw", ...json(entry)));
    raw.setAttribute("aria-expanded", String(!open));
  });
  head.append(el("time", "", anchor, " ", raw));
  return head;
}

/** Half a surrogate pair makes encodeURIComponent throw. */
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd");

// Made once: making one takes longer than all the rest of an entry.
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const SMALL = new Intl.NumberFormat("en");
const LARGE = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function timeOf(entry, body) {
  const given = entry.timestamp ?? body.timestamp;
  const date = new Date(typeof given === "number" ? given : str(given));
  if (Number.isNaN(date.getTime())) return { shown: str(given).slice(0, 40) || "no time", exact: "" };
  return { shown: MOMENT.format(date), exact: date.toISOString() };
}

function aboutOf(entry, body) {
  const about = [];
  const usage = obj(body.usage);
  if (body.role === "assistant") {
    about.push([str(body.provider), str(body.model)].filter(Boolean).join("/"));
    if (str(body.stopReason) === "aborted") about.push("aborted");
  }
  if (body.role === "toolResult") about.push(str(body.toolName));
  if (body.role === "bashExecution" && body.excludeFromContext === true) about.push("not in context");
  if (entry.type === "compaction" && num(entry.tokensBefore)) about.push(`${count(entry.tokensBefore)} tokens before`);
  if (body.display === false) about.push("hidden");
  const tokens = num(usage.input) + num(usage.output) + num(usage.cacheRead) + num(usage.cacheWrite);
  if (tokens) about.push(`${count(tokens)} tokens`);
  if (num(obj(usage.cost).total)) about.push(money(obj(usage.cost).total));
  if (isSetting(entry) || entry.type === "reset") about.push(preview(entry));
  return about.filter(Boolean);
}

const count = (value) => (num(value) < 10000 ? SMALL : LARGE).format(num(value));
const money = (value) => `$${num(value).toFixed(num(value) < 0.1 ? 4 : 2)}`;

function bodyNodes(entry) {
  const body = bodyOf(entry);
  const made = el("div", "body");
  switch (roleOf(entry)) {
    case "assistant":
      for (const block of blocksOf(body.content)) made.append(...blockNodes(block));
      if (str(body.errorMessage)) made.append(el("p", "error", visible(body.errorMessage)));
      break;
    case "toolResult":
      made.append(resultNode(body));
      break;
    case "bashExecution":
      made.append(...commandNodes(body));
      break;
    case "compaction":
    case "branch_summary":
      made.append(part("summary", "Summary", shorten(str(entry.summary)), markdown(str(entry.summary)), true));
      break;
    case "system":
      made.append(part("system", "System message", "", blocksOf(body.content).flatMap(blockNodes)));
      break;
    case "custom":
      if (entry.data !== undefined) made.append(part("data", "Data", "", json(entry.data)));
      break;
    case "context_edit":
      if (entry.replacement !== null) made.append(part("data", "Replacement", "", json(entry.replacement)));
      break;
    default:
      if (body.content !== undefined) made.append(...blocksOf(body.content).flatMap(blockNodes));
      else if (!KINDS.has(roleOf(entry))) made.append(part("data", "Entry", "", json(entry)));
  }
  return made.childNodes.length ? [made] : [];
}

function blockNodes(block) {
  switch (block.type) {
    case "text":
      return markdown(str(block.text));
    case "image":
      return [image(block)];
    case "thinking":
      return str(block.thinking).trim()
        ? [part("thinking", "Thinking", shorten(str(block.thinking)), markdown(str(block.thinking)))]
        : [];
    case "toolCall":
      return [part("call", str(block.name) || "tool", glance(block), argumentNodes(block.arguments))];
    default:
      return [part("data", str(block.type) || "Block", "", json(block))];
  }
}

function argumentNodes(given) {
  if (given !== obj(given)) return given === undefined ? [] : json(given);
  return Object.entries(given).flatMap(([name, value]) => [
    el("div", "name", name),
    ...(typeof value === "string" ? preformatted(value) : json(value)),
  ]);
}

function resultNode(body) {
  const nodes = blocksOf(body.content).flatMap((block) =>
    block.type === "text" ? (str(block.text) ? preformatted(block.text) : []) : blockNodes(block),
  );
  const change = str(obj(body.details).diff);
  if (change) nodes.push(el("div", "name", "Change"), diff(change));
  const said = blocksOf(body.content).find((block) => block.type === "text");
  const failed = body.isError === true;
  const made = part("result", failed ? "Failed" : "Output", shorten(firstLine(said?.text)), nodes);
  if (failed) made.classList.add("failed");
  return made;
}

const firstLine = (text) => /\S.*/.exec(str(text))?.[0] ?? "";

function commandNodes(body) {
  const nodes = preformatted(`$ ${str(body.command)}`);
  if (str(body.output)) nodes.push(part("result", "Output", shorten(firstLine(body.output)), preformatted(body.output)));
  const notes = [];
  if (body.cancelled === true) notes.push("cancelled");
  else if (num(body.exitCode)) notes.push(`exit code ${num(body.exitCode)}`);
  if (body.truncated === true) notes.push(`output cut off; all of it: ${str(body.fullOutputPath)}`);
  if (notes.length) nodes.push(el("p", "muted", notes.join(" · ")));
  return nodes;
}

/** A part that opens and closes. */
function part(kind, title, words, nodes, open = false) {
  const made = el("details", kind);
  const summary = el("summary", "", el("span", "kind", title));
  if (words) summary.append(el("span", "glance", words));
  made.append(summary, el("div", "inside", ...(nodes.length ? nodes : [el("p", "muted", "(empty)")])));
  made.open = open || transcript.allOpen;
  return made;
}

/** Where other branches leave: a button for each. */
function forksAt(index) {
  const others = (children.get(index) ?? []).filter((child) => !outline.onBranch[child]);
  if (!others.length || others.length === (children.get(index) ?? []).length) return [];
  const made = el("p", "muted forks", `${others.length} other ${others.length === 1 ? "branch" : "branches"} from here: `);
  for (const other of others.slice(0, 12)) {
    const button = el("button", "more", preview(entries[endOfTalk(other)]).slice(0, 60) || kindOf(entries[other])[1]);
    button.type = "button";
    button.addEventListener("click", () => outline.pick(other));
    made.append(button, " ");
  }
  return [made];
}

/** The first entry from there on that is no setting. */
function endOfTalk(index) {
  for (let at = index; ; ) {
    if (!isSetting(entries[at])) return at;
    const below = children.get(at);
    if (!below || below.length !== 1) return index;
    at = below[0];
  }
}

/** Bring an entry of the branch to the top. Entries above take their size only as they show. */
function reveal(index) {
  const article = transcript.articles.get(index);
  if (!article) return;
  fill(article);
  for (const other of transcript.list.querySelectorAll(".entry.here")) other.classList.remove("here");
  article.classList.add("here");
  let tries = 4;
  const settle = () => {
    article.scrollIntoView({ block: "start" });
    if (--tries) requestAnimationFrame(settle);
    else transcript.quietUntil = performance.now() + 150;
  };
  transcript.quietUntil = Infinity;
  settle();
}
