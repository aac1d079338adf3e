"""Build the key of a session from its channel, account, peer and thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.dialect import USUAL, Dialect
from sessiond.gateway.keys.identity import UNKNOWN, normal_account_id, normal_main_key, token, trim
from sessiond.gateway.keys.session_key import folded

DmScope = Literal["main", "per-peer", "per-channel-peer", "per-account-channel-peer"]
PeerKind = Literal["direct", "group", "channel"]

_LARGEST_INDEX = 2**32 - 2


@attrs.frozen
class Peer:
    """The peer of a conversation."""

    channel: str | None = None
    account_id: str | None = None
    kind: PeerKind = "direct"
    id: str | None = None


def peer_key(
    agent_id: str,
    peer: Peer,
    *,
    main_key: str | None = None,
    dm_scope: DmScope = "main",
    links: Mapping[str, Sequence[str]] | None = None,
    dialect: Dialect = USUAL,
) -> str:
    """The key of a conversation. `links` map a name to ids, with or without their channel.

    Direct messages share the agent's main key unless `dm_scope` separates them.
    """
    agent = f"agent:{normal_agent_id(agent_id)}"
    channel = token(peer.channel) or UNKNOWN
    if peer.kind != "direct":
        return folded(f"{agent}:{channel}:{peer.kind}:{trim(peer.id or '') or UNKNOWN}", dialect)
    if dm_scope != "main":
        who = token(_linked(peer, links or {}) or peer.id)
        if who:
            scoped = {
                "per-peer": "",
                "per-channel-peer": f":{channel}",
                "per-account-channel-peer": f":{channel}:{normal_account_id(peer.account_id)}",
            }
            return f"{agent}{scoped[dm_scope]}:direct:{who}"
    return f"{agent}:{normal_main_key(main_key)}"


def thread_key(
    base: str,
    thread_id: str | None,
    parent: str | None = None,
    *,
    use_suffix: bool = True,
    dialect: Dialect = USUAL,
) -> tuple[str, str | None]:
    """The key of a thread in a conversation, and its parent's key; None without a thread.

    Discord's threads have ids of their own and need no suffix.
    """
    thread = trim(thread_id or "")
    if not thread:
        return base, None
    if not use_suffix:
        return base, parent
    key = f"{base}:thread:"
    return key + folded(key + thread, dialect)[len(key) :], parent


def _linked(peer: Peer, links: Mapping[str, Sequence[str]]) -> str | None:
    who, channel = token(peer.id), token(peer.channel)
    if not who:
        return None
    candidates = {who, f"{channel}:{who}"} if channel else {who}
    for name in sorted(links, key=_object_order):
        if trim(name) and any(token(each) in candidates for each in links[name]):
            return trim(name)
    return None


def _object_order(name: str) -> int:
    """The rank of a member in JavaScript: array indices first; a stable sort keeps the others."""
    plain = name.isascii() and name.isdigit() and (name == "0" or name[0] != "0")
    at = int(name) if plain and len(name) <= 10 else _LARGEST_INDEX + 1
    return min(at, _LARGEST_INDEX + 1)
