"""Generate the methods of an open session for the TypeScript client."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from targets.model import Contract, Method
from targets.typescript.shapes import names_in
from targets.typescript.spelling import HEADER, camel, doc_of, type_of


def session_methods(contract: Contract) -> str:
    """Return a class with the methods that require the handle of a session."""
    found = [method for method in contract.requests if _requires_session(method)]
    used = {method.params for method in found if method.params and len(method.members) > 1}
    used |= {name for method in found if method.result for name in names_in(method.result)}
    lines = [
        HEADER,
        'import type { CallOptions } from "../call-options.js";',
        "import type {",
        *(f"  {name}," for name in sorted(used)),
        '} from "./types.js";',
        "",
        "/** The methods of an open session; they send its handle. */",
        "export abstract class SessionMethods {",
        "  protected abstract call(",
        "    method: string,",
        "    params: object,",
        "    options: CallOptions | undefined,",
        "  ): Promise<unknown>;",
    ]
    for method in found:
        lines += ["", *_function(method)]
    return "\n".join([*lines, "}"]) + "\n"


def _requires_session(method: Method) -> bool:
    return any(member.name == "session" and member.required for member in method.members)


def _function(method: Method) -> Iterator[str]:
    throws = "".join(f"\n@throws {error}" for error in method.errors)
    yield textwrap.indent(doc_of(f"{method.doc}\n\n`{method.name}`{throws}"), "  ").rstrip("\n")
    result = type_of(method.result) if method.result else "null"
    returned = "void" if result == "null" else result
    others = [member for member in method.members if member.name != "session"]
    yield f"  {_name(method)}("
    if others:
        default = "" if any(member.required for member in others) else " = {}"
        yield f'    params: Omit<{method.params}, "session">{default},'
    yield "    options?: CallOptions,"
    yield f"  ): Promise<{returned}> {{"
    params = "params" if others else "{}"
    call = f"this.call({json.dumps(method.name)}, {params}, options)"
    yield f"    return {call} as Promise<{returned}>;"
    yield "  }"


def _name(method: Method) -> str:
    """Return `appendMessage` for `session/appendMessage`; other families keep their name."""
    whole = camel(method)
    if method.words[0] != "session":
        return whole
    rest = whole.removeprefix("session")
    return rest[0].lower() + rest[1:]
