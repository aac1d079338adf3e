// VS Code in a headless browser, with the packaged extension, for the tests of this directory.

import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
const INSTALLED = process.env.SESSIOND_VSCODE ?? join(HERE, "../../../../.cache/vscode");
const SERVER = join(INSTALLED, "node_modules/code-server/out/node/entry.js");
const PACKAGE = join(HERE, "../../dist/sessiond.vsix");
const DAEMON = process.env.SESSIOND ?? "sessiond";
const BROWSER = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
const PICTURES = process.env.SCREENSHOTS;

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  // A list in front of the editors would hide the palette.
  "workbench.editor.useModal": "off",
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "workbench.trustedDomains.promptInTrustedWorkspace": true,
  // A test turns it on.
  "security.workspace.trust.enabled": false,
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.menuBarVisibility": "hidden",
  "workbench.tips.enabled": false,
};

export class Desk {
  #children = [];

  /** `settings` are added to those of the user. */
  static async open(settings = {}) {
    const desk = new Desk();
    desk.directory = await mkdtemp(join(tmpdir(), "sessiond-vscode-"));
    desk.workspace = join(desk.directory, "shop");
    desk.agent = join(desk.directory, "agent");
    for (const path of ["bin", "shop/src", "agent/sessions", "home", "run", "data/User", "data/Machine"]) {
      await mkdir(join(desk.directory, path), { recursive: true, mode: 0o700 });
    }
    desk.program = DAEMON;
    // An agent that writes down how it was started, whole or not at all.
    desk.pi = join(desk.directory, "bin/pi");
    const noted = join(desk.directory, "resumed");
    const script = `#!/bin/sh\nprintf '%s\\n' "$PWD" "$PI_CODING_AGENT_DIR" "$@" > '${noted}.new' && mv '${noted}.new' '${noted}'\n`;
    await writeFile(desk.pi, script, { mode: 0o755 });
    desk.env = {
      PATH: process.env.PATH,
      HOME: join(desk.directory, "home"),
      XDG_RUNTIME_DIR: join(desk.directory, "run"),
      SESSIOND_NO_CATALOG_CACHE: "1",
      LANG: "C.UTF-8",
    };
    desk.settings = {
      ...SETTINGS,
      "sessiond.path": DAEMON,
      "sessiond.agentDirectory": desk.agent,
      "sessiond.shared": false,
      // The profile of a shell may set another PATH.
      "sessiond.resumeCommand": `${desk.pi} --session \${file}`,
      ...settings,
    };
    await desk.saveSettings();
    return desk;
  }

  /** In a browser the machine of the extensions is a remote one: settings of a machine are read from its own file. */
  async saveSettings() {
    const [own, others] = [{}, {}];
    for (const [name, value] of Object.entries(this.settings)) (name.startsWith("sessiond.") ? own : others)[name] = value;
    await writeFile(join(this.directory, "data/Machine/settings.json"), JSON.stringify(own));
    await writeFile(join(this.directory, "data/User/settings.json"), JSON.stringify(others));
  }

