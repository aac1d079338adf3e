"use strict";
// Texts of a session as nodes of the page. All data of a session becomes text nodes and the
// attributes that are named here; nothing is ever parsed as HTML.

/** Elements that hold what somebody wrote, which lays itself out from the right if its letters do. */
const PROSE = new Set(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th"]);

/** An element with a class and children; strings become text without invisible characters. */
function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (PROSE.has(tag)) made.dir = "auto";
  if (className) made.className = className;
  const shown = children.filter((child) => child !== null && child !== "");
  made.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/** A button; `name` is its tooltip and its name for screen readers. */
function button(className, words, name, pressed) {
  const made = el("button", className, words);
  made.type = "button";
  if (name) {
    made.title = name;
    made.setAttribute("aria-label", name);
  }
  made.addEventListener("click", () => pressed(made));
  return made;
}

// JSON may have any type anywhere; these functions return a value of the expected type.
const str = (value) => (typeof value === "string" ? value : "");
const num = (value) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const list = (value) => (Array.isArray(value) ? value : []);
const obj = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};

/** Half a surrogate pair makes encodeURIComponent throw. */
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Terminal sequences, as `text/safe.py` removes them. */
const SEQUENCES = new RegExp(
  String.raw`(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\r\n]*(?:\x07|\x1b\\|\x9c)` +
    String.raw`|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?|[\x80-\x9f]`,
  "g",
);

/** Remove terminal sequences and other invisible characters. */
function visible(text) {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(SEQUENCES, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}

/** The beginning of a text, on one line. */
const shorten = (text) => visible(text.slice(0, 400)).replace(/\s+/g, " ").trim().slice(0, 160);

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** An image from a block `{mimeType, data}`; a text instead if type or data are not valid. */
function image(block) {
  const data = str(block.data).replace(/[\r\n]/g, "");
  const type = str(block.mimeType);
  const sound = data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!IMAGES.has(type) || !sound) return el("p", "muted", `[image: ${type || "unknown type"}]`);
  const made = el("img", "");
  made.alt = `Image (${type})`;
  made.decoding = "async";
  made.src = `data:${type};base64,${data}`;
  return made;
}

const PROTOCOLS = ["http:", "https:", "mailto:"];

/** A link, or null if the address could do more than lead to another page. */
function link(address, title, ...children) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!PROTOCOLS.includes(url.protocol)) return null;
  const made = el("a", "", ...children);
  made.href = url.href;
  // The address is always shown, because a title could pretend to be another address.
  made.title = title ? `${title}\n${url.href}` : url.href;
  made.target = "_blank";
  made.rel = "noopener noreferrer nofollow";
  return made;
}

/** Copy a text; resolves to whether that worked. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No permission, or a browser that offers the clipboard to web servers only.
  }
  const field = el("textarea", "unseen");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

/** A button that copies what `textOf` returns, and then confirms it. */
function copyButton(words, name, textOf) {
  return button("copy", words, name, async (made) => {
    const done = await copyText(textOf());
    made.textContent = done ? "Copied" : "Not copied";
    made.setAttribute("aria-label", made.textContent);
    setTimeout(() => {
      made.textContent = words;
      made.setAttribute("aria-label", name);
    }, 1500);
  });
}
