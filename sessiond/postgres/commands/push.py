"""`sessiond push`: store a session file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sessiond.cli.command import flag, standalone
from sessiond.cli.values import NotEmpty
from sessiond.postgres.commands.with_store import url, with_store
from sessiond.runtime.home import absolute, environment

if TYPE_CHECKING:
    from sessiond.postgres.store import DatabaseStore


@standalone("push")
@click.argument("file", type=NotEmpty("file"))
@url("--to", "The store (SESSIOND_STORE).")
@click.option("--namespace", metavar="NAME", help="Where to store it (default: default).")
@flag("--mask", text="Mask keys and passwords of known forms in the copy.")
def main(*, url: str, file: str, namespace: str | None, mask: bool) -> int:
    """Store a copy of a session file, which every host can continue."""

    async def work(store: DatabaseStore) -> int:
        from sessiond.postgres.mirror import moving, origin
        from sessiond.postgres.names import DEFAULT_NAMESPACE, StoreName

        path = absolute(file, environment())
        name = StoreName(origin.checked(namespace or DEFAULT_NAMESPACE), origin.key_of(path))
        if await moving.push(store.database, path, name, masks=mask):
            store.bell.ring(name)
        click.echo(str(name))
        return 0

    return with_store(url, work)
