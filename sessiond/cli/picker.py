"""Choose sessions on the terminal: an input line, the list, a preview, and keys that act."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NamedTuple
from uuid import uuid4

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    DynamicContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.output import create_output
from prompt_toolkit.styles import Style
from rich.text import Text

from sessiond.cli.astext import homely, one_line, title, undone
from sessiond.cli.hits import NOTHING_SAID, Said, best_snippet, words_of
from sessiond.cli.picking import Choice, Columns, Info, choices, counts, marked, row
from sessiond.cli.running import Run
from sessiond.cli.terminal import hanging
from sessiond.cli.transcript import Detail, Teller
from sessiond.runtime.errors import InvalidParams, SessiondError

_PREVIEWED = 60
"""Number of entries in the preview of a session."""
_PAUSE = 0.15
"""Seconds without typing until what was said is searched."""
_MOST_FOUND = 200
_BESIDE = 90
"""Least width in cells at which the preview is beside the list and not below it."""
_STYLE = Style.from_dict(
    {"hit": "bold ansired", "dim": "ansibrightblack", "chosen": "bold ansigreen"}
)

_KEYS = """\
↑ ↓  Ctrl-P Ctrl-N  Ctrl-K Ctrl-J   up and down
PageUp PageDown Home End            pages, the first, the last
Tab                                 choose several
Enter                               take the session, or all chosen ones
Shift-↑ Shift-↓  Ctrl-B Ctrl-F      scroll the preview
Ctrl-T                              preview on and off
Ctrl-R                              resume it
Ctrl-G                              fork it: a copy beside it
Ctrl-O                              open its page in the browser
Ctrl-E                              rename it
Ctrl-X                              delete it, or all chosen ones
Ctrl-S                              pin it, or all chosen ones; or unpin them
Ctrl-V                              hide it, or all chosen ones
Ctrl-Z                              undo the last delete or rename
Esc Ctrl-D                          leave
Ctrl-C                              leave with exit code 130

Words are looked for in titles, directories, ids and agents, and in what was said."""


class Picked(NamedTuple):
    """The user's decision: sessions, and a command to run on them instead of the given one."""

    infos: Sequence[Info]
    command: str | None = None


class _Preview(NamedTuple):
    """The lines of a part of a session, and the number of the first one to show."""

    lines: list[str]
    start: int = 0


