"""Every function of the schema, called by roles without the right to what the call is about."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest
from psycopg import errors, sql
from support.mirrors import HEADER, message, mirroring
from support.stores import Server, other_host

from sessiond.postgres.names import StoreName
from sessiond.postgres.schema import VERSION

DATA = HEADER + message(0, "needle")
WRITE = uuid.UUID(int=7)
OWNER = uuid.UUID(int=8)
WANTED = '{"fields": ["said"]}'


@attrs.frozen
class Target:
    """What the calls are about: the sessions of one namespace."""

    namespace: str
    copied: StoreName
    """The copy of a file, in a mirrored directory."""
    lease: uuid.UUID
    """Who holds the lease of that directory."""
    directory: str
    bell: str
    """A notification about `kept`, as `ring` makes it."""
    id: bytes = b"m1"

    @property
    def kept(self) -> StoreName:
        return StoreName(self.namespace, "kept")

    @property
    def gone(self) -> StoreName:
        """A session that is marked as deleted."""
        return StoreName(self.namespace, "gone")


FACTS = {
    "p_header": HEADER.strip(),
    "p_id": b"m1",
    "p_cwd": b"/w",
    "p_name": None,
    "p_messages": 1,
    "p_first_message": b"hello",
    "p_created": 1.0,
    "p_latest": 2.0,
    "p_fields": "m1",
    "p_after": None,
    "p_tip": None,
}


def calls(target: Target) -> dict[str, dict[str, Any]]:
    """Arguments for every function that roles may call, with which it reads or changes the target."""
    one = {"p_session": target.kept.session}
    some = {"p_sessions": [target.kept.session], "p_generations": [1]}
    named = {"p_namespace": target.namespace, "p_key": target.kept.key}
    written = {
        **FACTS,
        "p_copy": None,
        "p_expected": 1,
        "p_expected_bytes": len(DATA),
        "p_replaces": True,
        "p_write": WRITE,
        "p_lines": [HEADER.strip()],
        "p_texts": [None],
        "p_ended": True,
        "p_relaxed": False,
        "p_version": VERSION,
    }
    home = target.directory + "/s.jsonl"
    leased = {"p_namespace": target.namespace, "p_directory": target.directory}
    everywhere = {"p_namespaces": [target.namespace], "p_cwd": None}
    return {
        "version": {},
        "visible": {"writing": False},
        "read": {**one, "p_generation": 1, "p_from": 0, "p_most": 1000},
        "lines_at": {**some, "p_starts": [0]},
        "contents": some,
        "trashed": everywhere,
        "list": {**everywhere, "p_named": False, "p_modified": None, "p_path": None, "p_most": 9},
        "some": {"p_sessions": [target.kept.session]},
        "count": {**everywhere, "p_named": False},
        "find": {**everywhere, "p_id": target.id},
        "poll": {"p_namespaces": [target.namespace], "p_seconds": 3600.0},
        "ring": {"p_origin": WRITE, "p_sessions": [target.kept.session]},
        "heard": {"p_payloads": [target.bell]},
        "search": {
            **everywhere,
            "p_texts": ["%needle%"],
            "p_fields": ["%none%"],
            "p_wanted": WANTED,
            "p_modified": None,
            "p_path": None,
            "p_most": 9,
        },
        "places": {**some, "p_texts": ["needle"], "p_wanted": WANTED, "p_most": 9},
        "with_id": {
            "p_namespaces": [target.namespace],
            "p_cwd": None,
            "p_id": target.id,
            "p_fields": "%1%",
            "p_host": None,
        },
        "usage_lines": {
            **some,
            "p_from": [0],
            "p_to": [1000],
        },
        "write": {**written, **named},
        "write a copy": {
            **written,
            "p_namespace": target.namespace,
            "p_key": target.copied.key,
            "p_copy": f"({target.lease},{target.directory},machine,{home},x,9,x,,f)",
        },
        "remove": {**one, "p_permanently": True},
        "restore": {"p_session": target.gone.session},
        "lease_mirror": {
            **leased,
            "p_machine": "machine",
            "p_owner": target.lease,
            "p_holder": "x",
            "p_seconds": 60.0,
            "p_waiting": 1,
            "p_behind": 2.0,
            "p_failing": 1,
            "p_error": "x",
        },
        "end_lease": {**leased, "p_owner": target.lease},
        "mirrored": {**leased, "p_session": target.copied.session},
        "mirror_deletion": {
            **leased,
            "p_owner": target.lease,
            "p_session": target.copied.session,
        },
    }


FUNCTIONS = [
    *calls(Target("x", StoreName("x", "x"), OWNER, "x", "")),
]
INTERNAL = {
    "add_texts",
    "admit",
    "allows",
    "are_wanted",
    "callable",
    "count_session",
    "dismiss",
    "let_call",
    "namespaces",
    "owns",
    "require_version",
    "require",
    "require_home",
    "sealed",
    "search_statement",
    "session_of",
    "writable",
}
"""Functions that only the owner of the schema calls, or another function."""

WITHOUT_RIGHTS = {"version", "visible"}
"""They are not about sessions: everybody who may call functions may know what they answer."""


def _name(case: str) -> str:
    """The function that a case is about."""
    return case.partition(" ")[0]


@attrs.frozen
class Roles:
    server: Server
    owner: psycopg.Connection
    heard: list[str]
    """All notifications since the sessions were made."""

    def connect(self, role: str) -> psycopg.Connection:
        return psycopg.connect(self.server.to("store", user=role), autocommit=True)

    def call(self, function: str, values: dict[str, Any]) -> tuple[sql.Composed, list[Any]]:
        """A statement that calls the function with those of the values that it takes."""
        found = self.owner.execute(
            """
            SELECT p.proargnames[n], format_type(t, NULL)
            FROM pg_proc p, unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a (t, n)
            WHERE p.pronamespace = 'sessiond'::regnamespace AND p.proname = %s ORDER BY n
            """,
            (function,),
        ).fetchall()
        arguments = sql.SQL(", ").join(
            sql.SQL("{} => %s::{}").format(sql.Identifier(name), sql.SQL(kind))
            for name, kind in found
        )
        call = sql.SQL("SELECT * FROM sessiond.{}({})").format(sql.Identifier(function), arguments)
        return call, [values[name] for name, _ in found]

    def outcome(self, role: str, function: str, values: dict[str, Any]) -> tuple[Any, ...]:
        """The rows that the role gets, or its error."""
        call, arguments = self.call(_name(function), values)
        with self.connect(role) as connection:
            try:
                return tuple(connection.execute(call, arguments))
            except psycopg.Error as error:
                return error.sqlstate, error.diag.message_primary

    def state(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables, and all notifications."""
        self.owner.execute("SELECT pg_notify('sessiond', 'end')")
        while "end" not in self.heard:
            self.owner.execute("SELECT")
        self.heard.remove("end")
        tables = self.owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'sessiond'")
        notifications = [(payload,) for payload in self.heard]
        return {"notifications": notifications} | {
            table: self.owner.execute(
                sql.SQL("SELECT t::text FROM sessiond.{} t ORDER BY 1").format(
                    sql.Identifier(table)
                )
            ).fetchall()
            for (table,) in tables.fetchall()
        }


