"""Generate `docs/reference.md`: params, result, errors and an example of each method."""

from __future__ import annotations

import json
from typing import Any

from sessiond_protocol.reference import method_section, object_section
from sessiond_protocol.wire import SCHEMAS

PAGE = "docs/reference.md"

_HEAD = """\
# Reference

Look up the params, the result and the errors of each method, and the objects they are made of.
`?` marks what may be absent. `sessiond help rpc METHOD` prints the same, and
`sessiond call METHOD PARAMS` calls a method. [methods.md](methods.md) lists all methods on one
page; [protocol.md](protocol.md) has the rules of the conversation. `make generate` writes this
page.

<!-- methods -->
"""


def outputs(document: dict[str, Any]) -> dict[str, str]:
    names = [method["name"] for method in document["methods"]]
    schemas = document["components"]["schemas"]
    # The params and the result of a method are tables of its section.
    inner = json.dumps([schemas, [method["params"] for method in document["methods"]]])
    objects = [name for name in schemas if f'"{SCHEMAS}{name}"' in inner]
    sections = [method_section(document, name) for name in names]
    parts = [_HEAD, "\n## Methods and notifications\n\n", "\n".join(filter(None, sections))]
    about = [object_section(document, name) for name in objects]
    parts += ["\n## Objects\n\n", "\n".join(filter(None, about)), "\n<!-- /methods -->\n"]
    return {PAGE: "".join(parts)}
