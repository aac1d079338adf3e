-- From version 8 or 9 to 10: searches look also into what was done. `texts.py` makes the texts of
-- the sessions that are here, and until then what was said is found as before.

ALTER TABLE sessiond.session ADD COLUMN has_texts boolean NOT NULL DEFAULT false;
ALTER TABLE sessiond.session ALTER COLUMN has_texts SET DEFAULT true;

DROP INDEX IF EXISTS sessiond.message_body;
ALTER TABLE sessiond.message
    DROP CONSTRAINT message_pkey,
    DROP COLUMN length,
    ADD COLUMN part integer NOT NULL DEFAULT 0,
    ADD COLUMN field text NOT NULL DEFAULT 'said',
    ADD COLUMN role text,
    ADD COLUMN time double precision,
    ADD COLUMN tool text,
    ADD COLUMN file text,
    ADD COLUMN model text,
    ADD PRIMARY KEY (session, generation, start, part);
ALTER TABLE sessiond.message ALTER COLUMN part DROP DEFAULT, ALTER COLUMN field DROP DEFAULT;

DROP FUNCTION IF EXISTS sessiond.append, sessiond.append_all, sessiond.add_lines, sessiond.mirror,
    sessiond.search, sessiond.messages, sessiond.lines_at, sessiond.beginning_with;
