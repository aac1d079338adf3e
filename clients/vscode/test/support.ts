import { fileURLToPath } from "node:url";

import type { SessionInfo } from "../src/daemon/daemon.ts";

/** A session of a list. */
export function info(path: string, more: Partial<SessionInfo> = {}): SessionInfo {
  return {
    path,
    id: `id-${path}`,
    cwd: "/shop",
    created: "2026-01-01T00:00:00.000Z",
    modified: "2026-01-01T00:00:00.000Z",
    messageCount: 2,
    firstMessage: `First of ${path}`,
    sizeBytes: 100,
    ...more,
  };
}

/** The path of a file of the extension. */
export const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
