"""Mark sessions: the work of `pin`, `hide`, `tag` and their opposites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sessiond.cli.astext import marks_text
from sessiond.cli.running import Run


async def set_marks(run: Run, sessions: Sequence[str], **marks: Any) -> None:
    """Set marks of sessions, and say which they have now; no session file changes."""
    paths = [await run.path(session) for session in sessions]
    answer = await run.answer("catalog/setMarks", paths=paths, **marks)
    if not run.json:
        for session, now in zip(sessions, answer["marks"], strict=True):
            run.tell(f"{session}: {marks_text(now) or 'no marks'}")
