// Measures the TypeScript client; dev/bench/clients.py documents the figures and runs this program.

import { Sessiond } from "../../../clients/typescript/dist/index.js";

/** Seconds. */
async function median(warm, count, ask) {
  const taken = [];
  for (let i = 0; i < warm + count; i++) {
    const start = performance.now();
    await ask();
    taken.push((performance.now() - start) / 1000);
  }
  return taken.slice(warm).sort((a, b) => a - b)[Math.floor(count / 2)];
}

const client = await Sessiond.start();
const { session } = await client.sessionOpen({ path: process.env.SESSION });
const small = await median(200, 2000, () => client.sessionGetLeafId({ session }));
const values = await median(1, 5, () => client.sessionGetEntries({ session }));
const { entries } = await client.sessionGetEntries({ session });
await client.close();
console.log(JSON.stringify({ entries: entries.length, small, values }));
