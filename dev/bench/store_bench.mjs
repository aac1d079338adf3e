// The baseline for stores: changes one entry at a time, with the necessary steps only.
//   node store_bench.mjs <store> <how often>
// Prints one line of JSON: the milliseconds of all changes.

import { chmodSync, closeSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { writeFileSync, writeSync } from "node:fs";
import { randomUUID } from "node:crypto";

const [path, times] = process.argv.slice(2);
const lock = `${path}.lock`;

function change(number) {
  const descriptor = openSync(lock, "wx");
  try {
    const owner = { pid: process.pid, createdAt: new Date().toISOString() };
    writeSync(descriptor, JSON.stringify(owner, null, 2));
    const store = JSON.parse(readFileSync(path, "utf-8"));
    const keys = Object.keys(store);
    const key = keys[(number * 7919) % keys.length];
    store[key] = { ...store[key], updatedAt: Date.now() };
    const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`;
    writeFileSync(temporary, JSON.stringify(store, null, 2), { mode: 0o600 });
    renameSync(temporary, path);
    chmodSync(path, 0o600);
  } finally {
    closeSync(descriptor);
    rmSync(lock, { force: true });
  }
}

change(0);
const start = performance.now();
for (let number = 1; number <= Number(times); number++) change(number);
console.log(JSON.stringify({ change: performance.now() - start }));
