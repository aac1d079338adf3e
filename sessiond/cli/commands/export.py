"""`sessiond export`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from sessiond.cli.command import choice, command, flag, for_others, leaf, session
from sessiond.cli.running import Run
from sessiond.cli.values import NotEmpty

_FORMATS = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "markdown",
    ".jsonl": "jsonl",
}


@command("export", as_json=False, shares=True, alone_with=("output",))
@session()
@choice(
    "--format",
    "kind",
    among=["html", "markdown", "jsonl"],
    text="Default: by the extension of FILE, else markdown.",
)
@click.option(
    "-o",
    "--output",
    type=NotEmpty("file"),
    metavar="FILE",
    help="Write to FILE; default and `-`: standard output.",
)
@leaf()
@for_others()
@flag("--force", text="Replace FILE even if it is no page and no Markdown of an export.")
@flag("--exact", text="jsonl: with the session's own id, as pi exports it.")
async def main(
    run: Run,
    *,
    session: str,
    kind: str | None,
    output: str | None,
    leaf: str | None,
    mask: bool,
    mask_also: Sequence[str],
    conversation: bool,
    force: bool,
    exact: bool,
) -> None:
    """Export a branch as a page, as text, or as a session file."""
    target = None if output in (None, "-") else output
    if target is not None:
        ending = os.path.splitext(target)[1].lower()
        if kind is None and ending not in _FORMATS:
            raise click.UsageError(
                f"{target} has no known file extension; add --format html, markdown or jsonl"
            )
        kind = kind or _FORMATS[ending]
        target = checked(target)
    from_id = None
    if leaf is not None:
        from sessiond.cli.entry_names import entry_id

        state = await run.open(session)
        from_id = await entry_id(run, state["session"], leaf)
    answer = await run.daemon.call(
        "catalog/export",
        path=await run.path(session),
        format=kind or "markdown",
        outputPath=target,
        leafId=from_id,
        **masking(mask=mask, also=mask_also),
        conversation=conversation,
        force=force,
        ownId=not exact,
    )
    tell_secrets(run, answer, mask=mask)
    if "path" in answer:
        run.screen.raw(os.fsencode(answer["path"]))
    else:
        run.screen.raw(answer["content"].encode(errors="replace"), b"")


def masking(*, mask: bool, also: Sequence[str]) -> Mapping[str, Any]:
    """Return the params of `catalog/export` that say what is masked. Raises UsageError."""
    if also and not mask:
        raise click.UsageError("--mask-also goes with --mask")
    return {"mask": mask, "maskAlso": list(also)}


def tell_secrets(run: Run, answer: Mapping[str, Any], *, mask: bool) -> None:
    """Print in how many entries of an export there are secrets of known forms."""
    count = answer.get("secrets", 0)
    entries = "1 entry" if count == 1 else f"{count:,} entries"
    if count and mask:
        run.tell(f"masked keys or passwords in {entries}; other secrets may be left")
    elif count:
        has = "has" if count == 1 else "have"
        run.tell(f"sessiond: {entries} {has} what looks like keys or passwords; --mask hides them")


def checked(target: str) -> str:
    """The absolute path of a file to write. Raises ClickException if it is certainly a mistake."""
    from sessiond.runtime.home import absolute, environment

    path = absolute(target, environment())
    if not os.path.isdir(os.path.dirname(path)):
        # The directory could be created, but a user has probably mistyped it.
        raise click.ClickException(f"the directory {os.path.dirname(path)} does not exist")
    if os.path.isdir(path):
        raise click.ClickException(f"{path} is a directory")
    return path
