"""A scripted daemon, which logs every method that it receives to the file named as its argument.

`daemon/status` is never answered until it is cancelled; `session/getCwd` ends the process;
`session/getHeader` closes its output and stays;
`session/create` is answered only after it is cancelled; `session/list` sends progress;
`session/getLeafId` sends notifications that do not fit.
"""

import json
import os
import sys
import time

RESULTS = {
    "initialize": {
        "serverInfo": {"name": "sessiond", "version": "0"},
        "protocolVersion": "1",
        "profile": "pi",
        "agentDir": "/a",
        "sessionsDir": "/a/s",
        "positionEncoding": "utf-16",
        "capabilities": {"framing": "header", "methods": [], "notifications": []},
    },
    "shutdown": None,
    "session/close": None,
    "session/list": {"sessions": [], "total": 0},
    "session/findById": {"path": 5},
    "session/getLeafId": {"leafId": None},
}
STATE = {
    "session": "s1",
    "sessionId": "x",
    "sessionFile": "/a/s/x.jsonl",
    "sessionDir": "/a/s",
    "cwd": "/",
    "persisted": True,
    "readOnly": False,
    "leafId": None,
    "tipId": None,
    "entryCount": 0,
    "version": 3,
    "generation": 0,
    "header": {"type": "session", "id": "x"},
    "diagnostics": [],
}
RESULTS |= {"session/open": STATE, "session/create": STATE}
ABANDONED = {"code": -32800, "message": "cancelled"}


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def tell(token, value):
    send({"method": "$/progress", "params": {"token": token, "value": value}})


waiting = {}
with open(sys.argv[1], "a") as log:
    while head := sys.stdin.buffer.readline():
        sys.stdin.buffer.readline()
        message = json.loads(sys.stdin.buffer.read(int(head.split(b":")[1])))
        method, params = message["method"], message.get("params", {})
        print(method, json.dumps(params), file=log, flush=True)
        if method == "exit":
            break
        if method == "session/getCwd":
            sys.exit("poisoned")
        elif method == "session/getHeader":
            os.close(1)
            time.sleep(600)
        elif method == "$/cancelRequest":
            late = waiting.pop(params["id"])
            end = {"result": late} if late else {"error": ABANDONED}
            send({"id": params["id"], **end})
        elif method in {"daemon/status", "session/create"}:
            created = {**STATE, "session": params.get("session")}
            waiting[message["id"]] = created if method == "session/create" else None
        elif "id" in message:
            if "workDoneToken" in params:
                tell(params["workDoneToken"], {"kind": "begin", "total": 2})
                tell(params["workDoneToken"], {"kind": "end"})
            if "partialResultToken" in params:
                tell(params["partialResultToken"], {"sessions": []})
            if method == "session/getLeafId":
                handle = params["session"]
                for misfit in ({"session": handle, "leafId": 5}, [], 3, {"session": []}, {}):
                    send({"method": "session/didChange", "params": misfit})
                    send({"method": "$/progress", "params": misfit})
            result = RESULTS[method]
            if method == "session/open":
                result = {**result, "session": params["session"]}
            send({"id": message["id"], "result": result})
