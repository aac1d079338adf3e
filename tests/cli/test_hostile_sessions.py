"""A session with control characters in every field cannot steer the terminal.

Every command that shows something runs on a terminal of 80 columns and in a pipe. One process runs all
commands of a kind, because to start a process for each would take most of the time.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from support.process import DEADLINE, isolated_environment

STEERING = (
    "\x1b[37;41mSGR\x1b[0m \x1b[2J \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ "
    "\x1bPq\x1b\\ \x9b2J \x9d0;t\x9c \x85 \u202ertl\u202c \u2066i\u2069 \u061c\u200e\u200f "
    "\rCR \x08\x7f\x00 \ud800 tab\tend 日本語 e\u0301"
)
SESSION = "hostile"
DRIVER = """
import json, sys
from sessiond.cli.main import run
for arguments in json.loads(sys.stdin.readline()):
    code = run(arguments)
    sys.stdout.flush()
    print(f"@@@{code}", file=sys.stderr, flush=True)
"""
COMMANDS = {
    "list": (["list", "--all"], 0),
    "list-cost": (["list", "--all", "--sort", "cost"], 0),
    "list-json": (["list", "--all", "--json"], 0),
    "show": (["show", SESSION], 0),
    "show-details": (["show", SESSION, "--full", "--details"], 0),
    "show-json": (["show", SESSION, "--json"], 0),
    "show-many": (["show", SESSION, "--leaf", "e"], 3),
    "show-leaf": (["show", SESSION, "--leaf", "e02"], 0),
    "resume": (["resume", SESSION], 3),
    "show-none": (["show", STEERING.replace("\x00", "").replace("\ud800", "")], 3),
    "tree": (["tree", SESSION], 0),
    "tail": (["tail", SESSION, "-n", "50", "--details"], 0),
    "tail-json": (["tail", SESSION, "-n", "50", "--json"], 0),
    "search": (["search", "title"], 0),
    "stats": (["stats", SESSION], 0),
    "usage-model": (["usage", "--by", "model"], 0),
    "usage-project": (["usage", "--by", "project"], 0),
    "usage-session": (["usage", "--by", "session"], 0),
    "export": (["export", SESSION, "--format", "markdown"], 0),
    "export-html": (["export", SESSION, "--format", "html"], 0),
    "export-nowhere": (["export", SESSION, "-o", "/no\x9b/\x1b[2J.html"], 3),
    "check": (["check", SESSION], 1),
    "repair": (["repair", SESSION], 0),
    "gateway-list": (["gateway", "list"], 0),
    "wrong-option": (["list", "--\x1b[2J\u202e"], 2),
}
EXACT_IN_A_PIPE = {"list-json", "show-json", "tail-json", "export", "export-html"}
"""Commands that give programs the content itself."""
TABLES = {"list", "list-cost", "tree", "stats", "gateway-list"}
TABLES |= {"usage-model", "usage-project", "usage-session"}
_SGR = re.compile(r"\x1b\[[0-9;]*m")
_MARK = re.compile(r"@@@(\S+)\r?\n")

Shown = dict[str, tuple[str, int]]


def hostile_lines() -> list[dict[str, Any]]:
    bad = STEERING
    usage = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.5}}
    calls = [
        {"type": "toolCall", "id": f"c{bad}", "name": bad, "arguments": {bad: [bad]}},
        {"type": "toolCall", "id": "c2", "name": "bash", "arguments": {"command": bad}},
    ]
    text = {"type": "text", "text": f"```{bad}\n{bad}\n```"}
    failed = {"stopReason": bad, "errorMessage": bad, "usage": usage}
    messages = [
        {"role": "user", "content": bad},
        {"role": "user", "content": [{"type": bad}, {"type": "image", "mimeType": bad}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": bad}, text, *calls]}
        | failed
        | {"provider": bad, "model": bad},
        {"role": "toolResult", "toolCallId": f"c{bad}", "toolName": bad, "content": bad}
        | {"isError": True, "details": {"exitCode": bad, "diff": f"+1 {bad}"}},
        {"role": "bashExecution", "command": bad, "output": bad, "exitCode": bad},
        {"role": bad, "content": bad},
    ]
    entries = [
        {"type": "session_info", "name": bad},
        {"type": "model_change", "provider": bad, "modelId": bad},
        *({"type": "message", "message": message} for message in messages),
        {"type": "custom_message", "customType": bad, "content": bad, "display": True},
        {"type": "compaction", "summary": bad, "firstKeptEntryId": bad, "tokensBefore": bad},
        {"type": "branch_summary", "fromId": bad, "summary": bad},
        {"type": bad, bad: bad},
    ]
    header = {"type": "session", "version": 3, "id": SESSION + bad, "cwd": f"/{bad}"}
    lines = [header | {"timestamp": "2026-01-03T10:00:00.000Z"}]
    for number, entry in enumerate(entries):
        parent = lines[-1]["id"] if number else None
        lines.append({"id": f"e{number:02d}{bad}", "parentId": parent, "timestamp": bad, **entry})
    return lines


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile")
    content = "".join(json.dumps(line) + "\n" for line in hostile_lines())
    entry = dict.fromkeys(("label", "displayName", "model", "channel", "subject"), STEERING)
    keys = ("agent:main:main", f"agent:main:{STEERING}")
    store = {key: {"sessionId": "one", "updatedAt": 1767434400000, **entry} for key in keys}
    files = {
        ".pi/agent/sessions/--w--/a\x1b[2J.jsonl": content + "{broken\n",
        ".coderclaw/agents/main/sessions/one.jsonl": content,
        ".coderclaw/agents/main/sessions/sessions.json": json.dumps(store),
    }
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def printed(home: Path, *, on_terminal: bool) -> Shown:
    """What each command prints on both outputs together, and its exit code."""
    reading, writing = pty.openpty() if on_terminal else os.pipe()
    if on_terminal:
        fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    more = {"PYTHONUTF8": "1", "TERM": "xterm-256color", "PAGER": "cat"}
    commands = json.dumps([arguments for arguments, _ in COMMANDS.values()]).encode() + b"\n"
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        env=isolated_environment(home, **more),
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=writing,
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        process.stdin.write(commands)
        process.stdin.close()
        output = _all_of(reading)
        assert process.wait(DEADLINE) == 0, output[-2000:]
    # Bytes that are not UTF-8 become U+DC80 and above, which the tests refuse as surrogates.
    pieces = _MARK.split(output.decode(errors="surrogateescape"))
    codes = [int(code) for code in pieces[1::2]]
    texts = [piece.replace("\r\n", "\n") for piece in pieces[::2]]
    return dict(zip(COMMANDS, zip(texts, codes, strict=False), strict=True))


def _all_of(reading: int) -> bytes:
    output = b""
    try:
        while chunk := os.read(reading, 1 << 16):
            output += chunk
    except OSError:
        # Linux reports the end of a terminal as an error.
        return output
    finally:
        os.close(reading)
    return output


@pytest.fixture(scope="module")
def on_terminal(home: Path) -> Shown:
    return printed(home, on_terminal=True)


@pytest.fixture(scope="module")
def in_pipe(home: Path) -> Shown:
    return printed(home, on_terminal=False)


def steering(text: str) -> list[str]:
    """Control characters, surrogates, and the marks of direction of Unicode's Annex 9."""
    directions = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "L", "R", "AL"}
    return [
        character
        for character in text
        if (unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t")
        or (
            unicodedata.category(character) == "Cf"
            and unicodedata.bidirectional(character) in directions
        )
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_on_a_terminal_only_the_colours_of_sessiond_are_sent(on_terminal: Shown, name: str):
    text, code = on_terminal[name]
    assert code == COMMANDS[name][1], text
    assert "\x1b[37;41m" not in text
    plain = _SGR.sub("", text)
    assert steering(plain) == []
    assert plain.strip()
    assert "internal error" not in plain
    if name in TABLES:
        # A sentence below a table is wrapped by the terminal.
        rows = [
            row for row in plain.splitlines() if not row.startswith(("sessiond:", "US dollars"))
        ]
        assert max(cell_len(row.expandtabs(8)) for row in rows) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_in_a_pipe_lines_are_clean_and_content_is_exact(in_pipe: Shown, name: str):
    text, code = in_pipe[name]
    assert code == COMMANDS[name][1], text
    assert "internal error" not in text
    assert text.strip()
    if name not in EXACT_IN_A_PIPE:
        assert steering(text) == []
