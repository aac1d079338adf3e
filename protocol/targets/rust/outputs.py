"""Generate the Rust client's types, calls, notifications and kinds of errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from targets import reading
from targets.model import (
    Alias,
    AnyJson,
    Class,
    Contract,
    Map,
    Method,
    OneOf,
    Primitive,
    Ref,
    Tagged,
)
from targets.rust import classes, errors, unions
from targets.rust.names import doc, snake
from targets.rust.types import Types

FOLDER = "clients/rust/src/generated"
HEADER = (
    "// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.\n"
    "// Do not edit; run `make generate`.\n"
)
CONNECTION = {"initialize", "initialized", "shutdown", "exit", "$/cancelRequest"}
"""Methods that only the connection itself sends; they get no function."""


def outputs(document: dict[str, Any]) -> dict[str, str]:
    contract = reading.read(document)
    types = Types(contract)
    return {
        f"{FOLDER}/types.rs": _file(_types(types)),
        f"{FOLDER}/methods.rs": _file(_methods(types.contract)),
        f"{FOLDER}/calls.rs": _file(_calls(types)),
        f"{FOLDER}/blocking.rs": _file(_blocking(types)),
        f"{FOLDER}/errors.rs": _file(errors.lines(types)),
    }


def _file(lines: Iterable[str]) -> str:
    return HEADER + "\n".join(lines) + "\n"


def _types(types: Types) -> Iterator[str]:
    yield "//! The params, results, entries and messages of the contract."
    yield ""
    yield "use std::collections::BTreeMap;"
    yield ""
    yield "use serde::{Deserialize, Serialize};"
    yield ""
    yield "use crate::json::{Json, Raw, Union};"
    yield "use crate::lossy;"
    yield "use crate::nullable::{self, Id, Nullable};"
    yield from _definitions(types)
    yield from types.enumerations()
    yield from _notifications(types.contract)


def _definitions(types: Types) -> Iterator[str]:
    for definition in types.contract.definitions.values():
        match definition:
            case Class():
                yield from classes.struct(types, definition)
            case Tagged():
                yield from unions.tagged(types, definition)
            case Alias(type=OneOf() as union):
                yield from unions.one_of(types, definition, union.arms)
            case Alias():
                rust = types.rust(definition.type, definition.name)
                yield from ["", *doc(definition.doc), f"pub type {definition.name} = {rust};"]


def _notifications(contract: Contract) -> Iterator[str]:
    yield ""
    yield "/// A notification of the daemon."
    yield "#[derive(Clone, Debug, PartialEq)]"
    yield "#[non_exhaustive]"
    yield "pub enum Notification {"
    for each in contract.notifications:
        yield from doc(f"`{each.name}`. {each.doc}", "    ")
        yield f"    {_variant(each)}({each.params}),"
    yield "    /// An unknown notification, or one that does not fit its type."
    yield "    Unknown {"
    yield "        /// Name of the notification."
    yield "        method: String,"
    yield "        /// Its params."
    yield "        params: Raw,"
    yield "    },"
    yield "}"
    yield ""
    yield "impl Notification {"
    yield "    pub(crate) fn read(method: &str, params: &Raw) -> Self {"
    yield "        let read = match method {"
    for each in contract.notifications:
        yield f'            "{each.name}" => params.parse().map(Self::{_variant(each)}).ok(),'
    yield "            _ => None,"
    yield "        };"
    yield "        read.unwrap_or_else(|| Self::Unknown {"
    yield "            method: method.to_owned(),"
    yield "            params: params.clone(),"
    yield "        })"
    yield "    }"
    yield "}"


def _variant(method: Method) -> str:
    return "".join(word.capitalize() for word in method.words)


# Calls


def _requests(contract: Contract) -> list[Method]:
    return [each for each in contract.requests if each.name not in CONNECTION]


def _methods(contract: Contract) -> Iterator[str]:
    """Yield the table of methods, which does not depend on the client that uses it."""
    calls = _requests(contract)
    yield "//! Every method of the contract, and the effect of its answer on handles."
    yield ""
    yield "use crate::method::{Method, Tracks};"
    for each in calls:
        yield ""
        yield f"pub(crate) const {_constant(each)}: Method = Method {{"
        yield f'    name: "{each.name}",'
        yield f"    repeatable: {str(each.repeatable).lower()},"
        yield f"    tracks: {_tracks(contract, each)},"
        yield "};"
    yield ""
    yield "/// Every method of the contract."
    yield "pub(crate) const METHODS: &[&Method] = &["
    for each in calls:
        yield f"    &{_constant(each)},"
    yield "];"


def _calls(types: Types) -> Iterator[str]:
    calls = _requests(types.contract)
    yield "//! Every method of the contract, as a call of a client or of a session."
    yield ""
    yield "use crate::client::Client;"
    yield "use crate::error::Error;"
    yield "use crate::generated::methods::*;"
    yield "use crate::json::Raw;"
    yield "use crate::method::{new_entry_id, Nothing};"
    yield "use crate::session::Session;"
    yield "use crate::subscription::Subscription;"
    yield "use crate::types::*;"
    unowned = [each for each in calls if not _required(each, "session")]
    owned = [each for each in calls if _required(each, "session")]
    for owner, methods in (("Client", unowned), ("Session", owned)):
        yield ""
        yield f"impl {owner} {{"
        for index, each in enumerate(
            each for each in methods if not _required(each, "subscription")
        ):
            yield from [""] if index else []
            yield from _call(types, each, owner)
        yield "}"


def _blocking(types: Types) -> Iterator[str]:
    yield "//! Every method of the contract, as a call that waits for its answer."
    yield ""
    yield "use crate::blocking::{Client, Session, Subscription};"
    yield "use crate::error::Error;"
    yield "use crate::json::Raw;"
    yield "use crate::types::*;"
    calls = [each for each in _requests(types.contract) if not _required(each, "subscription")]
    for owner in ("Client", "Session"):
        yield ""
        yield f"impl {owner} {{"
        methods = [each for each in calls if _required(each, "session") == (owner == "Session")]
        for index, each in enumerate(methods):
            yield from [""] if index else []
            yield from _blocking_call(types, each, owner)
        yield "}"


def _blocking_call(types: Types, method: Method, owner: str) -> Iterator[str]:
    class_ = types.contract.params(method)
    result, verb = _result(types, method, owner)
    name = snake(_short(method))
    yield from _told_of(method)
    if class_ is None or not classes.fields(types, class_):
        yield f"    pub fn {name}(&self) -> Result<{result}, Error> {{"
        call = f"self.inner().{name}()"
    else:
        yield f"    pub fn {name}("
        yield "        &self,"
        yield f"        params: impl Into<{class_.name}>,"
        yield f"    ) -> Result<{result}, Error> {{"
        call = f"self.inner().{name}(params)"
    wrap = {"open_with": "session", "subscribe_with": "subscription"}.get(verb)
    if wrap is None:
        yield f"        self.wait({call})"
    else:
        yield f"        self.wait({call})"
        yield f"            .map(|opened| self.{wrap}(opened))"
    yield "    }"


def _told_of(method: Method) -> Iterator[str]:
    """Yield the doc comment of a call."""
    yield from doc(f"`{method.name}`: {method.doc}", "    ")
    if method.errors:
        kinds = ", ".join(f"`{each}`" for each in method.errors)
        yield "    ///"
        yield f"    /// Errors: {kinds}."


def _call(types: Types, method: Method, owner: str) -> Iterator[str]:
    class_ = types.contract.params(method)
    result, verb = _result(types, method, owner)
    yield from _told_of(method)
    name = snake(_short(method))
    if class_ is None or not classes.fields(types, class_):
        yield f"    pub async fn {name}(&self) -> Result<{result}, Error> {{"
        yield f"        self.{verb}(&{_constant(method)}, &Nothing {{}}).await"
        yield "    }"
        return
    yield f"    pub async fn {name}("
    yield "        &self,"
    yield f"        params: impl Into<{class_.name}>,"
    yield f"    ) -> Result<{result}, Error> {{"
    if method.appends:
        yield "        let mut params = params.into();"
        yield "        params.new_entry_id.get_or_insert_with(new_entry_id);"
        yield f"        self.{verb}(&{_constant(method)}, &params).await"
    else:
        yield f"        self.{verb}(&{_constant(method)}, &params.into()).await"
    yield "    }"


def _result(types: Types, method: Method, owner: str) -> tuple[str, str]:
    """Return the type of an answer, and the name of the function that sends the request."""
    result = method.result
    match result:
        case Ref("SessionState") if owner == "Client":
            return "Session", "open_with"
        case Ref(name) if _has(types.contract, result, "subscription"):
            told = _told(types.contract, method)
            return f"Subscription<{name}, {told.params}>", "subscribe_with"
        case Map(AnyJson()) | None:
            return "Raw", "call"
        case Primitive("null"):
            return "()", "call"
    return types.rust(result, method.name), "call"


def _tracks(contract: Contract, method: Method) -> str:
    match method.result:
        case Ref("SessionState"):
            moves = str(method.words[1] != "get").lower()
            opens = f"Tracks::State {{ moves: {moves} }}"
            return opens if _required(method, "session") else "Tracks::Opens"
        case result if _has(contract, result, "subscription"):
            group = method.name.rpartition("/")[0]
            ends = next(
                each.name
                for each in contract.requests
                if each.name.startswith(f"{group}/") and _required(each, "subscription")
            )
            told = _told(contract, method)
            return f'Tracks::Subscribes {{ told: "{told.name}", ends: "{ends}" }}'
        case _ if method.name == "session/close":
            return "Tracks::Closes"
        case Ref("AppendResult") if _required(method, "session"):
            return "Tracks::Appends"
        case result if _has(contract, result, "leafId") and _required(method, "session"):
            moves = str(method.words[1] != "get").lower()
            return f"Tracks::Leaf {{ moves: {moves} }}"
    return "Tracks::Nothing"


def _told(contract: Contract, method: Method) -> Method:
    """Return the notification of a subscription."""
    group = method.name.rpartition("/")[0]
    return next(
        each
        for each in contract.notifications
        if each.name.startswith(f"{group}/") and each.takes("subscription")
    )


def _has(contract: Contract, kind: object, member: str) -> bool:
    if not isinstance(kind, Ref):
        return False
    definition = contract.definition(kind.name)
    return isinstance(definition, Class) and definition.member(member) is not None


def _required(method: Method, member: str) -> bool:
    return any(each.name == member and each.required for each in method.members)


def _short(method: Method) -> str:
    """Return the name without `session/`, for a method of a session."""
    return method.name.removeprefix("session/")


def _constant(method: Method) -> str:
    return "_".join(method.words).upper()