@pytest.fixture(scope="module")
def names(server: Server) -> Iterator[None]:
    """A writer and a reader of `other`, a writer of another namespace, and a role without rights."""
    every = ("rightful", "other_reader", "outsider", "stranger")
    for name in every:
        server.admin(f"CREATE ROLE {name} LOGIN")
    yield
    with psycopg.connect(server.to("store"), autocommit=True) as owner:
        for name in every:
            owner.execute(f"DROP OWNED BY {name}".encode())
            owner.execute(f"DROP ROLE {name}".encode())


@pytest.fixture
async def roles(names: None, server: Server, store_url: str) -> AsyncIterator[Roles]:
    del names
    with psycopg.connect(store_url, autocommit=True) as owner:
        owner.execute("SELECT sessiond.admit('rightful', 'other', true)")
        owner.execute("SELECT sessiond.admit('other_reader', 'other')")
        owner.execute("SELECT sessiond.admit('other_reader', 'own', true)")
        owner.execute("SELECT sessiond.admit('outsider', 'own', true)")
        made = Roles(server, owner, [])
        owner.add_notify_handler(lambda one: made.heard.append(one.payload))
        yield made


@pytest.fixture
async def target(roles: Roles, store_url: str, tmp_path: Path) -> Target:
    """A namespace with a session, a deleted one and a copy."""
    async with other_host(store_url) as host:
        for key in ("kept", "gone"):
            await host.put(f"sessiond-store:other/{key}", DATA)
        gone = StoreName("other", "gone").session
        roles.owner.execute("SELECT sessiond.remove(%s, false)", (gone,))
    path = tmp_path / "s.jsonl"
    path.write_bytes(DATA)
    async with mirroring(store_url, tmp_path, namespace="other") as one:
        await one.mirror.once()
        (directory,) = roles.owner.execute("SELECT directory FROM sessiond.origin").fetchone() or ()
        copied = one.origin.copy(str(path.resolve()))
    lease = ("other", directory, "machine", OWNER, "test", 3600.0)
    roles.owner.execute("SELECT sessiond.lease_mirror(%s, %s, %s, %s, %s, %s)", lease)
    roles.owner.execute("LISTEN sessiond")
    return Target("other", copied, OWNER, directory, _bell(roles, "other"))


