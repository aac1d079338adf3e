"""Stand between a client and sessiond, log the requests, and disturb the client as a test wants.

proxy.py LOG FUSE METHOD MOMENT COUNT -- sessiond…

MOMENT says what happens at METHOD:

* `before`, `after`: at the COUNT-th METHOD the proxy and the daemon end: before the daemon sees the
  request, or after it was carried out and before its answer is passed on. With the file FUSE that
  happens once, with `-` again and again.
* `late`: while the file FUSE exists, answers to METHOD are held back; other messages pass.
* `change`: behind every answer to METHOD follows a notification, in the same write. It says that an
  entry was appended to the session of the answer, or that the first session in the snapshot was
  removed.
"""

import json
import os
import subprocess
import sys
import threading
import time

FUSE, METHOD, MOMENT, COUNT = sys.argv[2:6]
# Kept open, because a test may remove the directory before it ends the client.
log = open(sys.argv[1], "a", buffering=1)  # noqa: SIM115


def read(stream):
    length = None
    for line in iter(stream.readline, b"\r\n"):
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return stream.read(length)


def write(stream, *bodies):
    frames = [b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies]
    with writing:
        stream.write(b"".join(frames))
        stream.flush()


def crash():
    if FUSE != "-":
        open(FUSE, "w").close()
    print("the proxy crashes", file=sys.stderr, flush=True)
    daemon.kill()
    os._exit(3)


def forward():
    seen = 0
    while (body := read(sys.stdin.buffer)) is not None:
        message = json.loads(body)
        method = message.get("method")
        if method == METHOD and MOMENT in ("before", "after"):
            if FUSE == "-" or not os.path.exists(FUSE):
                seen += 1
                if seen == int(COUNT):
                    if MOMENT == "before":
                        note(message)
                        crash()
                    marked.add(message["id"])
        elif method == METHOD:
            marked.add(message["id"])
        note(message)
        write(daemon.stdin, body)
    daemon.stdin.close()


def note(message):
    log.write(json.dumps(message) + "\n")


def pass_on_later(body):
    while os.path.exists(FUSE):
        time.sleep(0.01)
    write(sys.stdout.buffer, body)


def change(result):
    """Return the notification of a change of the session or subscription in a result."""
    if "subscription" in result:
        removed = {"kind": "removed", "path": result["sessions"][0]["path"]}
        params = {
            "subscription": result["subscription"],
            "sequence": result["sequence"] + 1,
            "changes": [removed],
        }
        method = "catalog/didChange"
    else:
        appended = {"id": "changed", "parentId": result["tipId"], "type": "custom", "timestamp": ""}
        params = {
            "session": result["session"],
            "sequence": 1,
            "path": result["sessionFile"],
            "generation": result["generation"],
            "kind": "appended",
            "leafId": result["leafId"],
            "tipId": "changed",
            "entryCount": result["entryCount"] + 1,
            "entries": [appended],
        }
        method = "session/didChange"
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


marked = set()
writing = threading.Lock()
daemon = subprocess.Popen(sys.argv[7:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
threading.Thread(target=forward, daemon=True).start()
while (body := read(daemon.stdout)) is not None:
    message = json.loads(body)
    if message.get("id") not in marked:
        write(sys.stdout.buffer, body)
    elif MOMENT == "after":
        crash()
    elif MOMENT == "late":
        threading.Thread(target=pass_on_later, args=(body,), daemon=True).start()
    else:
        write(sys.stdout.buffer, body, change(message["result"]))
os._exit(daemon.wait())
