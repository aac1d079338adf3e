// Where the reader is: at the end, which is then kept in view while the session grows, or elsewhere.

/** Distance from the end, in pixels, within which the reader counts as being there. */
const NEAR = 48;
/** Frames after which the sizes of entries that came into view have settled. */
const FRAMES = 6;
/** Milliseconds after an input in which scrolling counts as the reader's. */
const INPUT_LASTS = 1000;
const PAUSE_BEFORE_TELLING = 200;

let following = true;

const { box } = transcript;

export const isFollowing = () => following;

/** Go to the end, and stay there. */
export function follow(): void {
  following = true;
  stay();
  let frames = FRAMES;
  const pin = () => {
    if (!following) return;
    toEnd();
    if (--frames > 0) requestAnimationFrame(pin);
  };
  pin();
}

/** The index of the last entry that is shown. */
const lastShown = () => transcript.path.findLast(isShown);

/** Where the reader is after scrolling: at the end, or at the first entry in view. */
position.inView = () => (following ? lastShown() : entryAtTop());

/** The entry that commands are about has an outline. */
outline.moved = (index) => void encircle(index);

/** Make the last entry the current one. */
function stay(): void {
  const last = lastShown();
  if (last !== undefined) mark(last);
}

/** The index of the entry that commands are about; it is in view. */
export function current(): number {
  const { top, bottom } = box.getBoundingClientRect();
  const shown = shownAt(outline.here)?.getBoundingClientRect();
  const inView = shown !== undefined && shown.height > 0 && shown.bottom > top && shown.top < bottom;
  const index = inView ? undefined : entryAtTop();
  if (index !== undefined) mark(index);
  return outline.here;
}

/** Leave the end, to show something else. */
export function leave(): void {
  following = false;
}

/** The index of the entry at the top. */
function atTop(): number | undefined {
  const { top } = box.getBoundingClientRect();
  return transcript.path.find((index) => {
    const article = transcript.articles.get(index);
    return article !== undefined && article.getBoundingClientRect().bottom > top;
  });
}

/** Tell the id of the entry at the top some time after the reader has scrolled; undefined: the end. */
export function whenReaderMoves(told: (here: string | undefined) => void): void {
  let waiting = 0;
  const tell = () => {
    const at = following ? undefined : atTop();
    told(at === undefined ? undefined : views[at]?.entryId);
  };
  box.addEventListener(
    "scroll",
    () => {
      if (performance.now() - lastInput >= INPUT_LASTS) return;
      clearTimeout(waiting);
      waiting = window.setTimeout(tell, PAUSE_BEFORE_TELLING);
    },
    { passive: true },
  );
}

/** Remember the entry at the top; the result shows it at the same place again. */
export function keepPlace(): () => void {
  if (following) return follow;
  const here = atTop();
  if (here === undefined) return () => {};
  const { top } = box.getBoundingClientRect();
  const id = views[here]?.entryId;
  const offset = (transcript.articles.get(here)?.getBoundingClientRect().top ?? top) - top;
  return () => {
    const index = byId.get(id);
    const article = index === undefined ? undefined : shownAt(index);
    if (article === undefined) return;
    let frames = FRAMES;
    const settle = () => {
      transcript.quietUntil = performance.now() + 150;
      box.scrollTop += article.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
      if (--frames > 0) requestAnimationFrame(settle);
    };
    settle();
  };
}

const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;

function toEnd(): void {
  // The tree must not follow this scrolling.
  transcript.quietUntil = performance.now() + 150;
  box.scrollTop = box.scrollHeight;
}

/** Only the reader leaves the end: sizes also change while entries are filled in. */
let lastInput = -Infinity;
for (const kind of ["wheel", "touchmove", "pointerdown", "pointermove", "keydown"]) {
  const noted = (event: Event) => {
    if (event.type === "pointermove" && (event as PointerEvent).buttons === 0) return;
    lastInput = performance.now();
    transcript.quietUntil = Math.min(transcript.quietUntil, lastInput);
  };
  document.addEventListener(kind, noted, { passive: true, capture: true });
}
box.addEventListener(
  "scroll",
  () => {
    if (performance.now() - lastInput < INPUT_LASTS) following = distance() < NEAR;
    else if (following && distance() >= 1) toEnd();
  },
  { passive: true },
);
new ResizeObserver(() => {
  if (following) toEnd();
}).observe(transcript.list);
// A panel of the editor that opens below makes the page smaller.
new ResizeObserver(() => {
  if (following) follow();
}).observe(box);
