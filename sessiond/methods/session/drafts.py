"""Publish answers in progress."""

from __future__ import annotations

from sessiond_protocol.session.drafts import PublishDraftParams

from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, turn
from sessiond.methods.session.append import raw_of


async def publish_draft(client: Client, params: PublishDraftParams) -> None:
    message = raw_of(params.message)
    async with turn(client, params.session) as view:
        view.check_writable()
        if message is None or message == b"null":
            client.engine.drafts.end(view, view.document)
        else:
            client.engine.drafts.publish(view, message)


METHODS: dict[str, Handler] = {"session/publishDraft": publish_draft}
