// What the commands ask of the daemon. Each function opens what it needs and closes it again.

import type { CatalogUsageParams, CatalogUsageResult, RepairResult, Session, SessionInfo, TrashedSession } from "sessiond-client";

import type { Daemon } from "./daemon.ts";
import { onOneLine } from "../sessions/texts.ts";
import type { Place } from "../transcript/messages.ts";
import { isSessiondError } from "./errors.ts";

export type { CatalogUsageResult, RepairResult, TrashedSession };

/** Characters of what an entry says. */
const LONGEST_NAME = 60;

export type UsageGrouping = NonNullable<CatalogUsageParams["by"]>;

export type ExportFormat = "html" | "markdown" | "jsonl";

/** The session was continued by another program after the command had read it. */
export class Continued extends Error {
  /** The last entry of the file at present. */
  readonly tipId: string | null;

  constructor(tipId: string | null) {
    super("Another program has continued this session.");
    this.tipId = tipId;
  }
}

/** Write an export to a file of the machine on which the daemon runs; the user has agreed to replace what is there. */
export async function exportTo(daemon: Daemon, path: string, format: ExportFormat, leafId: string | undefined, outputPath: string): Promise<void> {
  const client = await daemon.client();
  const params = { path, format, outputPath, ...(leafId === undefined ? {} : { leafId }) };
  try {
    await client.catalogExport(params);
  } catch (error) {
    if (!isSessiondError(error, "AlreadyExists")) throw error;
    // Not at once: older daemons do not know it.
    await client.catalogExport({ ...params, force: true });
  }
}

/** The export as text. */
export async function exported(daemon: Daemon, path: string, format: ExportFormat, leafId: string | undefined): Promise<string> {
  const { content } = await (await daemon.client()).catalogExport({ path, format, ...(leafId === undefined ? {} : { leafId }) });
  return content ?? "";
}

/** What a repair would do; nothing is written. */
export async function planOf(daemon: Daemon, path: string): Promise<RepairResult> {
  return (await daemon.client()).catalogRepair({ path, dryRun: true });
}

export async function repair(daemon: Daemon, path: string): Promise<RepairResult> {
  return (await daemon.client()).catalogRepair({ path, dryRun: false });
}

export async function usage(daemon: Daemon, by: UsageGrouping): Promise<CatalogUsageResult> {
  return (await daemon.client()).catalogUsage({ by });
}

/** The sessions in the trash, the last one that was deleted first. */
export async function trashed(daemon: Daemon): Promise<TrashedSession[]> {
  return (await (await daemon.client()).catalogListTrash()).sessions;
}

/** What the file of a session says about it. Throws what the daemon answers. */
export async function described(daemon: Daemon, path: string): Promise<Pick<SessionInfo, "path" | "id" | "cwd" | "name" | "firstMessage" | "inUse">> {
  return reading(daemon, path, async (session) => {
    const { sessionId: id, cwd, name, inUse } = await session.getState();
    return { path, id, cwd, name, inUse, firstMessage: "" };
  });
}

/** How lists and questions call an entry. */
export interface Called {
  /** Who speaks and the beginning of what is said, or what the entry sets. */
  readonly name: string;
  readonly label: string;
}

export async function calledOf(daemon: Daemon, path: string, entryId: string): Promise<Called> {
  return reading(daemon, path, (session) => called(session, entryId));
}

async function called(session: Session, entryId: string): Promise<Called> {
  const { items } = await session.getView({ leafId: entryId, last: 1, maxChars: LONGEST_NAME });
  const [item] = items;
  const said = item?.blocks?.map(({ tool, title, text }) => [tool, title, text].filter(Boolean).join(" ")).find((text) => text.trim() !== "");
  const who = onOneLine(item?.title ?? "");
  return { name: said === undefined ? who : `${who}: “${onOneLine(said, LONGEST_NAME)}”`, label: item?.label ?? "" };
}

/** Set the label of an entry; an empty one removes it. It is stored under the present leaf of the file. */
export async function setLabel(daemon: Daemon, path: string, entryId: string, label: string): Promise<void> {
  await writing(daemon, path, (session) => session.appendLabelChange({ targetId: entryId, ...(label === "" ? {} : { label }) }));
}

/** Copy the branch that ends at an entry into a new session; returns its path. */
export async function forkAt(daemon: Daemon, path: string, leafId: string): Promise<string> {
  return writing(daemon, path, async (session) => fileOf(await session.createBranchedSession({ leafId })));
}

/** Copy a whole session into a new one for a directory; returns its path. */
export async function forkInto(daemon: Daemon, path: string, cwd: string): Promise<string> {
  const session = await (await daemon.client()).forkFrom({ sourcePath: path, targetCwd: cwd });
  try {
    return fileOf(session.state);
  } finally {
    await session.close();
  }
}

export interface BranchPoint {
  /** The last entry of the file. */
  readonly tipId: string | null;
  /** The entry that is continued; null: before the first entry. */
  readonly leafId: string | null;
  /** The text of a message of the user, which is written anew; undefined for other entries. */
  readonly text: string | undefined;
  /** The entry itself. */
  readonly called: Called;
}

/**
 * Where a branch from an entry begins, by the rules of pi: after the entry and the results of its
 * calls, but before a message of the user, because that is written anew.
 */
export async function branchPoint(daemon: Daemon, path: string, { entryId, endId }: Place): Promise<BranchPoint> {
  return reading(daemon, path, async (session) => {
    const { tipId } = await session.getState();
    const { entry } = await session.getEntry({ id: entryId });
    const found = (entry ?? {}) as Stored;
    const body = found.type === "message" ? found.message : found.type === "custom_message" ? found : undefined;
    const isPrompt = found.type === "custom_message" || body?.role === "user";
    const leafId = isPrompt ? (found.parentId ?? null) : endId;
    return { tipId, leafId, text: isPrompt ? textOf(body?.content) : undefined, called: await called(session, entryId) };
  });
}

/**
 * Continue a session from there: a label for the entry is stored in the new branch, which makes it
 * the branch that agents continue. Throws Continued if the last entry of the file is not the
 * expected one.
 */
export async function branchFrom(daemon: Daemon, path: string, entryId: string, { leafId, tipId }: BranchPoint, label: string): Promise<void> {
  await writing(daemon, path, async (session) => {
    if (leafId === null) await session.resetLeaf();
    else await session.branch({ entryId: leafId });
    try {
      await session.appendLabelChange({ targetId: entryId, label, expectedTipId: tipId });
    } catch (error) {
      if (isSessiondError(error, "LeafConflict")) throw new Continued(error.data.tipId);
      throw error;
    }
  });
}

interface Body {
  readonly role?: string;
  readonly content?: unknown;
}

interface Stored extends Body {
  readonly type?: string;
  readonly parentId?: string | null;
  readonly message?: Body;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

const fileOf = ({ sessionFile }: { sessionFile: string | null }) => sessionFile ?? "";

async function reading<T>(daemon: Daemon, path: string, work: (session: Session) => Promise<T>): Promise<T> {
  return opened(daemon, { path, readOnly: true, mustExist: true }, work);
}

async function writing<T>(daemon: Daemon, path: string, work: (session: Session) => Promise<T>): Promise<T> {
  return opened(daemon, { path, mustExist: true }, work);
}

async function opened<T>(
  daemon: Daemon,
  how: { path: string; readOnly?: boolean; mustExist: boolean },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await (await daemon.client()).open(how);
  try {
    return await work(session);
  } finally {
    // A connection that has ended has no handle any more.
    await session.close().catch(() => {});
  }
}
