"""The classes of results, entries, messages, content blocks and notifications."""

from __future__ import annotations

from sessiond_client.generated import contract as _generated
from sessiond_client.generated.contract import *  # noqa: F403 - all names of the contract

__all__ = _generated.__all__
