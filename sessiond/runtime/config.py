"""Settings from the command line and its environment variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

from sessiond.runtime import limits


@attrs.frozen(slots=False)
class EngineConfig:
    """Settings of the engine."""

    lock_timeout: float = limits.LOCK_TIMEOUT
    """Seconds."""
    cache_bytes: int = limits.CACHE_BYTES
    """Bytes of session text kept in memory without an open handle."""
    catalog_cache: bool = True
    """Whether summaries and the search index are kept on disk for the next daemon."""
    is_brief: bool = False
    """Whether the process serves one command, and prepares nothing for later requests."""
    watch: Literal["native", "polling", "off"] = "native"
    store: str | None = None
    """The URL of a PostgreSQL database that has the sessions; None: they are files."""
    store_durability: Literal["server", "relaxed"] = "server"
    """Whether an append waits as the server is configured, or not for its disk."""


@attrs.frozen(slots=False)
class ClientConfig:
    """Settings of one client's connection."""

    profile: str = "pi"
    agent_dir: str | None = None
    agent_id: str | None = None
    """The agent of a gateway profile; None: `main`, and lists show the sessions of all agents."""
    all_agents: bool = False
    """Whether lists, searches and usage are of all agents that have sessions here."""
    roots: Sequence[str] | None = None
    """The directories that must contain every path; None: all paths are allowed."""
    read_only: bool = False
    framing: Literal["auto", "header", "line"] = "auto"
    max_message: int = limits.MAX_MESSAGE_BYTES


@attrs.frozen(slots=False)
class Config(EngineConfig, ClientConfig):
    """Settings of a daemon with one client, from the command line."""

    log_level: str = "warning"
    log_file: str | None = None


@attrs.frozen(slots=False)
class McpConfig(Config):
    """Settings of `sessiond mcp`: a server of the Model Context Protocol."""

    everywhere: bool = False
    """Whether to show sessions of all directories, not only of the working directory's project."""
    mask: bool = True
    """Whether to mask secrets of known forms."""
