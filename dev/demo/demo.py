"""Show what sessiond does: `make demo`, or `make demo FILE=path` for one of your own sessions.

First comes what people see in a terminal, on made-up sessions in a temporary home directory, then
a conversation in the protocol. npm's pi takes part if `make reference` has installed it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sessions
import terminal
from dialogue import ROOT, read_only, scene, whole

SESSIOND = str(ROOT / ".venv/bin/sessiond")
PAGE = ROOT / ".cache/demo/session.html"
PI = (
    ROOT
    / ".cache/reference/node_modules/@mariozechner/pi-coding-agent/dist/core/session-manager.js"
)


def main(arguments: list[str]) -> None:
    if arguments:
        read_only(arguments[0])
        return
    with tempfile.TemporaryDirectory(prefix="sessiond-demo-") as directory:
        people(Path(directory))
    whole()


def people(home: Path) -> None:
    session, *_ = sessions.write(home)
    scene("What are my agents doing?")
    command(home, "list", "--all")
    scene("Where did we speak about the checkout?")
    command(home, "search", "checkout")
    scene("What was said, and what was changed?")
    command(home, "show", "01ac")
    scene("Which ways were tried?")
    command(home, "tree", "01ac")
    scene("What did it cost?")
    command(home, "usage", "--by", "model")
    scene("Meanwhile the agent goes on, and every program that looks is told")
    live(home, session)
    scene("The whole session as a page, for people without sessiond")
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    command(home, "export", "01ac", "-o", str(PAGE))
    print("  Open it in a browser.")
    scene("pi itself continues the session")
    continued_by_pi(home, session)


def command(home: Path, *words: str) -> None:
    print(f"$ sessiond {' '.join(words)}", flush=True)
    show(terminal.output([SESSIOND, *words], home))


def show(text: str) -> None:
    print(text if sys.stdout.isatty() else terminal.STYLES.sub("", text), flush=True)


def live(home: Path, session: Path) -> None:
    """Follow a session while a shell script appends to its file."""
    lines = session.read_text().splitlines()
    said = {"role": "user", "content": "Thanks. Deploy it."}
    entry = {"type": "message", "id": "0d3c5f2a", "parentId": json.loads(lines[-1])["id"]}
    line = json.dumps({**entry, "timestamp": "2026-01-01T00:00:00.000Z", "message": said})
    print("""$ sessiond tail -f -n 1 01ac & printf '%s\\n' "$LINE" >> session.jsonl""", flush=True)
    with terminal.running([SESSIOND, "tail", "-f", "-n", "1", "01ac"], home) as following:
        following.until("True, False}")
        subprocess.run(["sh", "-c", 'printf "%s\\n" "$1" >> "$2"', "sh", line, session], check=True)
        show(following.until("Deploy it.").rstrip())


def continued_by_pi(home: Path, session: Path) -> None:
    if not PI.exists() or shutil.which("node") is None:
        print("  (left out; `make reference` installs pi, and needs Node and npm)")
        return
    script = """
        const { SessionManager } = await import(process.argv[1]);
        const session = SessionManager.open(process.argv[2]);
        session.appendMessage({ role: "user", content: "pi was here", timestamp: Date.now() });
        console.log(`  pi: "${session.getSessionName()}", ${session.getEntries().length} entries,`
          + ` ${session.buildSessionContext().messages.length} messages in context`);
    """
    node = ["node", "--input-type=module", "-e", script, str(PI), str(session)]
    # The variable keeps pi's directory away from that of the user.
    subprocess.run(node, check=True, env={**os.environ, "PI_CODING_AGENT_DIR": str(home)})
    command(home, "tail", "-n", "1", "01ac")


if __name__ == "__main__":
    main(sys.argv[1:])
