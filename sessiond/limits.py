"""The numbers that bound what the daemon takes in, holds and waits for."""

from __future__ import annotations

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Largest inbound body (`--max-message-bytes`)."""

MAX_DEPTH = 512
"""Deepest nesting of arrays and objects in an inbound body."""

MAX_HEADER_BYTES = 8 * 1024
"""Longest header block of the base protocol; beyond it there is no message boundary."""

OUTGOING_HIGH_WATER = 8 * 1024 * 1024
"""Unsent bytes beyond which no further request is started until the client reads."""

IN_HAND_PER_LANE = 256
"""Requests of one family (`session`, `catalog`, ...) that are worked on at the same time."""

EXPECTED_ANSWER_BYTES = 32 * 1024 * 1024
"""What the answers to the requests in hand may be expected to have together, in bytes.

What to expect of a method is learned from its answers. One request of each family is always in
hand, however large its answer is.
"""

SHORT_ANSWER_BYTES = 64 * 1024
"""What is expected of most methods before they have answered."""

LONG_ANSWER_BYTES = 4 * 1024 * 1024
"""What is expected of lists and exports before they have answered."""

WAITING_REQUESTS = 32 * 1024
"""Requests received but not started; beyond that no further message is read."""

WAITING_BYTES = 64 * 1024 * 1024
"""Bytes of the requests received and not answered; beyond that no further message is read."""

MAX_BATCH = 1000
"""Members of a batch; a larger one is refused as a whole."""

MAX_BATCHES_IN_HAND = 4
"""Batches that are worked on at the same time; what arrives after a further one waits for it."""

BATCH_ANSWER_BYTES = 64 * 1024 * 1024
"""Bytes of a batch's answers; members not started when it is reached are refused."""

RETRY_SECONDS = 0.05
"""When to try again to read or write after the system was short of memory."""

LOCK_TIMEOUT = 10.0
"""Seconds to wait for somebody else's lock on a session file (`--lock-timeout`)."""

INLINE_PARSE_BYTES = 32 * 1024
"""A file or growth of more than this is read in a worker. It may be lines of a single byte."""

INLINE_READ_BYTES = 256 * 1024
"""What copies or compares more than this runs in a worker."""

INLINE_ENTRIES = 256
"""An answer that looks at more entries than this is worked out in a worker."""

TAIL_BYTES = 64 * 1024
"""How much before the remembered offset must still match for a growth to count as an append."""

CACHE_BYTES = 256 * 1024 * 1024
"""Bytes of session text kept hot without an open handle (`--cache-bytes`)."""

PARENT_CHECK_SECONDS = 2.0
"""How often the process named by `processId` is looked at; the contract promises 5 at most."""

SEARCH_SECONDS = 30.0
"""Longest search, from the moment a worker begins with it."""

SEARCH_WORKERS = 2
"""Searches at the same time; another two may match regular expressions."""
