-- From version 11 to 12: one function writes lines. A lease tells how far its mirror is.

CREATE TYPE sessiond.copying AS (
    owner uuid, directory text, machine text, home text, path bytea, source_bytes bigint,
    digest bytea, state bigint[], masked boolean
);

-- Of sessions that are here it is not known whether they have branches, until they are replaced.
ALTER TABLE sessiond.session ADD COLUMN tip bytea;

ALTER TABLE sessiond.lease
    ADD COLUMN waiting integer NOT NULL DEFAULT 0,
    ADD COLUMN behind_since timestamptz,
    ADD COLUMN failing integer NOT NULL DEFAULT 0,
    ADD COLUMN error text;

DROP FUNCTION IF EXISTS sessiond.add_lines, sessiond.append, sessiond.last_write,
    sessiond.lease_mirror, sessiond.mirror, sessiond.publish, sessiond.sealed;
