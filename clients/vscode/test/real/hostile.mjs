// A session that tries to run, load and open things, and what assistive technology finds in its page;
// in the VS Code of `vscode.test.mjs`.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";

import { Lines } from "./sessions.mjs";
import { until } from "./vscode.mjs";

const options = { timeout: 90_000 };
const RUN = "document.documentElement.dataset.pwned='yes'";

/** Everything that runs or loads something in a careless page; `address` is that of a server of ours. */
const attacks = (address) => [
  `<script>${RUN}</script><script src="${address}/script.js"></script>`,
  `<img src="${address}/picture.png" onerror="${RUN}"><svg onload="${RUN}"><iframe src="${address}/frame"></iframe>`,
  `![picture](${address}/markdown.png) [script](javascript:${RUN}) [data](data:text/html,<script>${RUN}</script>)`,
  `[command](command:workbench.action.closeWindow) [vscode](vscode://file/etc/passwd) [file](file:///etc/passwd)`,
  `<style>@import url(${address}/style.css); body { background: url(${address}/background.png) }</style>`,
  `<meta http-equiv="refresh" content="0; url=${address}/refresh"><base href="${address}"><form action="${address}/form"><button>Send</button></form>`,
  `<a href="x" onclick="${RUN}">click</a> </script><!-- ${"`".repeat(3)}html\n<script>${RUN}</script>\n${"`".repeat(3)}`,
  "\u001b]8;;javascript:alert(1)\u0007terminal link\u001b]8;;\u0007 \u001b[31mred\u001b[0m \u202egnp.exe\u202c \u2066isolated\u2069",
  `[the real link](https://elsewhere.invalid/page "A harmless title")`,
];

/** `at()` returns the Desk, which is started. */
export function testHostile(at) {
  test("a hostile session runs, loads and opens nothing", options, async (t) => {
    const desk = at();
    const asked = [];
    const server = createServer(({ url }, answer) => {
      asked.push(url);
      answer.end();
    }).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = `http://127.0.0.1:${server.address().port}`;
    const lines = new Lines("66666666-hostile", desk.workspace, 280);
    lines.name("A hostile session");
    for (const attack of attacks(address)) {
      lines.user(attack);
      const id = `call-${lines.all.length}`;
      const call = { type: "toolCall", id, name: attack, arguments: { path: attack, [attack]: attack } };
      lines.assistant([{ type: "text", text: attack }, { type: "thinking", thinking: attack }, call]);
      const picture = { type: "image", mimeType: "image/svg+xml", data: Buffer.from(`<svg onload="${RUN}"/>`).toString("base64") };
      lines.all.at(-1).message.model = attack;
      lines.result(id, attack);
      lines.all.at(-1).message.content.push(picture, { type: "image", mimeType: "image/png", data: `"><script>${RUN}</script>` });
    }
    lines.user([{ type: "image", mimeType: "image/png", data: "A".repeat(8_000_000) }]);
    lines.assistant("The end of the attacks.");
    await desk.session("2026-01-01T00-00-00-000Z_66666666-hostile", desk.workspace, lines.all);
    const requested = [];
    const note = (request) => requested.push(request.url());
    desk.page.on("request", note);
    t.after(() => desk.page.off("request", note));
    await desk.clickRow("A hostile session");
    const frame = await desk.transcript();
    await frame.getByText("The end of the attacks.").first().waitFor();
    await frame.getByRole("button", { name: "Open all" }).click();
    await frame.locator("#entries details[open]").first().waitFor();
    const addresses = await frame.locator("#entries a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.deepEqual(addresses.filter((each) => !/^(https?:|mailto:|#[0-9a-f]+$)/.test(each)), []);
    assert.equal(await frame.locator("html").getAttribute("data-pwned"), null);
    assert.equal(await frame.locator("#entries :is(script, style, iframe, form, svg, object, embed, base, meta)").count(), 0);
    const sources = await frame.locator("#entries img").evaluateAll((all) => all.map(({ src }) => src.slice(0, 15)));
    assert.deepEqual([...new Set(sources)], ["data:image/png;"]);
    assert.doesNotMatch(await frame.locator("#entries").textContent(), /\u001b/);
    // A link opens nothing by itself: VS Code asks.
    await frame.locator("#entries a", { hasText: "the real link" }).first().click();
    const question = desk.page.locator(".monaco-dialog-box", { hasText: "elsewhere.invalid" });
    await question.getByText("open the external website").waitFor();
    await desk.page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.deepEqual(requested.filter((url) => url.startsWith(address) || url.includes("elsewhere.invalid")), []);
    assert.deepEqual(asked, []);
    await desk.picture("hostile");
  });

  test("a file that does not exist is not opened, and not made", options, async () => {
    const desk = at();
    const frame = await desk.transcript();
    await frame.locator(".call .act").first().click();
    await desk.page.locator(".notification-toast", { hasText: "The file cannot be opened" }).waitFor();
    await desk.command("Notifications: Clear All Notifications");
  });

  test("assistive technology finds no fault in a transcript, and the keys reach all of it", options, async () => {
    const desk = at();
    await desk.clickRow("Race condition");
    const frame = await desk.transcript();
    await frame.locator("#entries").getByText("the stock is changed under a lock").first().waitFor();
    const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const found = await frame.locator("html").evaluate(async (_, source) => {
      new Function(source).call(window);
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(" | ")}`);
    }, axe);
    assert.deepEqual(found, []);
    // From the search field on, the keys reach the tree, and then the entries.
    await frame.locator("#search").focus();
    const reached = new Set();
    await until(async () => {
      await desk.page.keyboard.press("Tab");
      reached.add(await frame.locator("html").evaluate(() => document.activeElement?.closest("#tree, #transcript")?.id ?? ""));
      return reached.has("tree") && reached.has("transcript");
    }, "the focus on the tree and in the transcript");
  });
}
