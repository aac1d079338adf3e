-- From version 10 to 11: copies know their machine, as hosts may have the same name; lines are not
-- looked up by the ids of their entries.

ALTER TABLE sessiond.line DROP COLUMN entry;
ALTER TABLE sessiond.origin DROP COLUMN key, ADD COLUMN machine text;

DROP FUNCTION IF EXISTS sessiond.add_lines, sessiond.append, sessiond.append_all,
    sessiond.lease_mirror, sessiond.mirror, sessiond.publish;
