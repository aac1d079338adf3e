"""A model for real agents: OpenAI chat completions on the loopback, answered by a few plain rules.

What the model answers is a function of the last message of the user:

    run COMMAND    a call of the agent's shell tool; after its result: "ran: <the result>"
    call TOOL JSON a call of another tool with these arguments; after its result the same
    refuse         an HTTP error that agents do not retry
    wait           the beginning of an answer, then silence until the agent ends the request
    <conversation> "Summary <n>", n counting the requests: the agent summarises
    anything else  "heard: <the message>"

Every request's body is kept, so that a test sees what context the model was sent.
"""

from __future__ import annotations

import json
import re
import select
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from support.process import DEADLINE

SHELLS = ("bash", "exec", "shell")
USAGE = {"prompt_tokens": 120, "completion_tokens": 8, "total_tokens": 128}

Message = dict[str, Any]


def text_of(message: Message) -> str:
    """The text of a message: its string, or its text parts joined."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


class LocalServer:
    """Serves on the loopback, in threads of this process, until it is left."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class ModelServer(LocalServer):
    """The model."""

    def __init__(self) -> None:
        super().__init__(_handler(self))
        self.requests: list[dict[str, Any]] = []
        self.waiting = threading.Event()
        """Set while an answer to `wait` is held back."""

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    @property
    def last(self) -> list[Message]:
        """The messages of the last request."""
        messages: list[Message] = self.requests[-1]["messages"]
        return messages


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing on stderr."""

        def do_GET(self) -> None:
            self._send_json(200, {"object": "list", "data": [{"id": "plain", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.requests.append(body)
            asked = _last_of_user(body["messages"])
            if asked == "refuse":
                error = {"message": "refused", "type": "invalid_request_error"}
                self._send_json(400, {"error": error})
                return
            answer, reason = _answer(body, asked, len(model.requests))
            if not body.get("stream"):
                choice = {"index": 0, "message": answer, "finish_reason": reason}
                self._send_json(200, _completion(body, choices=[choice], usage=USAGE))
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            if asked == "wait":
                self._send_event(_chunk(body, {"role": "assistant", "content": "wait"}, None))
                self._hold_back()
                return
            for event in _events(body, answer, reason):
                self._send_event(event)
            self.wfile.write(b"data: [DONE]\n\n")

        def _hold_back(self) -> None:
            """Until the agent closes the connection, which makes it readable."""
            model.waiting.set()
            select.select([self.connection], [], [], DEADLINE)
            model.waiting.clear()

        def _send_event(self, value: Any) -> None:
            self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")

        def _send_json(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _last_of_user(messages: list[Message]) -> str:
    return next((text_of(each) for each in messages[::-1] if each["role"] == "user"), "")


def _answer(body: dict[str, Any], asked: str, number: int) -> tuple[Message, str]:
    """The assistant's message and why it ends."""
    last = body["messages"][-1]
    # Agents may put a line of their own before what the user said.
    command = re.search(r"(?:^|\n|\] )run (.+)", asked)
    if last["role"] == "tool":
        return _said(f"ran: {text_of(last).strip()}"), "stop"
    if "<conversation>" in asked or asked.startswith("# Conversation"):
        return _said(f"Summary {number}"), "stop"
    tool = re.search(r"(?:^|\n)call (\w+) (.+)", asked)
    if tool is not None:
        function = {"name": tool[1], "arguments": tool[2]}
    elif command is not None:
        offered = [each["function"]["name"] for each in body.get("tools", ())]
        shell = next(name for name in SHELLS if name in offered)
        function = {"name": shell, "arguments": json.dumps({"command": command[1]})}
    else:
        return _said(f"heard: {asked}"), "stop"
    call = {"index": 0, "id": f"call{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def _said(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _completion(body: dict[str, Any], **members: Any) -> dict[str, Any]:
    base = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**base, **members}


def _chunk(body: dict[str, Any], delta: Message, reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _completion(body, object="chat.completion.chunk", choices=[choice])


def _events(body: dict[str, Any], answer: Message, reason: str) -> Iterator[dict[str, Any]]:
    """The answer in pieces, its end, and the usage."""
    if answer["content"] is None:
        yield _chunk(body, answer, None)
    else:
        for piece in re.findall(r"(?s).{1,40}", answer["content"]):
            yield _chunk(body, _said(piece), None)
    yield _chunk(body, {}, reason)
    yield _completion(body, object="chat.completion.chunk", choices=[], usage=USAGE)
