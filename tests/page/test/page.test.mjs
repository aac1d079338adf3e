// What users can do with an exported page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { exported, opened, picture, start, stop } from "../support/browser.mjs";
import { Session, conversation } from "../support/session.mjs";

let path;
let talk;

before(async () => {
  await start();
  talk = conversation();
  path = await exported("conversation", talk.session);
});
after(stop);

const rows = (page) => page.locator("#tree .row .words").allInnerTexts();
const articles = (page) => page.locator("#entries .entry");

test("the page opens at the branch that was exported, with its name, tokens and cost", async (t) => {
  const { page, incidents } = await opened(t, path);
  assert.equal(await page.title(), "Mend the parser");
  assert.equal(await page.locator("h1").innerText(), "Mend the parser");
  const facts = await page.locator("#facts").innerText();
  assert.match(facts, /\/home\/ada\/engine/);
  assert.match(facts, /8\s+messages/);
  assert.match(facts, /1,500\s+tokens \(1,000 in, 200 out, 300 cached\)/);
  assert.match(facts, /\$0\.25/);
  assert.equal(await articles(page).count(), 7);
  assert.match(await page.locator("#where").innerText(), /7 entries on this branch, one of 2 branches/);
  assert.match(await page.locator("#entries").innerText(), /Try the better way/);
  assert.deepEqual(incidents, []);
  await picture(page, "light");
});

test("forks are indented in the tree, and the entries of the branch are marked", async (t) => {
  const { page } = await opened(t, path);
  assert.deepEqual(await rows(page), [
    "User Why does the parser fail?",
    "Assistant I will look.",
    "User Try the abandoned way",
    "Assistant Abandoned answer",
    "Tool result: read def parse(text): return text.split()",
    "User Try the better way",
    "Tool result: bash (error) boom",
    "Assistant Done 1. one 2. two js let x = 1 < 2; [docs](https://example.org/)",
  ]);
  const levels = await page.locator("#tree .row").evaluateAll((all) => all.map((row) => row.getAttribute("aria-level")));
  assert.deepEqual(levels, ["1", "1", "2", "2", "2", "2", "2", "2"]);
  assert.equal(await page.locator("#tree .row.on").count(), 5);
  assert.equal(await page.locator("#tree .row .badge").innerText(), "start here");
});

test("a click in the tree shows the entry, also of another branch", async (t) => {
  const { page } = await opened(t, path);
  await page.getByRole("treeitem", { name: "Abandoned answer" }).click();
  const shown = (await page.locator(".entry .body").allInnerTexts()).join("\n");
  assert.match(shown, /Try the abandoned way/);
  assert.doesNotMatch(shown, /Try the better way/);
  assert.match(await page.locator(".entry.here").innerText(), /Abandoned answer/);
  assert.match(await page.locator("#tree .row.here").innerText(), /Abandoned answer/);
  await page.locator(".forks button").click();
  assert.match(await page.locator(".entry.here").innerText(), /Try the better way/);
});

test("the browser's Back returns to the branch and the entry before a click on another branch", async (t) => {
  const { page } = await opened(t, path);
  await page.getByRole("treeitem", { name: "I will look." }).click();
  await page.getByRole("treeitem", { name: "Abandoned answer" }).click();
  assert.match(await page.locator("#entries").innerText(), /Abandoned answer/);
  await page.goBack();
  await page.locator("#entries").getByText("Try the better way").waitFor();
  assert.doesNotMatch(await page.locator("#entries").innerText(), /Abandoned answer/);
  assert.match(await page.locator(".entry.here").innerText(), /I will look/);
  await page.goForward();
  await page.locator("#entries").getByText("Abandoned answer").waitFor();
});

test("text is laid out in the direction of its letters", async (t) => {
  const session = new Session();
  session.user("שלום `code` עולם\n\nHello");
  const { page } = await opened(t, await exported("directions", session));
  const ways = await page.locator("#entries .body p").evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
  assert.deepEqual(ways, ["rtl", "ltr"]);
});

test("a search finds entries with all words, and phrases in quotation marks", async (t) => {
  const { page } = await opened(t, path);
  await page.locator("#search").fill("way better");
  await page.getByText("1 entry found").waitFor();
  assert.deepEqual(await rows(page), ["User Try the better way"]);
  await page.locator("#search").fill('"way better"');
  await page.getByText("No entries found").waitFor();
  await page.locator("#search").fill('"better way" try');
  await page.getByText("1 entry found").waitFor();
});

