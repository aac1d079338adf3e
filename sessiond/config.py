"""What the daemon was started with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

from sessiond import limits


@attrs.frozen
class Config:
    """Settings of one daemon, from the command line and its variables."""

    profile: str = "pi"
    agent_dir: str | None = None
    agent_id: str = "main"
    roots: Sequence[str] | None = None
    """Directories that confine every path; None: no confinement."""
    read_only: bool = False
    framing: Literal["auto", "header", "line"] = "auto"
    max_message_bytes: int = limits.MAX_MESSAGE_BYTES
    lock_timeout: float = limits.LOCK_TIMEOUT
    """Seconds."""
    cache_bytes: int = limits.CACHE_BYTES
    """Bytes of session text kept hot without an open handle."""
    catalog_cache: bool = True
    """Whether what is learned of session files is kept from one daemon to the next."""
    watch: Literal["native", "polling", "off"] = "native"
    log_level: str = "warning"
    log_file: str | None = None
