// One browser for all tests, which open pages exported by a real daemon.

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const DAEMON = process.env.SESSIOND ?? "sessiond";
const BROWSER = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
/** Directory for screenshots. */
export const SCREENSHOTS = process.env.SCREENSHOTS;

let browser;
let directory;

export async function start() {
  directory = await mkdtemp(join(tmpdir(), "sessiond-page-"));
  browser = await chromium.launch({
    executablePath: BROWSER,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

export async function stop() {
  await browser?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
}

/** Export a session with the daemon, and return the path of the page. */
export async function exported(name, session, more = {}) {
  const path = join(directory, `${name}.jsonl`);
  const outputPath = join(directory, `${name}.html`);
  await writeFile(path, session.text());
  const params = { path, format: "html", outputPath, ...more };
  const request = { jsonrpc: "2.0", id: 1, method: "catalog/export", params };
  const answer = execFileSync(DAEMON, ["--agent-dir", join(directory, "agent")], {
    input: `${JSON.stringify(request)}\n`,
    encoding: "utf8",
  });
  if (JSON.parse(answer).result?.path !== outputPath) throw new Error(answer);
  return outputPath;
}

/** Remove the policy from a page, to test that scripts do not run without it either. */
export async function withoutPolicy(path) {
  const text = await readFile(path, "utf8");
  const other = text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
  if (other === text) throw new Error("the page has no policy");
  const copy = path.replace(".html", "-bare.html");
  await writeFile(copy, other);
  return copy;
}

/**
 * Open a page, and collect in `incidents` everything that a session must not be able to cause. `worked` returns the
 * seconds of processor time that the main thread has had since it began to load the page.
 */
export async function opened(t, path, { hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", timezoneId: "UTC", ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const worked = await processorTime(page);
  const incidents = [];
  const own = pathToFileURL(path).href;
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== own && !url.startsWith("data:image/")) incidents.push(`request ${url}`);
  });
  page.on("dialog", (dialog) => {
    incidents.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("pageerror", (error) => incidents.push(`error ${error}`));
  page.on("console", (message) => incidents.push(`console ${message.text()}`));
  page.on("popup", () => incidents.push("popup"));
  page.on("framenavigated", (frame) => {
    if (frame.url().split("#")[0] !== own) incidents.push(`frame ${frame.url()}`);
  });
  await page.goto(own + hash);
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  return { page, incidents, worked };
}

async function processorTime(page) {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Performance.enable");
  return async () => {
    const { metrics } = await protocol.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ThreadTime").value;
  };
}

export async function picture(page, name) {
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
