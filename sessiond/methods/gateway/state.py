"""What the methods of CoderClaw's session layer work on, beside what all methods do."""

from __future__ import annotations

import attrs

from sessiond.gateway.store.store import Stores
from sessiond.gateway.transcripts.ends import Glimpses
from sessiond.notify.gateway import GatewayNotices


@attrs.define(eq=False)
class Gateway:
    """The stores in use, what is known of their transcripts, and who follows them."""

    stores: Stores
    notices: GatewayNotices
    glimpses: Glimpses = attrs.field(factory=Glimpses)
