-- From version 8 or 9 to 10: searches look also into what was done. `texts.py` makes the texts of
-- the sessions that are here, and until then what was said is found as before.

ALTER TABLE sessiond.session ADD COLUMN has_texts boolean NOT NULL DEFAULT false;
ALTER TABLE sessiond.session ALTER COLUMN has_texts SET DEFAULT true;
COMMENT ON COLUMN sessiond.session.fields IS
    'Name, id and working directory as searches fold them; the name is the first line';
COMMENT ON COLUMN sessiond.session.has_texts IS
    'Whether `message` has all texts; until `store migrate` has made them, those of older versions';
CREATE INDEX session_without_texts ON sessiond.session (namespace) WHERE NOT has_texts;

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
COMMENT ON TABLE sessiond.message IS
    'Texts of lines as searches fold them, and what is known of each; tool and model in lower case';
COMMENT ON COLUMN sessiond.message.part IS 'The number of the text in its line';
COMMENT ON COLUMN sessiond.message.time IS 'Milliseconds since the epoch';
COMMENT ON COLUMN sessiond.message.file IS 'The normal path of the file that a call names';
CREATE INDEX message_file ON sessiond.message
    USING hash (reverse(split_part(reverse(file), '/', 1))) WHERE file IS NOT NULL;
CREATE INDEX message_time ON sessiond.message (time);

DROP FUNCTION IF EXISTS sessiond.append, sessiond.append_all, sessiond.add_lines, sessiond.mirror,
    sessiond.search, sessiond.messages, sessiond.lines_at;