test("the tree is walked with the keys", async (t) => {
  const { page } = await opened(t, path);
  await page.locator("#tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const active = await page.locator("#tree").getAttribute("aria-activedescendant");
  assert.match(await page.locator(`#${active}`).innerText(), /abandoned way/);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".entry.here").innerText(), /Try the abandoned way/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".entry.here").innerText(), /I will look/);
  await page.keyboard.press("j");
  assert.match(await page.locator(".entry.here").innerText(), /Try the abandoned way/);
});

test("tool calls, results and thinking are closed until they are opened, one or all", async (t) => {
  const { page } = await opened(t, path);
  const open = () => page.locator("details[open]").count();
  assert.equal(await open(), 0);
  assert.equal(await page.getByText("Look at the pondered trace.").last().isVisible(), false);
  await page.locator("details.thinking summary").click();
  assert.equal(await page.getByText("Look at the pondered trace.").last().isVisible(), true);
  const call = page.locator("details.tool");
  assert.match(await call.locator("summary").innerText(), /read\s*no result\s*src\/parse\.py/);
  await call.locator("summary").press("Enter");
  assert.equal(await call.getAttribute("open"), "");
  assert.match(await call.innerText(), /lines\s+3/);
  await page.getByRole("button", { name: "Open all" }).click();
  assert.equal(await open(), await page.locator("details").count());
  await page.getByRole("button", { name: "Close all" }).click();
  assert.equal(await open(), 0);
});

test("the search looks through all branches and closed parts, and jumps from hit to hit", async (t) => {
  const { page } = await opened(t, path);
  await page.keyboard.press("/");
  await page.keyboard.type("abandoned");
  await page.getByText("2 entries found").waitFor();
  assert.equal((await rows(page)).length, 2);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".entry.here").innerText(), /Try the abandoned way/);
  assert.match(await page.locator("#found").innerText(), /1 of 2/);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".entry.here").innerText(), /Abandoned answer/);
  await page.locator("#search").fill("PONDERED");
  await page.locator("#search").press("Enter");
  assert.equal(await page.locator("details.thinking[open]").count(), 1);
  await page.locator("#search").press("Escape");
  assert.equal((await rows(page)).length, 8);
  assert.equal(await page.evaluate(() => document.activeElement.id), "transcript", "the keys are those of the page again");
  assert.match(await page.locator(".entry.here").innerText(), /I will look/);
  await page.keyboard.press("j");
  assert.match(await page.locator(".entry.here").innerText(), /abandoned way/);
  await page.locator("#search").fill("nowhere to be found");
  await page.getByText("No entries found").waitFor();
});

test("the tree can show less and more", async (t) => {
  const { page } = await opened(t, path);
  for (const [choice, expected] of [["user", 3], ["labelled", 1], ["plain", 6], ["said", 6], ["all", 11], ["talk", 8]]) {
    await page.locator("#filter").selectOption(choice);
    assert.equal((await rows(page)).length, expected, choice);
  }
});

test("Markdown is shown as such, images as images", async (t) => {
  const { page } = await opened(t, path);
  assert.equal(await page.locator(".entry strong").innerText(), "parser");
  const last = articles(page).last();
  assert.equal(await last.locator(".md h3").innerText(), "Done");
  assert.deepEqual(await last.locator("ol > li").allInnerTexts(), ["one", "two"]);
  assert.equal(await last.locator("pre code").innerText(), "let x = 1 < 2;");
  const link = last.locator(".md a");
  assert.equal(await link.getAttribute("href"), "https://example.org/");
  assert.match(await link.getAttribute("rel"), /noopener/);
  assert.equal(await last.locator("img").evaluate((img) => img.decode().then(() => img.naturalWidth)), 10);
});

test("an entry is shown as it is stored when asked for, and can be linked to", async (t) => {
  const { page } = await opened(t, path, { hash: `#${talk.old}` });
  const here = page.locator(".entry.here");
  assert.match(await here.innerText(), /Abandoned answer/);
  await here.getByTitle("The entry as it is stored").click();
  const stored = JSON.parse(await here.locator(".raw pre").innerText());
  assert.deepEqual(stored, talk.session.lines.find((line) => line.id === talk.old));
});

