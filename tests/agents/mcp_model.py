"""A model for agents that are MCP clients: OpenAI's responses and Anthropic's messages.

It searches for "needle", opens the first session that was found, and then says what it has read.
Every request's body is kept.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Event = tuple[str, dict[str, Any]]


class McpModel:
    """Serves in threads of this process until it is left."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def offered(self) -> set[str]:
        """The last parts of the names of all tools that requests had."""
        names = {name for body in self.requests for name, _ in _tools(body.get("tools") or [])}
        return {name.rpartition("__")[2] for name in names}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _tools(tools: list[dict[str, Any]]) -> Iterator[tuple[str, str | None]]:
    """The name of each tool, with its namespace if it is in one."""
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from ((inner["name"], tool["name"]) for inner in tool["tools"])
        elif "name" in tool:
            yield tool["name"], None


def _call(body: dict[str, Any], said: str) -> tuple[str, str | None, dict[str, Any]] | None:
    """The next call: the tool, its namespace, its arguments; `said` are the results so far."""
    wanted, arguments = "search_sessions", {"query": "needle"}
    found = re.search(r'"session\\*": ?\\*"([\w.-]+)|session ([\w.-]+), ', said)
    if found:
        wanted, arguments = "open_session", {"session": found[1] or found[2]}
    if "Entries 1 to" in said or '"final' in said or "final\\" in said:
        return None
    for name, namespace in _tools(body.get("tools") or []):
        if name.endswith(wanted):
            return name, namespace, arguments
    return None


def _responses(body: dict[str, Any]) -> Iterator[Event]:
    """One turn of OpenAI's responses as a stream."""
    outputs = [it for it in body["input"] if it.get("type") == "function_call_output"]
    said = json.dumps(outputs)
    call = _call(body, said)
    if call is None:
        content = [{"type": "output_text", "text": f"heard: {said[-2000:]}", "annotations": []}]
        item = {"type": "message", "role": "assistant", "id": "m1", "content": content}
    else:
        name, namespace, arguments = call
        item = {
            "type": "function_call",
            "id": f"f{len(outputs)}",
            "call_id": f"c{len(outputs)}",
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
            **({"namespace": namespace} if namespace else {}),
        }
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield "response.created", {"response": {"id": "r"}}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": {"id": "r", "usage": usage}}


def _messages(body: dict[str, Any]) -> Iterator[Event]:
    """One turn of Anthropic's messages as a stream."""
    blocks = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]
    said = json.dumps(blocks)
    call = _call(body, said)
    usage = {"input_tokens": 1, "output_tokens": 1}
    start = {"id": "m", "type": "message", "role": "assistant", "model": body["model"]}
    start |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield "message_start", {"message": start}
    if call is None:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": f"heard: {said[-2000:]}"}
    else:
        name, _, arguments = call
        block = {"type": "tool_use", "id": f"toolu_{len(blocks)}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    yield "content_block_start", {"index": 0, "content_block": block}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    reason = "end_turn" if call is None else "tool_use"
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield "message_delta", {"delta": ended, "usage": usage}
    yield "message_stop", {}


def _handler(model: McpModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing on stderr."""

        def do_GET(self) -> None:
            self._send(b'{"data":[],"models":[]}', "application/json")

        def do_POST(self) -> None:
            body = json.loads(
                self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}"
            )
            path = self.path.partition("?")[0]
            if not path.endswith(("/responses", "/messages")):
                self._send(b'{"input_tokens":1}', "application/json")
                return
            model.requests.append(body)
            turn = _responses if path.endswith("/responses") else _messages
            events = [
                f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
                for name, data in turn(body)
            ]
            self._send(b"".join(events), "text/event-stream")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
