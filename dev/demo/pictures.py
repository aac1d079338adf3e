"""Draw the pictures of the README: `make pictures`. Needs Chromium for the exported page.

The sessions are created below a temporary home directory. The commands run in a terminal, so that
the pictures show the same output that users see.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sessions
from demo import ROOT, SESSIOND
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from terminal import COLUMNS, output

PICTURES = ROOT / "docs" / "pictures"

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


def main() -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        sessions.write(home)
        draw(home, ["list --all", "tree 01ac --no-tools", "show 01ac --last 7", "usage --by model"])
        photograph(home)
    return 0


def draw(home: Path, commands: list[str]) -> None:
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere)
        for command in commands:
            console.print(Text.assemble(("$ ", "dim"), (f"sessiond {command}", "bold")))
            console.print(Text.from_ansi(output([SESSIOND, *command.split()], home)))
        svg = console.export_svg(title="sessiond", theme=MONOKAI, code_format=SVG, unique_id="t")
    (PICTURES / "terminal.svg").write_text(svg)


def photograph(home: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("Chromium is missing: the picture of the exported page is not updated")
        return
    page = home / "session.html"
    output([SESSIOND, "export", "01ac", "-o", str(page)], home)
    subprocess.run(
        [
            browser,
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            # The page draws what is in view a moment later.
            "--virtual-time-budget=5000",
            *("--window-size=1200,900", f"--screenshot={PICTURES / 'page.png'}"),
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "HOME": str(home)},
    )


if __name__ == "__main__":
    sys.exit(main())
