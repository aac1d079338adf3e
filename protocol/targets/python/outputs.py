"""Generate the Python client's modules: classes, calls, blocking calls, error classes.

Members and arguments are in snake case. The daemon's own classes (`sessiond_protocol`) have the
names of the JSON instead.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from targets import model, reading
from targets.model import Class, Contract, Member, Method, Ref
from targets.python.contract import contract_module, errors_module
from targets.python.types import HEADER, Spelling, docstring, python_name, safe

FOLDER = "clients/python/sessiond_client/generated"
_BY_THE_CLIENT = {"initialize", "shutdown"}
"""Requests that the client sends without a call by its user."""
_OWNERS = {False: "client", True: "session"}
"""Whether a call needs a session → the class it belongs to."""
_CALLBACKS = {
    "workDoneToken": ("progress", "WorkDoneProgress", "Called with the progress of the request."),
    "partialResultToken": ("partial", "PartialSessions", "Called with the results so far."),
}
"""Token for progress → name of the callback argument, class of its value, description."""


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    files = {
        f"{FOLDER}/contract.py": contract_module(contract),
        f"{FOLDER}/errors.py": errors_module(contract),
    }
    for of_session in (False, True):
        for blocking in (False, True):
            name = f"{'blocking_' * blocking}{_OWNERS[of_session]}_calls"
            text = _calls_module(contract, of_session=of_session, blocking=blocking)
            files[f"{FOLDER}/{name}.py"] = text
    return files


def _calls_module(contract: Contract, *, of_session: bool, blocking: bool) -> str:
    """Return one module with one class: the calls of the client, or those of a session.

    They are separate modules because the calls of the client return sessions, and a session is
    built from its calls.
    """
    owner = _OWNERS[of_session]
    requests = [each for each in contract.requests if each.name not in _BY_THE_CLIENT]
    # The class `Subscription` ends a subscription.
    ending = {f"{_group(each)}/unsubscribe" for each in requests if _subscribes(contract, each)}
    requests = [each for each in requests if each.name not in ending]
    doc = "The methods of an open session" if of_session else "The methods that need no session"
    base = f"{owner.capitalize()}Base"
    body = []
    if not blocking:
        for each in requests:
            if each.needs("session") == of_session and _is_paged(contract, each):
                body += _options(contract, each)
    body += [f"\n\nclass {owner.capitalize()}Calls({base}):", *docstring(f"{doc}.", indent=4)]
    body += [f"\n    _calls: {owner}_calls.{owner.capitalize()}Calls"] * blocking
    for each in requests:
        if each.needs("session") == of_session:
            body += _call(contract, each, blocking=blocking)
    if not of_session:
        for each in contract.notifications:
            body += _listening(each, blocking=blocking)
    summary = f"{doc}{', blocking until each is answered' * blocking}."
    imports = _imports("\n".join(body), owner, base, blocking=blocking)
    return "\n".join([HEADER, f'"""{summary}"""\n', *imports, *body, ""])


def _imports(body: str, owner: str, base: str, *, blocking: bool) -> list[str]:
    """Return the import lines for the names that the body uses outside of docstrings."""
    code = re.sub(r'""".*?"""', "", body, flags=re.DOTALL)

    def used(module: str, *names: str, end: str = "") -> list[str]:
        wanted = [name for name in names if re.search(rf"\b{name}\b", code)]
        return [f"from {module} import {', '.join(wanted)}{end}"] if wanted else []

    prefix = "blocking_" * blocking
    homes = (f"{prefix}session", "blocking_session" if blocking else "subscription")
    package = "sessiond_client"
    return [
        "from __future__ import annotations\n",
        *used("collections.abc", "Callable", "Mapping", "Sequence"),
        *used("typing", "Any", "Literal", "TypedDict", end="\n"),
        *used("msgspec", "UNSET", "Raw", "UnsetType", end="\n"),
        f"from {package}.{prefix}{'client_' * (owner == 'client')}base import {base}",
        *used(f"{package}.{homes[0]}", "Session"),
        *used(f"{package}.{homes[1]}", "Subscription"),
        *used(f"{package}.encoding", "Handle", "JsonObject", "or_absent"),
        *([f"from {package}.generated import {owner}_calls"] * blocking),
        f"from {package}.generated import contract as c",
    ]


_PAGING = {"cursor", "limit"}
"""Members by which a page is chosen."""


def _is_paged(contract: Contract, method: Method) -> bool:
    answer = contract.definition(method.result.name) if isinstance(method.result, Ref) else None
    return isinstance(answer, Class) and answer.member("nextCursor") is not None


def _options(contract: Contract, method: Method) -> list[str]:
    """Return a class of the optional arguments of a method, which an iterator over pages takes."""
    name = "".join(word.capitalize() for word in _method_name(method).split("_"))
    members = [e for e in method.members if not e.required and e.name not in _PAGING]
    return [
        f"\n\nclass {name}Options(TypedDict, total=False):",
        *docstring(f"The optional arguments of `{_method_name(method)}` for all pages.", indent=4),
        "",
        *(f"    {_argument(contract, each).partition(' = ')[0]}" for each in members),
    ]


_TIMEOUT = "timeout: float | None = None"


def _call(contract: Contract, method: Method, *, blocking: bool) -> list[str]:
    members = [each for each in method.members if each.name != _own_handle(method)]
    name = _method_name(method)
    needed = [each for each in members if each.leads]
    optional = [each for each in members if not each.leads]
    arguments = ["self", *(_argument(contract, each) for each in needed)]
    arguments += ["*", *(_argument(contract, each) for each in optional)] if optional else []
    if blocking:
        arguments += [_TIMEOUT] if optional else ["*", _TIMEOUT]
    send, result, tail = _sending(contract, method)
    await_ = "" if result == "None" else "return "
    lines = [
        f"\n    {'' if blocking else 'async '}def {name}(",
        *(f"        {each}," for each in arguments),
        f"    ) -> {result}:",
        *_method_doc(method, members, blocking=blocking),
    ]
    if blocking:
        wait = {"_open": "_opened", "_subscribe": "_subscribed"}.get(send, "_wait")
        return [
            *lines,
            f"        {await_}self.{wait}(",
            f"            self._calls.{name}(",
            *(f"                {_argument_name(each)}," for each in needed),
            *(f"                {_argument_name(e)}={_argument_name(e)}," for e in optional),
            "            ),",
            "            timeout,",
            "        )",
        ]
    return [
        *lines,
        f"        {await_}await self.{send}(",
        f'            "{method.name}",',
        "            {",
        *(f'                "{each.name}": {_value(each)},' for each in members),
        "            },",
        *(f"            {each}," for each in tail),
        "        )",
    ]


def _sending(contract: Contract, method: Method) -> tuple[str, str, list[str]]:
    """Return the function that sends a method, its result, and its arguments after the params."""
    result = Spelling(contract, before="c.").of(method.result or model.Primitive("null"))
    repeat = f"repeat={method.repeatable}"
    if _subscribes(contract, method):
        told = next(each for each in contract.notifications if each.name == _change(method))
        ending = f'ending="{_group(method)}/unsubscribe"'
        classes = [result, f"c.{told.params}"]
        return "_subscribe", f"Subscription[{', '.join(classes)}]", [*classes, ending]
    if method.result == Ref("SessionState") and not method.needs("session"):
        return "_open", "Session", [repeat]
    return "_request", result, ["type(None)" if result == "None" else result, repeat]


def _own_handle(method: Method) -> str | None:
    """The member whose handle is that of the object with the method, or chosen by the client."""
    return "session" if method.needs("session") else method.handle


def _is_handle(member: Member) -> bool:
    return member.name == "session"


def _group(method: Method) -> str:
    return method.name.split("/")[0]


def _change(method: Method) -> str:
    return f"{_group(method)}/didChange"


def _subscribes(contract: Contract, method: Method) -> bool:
    """Whether the method starts a subscription that has its own notifications."""
    return method.name.endswith("/subscribe") and any(
        each.name == _change(method) for each in contract.notifications
    )


def _method_name(method: Method) -> str:
    words = method.words
    return safe("_".join(words[1:] if method.needs("session") and words[0] == "session" else words))


def _argument(contract: Contract, member: Member) -> str:
    name = _argument_name(member)
    if member.name in _CALLBACKS:
        return f"{name}: Callable[[c.{_CALLBACKS[member.name][1]}], object] | None = None"
    sent = Spelling(contract, "Sequence", "Mapping", also=" | JsonObject", before="c.")
    kind = "Handle" if _is_handle(member) else sent.of(member.type)
    if member.required:
        return f"{name}: {kind}{' | None' if member.nullable and kind != 'Any' else ''}"
    if member.default is not None:
        default = member.default if member.client_default is None else member.client_default
        return f"{name}: {kind} = {default!r}"
    if member.nullable:
        return f"{name}: {kind if kind == 'Any' else f'{kind} | UnsetType | None'} = UNSET"
    # UNSET as well, so that an optional member of a result can be passed on.
    return f"{name}: {kind} | UnsetType | None = None"


def _value(member: Member) -> str:
    name = _argument_name(member)
    absent = not member.required and not member.nullable and member.default is None
    return f"or_absent({name})" if absent else name


def _argument_name(member: Member) -> str:
    return _CALLBACKS[member.name][0] if member.name in _CALLBACKS else python_name(member.name)


def _listening(notification: Method, *, blocking: bool) -> list[str]:
    kind = f"c.{notification.params}"
    name = f"on_{'_'.join(notification.words)}"
    thread = " It runs in the client's thread." * blocking
    passed = (
        f"self._calls.{name}(callback)"
        if blocking
        else f'self._listen("{notification.name}", {kind}, callback)'
    )
    return [
        f"\n    def {name}(",
        f"        self, callback: Callable[[{kind}], object]",
        "    ) -> Callable[[], None]:",
        *docstring(
            f"{notification.doc}\n\nCalls `callback` until the returned function is called."
            f"{thread}",
            indent=8,
        ),
        f"        return {passed}",
    ]


def _method_doc(method: Method, members: list[Member], *, blocking: bool) -> list[str]:
    doc = method.doc
    abouts = [
        (_argument_name(each), _CALLBACKS.get(each.name, ("", "", each.doc))[2]) for each in members
    ]
    if blocking:
        abouts.append(("timeout", "Seconds after which it is cancelled and `TimeoutError` raised."))
    described = [_hanging(f"{name}: {about}") for name, about in abouts if about]
    if described:
        doc += "\n\nArgs:\n" + "\n".join(described)
    if method.errors:
        doc += "\n\nRaises:\n" + _hanging(", ".join(method.errors), more="    ")
    return docstring(doc, indent=8)


def _hanging(text: str, more: str = "        ") -> str:
    return textwrap.fill(text, width=88, initial_indent="    ", subsequent_indent=more)
