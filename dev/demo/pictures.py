"""Draw the pictures of the README: `make pictures`. Needs Chromium for the exported page.

The sessions are created below a temporary home directory. The commands run in a terminal, so that
the pictures show the same output that users see.
"""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Any

from demo import ROOT, Daemon
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 96

# rich's own template loads a font from the network.
SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px;
  line-height: {line_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""

USAGE: dict[str, Any] = {"input": 900, "output": 60, "cacheRead": 0, "cacheWrite": 0}
USAGE |= {"totalTokens": 960, "cost": {"input": 0.0027, "output": 0.0009, "total": 0.0036}}
CONVERSATIONS: list[tuple[str, str, list[dict[str, Any]]]] = [
    (
        "/home/me/parser",
        "Fix the parser",
        [
            {"role": "user", "content": "The parser drops the sign of zero. Find out why."},
            {
                "role": "assistant",
                "provider": "anthropic",
                "model": "claude-sonnet",
                "usage": USAGE,
                "content": [
                    {"type": "thinking", "thinking": "int() turns -0 into 0; look at number()."},
                    {"type": "text", "text": "I will look at how numbers are read."},
                    {
                        "type": "toolCall",
                        "id": "c1",
                        "name": "bash",
                        "arguments": {"command": "grep -n 'int(' parser.py"},
                    },
                ],
            },
            {
                "role": "toolResult",
                "toolCallId": "c1",
                "toolName": "bash",
                "isError": False,
                "content": [{"type": "text", "text": "41:    return int(text)"}],
            },
            {
                "role": "assistant",
                "provider": "anthropic",
                "model": "claude-sonnet",
                "usage": USAGE,
                "content": [
                    {
                        "type": "text",
                        "text": "`int(text)` loses the sign of **minus zero**. Reading a float"
                        " first keeps it:\n\n```python\nvalue = float(text)\n```",
                    }
                ],
            },
            {"role": "user", "content": "Do that, and add a test."},
        ],
    ),
    (
        "/home/me/shop",
        "Race condition in the checkout",
        [{"role": "user", "content": "Two checkouts at once sell the last item twice."}],
    ),
    (
        "/home/me/site",
        "",
        [{"role": "user", "content": "Translate the landing page into French."}],
    ),
]


def main() -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color"}
        os.environ.update(environment)
        paths = [make(*conversation) for conversation in CONVERSATIONS]
        draw(["sessiond list --all", f"sessiond show {short(paths[0])}"])
        photograph(paths[0], Path(home))
    return 0


def make(cwd: str, name: str, messages: list[dict[str, Any]]) -> str:
    """Write a session and return the path of its file."""
    daemon = Daemon()
    state = daemon.call("session/create", cwd=cwd)
    for message in messages:
        daemon.call("session/appendMessage", session=state["session"], message=message)
    if name:
        daemon.call("session/appendSessionInfo", session=state["session"], name=name)
    daemon.close()
    return str(state["sessionFile"])


def short(path: str) -> str:
    """Return the part of a session's id that users type."""
    return Path(path).stem.rpartition("_")[2][:13]


def draw(commands: list[str]) -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115
    for command in commands:
        console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
        console.print(Text.from_ansi(in_terminal(command)))
    svg = console.export_svg(title="sessiond", theme=MONOKAI, code_format=SVG, unique_id="t")
    (PICTURES / "terminal.svg").write_text(svg)


def in_terminal(command: str) -> str:
    """Return the output of a command on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    words = [str(ROOT / ".venv/bin/sessiond"), *command.split()[1:]]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, cwd="/")
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the end of a terminal on Linux
            break
    process.wait()
    return shown.decode().replace("\r\n", "\n").rstrip("\n")


def photograph(path: str, home: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("Chromium is missing: the picture of the exported page is not updated")
        return
    page = home / "session.html"
    daemon = Daemon()
    daemon.call("catalog/export", path=path, format="html", outputPath=str(page))
    daemon.close()
    subprocess.run(
        [
            browser,
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *("--window-size=1200,720", f"--screenshot={PICTURES / 'page.png'}"),
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
    )


if __name__ == "__main__":
    sys.exit(main())
