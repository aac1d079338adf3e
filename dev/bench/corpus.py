"""Generate a large directory of sessions whose words are distributed as in natural text.

    python dev/bench/corpus.py DIRECTORY SESSIONS      # about 300 KB for each session

Always the same bytes for the same number of sessions. Word frequencies follow Zipf's law, every
session has a topic of its own, and rare words (numbers, hashes, paths, identifiers) keep being
added, so an index of it grows like that of real sessions. Two thirds of the bytes are results of
tools, as in the files of agents.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

CWD = "/home/someone/project"
MEAN_BYTES = 300_000
START = datetime(2026, 1, 1, tzinfo=UTC)

COMMON_TEXT = (
    "the of to and a in is it that for this with as on be are we if not from can have or but "
    "an by will at all so now there when which file code test function error run should use "
    "need let me check add new return value path line call type read write fix change make see "
    "first then import list name string data session message entry key index server client "
    "request"
)
COMMON = COMMON_TEXT.split()
OTHER_TEXT = (
    "größe schlüssel überprüfung datei fehler naïve façade déjà été проверка файла ключ ошибка "
    "строка 漢字 関数 検索 结果 文件 测试 😀 🎉 ✅"
)
OTHER = OTHER_TEXT.split()
SYLLABLES_TEXT = (
    "ba be bi bo con de di do en er ex fi fo ga ge gra ha he in ing ja ka ko la le li lo ma me "
    "mi mo na ne ni no on or pa per pi pre pro qua ra re ri ro sa se si sta su ta te ti to tra "
    "un va ve vi wa we xi yo za tion ment able ness"
)
SYLLABLES = SYLLABLES_TEXT.split()
VOCABULARY = 40_000
TOPIC = 400
LINES = 20_000


def vocabulary(random: Random) -> list[str]:
    words = dict.fromkeys(COMMON)
    while len(words) < VOCABULARY:
        word = "".join(random.choices(SYLLABLES, k=random.choice((1, 2, 2, 3, 3, 4))))
        draw = random.random()
        if draw < 0.08:
            word += "_" + random.choice(SYLLABLES) + random.choice(SYLLABLES)
        elif draw < 0.16:
            word += (random.choice(SYLLABLES) + random.choice(SYLLABLES)).capitalize()
        elif draw < 0.18:
            word = random.choice(OTHER) + random.choice(("", "n", "s", "字"))
        words[word] = None
    return list(words)


def zipf(count: int) -> list[float]:
    """Cumulative weights of ranks, as `random.choices` takes them."""
    return list(itertools.accumulate((rank + 2.7) ** -1.07 for rank in range(1, count + 1)))


class Writer:
    """Makes sessions of one corpus."""

    def __init__(self) -> None:
        random = Random(1)
        self.words = vocabulary(random)
        self.weights = zipf(VOCABULARY)
        self.topic_weights = zipf(TOPIC)
        # Lines of source code and logs, already as they are inside a JSON string.
        self.lines = [self.source(random) for _ in range(LINES)]

    def source(self, random: Random) -> str:
        words = random.choices(self.words, cum_weights=self.weights, k=random.randrange(2, 14))
        shape = random.randrange(4)
        if shape == 0:
            line = f"{'    ' * random.randrange(4)}{words[0]}.{words[1]}({', '.join(words[2:])});"
        elif shape == 1:
            line = f"src/{words[0]}/{words[1]}.ts:{random.randrange(900)}: {' '.join(words[2:])}"
        elif shape == 2:
            line = f'  "{words[0]}": "{" ".join(words[1:])}",'
        else:
            line = f"{' ' * random.randrange(8)}// {' '.join(words)}"
        return json.dumps(line, ensure_ascii=False)[1:-1] + "\\n"

    def prose(self, random: Random, topic: list[str], size: int) -> str:
        """Text of about `size` characters."""
        count = max(1, size // 6)
        words = random.choices(self.words, cum_weights=self.weights, k=count)
        for place in range(0, count, 5):
            (words[place],) = random.choices(topic, cum_weights=self.topic_weights)
        for place in range(11, count, 37):
            draw = random.randrange(4)
            if draw == 0:
                words[place] = f"{random.getrandbits(28):07x}"
            elif draw == 1:
                words[place] = f"`src/{words[place]}/{words[place - 1]}.ts:{random.randrange(999)}`"
            elif draw == 2:
                words[place] = f"{words[place]}({words[place - 2]}, {random.randrange(10_000)});"
            else:
                words[place] = f"{words[place].capitalize()}.\n"
        return " ".join(words)

    def session(self, number: int, size: int) -> Iterator[bytes]:
        """The lines of a session of about `size` bytes."""
        random = Random(number + 1_000)
        topic = random.sample(self.words, TOPIC)
        identifier = f"0{random.getrandbits(124):031x}"
        header = {"type": "session", "version": 3, "id": identifier, "timestamp": stamp(number)}
        head = encoded({**header, "cwd": CWD})
        yield head
        size -= len(head)
        parent = None
        entry = 0
        if number % 3 == 0:
            named = {"type": "session_info", **self.base(number, entry, parent)}
            yield encoded({**named, "name": self.prose(random, topic, 30)})
        while size > 0:
            for line in self.turn(random, topic, number, entry):
                yield line
                size -= len(line)
                entry += 1

    def turn(self, random: Random, topic: list[str], number: int, entry: int) -> Iterator[bytes]:
        """A prompt, and the steps of the agent: text, a tool call, its result."""
        at = 1_767_225_600_000 + number * 60_000 + entry * 500
        user = {"role": "user", "content": [text(self.prose(random, topic, length(random, 300)))]}
        yield self.message(number, entry, {**user, "timestamp": at})
        for step in range(1, random.randrange(2, 14)):
            call = f"toolu_{random.getrandbits(64):016x}"
            thought = self.prose(random, topic, length(random, 250))
            said = self.prose(random, topic, length(random, 450))
            arguments = {"path": f"src/{random.choice(topic)}.ts", "limit": 200}
            usage = {"input": 900, "output": 512, "cacheRead": at % 90_000, "cacheWrite": 0}
            cost = {"input": 0.003, "output": 0.0075, "cacheRead": 0, "cacheWrite": 0}
            answer = {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": thought},
                    text(said),
                    {"type": "toolCall", "id": call, "name": "read", "arguments": arguments},
                ],
                "api": "anthropic-messages",
                "provider": "anthropic",
                "model": "claude-sonnet-4-5",
                "usage": {**usage, "totalTokens": 1412, "cost": {**cost, "total": 0.0105}},
                "stopReason": "toolUse",
                "timestamp": at + step,
            }
            yield self.message(number, entry + 2 * step - 1, answer)
            start = random.randrange(LINES)
            shown = "".join(self.lines[start : start + length(random, 55)])
            result = {"role": "toolResult", "toolCallId": call, "toolName": "read"}
            result |= {"content": [text("\0")], "isError": False, "timestamp": at + step}
            line = self.message(number, entry + 2 * step, result)
            yield line.replace(b"\\u0000", shown.encode())

    def message(self, number: int, entry: int, message: dict[str, object]) -> bytes:
        parent = None if entry == 0 else name(number, entry - 1)
        return encoded({"type": "message", **self.base(number, entry, parent), "message": message})

    def base(self, number: int, entry: int, parent: str | None) -> dict[str, object]:
        at = stamp(number * 60 + entry * 0.5)
        return {"id": name(number, entry), "parentId": parent, "timestamp": at}


def text(content: str) -> dict[str, str]:
    return {"type": "text", "text": content}


def name(number: int, entry: int) -> str:
    return f"{(entry * 2_654_435_761 + number) % 2**32:08x}"


def length(random: Random, typical: int) -> int:
    return int(typical * random.lognormvariate(0, 0.9)) + 1


def stamp(seconds: float) -> str:
    moment = START + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def encoded(entry: dict[str, object]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def write(folder: Path, count: int) -> None:
    """Write `count` sessions of about 300 KB on average into a directory, with all processors."""
    folder.mkdir(parents=True, exist_ok=True)
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers) as pool:
        shares = [range(first, count, workers) for first in range(workers)]
        list(pool.map(write_some, [folder] * workers, shares))


def write_some(folder: Path, numbers: range) -> None:
    writer = Writer()
    for number in numbers:
        # The mean of this distribution is exp(1.2 ** 2 / 2).
        share = Random(number).lognormvariate(0, 1.2) / 2.054
        path = (
            folder / f"{stamp(number * 60).replace(':', '-').replace('.', '-')}_{number:05}.jsonl"
        )
        with path.open("wb", buffering=1 << 20) as file:
            file.writelines(writer.session(number, int(MEAN_BYTES * share)))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
