"""Hold one conversation with the daemon, using only the standard library."""

import json
import os
import subprocess

daemon = subprocess.Popen([os.environ["SESSIOND"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def call(method, **params):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    daemon.stdin.write(json.dumps(request).encode() + b"\n")
    daemon.stdin.flush()
    return json.loads(daemon.stdout.readline())["result"]


session = call("session/inMemory", cwd="/")["session"]
call("session/appendMessage", session=session, message={"role": "user", "content": "hello"})
for message in call("session/buildSessionContext", session=session)["messages"]:
    print(f"{message['role']}: {message['content']}")
daemon.stdin.close()
assert daemon.wait() == 0