class Picker:
    """The user interface. `reload` returns the sessions to choose from."""

    def __init__(
        self, run: Run, sessions: Sequence[Info], reload: Callable[[], Awaitable[Sequence[Info]]]
    ) -> None:
        self.interrupted = False
        """Whether the picker was ended by Ctrl-C."""
        self._run = run
        self._reload = reload
        self._sessions = sessions
        self._said: dict[str, Said] = {}
        self._choices = choices(sessions, "")
        self._at = 0
        self._chosen: dict[str, Info] = {}
        self._previews: dict[tuple[str, str], _Preview] = {}
        """By path and the entry that was found, which may be empty."""
        self._scroll = 0
        self._has_preview = True
        self._has_help = False
        self._message = ""
        self._searching: asyncio.Task[None] | None = None
        self._query = Buffer(multiline=False, on_text_changed=lambda _: self._typed())
        self._name: Buffer | None = None
        """The new name while one is typed."""
        self._rows = Window(FormattedTextControl(self._lines, show_cursor=False))
        self._preview = Window(FormattedTextControl(self._previewed))
        self._input = Window(BufferControl(self._query))
        # Standard output may be a pipe: `sessiond show $(sessiond pick)`.
        self._output = create_output(always_prefer_tty=True)
        self._app: Application[Picked | None] = Application(
            layout=Layout(DynamicContainer(self._windows), focused_element=self._input),
            key_bindings=self._keys(),
            full_screen=True,
            style=_STYLE,
            output=self._output,
            input=create_input(always_prefer_tty=True),
        )

    async def run(self) -> Picked | None:
        """Return what was chosen; None if the user chose nothing."""
        try:
            return await self._app.run_async(pre_run=self._moved)
        finally:
            if self._searching is not None:
                self._searching.cancel()
                with suppress(asyncio.CancelledError):
                    await self._searching

    # What is drawn.

    @property
    def _size(self) -> tuple[int, int]:
        size = self._output.get_size()
        return size.columns, size.rows

    def _windows(self) -> HSplit:
        prompt = "> " if self._name is None else "new name: "
        top = VSplit(
            [Window(FormattedTextControl(prompt), width=len(prompt)), self._input], height=1
        )
        head = Window(FormattedTextControl(counts(self._sessions)), height=1, style="class:dim")
        bottom = Window(FormattedTextControl(self._hint), height=1, style="reverse")
        return HSplit([top, head, self._middle(), bottom])

    def _middle(self) -> HSplit | VSplit | Window:
        if self._has_help:
            return Window(FormattedTextControl(_KEYS))
        if not self._has_preview:
            return self._rows
        if self._is_beside:
            return VSplit([self._rows, Window(width=1, char="│"), self._preview])
        return HSplit([self._rows, Window(height=1, char="─"), self._preview])

    @property
    def _is_beside(self) -> bool:
        return self._size[0] >= _BESIDE

    @property
    def _space(self) -> tuple[int, int]:
        """Width and height of the list in cells."""
        width, height = self._size
        height -= 3
        if self._has_preview and self._is_beside:
            width = (width - 1) // 2
        elif self._has_preview:
            height = (height - 1) // 2
        return width, max(1, height)

    def _hint(self) -> str:
        if self._message:
            return f" {self._message}"
        if self._name is not None:
            return " Enter names the session   Esc leave"
        chosen = f"{len(self._chosen)} chosen, " if self._chosen else ""
        searching = " …" if self._searching is not None and not self._searching.done() else ""
        counts = f"{chosen}{len(self._choices)} of {len(self._sessions)}{searching}"
        return f" {counts}   Enter take   Tab choose   ? keys   Esc leave"

    def _lines(self) -> StyleAndTextTuples:
        width, height = self._space
        first = max(0, self._at - height + 1)
        words = words_of(self._query.text)
        rows = self._choices[first : first + height]
        columns = Columns.of([choice.info for choice in self._choices], width - 2)
        lines: StyleAndTextTuples = []
        for at, choice in enumerate(rows, first):
            style = "reverse" if at == self._at else ""
            mark = "● " if choice.info["path"] in self._chosen else "  "
            lines += [
                (f"{style} class:chosen", mark),
                *row(choice, words, columns, style),
                ("", "\n"),
            ]
        return lines

    def _previewed(self) -> StyleAndTextTuples:
        current = self._current
        if current is None:
            return []
        words = words_of(self._query.text)
        head = [one_line(current.info["id"]), homely(one_line(current.info["cwd"])), ""]
        preview = self._previews.get(_key(current), _Preview(["…"]))
        lines = preview.lines[self._scroll + preview.start :][: self._size[1]]
        # Of a hit in the middle, what is around it matters more than where it is.
        shown = lines if self._scroll + preview.start else [*head, *lines]
        return [
            part
            for line in shown
            for piece in self._wrapped(line)
            for part in (*marked(piece, words), ("", "\n"))
        ]

    def _wrapped(self, line: str) -> list[str]:
        """Break a line at words, to the width of the preview."""
        width = self._size[0]
        if self._is_beside:
            width -= self._space[0] + 1
        indent = len(line) - len(line.lstrip(" "))
        pieces = hanging(self._run.screen.console, Text(line[indent:]), indent, width)
        return [piece.plain for piece in pieces]

    # What was typed.

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        picking = Condition(lambda: self._name is None)

        def add(*names: str, when: Filter = picking) -> Callable[[Callable[[], None]], None]:
            def bound(work: Callable[[], None]) -> None:
                def handle(_event: KeyPressEvent) -> None:
                    self._message, self._has_help = "", False
                    work()

                for name in names:
                    keys.add(name, filter=when, eager=True)(handle)

            return bound

        add("up", "c-p", "c-k")(lambda: self._move(-1))
        add("down", "c-n", "c-j")(lambda: self._move(1))
        add("pageup")(lambda: self._move(-self._space[1]))
        add("pagedown")(lambda: self._move(self._space[1]))
        add("home")(lambda: self._move(-len(self._choices)))
        add("end")(lambda: self._move(len(self._choices)))
        add("s-up")(lambda: self._scroll_by(-1))
        add("s-down")(lambda: self._scroll_by(1))
        add("c-b", "s-pageup")(lambda: self._scroll_by(-self._space[1] + 2))
        add("c-f", "s-pagedown")(lambda: self._scroll_by(self._space[1] - 2))
        add("c-t")(self._switch_preview)
        add("tab")(self._choose)
        add("enter")(lambda: self._take(None))
        add("c-r")(lambda: self._take("resume"))
        add("c-o")(lambda: self._take("open"))
        add("c-g")(lambda: self._act(self._fork))
        add("c-e")(self._ask_name)
        add("c-x")(lambda: self._act(self._delete))
        add("c-s")(lambda: self._act(self._pin))
        add("c-v")(lambda: self._act(self._hide))
        add("c-z")(lambda: self._act(self._undo))
        add("?", when=picking & Condition(lambda: not self._query.text))(self._show_help)
        helping = Condition(lambda: self._has_help)
        add("escape", when=picking & ~helping)(lambda: self._app.exit(result=None))
        add("escape", when=picking & helping)(lambda: None)
        add("c-d")(lambda: self._app.exit(result=None))
        add("escape", when=~picking)(self._end_name)
        add("enter", when=~picking)(lambda: self._act(self._rename))

        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            self.interrupted = True
            event.app.exit(result=None)

        return keys

    @property
    def _current(self) -> Choice | None:
        return self._choices[self._at] if self._choices else None

    def _wanted(self) -> list[Info]:
        """The chosen sessions, else the current one."""
        if self._chosen:
            return list(self._chosen.values())
        return [] if self._current is None else [self._current.info]

    def _show_help(self) -> None:
        self._has_help = True

    def _switch_preview(self) -> None:
        self._has_preview = not self._has_preview

    def _move(self, step: int) -> None:
        self._at = max(0, min(len(self._choices) - 1, self._at + step))
        self._moved()

    def _scroll_by(self, step: int) -> None:
        current = self._current
        preview = None if current is None else self._previews.get(_key(current))
        if preview is not None:
            top = -preview.start
            self._scroll = max(top, min(len(preview.lines) + top, self._scroll + step))

    def _choose(self) -> None:
        current = self._current
        if current is not None and self._chosen.pop(current.info["path"], None) is None:
            self._chosen[current.info["path"]] = current.info
        self._move(1)

    def _take(self, command: str | None) -> None:
        infos = self._wanted()
        if command is not None and len(infos) > 1:
            self._message = f"`{command}` takes one session"
        elif infos:
            self._app.exit(result=Picked(infos, command))

    def _typed(self) -> None:
        self._message = ""
        if self._searching is not None:
            self._searching.cancel()
        self._said = {}
        self._filter()
        if self._query.text.strip():
            self._searching = self._app.create_background_task(self._search(self._query.text))

    def _filter(self) -> None:
        self._choices = choices(self._sessions, self._query.text, self._said)
        self._at = 0
        self._moved()

    async def _search(self, query: str) -> None:
        """Add the sessions in which it was said, shortly after the last key."""
        await asyncio.sleep(_PAUSE)
        try:
            answer = await self._run.daemon.call("catalog/search", query=query, limit=_MOST_FOUND)
        except (SessiondError, InvalidParams) as error:
            self._message = one_line(error.message)
        else:
            words = words_of(query)
            each = ((hit["info"]["path"], best_snippet(hit, words)) for hit in answer["hits"])
            self._said = {path: said for path, said in each if said != NOTHING_SAID}
            kept = None if self._current is None else self._current.info["path"]
            self._filter()
            paths = [choice.info["path"] for choice in self._choices]
            self._at = paths.index(kept) if kept in paths else 0
        self._app.invalidate()

    # What is done.

    def _act(self, work: Callable[[], Awaitable[str]]) -> None:
        self._app.create_background_task(self._acted(work))

    async def _acted(self, work: Callable[[], Awaitable[str]]) -> None:
        """Do something, show the sessions as they are now, and say what was done."""
        try:
            message = await work()
        except (SessiondError, InvalidParams) as error:
            message = str(getattr(error, "message", error))
        at = self._at
        self._sessions = await self._reload()
        paths = {info["path"] for info in self._sessions}
        self._chosen = {path: info for path, info in self._chosen.items() if path in paths}
        self._filter()
        self._at = max(0, min(at, len(self._choices) - 1))
        self._moved()
        self._message = one_line(message)
        self._app.invalidate()

    async def _delete(self) -> str:
        paths = [info["path"] for info in self._wanted()]
        change = uuid4().hex
        for path in paths:
            await self._run.daemon.call("catalog/delete", path=path, change=change)
        what = "1 session" if len(paths) == 1 else f"{len(paths)} sessions"
        return f"moved to the trash: {what}; Ctrl-Z brings back" if paths else ""

    async def _pin(self) -> str:
        infos = self._wanted()
        pinned = not all(info.get("marks", {}).get("pinned") for info in infos)
        return await self._mark(infos, "pinned" if pinned else "unpinned", pinned=pinned)

    async def _hide(self) -> str:
        back = "; `sessiond list --hidden` shows them"
        return await self._mark(self._wanted(), "hidden", back, hidden=True)

    async def _mark(self, infos: Sequence[Info], what: str, more: str = "", **marks: bool) -> str:
        paths = [info["path"] for info in infos]
        if not paths:
            return ""
        await self._run.daemon.call("catalog/setMarks", paths=paths, **marks)
        return f"{what}: {title(infos[0]) if len(infos) == 1 else len(infos)}{more}"

    async def _undo(self) -> str:
        answer = await self._run.daemon.call("catalog/undo")
        problems = [problem["message"] for problem in answer.get("problems", ())]
        return "; ".join([*undone(answer), *problems]) or "nothing is left to undo"

    async def _fork(self) -> str:
        from sessiond.cli.commands.fork import copied

        if self._current is None:
            return ""
        state = await self._run.open_path(self._current.info["path"])
        new = await copied(self._run, state, None, cwd=state["cwd"], quiet=True)
        return f"copied: {new['sessionId']}"

    def _ask_name(self) -> None:
        if self._current is None:
            return
        self._name = Buffer(multiline=False)
        self._name.text = self._current.info.get("name", "")
        self._name.cursor_position = len(self._name.text)
        self._edit(self._name)

    def _end_name(self) -> None:
        self._name = None
        self._edit(self._query)

    def _edit(self, buffer: Buffer) -> None:
        self._input = Window(BufferControl(buffer))
        self._app.layout = Layout(DynamicContainer(self._windows), focused_element=self._input)

    async def _rename(self) -> str:
        name, current = self._name, self._current
        self._end_name()
        if name is None or current is None:
            return ""
        path, change = current.info["path"], uuid4().hex
        await self._run.daemon.call("catalog/rename", path=path, name=name.text, change=change)
        return f"named: {name.text or title(current.info)}"

    # The preview.

    def _moved(self) -> None:
        """Begin to read the preview of the current session."""
        self._scroll = 0
        current = self._current
        if current is not None and _key(current) not in self._previews:
            self._app.create_background_task(self._read(*_key(current)))

    async def _read(self, path: str, entry_id: str) -> None:
        try:
            self._previews[path, entry_id] = await self._preview_of(path, entry_id)
        except SessiondError as error:
            self._previews[path, entry_id] = _Preview([one_line(error.message)])
        self._app.invalidate()

    async def _preview_of(self, path: str, entry_id: str) -> _Preview:
        """Read what is around an entry; without one, the end of the session."""
        call = self._run.daemon.call
        handle = (await call("session/open", path=path, readOnly=True, mustExist=True))["session"]
        around = {"around": entry_id, "limit": _PREVIEWED} if entry_id else {"last": _PREVIEWED}
        items = (await call("session/getView", session=handle, **around))["items"]
        await call("session/close", session=handle)
        teller, lines, start = Teller(Detail()), list[str](), 0
        for item in items:
            if item["entryId"] == entry_id:
                start = len(lines)
            each = teller.lines(item)
            lines += [f"{' ' * line.indent}{line.text.plain}" for line in each]
        return _Preview(lines, start)


def _key(choice: Choice) -> tuple[str, str]:
    return choice.info["path"], choice.said.entry_id
