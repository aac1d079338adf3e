// All contents of a session are shown as text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { exported, opened, picture, start, stop, withoutPolicy } from "../support/browser.mjs";
import { HOSTILE, hostile } from "../support/session.mjs";

let path;
let session;

before(async () => {
  await start();
  session = hostile();
  path = await exported("hostile", session);
});
after(stop);

/** Do everything that could run a script: open everything, move, search, hover, print. */
async function stir(page) {
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.locator("#fold").click();
  await page.locator("#keys").click();
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.querySelectorAll(".entry header button").forEach((button) => button.click()));
  await page.evaluate(() => document.querySelectorAll("button.cut").forEach((button) => button.click()));
  await page.evaluate(() => document.querySelectorAll("button.copy").forEach((button) => button.click()));
  await page.locator("#filter").selectOption("plain");
  await page.locator("#filter").selectOption("all");
  await page.locator("#search").fill("<script>");
  await page.locator("#search").press("Enter");
  await page.locator("#search").fill("");
  await page.mouse.move(200, 300);
  await page.mouse.move(700, 400);
  await page.waitForTimeout(300);
}

/** Elements and attributes that a session must not add to the page. */
const foreign = () => {
  const found = [];
  for (const element of document.querySelectorAll("*")) {
    const known = "A ARTICLE B BLOCKQUOTE BODY BUTTON CODE DD DEL DETAILS DIALOG DIV DL DT EM H1 H2 H3 H4 H5 H6 HEAD HEADER HR HTML IMG INPUT KBD LI MAIN META NAV NOSCRIPT OL OPTION P PRE SCRIPT SECTION SELECT SPAN STRONG STYLE SUMMARY TABLE TD TH TIME TITLE TR UL";
    if (!known.split(" ").includes(element.tagName)) found.push(element.tagName);
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on") || name === "srcdoc" || name === "action") found.push(`${element.tagName} ${name}`);
      if (name === "href" && !/^(https?:|mailto:|#)/.test(value)) found.push(`href ${value}`);
      if (name === "class" && !/^[\w -]*$/.test(value)) found.push(`class ${value}`);
      if (name === "style" && !/^(height|left|top|width): \d+px;$/.test(value)) found.push(`style ${value}`);
      if (name === "src" && !/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(value)) found.push(`src ${value}`);
    }
  }
  for (const [tag, most] of [["script", 2], ["style", 1], ["meta", 5], ["base", 0], ["iframe", 0]]) {
    if (document.querySelectorAll(tag).length > most) found.push(`more than ${most} ${tag}`);
  }
  return { found, fired: window.__fired ?? null };
};

for (const bare of [false, true]) {
  test(`nothing runs, asks or loads ${bare ? "even without the policy" : "under the policy"}`, async (t) => {
    const { page, incidents } = await opened(t, bare ? await withoutPolicy(path) : path);
    await stir(page);
    assert.deepEqual(await page.evaluate(foreign), { found: [], fired: null });
    assert.deepEqual(incidents, []);
    assert.equal(await page.locator(".entry").count(), session.lines.length - 1);
    assert.equal(await page.getByText("This entry cannot be shown").count(), 0);
    if (!bare) await picture(page, "hostile");
  });
}

test("hostile text is there to be read", async (t) => {
  const { page } = await opened(t, path);
  await stir(page);
  assert.equal(await page.title(), HOSTILE[0]);
  const texts = await page.locator(".entry.k-user .body").allTextContents();
  assert.equal(texts[0], HOSTILE[0]);
  assert.equal(texts[1], HOSTILE[1]);
  assert.match(texts[12], /\{\{data\}\} \{\{script\}\}/);
});

test("the entries in the page are those of the session", async (t) => {
  const { page } = await opened(t, path);
  const entries = await page.evaluate(() => JSON.parse(document.getElementById("session").textContent).entries);
  const expected = JSON.parse(JSON.stringify(session.lines.slice(1)));
  assert.deepEqual(entries, expected);
});

test("a script that gets into the page does not run under the policy", async (t) => {
  const { page, incidents } = await opened(t, path);
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.__fired = 2";
    document.body.append(script);
    const image = document.createElement("img");
    image.setAttribute("onerror", "window.__fired = 3");
    const failed = new Promise((done) => image.addEventListener("error", done));
    image.src = "http://127.0.0.1:9/x.png";
    document.body.append(image);
    await failed;
    return window.__fired ?? null;
  });
  assert.equal(ran, null);
  assert.ok(incidents.some((incident) => /Content Security Policy/i.test(incident)));
});
