"""`sessiond import`: bring session files into the agent's directory."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from sessiond.catalog.moving_files import Arriving
from sessiond.cli.command import command, flag
from sessiond.cli.running import FAILED, Run
from sessiond.cli.values import NotEmpty
from sessiond.files import journal
from sessiond.files.identity import read_file
from sessiond.format.ids import new_session_id
from sessiond.runtime.errors import SessiondError


@command("import")
@click.argument("files", type=NotEmpty("file"), nargs=-1, required=True)
@click.option("--cwd", metavar="DIR", help="The directory that they belong to from now on.")
@flag("--new-id", text="Give each an id of its own.")
async def main(run: Run, files: Sequence[str], cwd: str | None, new_id: bool) -> int:
    """Copy session files to where the agent looks for them.

    Their bytes stay as they are, but for what the options change. `-` is standard input.
    """
    run.here.expect_writable()
    run.here.refuse("import", files[0])
    failed = False
    sessions = (await run.daemon.call("session/listAll"))["sessions"]
    paths = {info["id"]: info["path"] for info in reversed(sessions)}
    for file in files:
        try:
            _import(run, file, cwd, paths, new_id=new_id)
        except SessiondError as error:
            failed = True
            run.tell(f"sessiond: {error.message}")
    return FAILED if failed else 0


def _import(run: Run, file: str, cwd: str | None, paths: dict[str, str], *, new_id: bool) -> None:
    """Copy a file; `paths` are the paths of sessions by their ids, to which it is added."""
    places = run.here.client.places
    name = "standard input" if file == "-" else places.path(file)
    members = {} if cwd is None else {"cwd": places.cwd(cwd)}
    if new_id:
        members["id"] = new_session_id()
    arriving = Arriving.of(name, _read(file, name), **members)
    session_id = members.get("id", arriving.header.id)
    belongs_to = places.cwd(arriving.cwd or None)
    directory, _ = places.directory(belongs_to, None)
    places.check_creating(directory)
    if session_id in paths:
        raise click.ClickException(
            f"{name}: a session with this id exists: {paths[session_id]};"
            " --new-id gives the copy another"
        )
    target = places.directories.new_path(belongs_to, session_id, arriving.header.timestamp)
    places.roots.check(target)
    journal.create(target, [arriving.data], settled=True)
    paths[session_id] = target
    if run.json:
        content = {"id": session_id, "path": target, "cwd": belongs_to}
        run.screen.raw(json.dumps(content).encode())
    else:
        run.screen.raw(session_id.encode(errors="replace"))
    run.tell(f"imported: {target}")
    if not is_directory(belongs_to):
        run.tell(f"its directory {belongs_to} does not exist here; --cwd names another")


def is_directory(path: str) -> bool:
    """Return whether a directory exists, if it may be looked at."""
    from sessiond.files import disk

    try:
        return disk.isdir(path)
    except (OSError, ValueError, SessiondError):
        return False


def _read(file: str, path: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    return read_file(path)
