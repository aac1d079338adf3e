-- The first version of the store: sessions, their lines, and who may see them.
--
-- The daemon calls nothing but functions of this schema. They run with the rights of its owner and
-- check the namespace once per call, which row-level security would do for every row. Policies
-- protect the tables from people who read them directly.
--
-- A line is a row. Its place is the offset of its first byte in the session's file, so the places
-- have no gaps: every line begins where the one before ends, after a newline. A session whose lines
-- are replaced gets another generation. All large tables have `session` as their distribution key.

CREATE SCHEMA IF NOT EXISTS sessiond;

CREATE TABLE sessiond.schema_version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL
);

CREATE TABLE sessiond.access (
    role text NOT NULL,
    namespace text NOT NULL,
    writes boolean NOT NULL DEFAULT false,
    PRIMARY KEY (role, namespace)
);
COMMENT ON TABLE sessiond.access IS
    'The namespaces that a role and its members may read or write; ''*'' means every namespace';

CREATE TABLE sessiond.namespace (namespace text COLLATE "C" PRIMARY KEY);

CREATE TABLE sessiond.session (
    session uuid PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    generation integer NOT NULL,
    bytes bigint NOT NULL,
    ended boolean NOT NULL,
    written_by uuid NOT NULL,
    changed timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted timestamptz,
    home text,
    header bytea NOT NULL,
    id bytea NOT NULL,
    cwd bytea NOT NULL,
    name bytea,
    messages integer NOT NULL,
    first_message bytea,
    created double precision NOT NULL,
    latest double precision NOT NULL,
    modified double precision GENERATED ALWAYS AS
        (CASE WHEN latest > 0 THEN latest ELSE created END) STORED,
    fields text NOT NULL
) WITH (fillfactor = 80);
COMMENT ON COLUMN sessiond.session.bytes IS 'Length of the file, including the last newline';
COMMENT ON COLUMN sessiond.session.ended IS 'Whether the last line ends with a newline';
COMMENT ON COLUMN sessiond.session.written_by IS 'Id of the last write of all lines';
COMMENT ON COLUMN sessiond.session.home IS
    'Where the session is a file; such a session is read-only in the store';
COMMENT ON COLUMN sessiond.session.fields IS 'Name, id and working directory as searches fold them';
CREATE INDEX session_modified ON sessiond.session (namespace, modified DESC, key DESC)
    WHERE deleted IS NULL;
CREATE INDEX session_cwd ON sessiond.session
    (namespace, sha256(cwd), modified DESC, key DESC) WHERE deleted IS NULL;
CREATE INDEX session_id ON sessiond.session (namespace, sha256(id)) WHERE deleted IS NULL;

CREATE TABLE sessiond.line (
    session uuid NOT NULL,
    generation integer NOT NULL,
    start bigint NOT NULL,
    entry uuid,
    line bytea NOT NULL,
    PRIMARY KEY (session, generation, start)
);
COMMENT ON COLUMN sessiond.line.start IS 'Offset of the first byte of the line in the file';
COMMENT ON COLUMN sessiond.line.entry IS 'Digest of the entry''s id';
CREATE INDEX line_entry ON sessiond.line (session, entry) WHERE entry IS NOT NULL;

CREATE TABLE sessiond.message (
    session uuid NOT NULL,
    generation integer NOT NULL,
    start bigint NOT NULL,
    length integer NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (session, generation, start)
);
COMMENT ON TABLE sessiond.message IS
    'The text of messages of users and assistants as searches fold it';

CREATE TABLE sessiond.tally (
    namespace text COLLATE "C" NOT NULL,
    cwd bytea NOT NULL,
    named boolean NOT NULL,
    slot smallint NOT NULL,
    sessions bigint NOT NULL,
    PRIMARY KEY (namespace, cwd, named, slot)
);
COMMENT ON TABLE sessiond.tally IS
    'How many sessions there are; `cwd` is a digest, or empty for all. Slots spread the writers';

