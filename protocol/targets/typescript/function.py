"""Generate the function of one method: it takes its params as an object or its main one alone."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from targets import model
from targets.model import Contract, Member, Method
from targets.reach import names_in
from targets.typescript.spelling import doc_of, type_of

HELPERS = ("alone", "withRest")
WIDTH = 100


def function_of(
    contract: Contract, method: Method, name: str, *, without: str | None = None
) -> Iterator[str]:
    """Yield the lines of a function; `without` is a member that the caller does not pass."""
    members = [each for each in method.members if each.name != without]
    result = type_of(method.result) if method.result else "null"
    returned = f"Promise<{'void' if result == 'null' else result}>"
    optional = not any(each.leads for each in members)
    params = f"{'?' * optional}: {_params(method, without)}"
    main = main_member(contract, members)
    if main is None:
        yield from _doc(method)
        given = [f"params{params.removeprefix('?')}{' = {}' * optional}"] * bool(members)
        yield from _signature(name, [*given, "options?: CallOptions"], f"{returned} {{")
        passed = "params, options" if members else f"{'{}' if without else 'undefined'}, options"
    else:
        value = type_of(main.type) + " | null" * main.nullable
        rest = [f"params?: {_params(method, without, main.name)}"] * (len(members) > 1)
        # An editor shows the comment of the form that is used.
        yield from _doc(method)
        short = [f"{main.name}: {value}", *rest, "options?: CallOptions"]
        yield from _signature(name, short, f"{returned};")
        yield from _doc(method)
        yield from _signature(name, [f"params{params}", "options?: CallOptions"], f"{returned};")
        second = ["second?: object", "third?: CallOptions"] if rest else ["second?: CallOptions"]
        both = [f"first{'?' * optional}: unknown", *second]
        yield from _signature(name, both, f"{returned} {{")
        names = ", ".join(each.partition("?")[0].partition(":")[0] for each in both)
        tag = _tag(contract, main, members)
        tagged = f", {json.dumps(tag)}" if tag else ""
        helper = "withRest" if rest else "alone"
        passed = f"...{helper}({json.dumps(main.name)}, {names}{tagged})"
    yield f"    return this.call({json.dumps(method.name)}, {passed}) as {returned};"
    yield "  }"


def main_member(contract: Contract, members: list[Member]) -> Member | None:
    """Return the member that can be passed alone: the only one that leads, or the only one.

    Its value must differ from an object of params.
    """
    leading = [each for each in members if each.leads]
    if len(leading) != 1 and (leading or len(members) != 1):
        return None
    main = (leading or members)[0]
    primitive = isinstance(main.type, model.Primitive | model.KnownStrings | model.Literal)
    return main if primitive or _tag(contract, main, members) is not None else None


def names_of(contract: Contract, method: Method, *, without: str | None = None) -> set[str]:
    """Return the names of types that the function of a method needs beside params and result."""
    main = main_member(contract, [each for each in method.members if each.name != without])
    return set(names_in(main.type)) if main is not None else set()


def _signature(name: str, arguments: list[str], end: str) -> Iterator[str]:
    line = f"  {name}({', '.join(arguments)}): {end}"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"  {name}("
    yield from (f"    {each}," for each in arguments)
    yield f"  ): {end}"


def _doc(method: Method) -> Iterator[str]:
    throws = "".join(f"\n@throws {error}" for error in method.errors)
    yield textwrap.indent(doc_of(f"{method.doc}\n\n`{method.name}`{throws}"), "  ").rstrip("\n")


def _params(method: Method, *without: str | None) -> str:
    omitted = " | ".join(json.dumps(name) for name in without if name is not None)
    return f"Omit<{method.params}, {omitted}>" if omitted else str(method.params)


def _tag(contract: Contract, main: Member, members: list[Member]) -> str | None:
    """Return the name of the member that an object of a tagged union has, and params have not."""
    if not isinstance(main.type, model.Ref):
        return None
    definition = contract.definition(main.type.name)
    if not isinstance(definition, model.Tagged):
        return None
    if any(each.name == definition.member for each in members):
        raise model.Unreadable(f"params with {definition.member} look like {main.name}")
    return definition.member
