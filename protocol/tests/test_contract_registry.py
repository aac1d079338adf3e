"""The registry lists every method of the contract with its params, result and errors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import attrs
import msgspec
import pytest
from sessiond_protocol import PROTOCOL_VERSION, openrpc
from sessiond_protocol.catalog import table as catalog
from sessiond_protocol.context import table as context
from sessiond_protocol.errors import DATA_SCHEMAS, ERROR_KINDS
from sessiond_protocol.gateway import table as gateway
from sessiond_protocol.registry import METHODS, NOTIFICATIONS
from sessiond_protocol.session.state import SessionState


def members(cls: Any) -> set[str] | None:
    if cls is None:
        return None
    if not attrs.has(cls):
        return {"{}"}
    return {
        field.name + ("" if field.default is attrs.NOTHING else "?") for field in attrs.fields(cls)
    }


def test_methods_and_notifications_are_under_their_names():
    for name, method in {**METHODS, **NOTIFICATIONS}.items():
        assert name == method.name
        assert (name in NOTIFICATIONS) <= (method.kind == "notification")


def test_only_what_the_contract_calls_so_is_a_notification_of_the_client():
    told = {name for name, method in METHODS.items() if method.kind == "notification"}
    assert told == {"initialized", "exit", "$/cancelRequest"}


def test_every_kind_of_error_has_a_code_of_its_own_and_known_data():
    codes = [kind.code for kind in ERROR_KINDS.values()]
    assert len(set(codes)) == len(codes)
    assert {member for kind in ERROR_KINDS.values() for member in kind.data} == set(DATA_SCHEMAS)


def test_methods_name_only_error_kinds_that_exist_and_each_once():
    for method in METHODS.values():
        assert set(method.errors) <= set(ERROR_KINDS)
        assert len(set(method.errors)) == len(method.errors)


def test_every_method_on_a_handle_can_find_it_unknown():
    for method in METHODS.values():
        named = set() if method.params is None else members(method.params)
        opens = method.result is SessionState and "session?" in named
        # A handle that is closed already stays closed.
        on_handle = bool(named & {"session", "session?"}) and method.name != "session/close"
        on_handle = on_handle and not opens
        assert ("UnknownSession" in method.errors) == on_handle, method.name


NOT_REPEATABLE = {
    # Part of the start and the end of a connection, which the client makes itself.
    *("initialize", "shutdown"),
    # A second call makes a second session, or may find another one. Clients that lose a session
    # open its file again.
    *("session/create", "session/continueRecent", "session/inMemory", "session/forkFrom"),
    *("session/newSession", "session/setSessionFile", "session/createBranchedSession"),
    # A second call writes, moves or removes again.
    *("catalog/rename", "catalog/delete", "catalog/restore", "catalog/repair", "catalog/export"),
    *("catalog/label", "catalog/undo"),
    # A second call counts, starts over or archives again.
    *("gateway/reset", "gateway/delete", "gateway/begin"),
    *("gateway/recordUsage", "gateway/recordCompaction", "gateway/recordMemoryFlush"),
    "gateway/maintain",
}


def test_a_request_may_be_sent_again_unless_a_second_call_can_do_more_than_the_first():
    requests = {name for name, method in METHODS.items() if method.kind == "request"}
    repeatable = {name for name, method in METHODS.items() if method.repeatable}
    assert requests - repeatable == NOT_REPEATABLE
    assert repeatable <= requests


def test_every_request_that_takes_an_id_for_its_entry_may_be_sent_again():
    for method in METHODS.values():
        if method.params is not None and "newEntryId?" in (members(method.params) or ()):
            assert method.repeatable, method.name


def test_every_params_class_can_be_decoded_into():
    for method in (*METHODS.values(), *NOTIFICATIONS.values()):
        if method.params is not None:
            msgspec.json.Decoder(method.params)


def test_the_version_of_the_protocol_is_1():
    assert PROTOCOL_VERSION == "1"


@pytest.mark.parametrize(
    ("family", "beginning"),
    [(context, "context/"), (catalog, "catalog/"), (gateway, "gateway/")],
)
def test_methods_loaded_later_are_found_by_name(family: ModuleType, beginning: str):
    assert family.METHODS
    assert all(name.startswith(beginning) for name in {**family.METHODS, **family.NOTIFICATIONS})


def test_the_names_are_known_without_the_classes():
    methods, notifications = openrpc.names()
    assert methods == list(METHODS)
    assert notifications == list(NOTIFICATIONS)
