// Commands of the list: open, search, filter, sort.

import * as vscode from "vscode";

import { setContext } from "../contexts.ts";
import type { Order } from "../sessions/catalogue.ts";
import type { Row } from "../sessions/rows.ts";
import { search } from "../sessions/search.ts";
import { selectedRow } from "../sessions/selection.ts";
import { givenIn, pick } from "./about.ts";
import type { Commands, Parts } from "./parts.ts";
import { said } from "./said.ts";

const ORDERS: readonly { label: string; order: Order }[] = [
  { label: "Latest message first", order: "latest" },
  { label: "Newest session first", order: "created" },
  { label: "By title", order: "title" },
  { label: "Most messages first", order: "messages" },
  { label: "Highest cost first", order: "cost" },
];

export function listingCommands(parts: Parts): Commands {
  const { daemon, catalogue, costs, view, tree, transcripts, log } = parts;
  const setFilter = async (text: string) => {
    catalogue.filter = text.trim();
    (tree as { message?: string | undefined }).message = catalogue.filter === "" ? undefined : `Filter: ${catalogue.filter}`;
    await setContext("filtered", catalogue.filter !== "");
    view.redraw();
  };
  return {
    open: async (...given: [about?: Row | undefined, others?: unknown]) => {
      const row = givenIn(given);
      if (row?.kind === "session") return transcripts.show(row.info.path, { preserveFocus: true });
      await parts.started();
      const chosen = await pick(parts);
      if (chosen !== undefined) await transcripts.show(chosen.info.path);
    },
    search: () => search(daemon, (path, entryId) => void said(log, () => transcripts.show(path, { entryId }))),
    filter: async () => {
      const text = await vscode.window.showInputBox({
        title: "Filter the List",
        prompt: "Words in titles, directories and ids. Search in All Sessions also finds messages.",
        value: catalogue.filter,
      });
      if (text !== undefined) await setFilter(text);
    },
    clearFilter: () => setFilter(""),
    sort: async () => {
      const items = ORDERS.map((each) => ({ ...each, description: each.order === catalogue.order ? "now" : "" }));
      const found = await vscode.window.showQuickPick(items, { title: "Sort the List" });
      if (found === undefined) return;
      catalogue.order = found.order;
      if (found.order === "cost") costs.show();
      view.redraw();
    },
    openRow: async () => {
      const row = await selectedRow(tree);
      if (row?.kind === "session") await transcripts.show(row.info.path, { preserveFocus: true });
      if (row?.kind === "more") view.showMore(row.of);
    },
  };
}