DO $$ BEGIN
    -- Compresses ten times as fast as the default; not every server was built with it.
    ALTER TABLE sessiond.line ALTER COLUMN line SET COMPRESSION lz4;
EXCEPTION WHEN OTHERS THEN NULL;
END $$;

DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    EXECUTE 'CREATE INDEX message_body ON sessiond.message USING gin (body gin_trgm_ops)';
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pg_trgm is not available: searches read the text of all messages';
END $$;

CREATE FUNCTION sessiond.owns() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace
    WHERE nspname = 'sessiond'
$$;

CREATE FUNCTION sessiond.visible(writing boolean DEFAULT false) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT a.namespace), '{}') FROM sessiond.access a
    JOIN pg_roles r ON r.rolname = a.role
    WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND (a.writes OR NOT writing)
$$;
COMMENT ON FUNCTION sessiond.visible IS
    'The namespaces that the user of this session may read or write; ''*'' is among them for all';

CREATE FUNCTION sessiond.allows(namespace text, writing boolean DEFAULT false) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT sessiond.owns() OR sessiond.visible(writing) && ARRAY[namespace, '*']
$$;

CREATE FUNCTION sessiond.require(namespace text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT sessiond.allows(namespace, true) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('%s may not write the namespace %s', session_user, namespace);
    END IF;
END $$;

CREATE FUNCTION sessiond.namespaces(wanted text[]) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(n.namespace ORDER BY n.namespace), '{}') FROM sessiond.namespace n
    WHERE (wanted IS NULL OR n.namespace = ANY (wanted))
      AND (sessiond.owns() OR sessiond.visible() && ARRAY['*'] OR n.namespace = ANY (sessiond.visible()))
$$;
COMMENT ON FUNCTION sessiond.namespaces IS 'Those of the wanted namespaces that may be read';

ALTER TABLE sessiond.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.line ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.message ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON sessiond.session FOR SELECT
    USING ((SELECT sessiond.visible()) && ARRAY[namespace, '*']);
CREATE POLICY reading ON sessiond.line FOR SELECT
    USING (EXISTS (SELECT FROM sessiond.session s WHERE s.session = line.session));
CREATE POLICY reading ON sessiond.message FOR SELECT
    USING (EXISTS (SELECT FROM sessiond.session s WHERE s.session = message.session));

CREATE FUNCTION sessiond.count_session(s sessiond.session, change integer) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO sessiond.tally
    SELECT s.namespace, place, s.name IS NOT NULL,
           get_byte(uuid_send(s.session), 0) % 8, change
    FROM (VALUES (''::bytea), (sha256(s.cwd))) AS places (place)
    WHERE s.deleted IS NULL ORDER BY place
    ON CONFLICT (namespace, cwd, named, slot) DO UPDATE SET sessions = tally.sessions + change
$$;

CREATE FUNCTION sessiond.tally_session() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.deleted IS NULL AND NEW.deleted IS NULL
       AND OLD.cwd = NEW.cwd AND (OLD.name IS NULL) = (NEW.name IS NULL) THEN
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN PERFORM sessiond.count_session(OLD, -1); END IF;
    IF TG_OP <> 'DELETE' THEN PERFORM sessiond.count_session(NEW, 1); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tally AFTER INSERT OR DELETE OR UPDATE OF deleted, name, cwd ON sessiond.session
    FOR EACH ROW EXECUTE FUNCTION sessiond.tally_session();

CREATE TYPE sessiond.reading AS (
    generation integer, bytes bigint, changed bigint, deleted boolean, home text,
    first bigint, data bytea
);

CREATE FUNCTION sessiond.read(
    p_session uuid, p_generation integer, p_from bigint, p_most bigint
) RETURNS SETOF sessiond.reading
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
    result sessiond.reading;
    place bigint := p_from;
