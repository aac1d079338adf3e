import assert from "node:assert/strict";
import { test } from "node:test";

import { Daemon, Missing, type Start, type Status } from "../src/daemon/daemon.ts";

/** A daemon whose starts fail when the test says so. */
function failing() {
  const starts: ((error: Error) => void)[] = [];
  const statuses: Status[] = [];
  const start = () => new Promise<Start>((_, reject) => starts.push(reject));
  return { starts, statuses, daemon: new Daemon(start, () => {}, (status) => statuses.push(status)) };
}

test("a start that fails after it was stopped does not change the next one", async () => {
  const { starts, statuses, daemon } = failing();
  const before = daemon.client();
  const stopping = daemon.stop();
  const after = daemon.client();
  starts[0]?.(new Error("too late"));
  await assert.rejects(before, /too late/);
  await stopping;
  assert.equal(daemon.status, "starting");
  assert.equal(daemon.client(), after);
  starts[1]?.(new Missing("nowhere"));
  await assert.rejects(after, Missing);
  assert.deepEqual(statuses, ["starting", "stopped", "starting", "missing"]);
  assert.notEqual(daemon.client(), after);
});
