import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

interface Item {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly menus: Readonly<Record<string, readonly Item[]>>;
    readonly keybindings: readonly Item[];
    readonly viewsWelcome: readonly { readonly contents: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), "utf8");
const { contributes, capabilities } = JSON.parse(await read("package.json")) as Manifest;
const declared = new Set(contributes.commands.map(({ command }) => command));

test("menus, keys and welcome texts name declared commands", () => {
  const items = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
  for (const { command } of items) assert.ok(declared.has(command), command);
  for (const { contents } of contributes.viewsWelcome) {
    for (const [, command = ""] of contents.matchAll(/\(command:(sessiond\.\w+)/g)) assert.ok(declared.has(command), command);
  }
});

test("the palette hides what cannot work", () => {
  const rules = new Map(contributes.menus["commandPalette"]?.map(({ command, when = "" }) => [command, when]));
  const always = [...declared].filter((command) => !rules.has(command));
  assert.deepEqual(always.sort(), ["sessiond.restart", "sessiond.showInstallation", "sessiond.showLog"]);
  for (const name of ["label", "forkHere", "branchHere", "exportBranch"]) assert.match(rules.get(`sessiond.${name}`) ?? "", /activeWebviewPanelId == 'sessiond\.transcript'/);
});

test("a terminal is only offered in a trusted workspace", () => {
  const offers = Object.values(contributes.menus).flat().filter(({ command }) => command === "sessiond.resume");
  assert.ok(offers.length >= 4);
  for (const { when } of offers) assert.match(when ?? "", /isWorkspaceTrusted/);
});

test("settings that decide what runs or is read do not count in a workspace that is not trusted", () => {
  const restricted = capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const name of restricted) assert.ok(name in contributes.configuration.properties, name);
  for (const name of ["path", "roots", "agentDirectory", "resumeCommand"]) assert.ok(restricted.includes(`sessiond.${name}`), name);
});

test("the README describes every setting", async () => {
  const readme = await read("README.md");
  for (const name of Object.keys(contributes.configuration.properties)) assert.ok(readme.includes(`\`${name}\``), name);
});
