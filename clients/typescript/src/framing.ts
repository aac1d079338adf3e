// Bodies in `Content-Length` frames.

import type { Readable } from "node:stream";

const END = "\r\n\r\n";
/** Bytes; a header of the daemon has some thirty. */
const LONGEST_HEADER = 8192;

export function framed(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${END}`), body]);
}

/** The bodies that come from a stream, until it ends. Throws if something else comes. */
export async function* bodies(stream: Readable): AsyncGenerator<Buffer, undefined, undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted: number | undefined;
  const joined = () => {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    chunks = [all];
    return all;
  };
  const keep = (rest: Buffer) => {
    chunks = [rest];
    size = rest.length;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (wanted === undefined) {
        const all = joined();
        const end = all.indexOf(END);
        if (end < 0 && size <= LONGEST_HEADER) break;
        wanted = lengthIn(all.toString("latin1", 0, Math.max(end, 0)));
        keep(all.subarray(end + END.length));
      }
      if (size < wanted) break;
      const all = joined();
      yield all.subarray(0, wanted);
      keep(all.subarray(wanted));
      wanted = undefined;
    }
  }
}

function lengthIn(header: string): number {
  const length = /^content-length: *(\d+)$/im.exec(header)?.[1];
  if (length === undefined) throw new Error(`no frame of JSON-RPC begins with ${JSON.stringify(header.slice(0, 200))}`);
  return Number(length);
}
