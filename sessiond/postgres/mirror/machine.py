"""The machine on which this process runs, to tell hosts apart that have the same name."""

from __future__ import annotations

import hmac
import re
import subprocess
from contextlib import suppress
from pathlib import Path

_FILE = Path("/etc/machine-id")
_MACOS = ("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice")
_ID = re.compile(rb"[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}")


def machine() -> str | None:
    """The id of this machine, or None if the system has none; blocking.

    A digest, because machine-id(5) asks programs to keep the id itself to themselves.
    """
    text = b""
    with suppress(OSError):
        text = _FILE.read_bytes()
    if not text:
        with suppress(OSError):
            # Words of our own.
            text = subprocess.run(_MACOS, capture_output=True, check=False).stdout  # noqa: S603
    match = _ID.search(text)
    return None if match is None else hmac.digest(match[0], b"sessiond", "sha256").hex()[:32]
