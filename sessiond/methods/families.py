"""The families of methods and their packages."""

from __future__ import annotations

import attrs


@attrs.frozen
class Family:
    """Methods with a common prefix, whose packages are imported together."""

    methods: str
    """The package whose `load` function returns the methods."""
    contract: str
    """The module whose METHODS describe them."""


SESSION = Family("sessiond.methods.session", "sessiond_protocol.session.table")

AT_START = (
    Family("sessiond.methods.connection", "sessiond_protocol.connection.table"),
    SESSION,
)

ON_FIRST_USE = {
    "context/": Family("sessiond.methods.context", "sessiond_protocol.context.table"),
    "catalog/": Family("sessiond.methods.catalog", "sessiond_protocol.catalog.table"),
    "gateway/": Family("sessiond.methods.gateway", "sessiond_protocol.gateway.table"),
}
"""Method prefixes whose packages are imported on first use.

Importing them would take a fifth of the start-up time, and many clients use none of them.
"""
