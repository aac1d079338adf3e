"""Generate the methods of the TypeScript client, and facts about them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from targets.model import Contract, Method
from targets.reach import names_in
from targets.typescript.function import HELPERS, function_of, names_of
from targets.typescript.spelling import HEADER, camel, doc_of, object_of, pascal, type_of

CONNECTION = {"initialize", "initialized", "shutdown", "exit", "$/cancelRequest"}
"""Methods that only the connection itself sends; they get no function."""


def methods(contract: Contract) -> str:
    requests = [each for each in contract.requests if each.name not in CONNECTION]
    events = contract.notifications
    used = {each.params for each in (*requests, *events) if each.params is not None}
    used |= {name for each in requests if each.result for name in names_in(each.result)}
    used |= {name for each in requests for name in names_of(contract, each)}
    lines = [
        HEADER,
        'import type { CallOptions } from "../call-options.js";',
        'import type { Disposable } from "../events.js";',
        f'import {{ {", ".join(HELPERS)} }} from "../short-form.js";',
        "import type {",
        *(f"  {name}," for name in sorted(used)),
        '} from "./types.js";',
        "",
        "/** One function per method, with the name of the method. */",
        "export abstract class Methods {",
        "  protected abstract call(",
        "    method: string,",
        "    params: object | undefined,",
        "    options: CallOptions | undefined,",
        "  ): Promise<unknown>;",
        "",
        "  protected abstract listen(",
        "    notification: string,",
        "    listener: (params: never) => void,",
        "  ): Disposable;",
    ]
    for method in requests:
        lines += ["", *function_of(contract, method, camel(method))]
    for event in events:
        params = event.params or "undefined"
        lines += ["", textwrap.indent(doc_of(f"{event.doc}\n\n`{event.name}`"), "  ").rstrip("\n")]
        lines += [
            f"  on{pascal(event)}(listener: (params: {params}) => void): Disposable {{",
            f"    return this.listen({json.dumps(event.name)}, listener);",
            "  }",
        ]
    lines += ["}", "", "/** Params and result of every method, by name. */"]
    lines.append("export interface MethodTypes {")
    for method in requests:
        params = method.params or "undefined"
        result = type_of(method.result) if method.result else "null"
        lines.append(f"  {json.dumps(method.name)}: {{ params: {params}; result: {result} }};")
    lines += ["}", "", *_facts(requests)]
    names = ", ".join(json.dumps(event.name) for event in events)
    lines += ["", f"export const notifications = [{names}] as const;"]
    return "\n".join(lines) + "\n"


def _facts(requests: Iterable[Method]) -> Iterator[str]:
    yield "/** Facts that the client needs to repeat a call and to reopen handles. */"
    yield "export interface MethodFacts {"
    yield "  /** Whether it may be sent again if the daemon ended before it answered. */"
    yield "  readonly repeatable: boolean;"
    yield "  /** Whether it takes `newEntryId`. */"
    yield "  readonly appends: boolean;"
    yield "  /** What it opens: the member that has the handle. */"
    yield '  readonly opens?: "session" | "subscription";'
    yield "}"
    yield ""
    yield "export const methodFacts: Readonly<Record<string, MethodFacts>> = {"
    for method in requests:
        facts: dict[str, Any] = {"repeatable": method.repeatable, "appends": method.appends}
        if method.handle:
            facts["opens"] = method.handle
        yield f"  {json.dumps(method.name)}: {object_of(facts)},"
    yield "};"
