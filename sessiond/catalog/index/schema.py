"""The tables of the catalogue's database."""

from __future__ import annotations

SHARDS = 8
"""Indexes of words, each of a part of the files: after a deletion only one is written again."""

_OF_A_FILE = """(
  device INTEGER, inode INTEGER, path BLOB, content BLOB,
  PRIMARY KEY (device, inode)) WITHOUT ROWID"""
# Not FTS5's own `secure-delete`, which takes 50 microseconds for each word of each row. Pages of
# words fill the pages of the database; more are written together.
_INDEX = """
CREATE VIRTUAL TABLE {name} USING fts5(
  body, content='', columnsize=0, detail=none, tokenize='{tokenizer}');
INSERT INTO {name} ({name}, rank) VALUES ('pgsz', 16200), ('hashsize', 8388608);
"""
SAID, DONE = "said", "done"
"""Texts that people search most, those of user and assistant, have indexes of its own."""
SHARD_NAMES = [f"{kind}_{number}" for kind in (SAID, DONE) for number in range(SHARDS)]
SCHEMA = f"""
CREATE TABLE summaries {_OF_A_FILE};
CREATE TABLE usage {_OF_A_FILE};
-- The bytes [0, offset) of a file are indexed; `tail` is their checksum, `count` their number of
-- texts. Size and times are those of the file when it was indexed completely; a negative size means
-- that a part is still missing. A number of a file is never given to another one.
CREATE TABLE indexed (
  file INTEGER PRIMARY KEY AUTOINCREMENT, device INTEGER, inode INTEGER, size INTEGER,
  mtime_ns INTEGER, ctime_ns INTEGER, path BLOB, offset INTEGER, tail BLOB, count INTEGER,
  UNIQUE (device, inode)
);
-- The line of a text, and its number in the line; the id is file << 28 | number in the file. A path
-- of a file is the one that a tool got, in the usual spelling. Texts are in groups (bodies.py).
CREATE TABLE texts (
  id INTEGER PRIMARY KEY, start INTEGER, length INTEGER, part INTEGER, field TEXT, role TEXT,
  time REAL, tool TEXT, file TEXT, model TEXT
);
CREATE INDEX touched ON texts (file, id) WHERE file IS NOT NULL;
CREATE TABLE said_bodies (id INTEGER PRIMARY KEY, body BLOB);
CREATE TABLE done_bodies (id INTEGER PRIMARY KEY, body BLOB);
{"".join(_INDEX.format(name=name, tokenizer="ascii") for name in SHARD_NAMES)}
-- Each word once, with the indexes that have it, and the trigrams of all words (vocabulary.py).
CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT UNIQUE, shards INTEGER);
{_INDEX.format(name="parts", tokenizer="trigram case_sensitive 1")}
"""
NAMES = {
    *(
        "summaries",
        "usage",
        "indexed",
        "texts",
        "touched",
        "said_bodies",
        "done_bodies",
        "words",
        "parts",
    ),
    *SHARD_NAMES,
}
