"""`sessiond help rpc`: the methods of the daemon."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.markdown import Markdown
from sessiond_protocol import openrpc, reference

from sessiond.text.spans import loads


def explain(names: Sequence[str]) -> None:
    """Print the sections of methods, notifications and objects; without names a list of methods.

    Raises UsageError for an unknown name.
    """
    document = loads(openrpc.document())
    if not names:
        methods = document["methods"]
        width = max(len(method["name"]) for method in methods)
        for method in methods:
            click.echo(f"{method['name']:{width}}  {method['summary']}")
        return
    for name in names:
        _print(_section(document, name))


def _section(document: reference.Document, name: str) -> str:
    section = reference.method_section(document, name)
    if section is not None:
        objects = reference.objects_of(document, name)
        about = (reference.object_section(document, each) for each in objects)
        return "\n".join([section, *filter(None, about)])
    section = reference.object_section(document, name)
    if section is None:
        known = [method["name"] for method in document["methods"]]
        known += document["components"]["schemas"]
        similar = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {similar[0]}?" if similar else "; `sessiond help rpc` lists them"
        raise click.UsageError(f"no such method or object: {name}{hint}")
    return section


def _print(markdown: str) -> None:
    if sys.stdout.isatty():
        Console().print(Markdown(markdown, hyperlinks=False))
    else:
        click.echo(markdown)
