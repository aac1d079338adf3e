"""The tables can be distributed by session, by the rules of Citus.

https://docs.citusdata.com/en/stable/develop/reference_ddl.html
"""

from __future__ import annotations

import psycopg
import pytest

DISTRIBUTED = {"session", "line", "message", "origin"}
"""The tables that grow with the sessions; their distribution key is `session`."""

SMALL = {"schema_version", "access", "namespace", "tally", "lease", "bell"}
"""Tables that every server of a cluster can have as a whole."""


@pytest.fixture
def schema(store_url: str):
    with psycopg.connect(store_url) as connection:
        yield connection


def test_every_table_is_either_distributed_or_small(schema: psycopg.Connection):
    found = schema.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'sessiond'")
    assert {name for (name,) in found} == DISTRIBUTED | SMALL


def test_unique_indexes_of_distributed_tables_contain_the_distribution_key(
    schema: psycopg.Connection,
):
    found = schema.execute(
        """
        SELECT t.relname, array_agg(a.attname::text)
        FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
        WHERE t.relnamespace = 'sessiond'::regnamespace AND i.indisunique
        GROUP BY i.indexrelid, t.relname
        """
    ).fetchall()
    columns = [(table, names) for table, names in found if table in DISTRIBUTED]
    assert {table for table, _ in columns} == DISTRIBUTED
    assert all("session" in names for _, names in columns)


def test_there_is_no_sequence_and_no_foreign_key(schema: psycopg.Connection):
    found = schema.execute(
        """
        SELECT relname::text FROM pg_class
        WHERE relnamespace = 'sessiond'::regnamespace AND relkind = 'S'
        UNION ALL
        SELECT conname::text FROM pg_constraint
        WHERE connamespace = 'sessiond'::regnamespace AND contype IN ('f', 'x')
        """
    ).fetchall()
    assert found == []


def test_the_distribution_key_has_one_type_and_is_never_null(schema: psycopg.Connection):
    found = schema.execute(
        """
        SELECT table_name::text, data_type::text, is_nullable::text FROM information_schema.columns
        WHERE table_schema = 'sessiond' AND column_name = 'session'
        """
    ).fetchall()
    assert sorted(found) == [(table, "uuid", "NO") for table in sorted(DISTRIBUTED)]