BEGIN
    SELECT * INTO s FROM sessiond.session WHERE session = p_session;
    IF NOT FOUND OR NOT sessiond.allows(s.namespace) THEN RETURN; END IF;
    IF s.generation <> p_generation THEN place := 0; END IF;
    IF place < s.bytes AND s.deleted IS NULL THEN
        SELECT min(l.start), string_agg(l.line, '\x0a'::bytea ORDER BY l.start)
        INTO result.first, result.data FROM sessiond.line l
        WHERE l.session = p_session AND l.generation = s.generation
          AND l.start >= place AND l.start < place + p_most;
    END IF;
    result.generation := s.generation;
    result.bytes := s.bytes;
    result.changed := (extract(epoch FROM s.changed) * 1000000)::bigint;
    result.deleted := s.deleted IS NOT NULL;
    result.home := s.home;
    RETURN NEXT result;
END $$;
COMMENT ON FUNCTION sessiond.read IS
    'The state of a session and its lines from a place on, or all of them if it has another'
    ' generation; about `p_most` bytes. No row if there is no such session';

CREATE FUNCTION sessiond.lines_at(p_session uuid, p_generation integer, p_starts bigint[])
RETURNS TABLE (start bigint, line bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT l.start, l.line FROM sessiond.line l
    JOIN sessiond.session s USING (session)
    WHERE l.session = p_session AND l.generation = p_generation AND l.start = ANY (p_starts)
      AND s.deleted IS NULL AND sessiond.allows(s.namespace)
    ORDER BY l.start
$$;

CREATE FUNCTION sessiond.append(
    p_session uuid, p_generation integer, p_bytes bigint, p_entry uuid, p_line bytea,
    p_messages integer, p_first_message bytea, p_latest double precision,
    p_renames boolean, p_name bytea, p_fields text,
    p_body text, p_relaxed boolean
) RETURNS TABLE (outcome text, bytes bigint, changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
    place bigint;
    now_at timestamptz := clock_timestamp();
BEGIN
    IF p_relaxed THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    IF NOT FOUND OR s.deleted IS NOT NULL THEN
        RETURN QUERY SELECT 'deleted', 0::bigint, 0::bigint;
        RETURN;
    END IF;
    PERFORM sessiond.require(s.namespace);
    IF s.home IS NOT NULL THEN
        RETURN QUERY SELECT 'elsewhere', 0::bigint, 0::bigint;
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM sessiond.line l
        WHERE l.session = p_session AND l.entry = p_entry AND l.generation = s.generation
    ) THEN
        RETURN QUERY SELECT 'existed', s.bytes, 0::bigint;
        RETURN;
    END IF;
    IF s.generation <> p_generation OR s.bytes <> p_bytes THEN
        RETURN QUERY SELECT 'moved', s.bytes, 0::bigint;
        RETURN;
    END IF;
    place := s.bytes + CASE WHEN s.ended THEN 0 ELSE 1 END;
    INSERT INTO sessiond.line VALUES (p_session, s.generation, place, p_entry, p_line);
    IF p_body IS NOT NULL THEN
        INSERT INTO sessiond.message
        VALUES (p_session, s.generation, place, octet_length(p_line), p_body);
    END IF;
    UPDATE sessiond.session t SET
        bytes = place + octet_length(p_line) + 1,
        ended = true,
        changed = now_at,
        messages = t.messages + p_messages,
        first_message = coalesce(t.first_message, p_first_message),
        latest = greatest(t.latest, p_latest)
    WHERE t.session = p_session;
    IF p_renames THEN
        UPDATE sessiond.session t SET name = p_name, fields = p_fields WHERE t.session = p_session;
    END IF;
    RETURN QUERY SELECT 'written', place + octet_length(p_line) + 1,
        (extract(epoch FROM now_at) * 1000000)::bigint;
END $$;
COMMENT ON FUNCTION sessiond.append IS
    'Appends a line if the session still has this generation and length; an entry that exists'
    ' already is not written again, whatever the length is';

CREATE FUNCTION sessiond.add_lines(
    p_session uuid, p_namespace text, p_generation integer,
    p_starts bigint[], p_entries uuid[], p_lines bytea[],
    p_message_starts bigint[], p_lengths integer[], p_bodies text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM sessiond.require(p_namespace);
    IF EXISTS (
        SELECT FROM sessiond.session t
        WHERE t.session = p_session AND t.generation >= p_generation
    ) THEN
        RAISE unique_violation USING MESSAGE = 'this generation exists already';
    END IF;
    INSERT INTO sessiond.line
    SELECT p_session, p_generation, * FROM unnest(p_starts, p_entries, p_lines);
    INSERT INTO sessiond.message
    SELECT p_session, p_generation, * FROM unnest(p_message_starts, p_lengths, p_bodies);
END $$;
COMMENT ON FUNCTION sessiond.add_lines IS
    'Adds lines of a new generation, which nobody sees before `publish` in the same transaction';

CREATE FUNCTION sessiond.publish(
    p_session uuid, p_namespace text, p_key text,
    p_expected integer, p_expected_bytes bigint, p_generation integer, p_write uuid,
    p_bytes bigint, p_ended boolean, p_home text,
    p_header bytea, p_id bytea, p_cwd bytea, p_name bytea, p_messages integer,
    p_first_message bytea, p_created double precision, p_latest double precision, p_fields text,
    p_relaxed boolean
) RETURNS TABLE (outcome text, changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
    now_at timestamptz := clock_timestamp();
BEGIN
    PERFORM sessiond.require(p_namespace);
    IF p_relaxed THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    IF coalesce(s.generation, 0) <> p_expected
       OR (s.bytes <> p_expected_bytes AND s.deleted IS NULL)
       OR (p_expected_bytes < 0 AND s.session IS NOT NULL AND s.deleted IS NULL) THEN
        RAISE unique_violation USING MESSAGE = 'the session was written meanwhile';
    END IF;
    INSERT INTO sessiond.namespace VALUES (p_namespace) ON CONFLICT DO NOTHING;
    INSERT INTO sessiond.session AS t (
        session, namespace, key, generation, bytes, ended, written_by, changed, home, header, id,
        cwd, name, messages, first_message, created, latest, fields
    ) VALUES (
        p_session, p_namespace, p_key, p_generation, p_bytes, p_ended, p_write, now_at, p_home,
        p_header, p_id, p_cwd, p_name, p_messages, p_first_message, p_created, p_latest, p_fields
    ) ON CONFLICT (session) DO UPDATE SET
        generation = p_generation, bytes = p_bytes, ended = p_ended, written_by = p_write,
        changed = now_at, deleted = NULL, home = p_home, header = p_header, id = p_id, cwd = p_cwd,
        name = p_name, messages = p_messages, first_message = p_first_message,
        created = p_created, latest = p_latest, fields = p_fields
    -- Of two hosts that create a session at once, one sees no row above.
    WHERE t.generation = p_expected;
    IF NOT FOUND THEN
        RAISE unique_violation USING MESSAGE = 'the session was written meanwhile';
    END IF;
    DELETE FROM sessiond.line l WHERE l.session = p_session AND l.generation < p_generation;
    DELETE FROM sessiond.message m WHERE m.session = p_session AND m.generation < p_generation;
    RETURN QUERY SELECT 'written', (extract(epoch FROM now_at) * 1000000)::bigint;
END $$;
COMMENT ON FUNCTION sessiond.publish IS
    'Makes a generation the present one, if the session still has the expected generation and'
    ' length; expected length -1: if there is no session';

CREATE FUNCTION sessiond.last_write(p_session uuid) RETURNS TABLE (write uuid, changed bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.written_by, (extract(epoch FROM s.changed) * 1000000)::bigint
    FROM sessiond.session s WHERE s.session = p_session AND sessiond.allows(s.namespace)
$$;

CREATE FUNCTION sessiond.remove(p_session uuid, p_permanently boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    IF NOT FOUND OR s.deleted IS NOT NULL THEN RETURN false; END IF;
    PERFORM sessiond.require(s.namespace);
    IF p_permanently THEN
        DELETE FROM sessiond.session t WHERE t.session = p_session;
        DELETE FROM sessiond.line l WHERE l.session = p_session;
        DELETE FROM sessiond.message m WHERE m.session = p_session;
    ELSE
        UPDATE sessiond.session t SET deleted = clock_timestamp() WHERE t.session = p_session;
    END IF;
    RETURN true;
END $$;

CREATE FUNCTION sessiond.restore(p_session uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    IF NOT FOUND OR NOT sessiond.allows(s.namespace) THEN RETURN 'missing'; END IF;
    PERFORM sessiond.require(s.namespace);
    IF s.deleted IS NULL THEN RETURN 'exists'; END IF;
    UPDATE sessiond.session t SET deleted = NULL, changed = clock_timestamp()
    WHERE t.session = p_session;
    RETURN 'restored';
END $$;

CREATE TYPE sessiond.listed AS (
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision
);

CREATE FUNCTION sessiond.listed(s sessiond.session) RETURNS sessiond.listed
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest
$$;

CREATE FUNCTION sessiond.list(
    p_namespaces text[], p_cwd bytea, p_named boolean,
    p_modified double precision, p_path text, p_most bigint
) RETURNS SETOF sessiond.listed
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (sessiond.listed(f)).* FROM (
        SELECT s.* FROM unnest(sessiond.namespaces(p_namespaces)) AS n (namespace)
        CROSS JOIN LATERAL (
            SELECT t.* FROM sessiond.session t
            WHERE t.namespace = n.namespace AND t.deleted IS NULL
              AND (p_cwd IS NULL OR sha256(t.cwd) = sha256(p_cwd))
              AND (NOT p_named OR t.name IS NOT NULL)
              AND (p_modified IS NULL OR t.modified <= p_modified)
              AND (p_modified IS NULL OR t.modified < p_modified
                   OR (t.namespace || '/' || t.key) COLLATE "C" < p_path)
            ORDER BY t.modified DESC, t.key DESC LIMIT p_most
        ) AS s
        ORDER BY s.modified DESC, (s.namespace || '/' || s.key) COLLATE "C" DESC LIMIT p_most
    ) AS f
$$;
COMMENT ON FUNCTION sessiond.list IS
    'One page of the sessions, the latest first, after a time and a path';

CREATE FUNCTION sessiond.some(p_sessions uuid[]) RETURNS SETOF sessiond.listed
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (sessiond.listed(s)).* FROM sessiond.session s
    WHERE s.session = ANY (p_sessions) AND s.deleted IS NULL
      AND s.namespace = ANY (sessiond.namespaces(NULL))
$$;

CREATE FUNCTION sessiond.count(p_namespaces text[], p_cwd bytea, p_named boolean) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(sum(t.sessions), 0)::bigint FROM sessiond.tally t
    WHERE t.namespace = ANY (sessiond.namespaces(p_namespaces))
      AND t.cwd = CASE WHEN p_cwd IS NULL THEN ''::bytea ELSE sha256(p_cwd) END
      AND (t.named OR NOT p_named)
$$;

CREATE FUNCTION sessiond.find(p_namespaces text[], p_cwd bytea, p_id bytea)
RETURNS TABLE (namespace text, key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.namespace, s.key FROM sessiond.session s
    WHERE s.namespace = ANY (sessiond.namespaces(p_namespaces)) AND s.deleted IS NULL
      AND (p_cwd IS NULL OR s.cwd = p_cwd)
      AND (p_id IS NULL OR (sha256(s.id) = sha256(p_id) AND s.id = p_id))
    ORDER BY CASE WHEN p_id IS NULL THEN s.changed END DESC, s.key LIMIT 1
$$;
COMMENT ON FUNCTION sessiond.find IS
    'The session with this id, or without an id the one that was written last';

CREATE FUNCTION sessiond.states(p_sessions uuid[])
RETURNS TABLE (session uuid, generation integer, bytes bigint, deleted boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.session, s.generation, s.bytes, s.deleted IS NOT NULL FROM sessiond.session s
    WHERE s.session = ANY (p_sessions) AND s.namespace = ANY (sessiond.namespaces(NULL))
$$;

CREATE FUNCTION sessiond.version() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT version FROM sessiond.schema_version
$$;

CREATE FUNCTION sessiond.search(
    p_namespaces text[], p_cwd bytea, p_texts text[], p_words text[], p_fields text[]
) RETURNS TABLE (
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision, held integer[]
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    allowed text[] := sessiond.namespaces(p_namespaces);
    -- The sessions in which all tokens so far were found; NULL before the first.
    candidates uuid[];
    holding uuid[];
    shown uuid[];
    -- For each token the sessions whose messages hold it.
    holders uuid[] := '{}';
    tokens integer[] := '{}';
BEGIN
    FOR i IN 1 .. cardinality(p_texts) LOOP
        IF p_words[i] = '' OR position(E'\n' IN p_words[i]) = 0 THEN
            SELECT coalesce(array_agg(DISTINCT m.session), '{}') INTO holding
            FROM sessiond.message m
            WHERE m.body LIKE p_texts[i] AND (candidates IS NULL OR m.session = ANY (candidates));
        ELSE
            -- A phrase may extend over several messages: those with all of its words are joined.
            SELECT coalesce(array_agg(c.session), '{}') INTO holding FROM (
                SELECT m.session FROM sessiond.message m
                JOIN unnest(string_to_array(p_words[i], E'\n')) AS w (word) ON m.body LIKE w.word
                WHERE candidates IS NULL OR m.session = ANY (candidates)
                GROUP BY m.session
                HAVING count(DISTINCT w.word) =
                    (SELECT count(DISTINCT x) FROM unnest(string_to_array(p_words[i], E'\n')) x)
            ) AS c
            WHERE (SELECT string_agg(m.body, ' ' ORDER BY m.start) FROM sessiond.message m
                   WHERE m.session = c.session AND m.body <> '') LIKE p_texts[i];
        END IF;
        SELECT coalesce(array_agg(s.session), '{}') INTO shown FROM sessiond.session s
        WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
          AND (p_cwd IS NULL OR sha256(s.cwd) = sha256(p_cwd))
          AND (candidates IS NULL OR s.session = ANY (candidates))
          AND (s.session = ANY (holding)
               OR s.fields LIKE ANY (string_to_array(p_fields[i], E'\n')));
        candidates := shown;
        holders := holders || holding;
        tokens := tokens || array_fill(i, ARRAY[cardinality(holding)]);
    END LOOP;
    RETURN QUERY
    SELECT (sessiond.listed(s)).*, h.tokens
    FROM sessiond.session s
    LEFT JOIN (
        SELECT t.session, array_agg(t.token) AS tokens
        FROM unnest(holders, tokens) AS t (session, token) GROUP BY t.session
    ) AS h ON h.session = s.session
    WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
      AND (p_cwd IS NULL OR sha256(s.cwd) = sha256(p_cwd))
      AND (candidates IS NULL OR s.session = ANY (candidates));
END $$;
COMMENT ON FUNCTION sessiond.search IS
    'The sessions in which every token may be found, and the numbers of those that messages hold';

CREATE FUNCTION sessiond.messages(
    p_session uuid, p_generation integer, p_texts text[], p_most integer
) RETURNS TABLE (start bigint, body text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.start, m.body FROM sessiond.message m JOIN sessiond.session s USING (session)
    WHERE m.session = p_session AND m.generation = p_generation AND m.body LIKE ANY (p_texts)
      AND s.deleted IS NULL AND sessiond.allows(s.namespace)
    ORDER BY m.start LIMIT p_most
$$;

-- Functions may be called by roles that were granted to, not by everybody.
REVOKE ALL ON SCHEMA sessiond FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA sessiond FROM PUBLIC;
