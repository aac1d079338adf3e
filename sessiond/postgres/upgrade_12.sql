-- From version 11 to 12: one function writes lines. A lease tells how far its mirror is.

CREATE TYPE sessiond.copying AS (
    owner uuid, directory text, machine text, home text, path bytea, source_bytes bigint,
    digest bytea, state bigint[], masked boolean
);

DROP FUNCTION IF EXISTS sessiond.add_lines, sessiond.append, sessiond.last_write,
    sessiond.lease_mirror, sessiond.mirror, sessiond.publish;
