"""`sessiond copy`: write a session to another machine, over ssh."""

from __future__ import annotations

import asyncio
import shlex
import sys

import click

from sessiond.agents.sessions import recognize
from sessiond.catalog import copying
from sessiond.cli.astext import homely
from sessiond.cli.command import command, flag, session
from sessiond.cli.running import FAILED, Run
from sessiond.cli.values import NotEmpty
from sessiond.files.identity import read_file
from sessiond.format.describe.secrets import masked_line


@command("copy", as_json=False)
@session()
@click.argument("target", type=NotEmpty("target"))
@click.option(
    "--program",
    default="sessiond",
    metavar="PATH",
    help="How sessiond is called there (default sessiond).",
)
@flag("--mask", text="Mask keys and passwords of known forms.")
@flag("--new-id", text="Give the copy an id of its own.")
async def main(
    run: Run, session: str, target: str, *, program: str, mask: bool, new_id: bool
) -> int:
    """Copy a session to another machine, over ssh.

    TARGET is HOST: or HOST:DIR, the directory there; by default the session's own, with `~` for the
    home there. sessiond must be installed on HOST.
    """
    host, colon, directory = target.partition(":")
    if not colon or not host or host.startswith("-"):
        raise click.UsageError(f"{target} is not HOST: or HOST:DIRECTORY")
    run.here.refuse("copy", session)
    state = await run.open(session)
    data = await _content(state["sessionFile"])
    if mask:
        data = b"\n".join(map(masked_line, data.split(b"\n")))
    agent = run.agent_of(state["sessionFile"])
    name = run.profile if agent.is_read_only else agent.name
    # A directory below the home of this user is one below the home of the other.
    words = [program, "--profile", name, "import", "-", "--cwd", directory or homely(state["cwd"])]
    words += ["--new-id"] if new_id else []
    command = ["ssh", "-T", "--", host, shlex.join(words)]
    sys.stdout.flush()
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
    except ValueError:
        # NUL or a lone surrogate.
        raise click.ClickException(
            f"the session's directory {state['cwd']} is not a valid name; name another one with"
            f" {host}:DIR"
        ) from None
    except OSError as error:
        raise click.ClickException(f"ssh: {error.strerror}") from None
    await process.communicate(data)
    if process.returncode:
        run.tell(f"sessiond: {host}: `{program} import` ended with code {process.returncode}")
        return FAILED
    return 0


async def _content(path: str) -> bytes:
    """Return the bytes of a session as a file that pi reads."""
    if recognize(path) is not None:
        content = await copying.pull(path)
        return b"".join(content.lines)
    return read_file(path)
