"""Stands between a client and sessiond, writes down what passes, and crashes when told to.

proxy.py LOG FUSE METHOD MOMENT COUNT -- sessiond…

At the COUNT-th METHOD both end: MOMENT `before` the daemon sees the request, or `after` it was done
and before its answer is passed on. With the file FUSE that happens once, with `-` again and again.
MOMENT `late`: nothing crashes, but answers to METHOD are held back while the file FUSE exists.
"""

import json
import os
import subprocess
import sys
import threading
import time

LOG, FUSE, METHOD, MOMENT, COUNT = sys.argv[1:6]


def read(stream):
    length = None
    for line in iter(stream.readline, b"\r\n"):
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return stream.read(length)


def write(stream, body):
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
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
        with open(LOG, "a") as log:
            log.write(json.dumps(message) + "\n")
        if MOMENT == "late" and message.get("method") == METHOD:
            late.add(message["id"])
        elif message.get("method") == METHOD and (FUSE == "-" or not os.path.exists(FUSE)):
            seen += 1
            if seen == int(COUNT):
                if MOMENT == "before":
                    crash()
                fatal.add(message["id"])
        write(daemon.stdin, body)
    daemon.stdin.close()


fatal, late = set(), set()
daemon = subprocess.Popen(sys.argv[7:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
threading.Thread(target=forward, daemon=True).start()
while (body := read(daemon.stdout)) is not None:
    answered = json.loads(body).get("id")
    if answered in fatal:
        crash()
    while answered in late and os.path.exists(FUSE):
        time.sleep(0.01)
    write(sys.stdout.buffer, body)
os._exit(daemon.wait())
