#!/usr/bin/env python3
"""A daemon of a later version: it answers what `future/answers.json` has, in that order.

What a request opens gets the handle that it asks for. A request whose params have a string
`error: N` somewhere is answered with the error of that index.
Behind the answer to `gateway/subscribe` it sends the notifications that such a client may get.
"""

from __future__ import annotations

import collections
import itertools
import json
import re
import sys
from pathlib import Path

FILE = Path(__file__).parents[1] / "future/answers.json"


def main() -> None:
    future = json.loads(FILE.read_text(encoding="utf-8"))
    grouped = collections.defaultdict(list)
    for answer in future["answers"]:
        for method in answer["methods"]:
            grouped[method].append(answer["result"])
    results = {method: itertools.cycle(each) for method, each in grouped.items()}
    handles: dict[str, str] = {}
    while message := read():
        method = message["method"]
        params = message.get("params") or {}
        chosen = {name: params[name] for name in ("session", "subscription") if name in params}
        wanted = re.search(r'"error: (\d+)"', json.dumps(message.get("params")))
        if method == "exit":
            return
        if wanted:
            send({"id": message["id"], "error": future["errors"][int(wanted[1])]})
        elif "id" in message:
            result = next(results[method])
            if isinstance(result, dict) and chosen.keys() <= result.keys():
                result, handles = {**result, **chosen}, {**handles, **chosen}
            send({"id": message["id"], "result": result})
        if method == "gateway/subscribe":
            tell(future["notifications"], handles)


def tell(notifications: list[dict], handles: dict[str, str]) -> None:
    # No number is missing behind that of the snapshot.
    numbers = collections.defaultdict(lambda: itertools.count(4))
    for told in notifications:
        params = told["params"]
        params |= {name: handle for name, handle in handles.items() if name in params}
        if "sequence" in params:
            params = {**params, "sequence": next(numbers[told["method"]])}
        if told["method"] != "catalog/didChange":
            send({"method": told["method"], "params": params})


def read() -> dict | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(message: dict) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
