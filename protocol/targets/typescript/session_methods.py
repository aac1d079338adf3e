"""Generate the methods of an open session for the TypeScript client."""

from __future__ import annotations

from targets.model import Contract, Method
from targets.reach import names_in
from targets.typescript.function import HELPERS, function_of, names_of
from targets.typescript.spelling import HEADER, camel


def session_methods(contract: Contract) -> str:
    """Return a class with the methods that require the handle of a session."""
    found = [method for method in contract.requests if method.needs("session")]
    used = {method.params for method in found if method.params and len(method.members) > 1}
    used |= {name for method in found if method.result for name in names_in(method.result)}
    used |= {name for method in found for name in names_of(contract, method, without="session")}
    lines = [
        HEADER,
        'import type { CallOptions } from "../call-options.js";',
        f'import {{ {", ".join(HELPERS)} }} from "../short-form.js";',
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
        lines += ["", *function_of(contract, method, _name(method), without="session")]
    return "\n".join([*lines, "}"]) + "\n"


def _name(method: Method) -> str:
    """Return `appendMessage` for `session/appendMessage`; other families keep their name."""
    whole = camel(method)
    if method.words[0] != "session":
        return whole
    rest = whole.removeprefix("session")
    return rest[0].lower() + rest[1:]
