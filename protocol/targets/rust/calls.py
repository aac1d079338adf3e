"""Generate the calls of the Rust client."""

from __future__ import annotations

from collections.abc import Iterator

from targets.model import AnyJson, Class, Contract, Map, Method, Primitive, Ref
from targets.rust import classes
from targets.rust.names import doc, snake
from targets.rust.types import Types

CONNECTION = {"initialize", "initialized", "shutdown", "exit", "$/cancelRequest"}
"""Methods that only the connection itself sends; they get no function."""


def requests(contract: Contract) -> list[Method]:
    return [each for each in contract.requests if each.name not in CONNECTION]


def asynchronous(types: Types) -> Iterator[str]:
    calls = requests(types.contract)
    yield "//! Every method of the contract, as a call of a client or of a session."
    yield ""
    yield "use crate::client::Client;"
    yield "use crate::error::Error;"
    yield "use crate::generated::methods::*;"
    yield "use crate::json::Raw;"
    yield "use crate::method::{new_id, Nothing};"
    yield "use crate::session::Session;"
    yield "use crate::subscription::Subscription;"
    yield "use crate::types::*;"
    unowned = [each for each in calls if not each.needs("session")]
    owned = [each for each in calls if each.needs("session")]
    for owner, methods in (("Client", unowned), ("Session", owned)):
        yield ""
        yield f"impl {owner} {{"
        for index, each in enumerate(each for each in methods if not each.needs("subscription")):
            yield from [""] if index else []
            yield from _call(types, each, owner)
        yield "}"


def _call(types: Types, method: Method, owner: str) -> Iterator[str]:
    class_ = types.contract.params(method)
    result, verb = _result(types, method, owner)
    yield from doc(f"`{method.name}`: {method.doc}", "    ")
    if method.errors:
        kinds = ", ".join(f"`{each}`" for each in method.errors)
        yield "    ///"
        yield f"    /// Errors: {kinds}."
    name = snake(_short(method))
    if class_ is None or not classes.fields(types, class_):
        yield f"    pub async fn {name}(&self) -> Result<{result}, Error> {{"
        yield f"        self.{verb}(&{constant(method)}, &Nothing {{}}).await"
        yield "    }"
        return
    yield f"    pub async fn {name}("
    yield "        &self,"
    yield f"        params: impl Into<{class_.name}>,"
    yield f"    ) -> Result<{result}, Error> {{"
    chosen = "new_entry_id" if method.appends else method.handle
    if chosen:
        yield "        let mut params = params.into();"
        yield f"        params.{chosen}.get_or_insert_with(new_id);"
        yield f"        self.{verb}(&{constant(method)}, &params).await"
    else:
        yield f"        self.{verb}(&{constant(method)}, &params.into()).await"
    yield "    }"


def _result(types: Types, method: Method, owner: str) -> tuple[str, str]:
    """Return the type of an answer, and the name of the function that sends the request."""
    result = method.result
    match result:
        case Ref("SessionState") if owner == "Client":
            return "Session", "open_with"
        case Ref(name) if has(types.contract, result, "subscription"):
            told = notification_of(types.contract, method)
            return f"Subscription<{name}, {told.params}>", "subscribe_with"
        case Map(AnyJson()) | None:
            return "Raw", "call"
        case Primitive("null"):
            return "()", "call"
    return types.rust(result, method.name), "call"


def notification_of(contract: Contract, method: Method) -> Method:
    """Return the notification of a subscription."""
    group = method.name.rpartition("/")[0]
    return next(
        each
        for each in contract.notifications
        if each.name.startswith(f"{group}/") and each.takes("subscription")
    )


def has(contract: Contract, kind: object, member: str) -> bool:
    if not isinstance(kind, Ref):
        return False
    definition = contract.definition(kind.name)
    return isinstance(definition, Class) and definition.member(member) is not None


def _short(method: Method) -> str:
    """Return the name without `session/`, for a method of a session."""
    return method.name.removeprefix("session/")


def constant(method: Method) -> str:
    return "_".join(method.words).upper()
