"""Limits on the input, memory and waiting times of the daemon."""

from __future__ import annotations

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""Largest inbound body (`--max-message`)."""

MAX_DEPTH = 512
"""Deepest nesting of arrays and objects in an inbound body."""

MAX_HEADER_BYTES = 8 * 1024
"""Longest header block of the base protocol; after a longer one the connection ends."""

OUTGOING_HIGH_WATER = 8 * 1024 * 1024
"""Unsent bytes beyond which no further request is started until the client reads."""

OUTGOING_LOW_WATER = 64 * 1024
"""Unsent bytes up to which a client counts as one that reads."""

RUNNING = 256
"""Requests of a client that run at the same time."""

RUNNING_LARGE = 4
"""Large answers of a client that are computed at the same time; others wait for a place."""

JOINED = 256
"""Appends to one session that are written together at most."""

WAITING_REQUESTS = 32 * 1024
"""Requests received but not started; above this no message is read."""

WAITING_BYTES = 64 * 1024 * 1024
"""Bytes of requests received but not started; above this no message is read."""

MAX_BATCH = 1000
"""Maximum members of a batch; a larger batch is refused."""

MAX_BATCH_BYTES = 4 * 1024 * 1024
"""Largest batch. The list of the members of an array takes up to 50 times as much memory."""

BATCH_ANSWER_BYTES = 64 * 1024 * 1024
"""Maximum bytes of the answers of a batch; members not started by then are refused."""

LOCK_TIMEOUT = 10.0
"""Seconds to wait for the lock of another process on a session file (`--lock-timeout`)."""

INLINE_PARSE_BYTES = 32 * 1024
"""Larger files and growths are parsed in a worker. The limit assumes lines of a single byte."""

INLINE_READ_BYTES = 256 * 1024
"""Work that copies or compares more bytes runs in a worker."""

INLINE_ENTRIES = 256
"""Answers that examine more entries are computed in a worker."""

SOURCE_BYTES = 64 * 1024
"""Bytes of each record on disk that an entry was made of, unless a client asks for others."""

DRAFT_BYTES = 256 * 1024
"""Largest draft (`session/publishDraft`); every handle of the session gets a copy."""

TAIL_BYTES = 64 * 1024
"""Bytes before the known offset that must be unchanged for growth to count as an append."""

CACHE_BYTES = 256 * 1024 * 1024
"""Bytes of session text kept in memory without an open handle (`--cache-bytes`)."""

SHOWN_DIAGNOSTICS = 100
"""Diagnostics in a state or a notification; a file may have one for each of a million lines."""

PARENT_CHECK_SECONDS = 2.0
"""Interval for checking the process named by `processId`; the contract promises 5 at most."""

SEARCH_SECONDS = 30.0
"""Longest duration of a search, from its start in a worker; then it answers what it has found."""

SNIPPET_SECONDS = 10.0
"""Longest time for the snippets of a page of hits, after the search."""

SEARCH_WORKERS = 2
"""Searches that run at the same time; two more may match regular expressions."""
