// Frames as they come from a pipe: in any pieces.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { describe, it } from "node:test";

const { bodies, framed } = createRequire(import.meta.url)("../dist/framing.js");

const texts = ["{}", '{"a":"ä😀"}', "", '"\r\n\r\n"', "x".repeat(100_000)];
const stream = Buffer.concat(texts.map((text) => framed(Buffer.from(text))));

async function read(pieces) {
  const found = [];
  for await (const body of bodies(Readable.from(pieces))) found.push(body.toString());
  return found;
}

function* cut(buffer, size) {
  for (let at = 0; at < buffer.length; at += size) yield buffer.subarray(at, at + size);
}

describe("frames", () => {
  for (const size of [1, 7, 4096, stream.length]) {
    it(`arrive whole in pieces of ${size} bytes`, async () => {
      assert.deepEqual(await read(cut(stream, size)), texts);
    });
  }

  it("may have other headers, in any case", async () => {
    const frame = Buffer.from("Content-Type: application/json\r\ncontent-length:2\r\n\r\n{}");
    assert.deepEqual(await read([frame]), ["{}"]);
  });

  it("end with what is incomplete", async () => {
    assert.deepEqual(await read([stream.subarray(0, 25)]), ["{}"]);
  });

  for (const wrong of ["hello\r\n\r\n", "Content-Length: x\r\n\r\n", "x".repeat(10_000)]) {
    it(`are told from ${JSON.stringify(wrong.slice(0, 20))}`, async () => {
      await assert.rejects(read([Buffer.from(wrong)]), /no frame of JSON-RPC/);
    });
  }
});