test("what is stored is shown, copied and saved byte for byte", async (t) => {
  const spelled = String.raw`{"type":"message", "id":"odd","parentId":null,"timestamp":"2025-06-01T10:00:00.000Z","cost":1.10,"big":1e21,"cost":12345678901234567890,"x":"\u003c < \\u003c \u2028 \ud83d &amp; \/","message":{"role":"user","content":"a <b> & \u00e9 é\u007f"}}`;
  const header = String.raw`{"type":"session","version":3,"id":"an/id\u003c\"","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/x" }`;
  const plain = `{"type":"message","id":"e2","parentId":"odd","timestamp":"2025-06-01T10:00:01.000Z","message":{"role":"user","content":"<i>${"\u2028"}</i>"}}`;
  const last = plain.replaceAll("e2", "e3").replace(":{", ":\r{");
  const text = [header, spelled, plain, last].map((line) => `${line}\n`).join("");
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page, incidents } = await opened(t, await exported("stored", { text: () => text }), { permissions });
  const first = articles(page).first();
  await first.getByTitle("The entry as it is stored").click();
  assert.equal(await first.locator(".raw pre").evaluate((pre) => pre.textContent), spelled);
  await first.locator(".raw").getByRole("button", { name: "Copy this block" }).click({ force: true });
  await page.waitForFunction(async (copied) => (await navigator.clipboard.readText()) === copied, spelled);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
  assert.equal(download.suggestedFilename(), "anid.jsonl");
  assert.equal(await readFile(await download.path(), "utf8"), text);
  assert.deepEqual(incidents, []);
});

test("it is dark where the system is, and as one likes", async (t) => {
  const { page } = await opened(t, path, { colorScheme: "dark" });
  const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await shade();
  await picture(page, "dark");
  await page.locator("#theme").click();
  const light = await shade();
  assert.notEqual(light, dark);
  await page.locator("#theme").click();
  assert.equal(await shade(), dark);
  await page.locator("#theme").click();
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await shade(), light);
});

test("a printed page holds the whole branch and no controls", async (t) => {
  const { page } = await opened(t, path);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("#side").isVisible(), false);
  assert.equal(await page.locator(".tools").isVisible(), false);
  assert.equal(await page.locator(".entry[data-filled]").count(), 7);
});

test("on a narrow screen the tree gives way to the transcript", async (t) => {
  const { page } = await opened(t, path, { viewport: { width: 400, height: 700 } });
  assert.equal(await page.locator("#side").isVisible(), false);
  await picture(page, "narrow");
  await page.locator("#menu").click();
  assert.equal(await page.locator("#side").isVisible(), true);
});

test("an empty branch says so, and has nothing else", async (t) => {
  const { page } = await opened(t, await exported("nothing", conversation().session, { leafId: null }));
  assert.match(await page.locator("#where").innerText(), /Nothing is on this branch/);
  assert.equal(await articles(page).count(), 0);
  assert.equal(await page.getByRole("treeitem").count(), 0);
});

test("an empty session says that it is empty", async (t) => {
  const bare = new Session();
  const { page, incidents } = await opened(t, await exported("bare", bare));
  assert.match(await page.locator("#where").innerText(), /This session is empty/);
  const set = new Session();
  set.add({ type: "model_change", provider: "p", modelId: "m" });
  const { page: other } = await opened(t, await exported("set", set));
  assert.match(await other.locator("#where").innerText(), /This session is empty/);
  for (const key of ["j", "k", "n", "p", "m", "o"]) await page.keyboard.press(key);
  assert.deepEqual(incidents, []);
});

test("keys go from one message of mine to the next", async (t) => {
  const { page } = await opened(t, path);
  const here = () => page.locator(".entry.here").innerText();
  await page.keyboard.press("n");
  assert.match(await here(), /Why does the parser fail/);
  await page.keyboard.press("n");
  assert.match(await here(), /Try the better way/);
  await page.keyboard.press("n");
  assert.match(await here(), /Try the better way/, "the last stays");
  await page.keyboard.press("p");
  assert.match(await here(), /Why does the parser fail/);
});

test("a key hides everything but what was said", async (t) => {
  const { page } = await opened(t, path);
  await page.evaluate((id) => go(byId.get(id)), talk.leaf);
  await page.keyboard.press("m");
  assert.equal(await page.locator("#filter").inputValue(), "said");
  assert.equal(await page.locator("details:visible").count(), 0);
  const shown = await page.locator("#entries .entry:visible .who").allInnerTexts();
  assert.deepEqual(shown, ["User", "Assistant", "User", "Assistant"]);
  assert.match(await page.locator(".entry.here").innerText(), /Done/);
  await page.keyboard.press("k");
  assert.match(await page.locator(".entry.here").innerText(), /Try the better way/);
  await page.keyboard.press("m");
  assert.equal(await page.locator("#entries .entry:visible").count(), 7);
});
