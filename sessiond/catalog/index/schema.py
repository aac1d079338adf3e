"""The tables of the catalogue's database."""

from __future__ import annotations

_OF_A_FILE = """(
  device INTEGER, inode INTEGER, path BLOB, content BLOB,
  PRIMARY KEY (device, inode)) WITHOUT ROWID"""
SCHEMA = f"""
CREATE TABLE summaries {_OF_A_FILE};
CREATE TABLE usage {_OF_A_FILE};
-- The bytes [0, offset) of a file are indexed; `tail` is their end. Size and times are those of
-- the file when it was indexed completely; a negative size means that a part is still missing.
-- A number of a file is never given to another one.
CREATE TABLE indexed (
  file INTEGER PRIMARY KEY AUTOINCREMENT, device INTEGER, inode INTEGER, size INTEGER,
  mtime_ns INTEGER, ctime_ns INTEGER, path BLOB, offset INTEGER, unended INTEGER, tail BLOB,
  segments INTEGER, UNIQUE (device, inode)
);
-- Messages, folded, joined and cut in segments: the id is file << 20 | segment number. A body
-- begins with the end of the previous segment (`own` bytes), so that texts across a cut are found.
-- Only the last segment of a file is ever replaced, by one with more text.
CREATE TABLE segments (id INTEGER PRIMARY KEY, own INTEGER, body BLOB, messages BLOB);
-- The block that has the words of a segment, 0 while it waits for one, and the length of the body.
CREATE TABLE placed (segment INTEGER PRIMARY KEY, block INTEGER, size INTEGER);
CREATE INDEX waiting ON placed (segment) WHERE block = 0;
-- Blocks of words (`words.py`) and the number of segments in each; a part is block << 16 | number.
-- A block may also have segments of deleted files, and the beginnings of replaced segments.
-- A number of a block is never given to another one.
CREATE TABLE blocks (number INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER);
CREATE TABLE parts (id INTEGER PRIMARY KEY, content BLOB);
"""
NAMES = {"summaries", "usage", "indexed", "segments", "placed", "waiting", "blocks", "parts"}