  /** Write a session file of a working directory; returns its path. */
  async session(name, cwd, lines) {
    const folder = join(this.agent, "sessions", `--${cwd.replace(/^\//, "").replace(/[/\\:]/g, "-")}--`);
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name}.jsonl`);
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return path;
  }

  append(path, line) {
    return appendFile(path, `${JSON.stringify(line)}\n`);
  }

  /** Install the package, start the server and open the workspace in the browser. */
  async start() {
    if (!existsSync(SERVER)) throw new Error(`${INSTALLED} has no VS Code; run install.mjs`);
    const places = ["--user-data-dir", join(this.directory, "data"), "--extensions-dir", join(this.directory, "extensions")];
    execFileSync(process.execPath, [SERVER, ...places, "--install-extension", PACKAGE], { env: this.env, stdio: "pipe" });
    this.port = await freePort();
    const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`, "--disable-telemetry", "--disable-update-check"];
    const server = spawn(process.execPath, [SERVER, ...flags, ...places, this.workspace], { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    this.#children.push(server);
    this.log = "";
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (this.log += text));
    await until(async () => (await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => null))?.ok, "the server");
    this.browser = await chromium.launch({
      executablePath: BROWSER,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    });
    await this.newWindow();
    return this;
  }

  /** Open a folder in a new window that knows nothing of earlier ones, in place of the present one. */
  async newWindow(folder = this.workspace) {
    await this.page?.context().close();
    this.page = await this.anotherWindow(folder);
  }

  /** A window beside the present one. */
  async anotherWindow(folder = this.workspace) {
    const context = await this.browser.newContext({ viewport: { width: 1360, height: 850 } });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await this.openFolder(folder, page);
    return page;
  }

  async openFolder(folder, page = this.page) {
    await page.goto(`http://127.0.0.1:${this.port}/?folder=${folder}`);
    await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  }

  /** Wait until VS Code has stored a text for the next time this window is loaded: it saves its state when it is idle. */
  async stored(text) {
    const holds = async (wanted) => {
      for (const { name } of await indexedDB.databases()) {
        if (!name.startsWith("vscode-web-state-db")) continue;
        const answer = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }));
        const database = await answer(indexedDB.open(name));
        const tables = [...database.objectStoreNames];
        const values = await Promise.all(tables.map((table) => answer(database.transaction(table).objectStore(table).getAll())));
        database.close();
        if (JSON.stringify(values).includes(wanted)) return true;
      }
      return false;
    };
    await until(() => this.page.evaluate(holds, text), `the state of the window with ${text}`);
  }

  /** Run a command of the palette by its title, without "…". */
  async command(title) {
    const input = this.page.locator(".quick-input-widget input.input");
    // The palette closes when something else takes the focus, such as an editor that opens late.
    for (let tries = 5; ; tries -= 1) {
      await this.page.keyboard.press("F1");
      try {
        await input.fill(`>${title}`, { timeout: 5_000 });
        return await this.pick(title, { timeout: 5_000 });
      } catch (error) {
        if (tries === 1) throw error;
      }
    }
  }

  /** Click a row of the list below the input field in the middle of the window. */
  pick(text, how) {
    return this.#clickRow(".quick-input-list", text, how);
  }

  /** Click a row of the view. `how`: options of a mouse click, and `timeout` in milliseconds. */
  clickRow(text, how) {
    return this.#clickRow(".sidebar", text, how);
  }

  /**
   * Click the upmost row whose label for screen readers contains a text at the place where it is, as a
   * user does. A click on its element can meet another row: VS Code gives the elements of a list to other
   * rows each time it draws the list, while the rows keep their places.
   */
  async #clickRow(list, text, { timeout, ...how } = {}) {
    await this.page.mouse.click(...(await this.placeOf(list, text, timeout)), how);
  }

  /**
   * The middle of the upmost row of a list whose label for screen readers contains a text. Looked for with
   * every frame; `waitFor` looks at most every half second.
   */
  async placeOf(list, text, timeout = 30_000) {
    const find = ([rows, wanted]) => {
      const found = [...document.querySelectorAll(rows)].filter(({ ariaLabel }) => ariaLabel?.includes(wanted));
      const places = found.map((row) => row.getBoundingClientRect()).filter(({ height }) => height > 0);
      const [place] = places.sort((one, other) => one.top - other.top);
      return place && [place.left + place.width / 2, place.top + place.height / 2];
    };
    const found = await this.page.waitForFunction(find, [`${list} .monaco-list-row`, text], { timeout });
    return found.jsonValue();
  }

  async theme(name) {
    await this.command("Preferences: Color Theme");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }).waitFor();
    await this.page.keyboard.press("Enter");
  }

  async showView() {
    // It appears when the extensions have been read. A click on the view that is shown would hide it.
    const entry = this.page.locator('.activitybar [aria-label^="Agent Sessions"]').first();
    await entry.waitFor({ timeout: 90_000 });
    if ((await this.page.locator('.activitybar .checked [aria-label^="Agent Sessions"]').count()) === 0) await entry.click();
  }

  /** Rows of the view whose label for screen readers contains a text, to wait for; `clickRow` clicks one. */
  row(text) {
    return this.page.locator(`.sidebar .monaco-list-row[aria-label*="${text}"]`);
  }

  /** The page of the tab that is shown. */
  webview() {
    // The pages of other tabs are kept, but hidden.
    const outer = this.page.locator("iframe.webview.ready:visible").contentFrame();
    return outer.locator("iframe#active-frame").contentFrame();
  }

  /** The transcript that is shown. */
  async transcript() {
    const frame = this.webview();
    await frame.locator("html[data-ready]").waitFor({ state: "attached" });
    return frame;
  }

  async picture(name) {
    if (!PICTURES) return;
    // Menus fade in.
    await this.page.evaluate(() => {
      const finite = document.getAnimations().filter((each) => each.effect.getTiming().iterations !== Infinity);
      return Promise.allSettled(finite.map((each) => each.finished));
    });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }

  /** The processes of the shared daemons, without the fronts that the extension started. */
  sharedDaemons() {
    return this.daemons("--shared-daemon");
  }

  /** The processes of the daemon that the extension started. */
  async daemons(word = DAEMON) {
    const found = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
    const own = [];
    for (const line of found) {
      const pid = Number(line.trim().split(" ")[0]);
      if (!line.includes(word) || !pid) continue;
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (environment.includes(this.directory)) own.push(pid);
    }
    return own;
  }

  async close() {
    await this.browser?.close();
    for (const child of this.#children) {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Wait until a condition holds; fails after 30 s. */
export async function until(condition, what) {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited too long for ${what}`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
