"""`sessiond pick`: choose a session on the terminal by typing, with a preview."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.output import create_output

from sessiond.cli.astext import age, homely, one_line, title
from sessiond.cli.entries import Teller, Wanted
from sessiond.cli.grammar.serving import arguments, environment
from sessiond.cli.running import FOUND_PROBLEMS, INTERRUPTED, Run, why_nothing
from sessiond.errors import SessiondError

Info = dict[str, Any]

_PREVIEWED = 30
"""Number of entries in the preview of a session."""


async def pick(run: Run, everything: bool, command: str | None) -> int:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("pick needs a terminal")
    method, scope = ("session/listAll", {}) if everything else ("session/list", {"cwd": "."})
    listed = (await run.daemon.call(method, **scope))["sessions"]
    if not listed:
        await why_nothing(run, None if everything else ".")
        return FOUND_PROBLEMS
    picker = Picker(run, listed)
    chosen = await picker.run()
    if chosen is None:
        return INTERRUPTED if picker.interrupted else FOUND_PROBLEMS
    if command is not None:
        program = [sys.executable, "-m", "sessiond", *arguments(run.settings)]
        env = {**os.environ, **environment(run.settings)}
        os.execve(sys.executable, [*program, command, chosen["path"]], env)  # noqa: S606 - ourselves
    run.screen.raw(chosen["id"].encode(errors="replace"))
    return 0


def matching(listed: Sequence[Info], query: str) -> list[Info]:
    """Return the sessions with every word of the query in their title, directory or id."""
    words = query.casefold().split()
    return [
        info
        for info in listed
        if all(word in f"{title(info)} {info['cwd']} {info['id']}".casefold() for word in words)
    ]


class Picker:
    """The user interface: an input line, the list below it, and a preview of the chosen session."""

    def __init__(self, run: Run, listed: Sequence[Info]) -> None:
        self.interrupted = False
        """Whether Ctrl-C ended it."""
        self._run = run
        self._listed = listed
        self._shown = list(listed)
        self._at = 0
        self._previews: dict[str, str] = {}
        self._query = Buffer(multiline=False, on_text_changed=self._filter)
        self._app: Application[Info | None] = Application(
            layout=Layout(self._windows()),
            key_bindings=self._keys(),
            full_screen=True,
            # Standard output may be a pipe: `sessiond show $(sessiond pick)`.
            output=create_output(always_prefer_tty=True),
            input=create_input(always_prefer_tty=True),
        )

    async def run(self) -> Info | None:
        """Return the chosen session; None if the user chose none."""
        return await self._app.run_async(pre_run=self._load_preview)

    def _windows(self) -> HSplit:
        rows = FormattedTextControl(self._rows, show_cursor=False)
        return HSplit(
            [
                VSplit(
                    [
                        Window(FormattedTextControl("> "), width=2),
                        Window(BufferControl(self._query)),
                    ],
                    height=1,
                ),
                VSplit(
                    [
                        Window(rows, wrap_lines=False),
                        Window(width=1, char="│"),
                        Window(FormattedTextControl(self._preview), wrap_lines=True),
                    ]
                ),
                Window(FormattedTextControl(self._hint), height=1, style="reverse"),
            ]
        )

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("up")
        @keys.add("c-p")
        def _(_event: KeyPressEvent) -> None:
            self._move(-1)

        @keys.add("down")
        @keys.add("c-n")
        def _(_event: KeyPressEvent) -> None:
            self._move(1)

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            if self._shown:
                event.app.exit(result=self._shown[self._at])

        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            self.interrupted = True
            event.app.exit(result=None)

        @keys.add("escape", eager=True)
        @keys.add("c-d")
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        return keys

    def _move(self, step: int) -> None:
        self._at = max(0, min(len(self._shown) - 1, self._at + step))
        self._load_preview()

    def _filter(self, _buffer: Buffer) -> None:
        self._shown = matching(self._listed, self._query.text)
        self._at = 0
        self._load_preview()

    def _hint(self) -> str:
        return f" {len(self._shown)} of {len(self._listed)}   ↑ ↓ choose   Enter take   Esc leave"

    def _rows(self) -> StyleAndTextTuples:
        height = max(1, self._app.output.get_size().rows - 2)
        first = max(0, self._at - height + 1)
        rows: StyleAndTextTuples = []
        for at, info in enumerate(self._shown[first : first + height], first):
            style = "reverse" if at == self._at else ""
            rows.append((style, f"{age(info['modified']):>4}  {title(info)}\n"))
        return rows

    def _preview(self) -> str:
        if not self._shown:
            return ""
        info = self._shown[self._at]
        head = f"{one_line(info['id'])}\n{homely(one_line(info['cwd']))}\n\n"
        return head + self._previews.get(info["path"], "…")

    def _load_preview(self) -> None:
        if self._shown and (path := self._shown[self._at]["path"]) not in self._previews:
            self._app.create_background_task(self._read(path))

    async def _read(self, path: str) -> None:
        try:
            self._previews[path] = await self._end_of(path)
        except SessiondError as error:
            self._previews[path] = one_line(error.message)
        self._app.invalidate()

    async def _end_of(self, path: str) -> str:
        call = self._run.daemon.call
        handle = (await call("session/open", path=path, readOnly=True, mustExist=True))["session"]
        items = (await call("session/getView", session=handle, last=_PREVIEWED))["items"]
        await call("session/close", session=handle)
        teller = Teller(Wanted())
        lines = (line for item in items for line in teller.lines(item))
        return "\n".join(f"{' ' * line.indent}{line.text.plain}" for line in lines)
