"""Answer `initialize` as a daemon that speaks only version 2 of the protocol.

other_version.py refuses | ignores

`refuses`: a client that offers version 1 gets the error of the contract. `ignores`: the answer names
version 2, and has nothing else that a client of version 1 knows.
"""

import json
import sys

for line in iter(sys.stdin.buffer.readline, b""):
    name, _, value = line.partition(b":")
    if name.lower() == b"content-length":
        length = int(value)
    if line.strip():
        continue
    message = json.loads(sys.stdin.buffer.read(length))
    if message["method"] != "initialize":
        continue
    answer = {"result": {"protocolVersion": "2"}}
    if sys.argv[1] == "refuses" and message["params"]["protocolVersions"] == ["1"]:
        data = {"kind": "UnsupportedVersion", "retryable": False, "supported": ["2"]}
        text = "This daemon speaks protocol version 2"
        answer = {"error": {"code": 1021, "message": text, "data": data}}
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()