def _bell(roles: Roles, namespace: str) -> str:
    about = StoreName(namespace, "kept").session
    found = roles.owner.execute("SELECT sessiond.sealed(%s)", (f"{WRITE} {about}",))
    (made,) = found.fetchone() or ()
    return str(made)


def missing(roles: Roles, target: Target) -> Target:
    """The same where nothing is."""
    bell = _bell(roles, "nowhere")
    nowhere = StoreName("nowhere", target.copied.key)
    return Target("nowhere", nowhere, target.lease, target.directory, bell, b"x1")


def test_every_function_has_a_case(roles: Roles):
    # Nobody can call a trigger's function.
    found = roles.owner.execute(
        "SELECT proname FROM pg_proc"
        " WHERE pronamespace = 'sessiond'::regnamespace AND prorettype <> 'trigger'::regtype"
    ).fetchall()
    assert sorted(name for (name,) in found) == sorted({*map(_name, FUNCTIONS), *INTERNAL})
    (granted,) = roles.owner.execute("SELECT sessiond.callable(true)").fetchone() or ()
    assert sorted(granted) == sorted(set(map(_name, FUNCTIONS)))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_case_of_a_function_does_something_with_the_right(
    roles: Roles, target: Target, function: str
):
    before = roles.state()
    found = roles.outcome("rightful", function, calls(target)[function])
    nothing = roles.outcome("rightful", function, calls(missing(roles, target))[function])
    (reads,) = roles.owner.execute("SELECT sessiond.callable(false)").fetchone() or ()
    if function in [*reads, "mirrored"]:
        assert function in WITHOUT_RIGHTS or found != nothing
        assert roles.state() == before
    else:
        assert roles.state() != before


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_of_another_namespace_changes_nothing_and_learns_nothing(
    roles: Roles, target: Target, function: str
):
    before = roles.state()
    found = roles.outcome("outsider", function, calls(target)[function])
    assert roles.state() == before
    nothing = roles.outcome("outsider", function, calls(missing(roles, target))[function])
    assert repr(found).replace("other", "nowhere") == repr(nothing)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_own_namespace_beside_the_session_of_another_one_gives_no_right(
    roles: Roles, target: Target, function: str
):
    spoofed = {**calls(target)[function], "p_namespace": "own"}
    # The lease of the own namespace is easy to get.
    lease = ("own", target.directory, "machine", target.lease, "outsider", 60.0)
    roles.owner.execute("SELECT sessiond.lease_mirror(%s, %s, %s, %s, %s, %s)", lease)
    before = roles.state()
    roles.outcome("outsider", function, spoofed)

    def others(state: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of the other namespace: those that do not belong to new sessions of `own`."""
        own = {str(StoreName("own", key).session) for key in ("kept", target.copied.key)}
        return {
            table: [row for row in rows if ",own," not in row[0] and not own & {row[0][1:37]}]
            for table, rows in state.items()
            if table not in ("namespace", "lease", "tally")
        }

    assert others(roles.state()) == others(before)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_reader_of_the_namespace_changes_nothing(roles: Roles, target: Target, function: str):
    before = roles.state()
    roles.outcome("other_reader", function, calls(target)[function])
    assert roles.state() == before


@pytest.mark.parametrize("function", [*FUNCTIONS, *sorted(INTERNAL)])
def test_a_role_without_rights_may_call_nothing(roles: Roles, function: str):
    class Anything(dict[str, Any]):
        def __missing__(self, key: str) -> None:
            return None

    denied = errors.InsufficientPrivilege.sqlstate
    assert roles.outcome("stranger", function, Anything())[0] == denied
    if function in INTERNAL:
        assert roles.outcome("rightful", function, Anything())[0] == denied


def test_notifications_carry_no_names_and_only_readers_can_look_them_up(
    roles: Roles, target: Target
):
    assert roles.outcome("rightful", "ring", calls(target)["ring"])
    (changed,) = roles.state()["notifications"][0]
    for role, names in (("other_reader", (("other", "kept"),)), ("outsider", ())):
        assert roles.outcome(role, "heard", {"p_payloads": [changed]}) == names
    roles.outcome("rightful", "remove", calls(target)["remove"])
    (removed,) = roles.state()["notifications"][1]
    # What was removed is not said, so that everything is compared.
    for role in ("other_reader", "outsider"):
        assert roles.outcome(role, "heard", {"p_payloads": [changed, removed]}) == ((None, None),)
    for word in ("other", "kept", "sessiond-store"):
        assert word not in changed + removed


def test_what_ring_has_not_sealed_is_not_heard(roles: Roles, target: Target):
    about = f"{WRITE} {target.kept.session}"
    forged = [
        "",
        "x",
        about,
        f"{about} {'0' * 64}",
        f"{target.bell[:-1]}g",
        f"{about} {target.bell}",
        f"{WRITE} {target.gone.session} {target.bell[-64:]}",
    ]
    for payload in forged:
        assert roles.outcome("rightful", "heard", {"p_payloads": [payload]}) == ()
    found = roles.outcome("rightful", "heard", {"p_payloads": [*forged, target.bell]})
    assert found == (("other", "kept"),)


def test_a_bell_counts_for_a_minute(roles: Roles, target: Target):
    about = f"{WRITE} {target.kept.session}"
    found = roles.owner.execute(
        "SELECT sessiond.sealed(%s, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - age)"
        " FROM unnest(ARRAY[50000, 70000]) AS age",
        (about,),
    )
    for (payload,), names in zip(found.fetchall(), [(("other", "kept"),), ()], strict=True):
        assert roles.outcome("rightful", "heard", {"p_payloads": [payload]}) == names


def test_a_role_locks_no_session_of_another_namespace(roles: Roles, target: Target):
    for function in ("remove", "restore"):
        call, values = roles.call(function, calls(target)[function])
        with roles.connect("outsider") as connection, connection.transaction():
            connection.execute(call, values)
            roles.owner.execute("SELECT FROM sessiond.session FOR UPDATE NOWAIT")
