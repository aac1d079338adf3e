"""Hold a conversation with the daemon over its stdin and stdout, on real files."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 100


class Daemon:
    """A minimal client: one JSON value per line."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [ROOT / ".venv/bin/sessiond", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last_id = 0
        self.told: list[dict[str, Any]] = []

    def call(self, method: str, **params: Any) -> Any:
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        say(f"→ {method} {json.dumps(params, ensure_ascii=False)}")
        while (answer := self.receive()).get("id") != self.last_id:
            self.told.append(answer)
        if "error" in answer:
            say(f"← error {answer['error']['message']}")
            return answer["error"]
        say(f"← {json.dumps(answer['result'], ensure_ascii=False)}")
        return answer["result"]

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def hear(self) -> None:
        """Wait for the next notification and show it."""
        message = self.told.pop(0) if self.told else self.receive()
        told = message["params"]
        new = [f"{entry['type']} {entry['id']}" for entry in told.get("entries", ())]
        print(f"← {message['method']}: {told['kind']} {', '.join(new)}")
        print(f"  {told['entryCount']} entries, generation {told['generation']}")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=10)
        say(f"end of stdin: exit code {code}")


def say(text: str) -> None:
    print(f"{text[: WIDTH - 2]} …" if len(text) > WIDTH else text)


def scene(title: str) -> None:
    print(f"\n\033[1m{title}\033[0m" if sys.stdout.isatty() else f"\n== {title}")


def draw(tree: dict[str, Any], leaf: str | None) -> None:
    """Print an outline; a chain stays in one column, branches are indented."""
    nodes = {node["id"]: node for node in tree["nodes"]}
    todo = [(root, 0) for root in reversed(tree["roots"])]
    while todo:
        node_id, depth = todo.pop()
        node = nodes[node_id]
        mark = "*" if node_id == leaf else " "
        label = f"  [{node['label']}]" if "label" in node else ""
        kind = node.get("role") or node["type"]
        print(f"  {mark} {'  ' * depth}{node_id} {kind:<16} {node['preview'][:50]}{label}")
        fork = len(node["children"]) > 1
        todo.extend((child, depth + fork) for child in reversed(node["children"]))


def read_only(path: str) -> None:
    """Show a session of the user; nothing is written."""
    daemon = Daemon("--read-only")
    scene("Your session, opened for reading only")
    state = daemon.call("session/open", path=str(Path(path).resolve()), mustExist=True)
    if "session" not in state:
        sys.exit(1)
    session = state["session"]
    scene("Its tree")
    outline = daemon.call("session/getTree", session=session, detail="outline")
    draw(outline, state["leafId"])
    scene("What a model would see")
    context = daemon.call("session/buildSessionContext", session=session)
    print(f"  {len(context['messages'])} messages, thinking {context['thinkingLevel']}")
    daemon.close()


def whole() -> None:
    """Migrate an old session in a temporary directory, and work on the copy."""
    with tempfile.TemporaryDirectory(prefix="sessiond-demo-") as folder:
        file = Path(folder, "old-session.jsonl")
        shutil.copy(ROOT / "dev/demo/old-session.jsonl", file)
        daemon = Daemon("--agent-dir", folder)

        scene("An old version 1 session is opened, and migrated on disk")
        state = daemon.call("session/open", path=str(file))
        session = state["session"]
        print(f"  version {state['version']}, {state['entryCount']} entries")
        for item in state["diagnostics"]:
            print(f"  line {item['line']}: {item['kind']}: {item['message']}")

        scene("The context a model would see")
        context = daemon.call("session/buildSessionContext", session=session)
        print(f"  model {context['model']}, thinking {context['thinkingLevel']}")
        for message in context["messages"]:
            say(f"  {message['role']:<11} {json.dumps(message['content'], ensure_ascii=False)}")

        scene("Messages are appended")
        asked = daemon.call(
            "session/appendMessage",
            session=session,
            message={"role": "user", "content": "Now the humidity, please."},
        )
        answered = daemon.call(
            "session/appendMessage",
            session=session,
            message={
                "role": "assistant",
                "content": [{"type": "text", "text": "Humidity is rounded the same way."}],
                "provider": "anthropic",
                "model": "claude-sonnet-4-5",
                "usage": {
                    "input": 900,
                    "output": 12,
                    "cacheRead": 0,
                    "cacheWrite": 0,
                    "totalTokens": 912,
                    "cost": {"input": 0.0027, "output": 0.00018, "total": 0.00288},
                },
                "stopReason": "stop",
            },
        )
        daemon.call("session/appendLabelChange", session=session, targetId=asked["id"], label="hum")

        scene("Back to before that question, with a summary of the branch")
        daemon.call(
            "session/branchWithSummary",
            session=session,
            entryId=asked["parentId"],
            summary="Looked into humidity; nothing to change there.",
        )
        daemon.call(
            "session/appendMessage",
            session=session,
            message={"role": "user", "content": "And the wind?"},
        )

        scene("A compaction is recorded")
        daemon.call(
            "session/appendCompaction",
            session=session,
            summary="Fixed the sign of zero in src/format.ts.",
            firstKeptEntryId=asked["parentId"],
            tokensBefore=1200,
        )
        daemon.call("session/appendSessionInfo", session=session, name="Minus zero")

        scene("The tree")
        outline = daemon.call("session/getTree", session=session, detail="outline")
        draw(outline, daemon.call("session/getLeafId", session=session)["leafId"])

        scene("A mistake gets a clear answer")
        daemon.call("session/branch", session=session, entryId="nowhere")

        scene("The file on disk")
        for line in file.read_text().splitlines():
            say(f"  {line}")

        live(daemon, file, answered["id"])
        daemon.close()


def live(daemon: Daemon, file: Path, entry_id: str) -> None:
    """Other programs write to the file; the daemon reports each write except its own."""
    scene("Meanwhile a shell script adds a line")
    entry = {"type": "custom", "customType": "note", "id": "fromsh", "parentId": entry_id}
    subprocess.run(
        ["sh", "-c", 'printf "%s\\n" "$1" >> "$2"', "sh", json.dumps(entry), file], check=True
    )
    daemon.hear()

    scene("Another sessiond answers in the same session")
    other = Daemon("--agent-dir", str(file.parent))
    opened = other.call("session/open", path=str(file))
    message = {"role": "user", "content": "Hello from the second one."}
    other.call("session/appendMessage", session=opened["session"], message=message)
    other.close()
    daemon.hear()

    scene("A user fixes a word with an editor, which saves by renaming")
    saved = file.with_suffix(".tmp")
    saved.write_text(file.read_text().replace("humidity", "dew point"))
    saved.rename(file)
    daemon.hear()

    scene("The file is deleted; the next append restores it completely")
    lines = len(file.read_text().splitlines())
    file.unlink()
    daemon.hear()
    message = {"role": "user", "content": "Still here?"}
    daemon.call("session/appendMessage", session="s1", message=message)
    print(f"  {lines} lines before, {len(file.read_text().splitlines())} now")
