"""`sessiond list`, `show` and so on: looking at sessions from the shell."""

from __future__ import annotations

from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from sessiond.cli.common import FOUND_PROBLEMS, Run, command
from sessiond.cli.output import age, clean, entry_lines, one_line, size, table

_EPILOG = (
    "Exit codes: 0 done, 1 nothing found or problems found, 2 wrong usage, 3 failed. A SESSION is a"
    " path, a session id, or the beginning of one. Without a command sessiond serves JSON-RPC on"
    " stdio; `sessiond --help` shows the options of that."
)


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
def people() -> None:
    """Look at coding-agent sessions, and look after them."""


def _where(cwd: str | None, everything: bool) -> tuple[str, dict[str, Any]]:
    if everything:
        return "session/listAll", {}
    return "session/list", {"cwd": cwd or "."}


@people.command("list")
@click.option("--cwd", metavar="DIR", help="Sessions of DIR instead of the current directory.")
@click.option("--all", "everything", is_flag=True, help="Sessions of all directories.")
@click.option("--named", is_flag=True, help="Only sessions with a name.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N sessions.")
@command
async def list_sessions(
    run: Run, cwd: str | None, everything: bool, named: bool, limit: int | None
) -> int:
    """List sessions, the latest first."""
    method, scope = _where(cwd, everything)
    if run.json:
        click.echo(await run.daemon.call_raw(method, **scope, named=named, limit=limit))
        return 0
    listed = await run.daemon.call(method, **scope, named=named, limit=limit)
    columns = ["AGE", "MESSAGES", "SIZE", "ID", *(["DIRECTORY"] if everything else []), "TITLE"]
    table(
        run.console,
        columns,
        (
            [
                age(info["modified"]),
                str(info["messageCount"]),
                size(info["sizeBytes"]),
                info["id"],
                *([info["cwd"]] if everything else []),
                info.get("name") or info["firstMessage"],
            ]
            for info in listed["sessions"]
        ),
    )
    return 0 if listed["sessions"] else FOUND_PROBLEMS


@people.command()
@click.argument("session")
@click.option("--leaf", metavar="ENTRY", help="The branch that ends with this entry.")
@command
async def show(run: Run, session: str, leaf: str | None) -> None:
    """Print the conversation of the current branch."""
    state = await run.open(session)
    params = {"session": state["session"], "fromId": leaf}
    if run.json:
        click.echo(await run.daemon.call_raw("session/getBranch", **params))
        return
    title = state.get("name") or state["sessionId"]
    run.console.print(Text(clean(title), style="bold underline"))
    for entry in (await run.daemon.call("session/getBranch", **params))["entries"]:
        for line in entry_lines(entry):
            run.console.print(line)


@people.command()
@click.argument("session")
@command
async def tree(run: Run, session: str) -> None:
    """Draw the tree of a session; the current leaf is marked."""
    state = await run.open(session)
    params = {"session": state["session"], "detail": "outline"}
    if run.json:
        click.echo(await run.daemon.call_raw("session/getTree", **params))
        return
    outline = await run.daemon.call("session/getTree", **params)
    title = Text(clean(state.get("name") or state["sessionId"]), style="bold")
    if run.console.is_terminal:
        run.console.print(_drawn(outline, state["leafId"], title))
        return
    for node, depth in _walk(outline):
        run.console.print("  " * depth + _node(node, state["leafId"]))


def _walk(outline: dict[str, Any]) -> list[tuple[dict[str, Any], int]]:
    """Nodes in reading order; a chain stays in its column, branches go one further in."""
    nodes = {node["id"]: node for node in outline["nodes"]}
    todo = [(root, 0) for root in reversed(outline["roots"])]
    found = []
    while todo:
        node_id, depth = todo.pop()
        node = nodes[node_id]
        found.append((node, depth))
        deeper = depth + (len(node["children"]) > 1)
        todo += [(child, deeper) for child in reversed(node["children"])]
    return found


def _drawn(outline: dict[str, Any], leaf: str | None, title: Text) -> Tree:
    root = Tree(title, guide_style="dim")
    columns = [root]
    for node, depth in _walk(outline):
        del columns[depth + 1 :]
        columns.append(columns[depth].add(Text(_node(node, leaf), no_wrap=True)))
    return root


def _node(node: dict[str, Any], leaf: str | None) -> str:
    mark = "* " if node["id"] == leaf else ""
    label = f" [{node['label']}]" if "label" in node else ""
    return one_line(
        f"{mark}{node['id']} {node.get('role') or node['type']}: {node['preview']}{label}"
    )


@people.command()
@click.argument("session")
@click.option(
    "-n", "--lines", "count", default=10, type=click.IntRange(0), help="Entries to begin with."
)
@click.option("-f", "--follow", is_flag=True, help="Go on as the session grows, until interrupted.")
@command
async def tail(run: Run, session: str, count: int, follow: bool) -> None:
    """Print the last entries of a session, and what is added."""
    state = await run.open(session)
    handle = {"session": state["session"]}
    entries = (await run.daemon.call("session/getEntries", **handle))["entries"]
    for entry in entries[len(entries) - count :] if count else []:
        _print(run, entry)
    while follow:
        method, told = await run.daemon.told.get()
        if method != "session/didChange":
            continue
        if told["kind"] != "appended":
            run.console.print(Text(f"· the file was {told['kind']}", style="dim"))
        for new in told.get("entries", ()):
            answer = await run.daemon.call("session/getEntry", **handle, id=new["id"])
            if answer["entry"] is not None:
                _print(run, answer["entry"])


def _print(run: Run, entry: dict[str, Any]) -> None:
    if run.json:
        run.console.print_json(data=entry, indent=None)
        return
    for line in entry_lines(entry):
        run.console.print(line)


@people.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands: `eval "$(sessiond completion bash)"`."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - seldom needed

    made = get_completion_class(shell)
    assert made is not None, "click knows the three shells"  # noqa: S101
    click.echo(made(people, {}, "sessiond", "_SESSIOND_COMPLETE").source())
