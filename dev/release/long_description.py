"""The README as the package index shows it: a hook of the build.

In the repository its links are relative, so that they work in every checkout and on every branch.
The index has no files beside it: links become absolute if `[project.urls]` names a `Repository`,
else they become plain text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_IMAGE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)\s]+)\)")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")


class LongDescription(MetadataHookInterface):
    """Sets `readme`, which the project declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text("utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        shown = without_relative_links(text, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def without_relative_links(text: str, repository: str | None) -> str:
    """Return Markdown that needs no files beside it."""
    if repository is None:
        return _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _IMAGE.sub(rf"![\1]({repository}/raw/main/\2)", text)
    return _LINK.sub(rf"[\1]({repository}/blob/main/\2)", text)
