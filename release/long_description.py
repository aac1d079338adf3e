"""The README with absolute links, as the package index shows it: a hook of the build.

In the repository its links are relative, so that they work in every checkout and on every branch.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "https://github.com/sessiond/sessiond"
_IMAGE = re.compile(r"(!\[[^\]]*\]\()(?!https?:)([^)\s]+)\)")
_LINK = re.compile(r"(\]\()(?!https?:|#)([^)\s]+)\)")


class LongDescription(MetadataHookInterface):
    """Sets `readme`, which the project declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_absolute_links(text)}


def with_absolute_links(text: str) -> str:
    """Return Markdown whose links and images lead into the repository from anywhere."""
    text = _IMAGE.sub(rf"\1{REPOSITORY}/raw/main/\2)", text)
    return _LINK.sub(rf"\1{REPOSITORY}/blob/main/\2)", text)
