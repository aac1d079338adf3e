-- The store: sessions, their lines, who may see them, and mirrors: copies of sessions whose home is
-- a file of some host, which that host alone writes.
--
-- The daemon calls nothing but functions of this schema. They run with the rights of its owner and
-- check the namespace once per call, which row-level security would do for every row. Policies
-- protect the tables from people who read them directly.
--
-- Who may write is decided by the namespace of the row that is changed, and a row can only be made
-- under the digest of its own namespace and key. Who may not read a session gets the same answer as
-- if it was not there, and locks nothing.
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
CREATE INDEX session_changed ON sessiond.session (namespace, changed);
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

CREATE TABLE sessiond.origin (
    session uuid PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    directory text NOT NULL,
    path bytea NOT NULL,
    source_bytes bigint NOT NULL,
    digest bytea NOT NULL,
    state bigint[],
    masked boolean NOT NULL
);
COMMENT ON TABLE sessiond.origin IS 'The file of which a session is a copy, and how much is copied';
COMMENT ON COLUMN sessiond.origin.directory IS 'The mirrored directory, with its host';
COMMENT ON COLUMN sessiond.origin.path IS 'The real path of the file';
COMMENT ON COLUMN sessiond.origin.digest IS 'Digest of the first `source_bytes` bytes of the file';
COMMENT ON COLUMN sessiond.origin.state IS
    'Device, inode, size, mtime and ctime of the file if these bytes are all of it';
CREATE INDEX origin_directory ON sessiond.origin (namespace, directory);

CREATE TABLE sessiond.lease (
    namespace text COLLATE "C" NOT NULL,
    directory text NOT NULL,
    owner uuid NOT NULL,
    holder text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (namespace, directory)
);
COMMENT ON TABLE sessiond.lease IS
    'Which process mirrors a directory, until when by the clock of the server';

CREATE TABLE sessiond.bell (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    secret bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
    removed bigint NOT NULL DEFAULT 0
);
INSERT INTO sessiond.bell DEFAULT VALUES;
COMMENT ON TABLE sessiond.bell IS
    'What seals notifications: every role of the database may send some, and hear all';
COMMENT ON COLUMN sessiond.bell.removed IS 'How many sessions were removed with their rows';
ALTER TABLE sessiond.bell ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.origin ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.lease ENABLE ROW LEVEL SECURITY;

DO $$ BEGIN
    -- Compresses ten times as fast as the default; not every server was built with it.
    ALTER TABLE sessiond.line ALTER COLUMN line SET COMPRESSION lz4;
EXCEPTION WHEN OTHERS THEN NULL;
END $$;

DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    EXECUTE 'CREATE INDEX message_body ON sessiond.message USING gin (body gin_trgm_ops)';
    EXECUTE 'CREATE INDEX session_fields ON sessiond.session USING gin (fields gin_trgm_ops)';
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE USING MESSAGE =
        'pg_trgm is not available: searches read the names of all sessions and the text of all'
        ' messages';
END $$;

CREATE FUNCTION sessiond.owns() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- The current user is the owner of this function and of the schema.
    RETURN pg_has_role(session_user, current_user, 'MEMBER');
END $$;

CREATE FUNCTION sessiond.visible(writing boolean DEFAULT false) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT a.namespace), '{}') FROM sessiond.access a
    JOIN pg_roles r ON r.rolname = a.role
    WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND (a.writes OR NOT writing)
$$;
COMMENT ON FUNCTION sessiond.visible IS
    'The namespaces that the user of this session may read or write; ''*'' is among them for all';

-- In PL/pgSQL, which keeps its plans: this is called with every request.
CREATE FUNCTION sessiond.allows(namespace text, writing boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN pg_has_role(session_user, current_user, 'MEMBER')
        OR sessiond.visible(writing) && ARRAY[namespace, '*'];
END $$;

CREATE FUNCTION sessiond.require(namespace text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT sessiond.allows(namespace, true) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('%s may not write the namespace %s', session_user, namespace);
    END IF;
END $$;

CREATE FUNCTION sessiond.session_of(namespace text, key text) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT encode(substring(sha256(convert_to(namespace || '/' || key, 'UTF8')) FOR 16), 'hex')::uuid
$$;
COMMENT ON FUNCTION sessiond.session_of IS
    'The key of a session''s rows: a digest, so nobody can take the place of another namespace''s';

CREATE FUNCTION sessiond.writable(p_session uuid) RETURNS sessiond.session
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    SELECT * INTO s FROM sessiond.session t
    WHERE t.session = p_session AND sessiond.allows(t.namespace, true) FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM sessiond.require(t.namespace) FROM sessiond.session t
        WHERE t.session = p_session AND sessiond.allows(t.namespace);
    END IF;
    RETURN s;
END $$;
COMMENT ON FUNCTION sessiond.writable IS
    'The row of a session, locked; nulls if there is none or it may not be read, an error if it may'
    ' only be read';

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
    s := sessiond.writable(p_session);
    IF s.session IS NULL OR s.deleted IS NOT NULL THEN
        RETURN QUERY SELECT 'deleted', 0::bigint, 0::bigint;
        RETURN;
    END IF;
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
    p_namespace text, p_key text, p_generation integer,
    p_starts bigint[], p_entries uuid[], p_lines bytea[],
    p_message_starts bigint[], p_lengths integer[], p_bodies text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_session uuid := sessiond.session_of(p_namespace, p_key);
    s sessiond.session;
BEGIN
    SELECT * INTO s FROM sessiond.session t WHERE t.session = v_session;
    PERFORM sessiond.require(coalesce(s.namespace, p_namespace));
    PERFORM sessiond.require_home(s);
    IF s.generation >= p_generation THEN
        RAISE unique_violation USING MESSAGE = 'this generation exists already';
    END IF;
    INSERT INTO sessiond.line
    SELECT v_session, p_generation, * FROM unnest(p_starts, p_entries, p_lines);
    INSERT INTO sessiond.message
    SELECT v_session, p_generation, * FROM unnest(p_message_starts, p_lengths, p_bodies);
END $$;
COMMENT ON FUNCTION sessiond.add_lines IS
    'Adds lines of a new generation, which nobody sees before `publish` in the same transaction';

CREATE FUNCTION sessiond.publish(
    p_namespace text, p_key text,
    p_expected integer, p_expected_bytes bigint, p_generation integer, p_write uuid,
    p_bytes bigint, p_ended boolean,
    p_header bytea, p_id bytea, p_cwd bytea, p_name bytea, p_messages integer,
    p_first_message bytea, p_created double precision, p_latest double precision, p_fields text,
    p_relaxed boolean
) RETURNS TABLE (outcome text, changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_session uuid := sessiond.session_of(p_namespace, p_key);
    s sessiond.session;
    now_at timestamptz := clock_timestamp();
BEGIN
    PERFORM sessiond.require(p_namespace);
    IF p_relaxed THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    s := sessiond.writable(v_session);
    PERFORM sessiond.require_home(s);
    IF coalesce(s.generation, 0) <> p_expected
       OR (s.bytes <> p_expected_bytes AND s.deleted IS NULL)
       OR (p_expected_bytes < 0 AND s.session IS NOT NULL AND s.deleted IS NULL) THEN
        RAISE unique_violation USING MESSAGE = 'the session was written meanwhile';
    END IF;
    INSERT INTO sessiond.namespace VALUES (p_namespace) ON CONFLICT DO NOTHING;
    INSERT INTO sessiond.session AS t (
        session, namespace, key, generation, bytes, ended, written_by, changed, header, id, cwd,
        name, messages, first_message, created, latest, fields
    ) VALUES (
        v_session, p_namespace, p_key, p_generation, p_bytes, p_ended, p_write, now_at, p_header,
        p_id, p_cwd, p_name, p_messages, p_first_message, p_created, p_latest, p_fields
    ) ON CONFLICT (session) DO UPDATE SET
        generation = p_generation, bytes = p_bytes, ended = p_ended, written_by = p_write,
        changed = now_at, deleted = NULL, header = p_header, id = p_id, cwd = p_cwd,
        name = p_name, messages = p_messages, first_message = p_first_message,
        created = p_created, latest = p_latest, fields = p_fields
    -- Of two hosts that create a session at once, one sees no row above.
    WHERE t.generation = p_expected;
    IF NOT FOUND THEN
        RAISE unique_violation USING MESSAGE = 'the session was written meanwhile';
    END IF;
    DELETE FROM sessiond.line l WHERE l.session = v_session AND l.generation < p_generation;
    DELETE FROM sessiond.message m WHERE m.session = v_session AND m.generation < p_generation;
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

CREATE FUNCTION sessiond.sealed(p_text text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    -- Twice, so that nobody can seal a text that continues a sealed one.
    SELECT p_text || ' ' || encode(
        sha256(b.secret || sha256(b.secret || convert_to(p_text, 'UTF8'))), 'hex')
    FROM sessiond.bell b
$$;

CREATE FUNCTION sessiond.ring(p_origin uuid, p_sessions uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    told text;
BEGIN
    SELECT string_agg(s.session::text, ' ') INTO told FROM sessiond.session s
    WHERE s.session = ANY (p_sessions) AND sessiond.allows(s.namespace, true);
    IF told IS NOT NULL THEN
        PERFORM pg_notify('sessiond', sessiond.sealed(p_origin || ' ' || told));
    END IF;
END $$;
COMMENT ON FUNCTION sessiond.ring IS
    'Tells the listeners of `sessiond` that sessions have changed, of those that may be written';

CREATE FUNCTION sessiond.heard(p_payloads text[]) RETURNS TABLE (namespace text, key text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    allowed text[] := sessiond.namespaces(NULL);
    payload text;
    sessions uuid[] := '{}';
BEGIN
    FOREACH payload IN ARRAY p_payloads LOOP
        IF sessiond.sealed(left(payload, -65)) = payload THEN
            sessions := sessions || (string_to_array(left(payload, -65), ' ')::uuid[])[2:];
        END IF;
    END LOOP;
    RETURN QUERY SELECT s.namespace, s.key FROM sessiond.session s
    WHERE s.session = ANY (sessions) AND s.namespace = ANY (allowed);
    IF '00000000-0000-0000-0000-000000000000' = ANY (sessions) THEN
        RETURN QUERY SELECT NULL::text, NULL::text;
    END IF;
END $$;
COMMENT ON FUNCTION sessiond.heard IS
    'Which of the sessions that notifications are about may be read; nulls if any session may have'
    ' changed. A payload that `ring` or `remove` has not made is nothing';

CREATE FUNCTION sessiond.remove(p_session uuid, p_permanently boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    s := sessiond.writable(p_session);
    IF s.session IS NULL OR s.deleted IS NOT NULL THEN RETURN false; END IF;
    -- The rows of a host that is gone can be removed: nobody has its lease.
    IF NOT p_permanently OR EXISTS (
        SELECT FROM sessiond.origin o
        JOIN sessiond.lease l ON l.namespace = o.namespace AND l.directory = o.directory
        WHERE o.session = p_session AND l.until > clock_timestamp()
    ) THEN
        PERFORM sessiond.require_home(s);
    END IF;
    IF p_permanently THEN
        DELETE FROM sessiond.session t WHERE t.session = p_session;
        DELETE FROM sessiond.line l WHERE l.session = p_session;
        DELETE FROM sessiond.message m WHERE m.session = p_session;
        DELETE FROM sessiond.origin o WHERE o.session = p_session;
        UPDATE sessiond.bell SET removed = removed + 1;
        -- There is no row any more from which `ring` and `heard` could tell who may know.
        PERFORM pg_notify('sessiond', sessiond.sealed(
            gen_random_uuid() || ' 00000000-0000-0000-0000-000000000000'));
    ELSE
        UPDATE sessiond.session t SET deleted = clock_timestamp(), changed = clock_timestamp()
        WHERE t.session = p_session;
    END IF;
    RETURN true;
END $$;

CREATE FUNCTION sessiond.restore(p_session uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    s := sessiond.writable(p_session);
    IF s.session IS NULL THEN RETURN 'missing'; END IF;
    IF s.deleted IS NULL THEN RETURN 'exists'; END IF;
    PERFORM sessiond.require_home(s);
    UPDATE sessiond.session t SET deleted = NULL, changed = clock_timestamp()
    WHERE t.session = p_session;
    RETURN 'restored';
END $$;

CREATE TYPE sessiond.listed AS (
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision, home text
);

CREATE FUNCTION sessiond.list(
    p_namespaces text[], p_cwd bytea, p_named boolean,
    p_modified double precision, p_path text, p_most bigint
) RETURNS SETOF sessiond.listed
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.namespace, f.key, f.generation, f.bytes,
           (extract(epoch FROM f.changed) * 1000000)::bigint, f.header, f.name, f.messages,
           f.first_message, f.created, f.latest, f.home
    FROM (
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
    SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home
    FROM sessiond.session s
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
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    allowed text[] := sessiond.namespaces(p_namespaces);
BEGIN
    -- A statement for each question, because one for all could use no index.
    IF p_id IS NOT NULL THEN
        RETURN QUERY SELECT s.namespace, s.key FROM sessiond.session s
        WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
          AND sha256(s.id) = sha256(p_id) AND s.id = p_id AND (p_cwd IS NULL OR s.cwd = p_cwd)
        ORDER BY s.key LIMIT 1;
    ELSIF p_cwd IS NOT NULL THEN
        RETURN QUERY SELECT s.namespace, s.key FROM sessiond.session s
        WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
          AND sha256(s.cwd) = sha256(p_cwd) AND s.cwd = p_cwd
        ORDER BY s.changed DESC, s.key LIMIT 1;
    ELSE
        RETURN QUERY SELECT s.namespace, s.key FROM sessiond.session s
        WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
        ORDER BY s.changed DESC, s.key LIMIT 1;
    END IF;
END $$;
COMMENT ON FUNCTION sessiond.find IS
    'The session with this id, or without an id the one that was written last';

CREATE FUNCTION sessiond.poll(p_namespaces text[], p_seconds double precision)
RETURNS TABLE (namespace text, key text, changed bigint, removed bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    allowed text[] := sessiond.namespaces(p_namespaces);
    since timestamptz := clock_timestamp() - make_interval(secs => p_seconds);
BEGIN
    RETURN QUERY
    SELECT s.namespace, s.key, (extract(epoch FROM s.changed) * 1000000)::bigint, b.removed
    FROM sessiond.bell b LEFT JOIN sessiond.session s ON s.namespace = ANY (allowed)
        AND s.changed > since;
END $$;
COMMENT ON FUNCTION sessiond.poll IS
    'The sessions that have changed in the last seconds, also deleted ones (nulls if there are'
    ' none), and how many sessions of all namespaces were ever removed with their rows';

CREATE FUNCTION sessiond.version() RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT v.version FROM sessiond.schema_version v);
END $$;

CREATE FUNCTION sessiond.search(
    p_namespaces text[], p_cwd bytea, p_texts text[], p_words text[], p_fields text[]
) RETURNS TABLE (
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision, home text, held integer[]
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
        JOIN (
            SELECT unnest(holding) AS session
            UNION
            SELECT f.session FROM unnest(string_to_array(p_fields[i], E'\n')) AS p (pattern)
            JOIN sessiond.session f ON f.fields LIKE p.pattern
        ) AS found ON found.session = s.session
        WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
          AND (p_cwd IS NULL OR sha256(s.cwd) = sha256(p_cwd))
          AND (candidates IS NULL OR s.session = ANY (candidates));
        candidates := shown;
        holders := holders || holding;
        tokens := tokens || array_fill(i, ARRAY[cardinality(holding)]);
    END LOOP;
    RETURN QUERY
    SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home, h.tokens
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

CREATE FUNCTION sessiond.admit(
    p_role text, p_namespace text, p_writes boolean DEFAULT false
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA sessiond TO %I', p_role);
    EXECUTE format(
        'GRANT SELECT ON sessiond.session, sessiond.line, sessiond.message TO %I', p_role);
    PERFORM sessiond.let_call(p_role, p_writes);
    INSERT INTO sessiond.access VALUES (p_role, p_namespace, p_writes)
    ON CONFLICT (role, namespace) DO UPDATE SET writes = p_writes;
END $$;
COMMENT ON FUNCTION sessiond.admit IS
    'Lets a role and its members read a namespace (''*'': every one), or write it, too; for the'
    ' owner of the schema';

CREATE FUNCTION sessiond.dismiss(p_role text, p_namespace text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM sessiond.access a WHERE a.role = p_role AND a.namespace = p_namespace
$$;
COMMENT ON FUNCTION sessiond.dismiss IS 'Undoes `admit`';

CREATE FUNCTION sessiond.lease_mirror(
    p_namespace text, p_directory text, p_owner uuid, p_holder text, p_seconds double precision
) RETURNS TABLE (granted boolean, holder text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM sessiond.require(p_namespace);
    INSERT INTO sessiond.lease AS l
    VALUES (p_namespace, p_directory, p_owner, p_holder,
            clock_timestamp() + make_interval(secs => p_seconds))
    ON CONFLICT (namespace, directory) DO UPDATE SET
        owner = excluded.owner, holder = excluded.holder, until = excluded.until
    WHERE l.owner = p_owner OR l.until < clock_timestamp();
    RETURN QUERY SELECT l.owner = p_owner, l.holder FROM sessiond.lease l
    WHERE l.namespace = p_namespace AND l.directory = p_directory;
END $$;
COMMENT ON FUNCTION sessiond.lease_mirror IS
    'Become or stay the only process that mirrors a directory; not granted while another one is';

CREATE FUNCTION sessiond.end_lease(p_namespace text, p_directory text, p_owner uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM sessiond.require(p_namespace);
    DELETE FROM sessiond.lease l
    WHERE l.namespace = p_namespace AND l.directory = p_directory AND l.owner = p_owner;
END $$;

CREATE FUNCTION sessiond.mirrored(p_namespace text, p_directory text, p_session uuid)
RETURNS TABLE (
    path bytea, generation integer, bytes bigint, ended boolean, deleted boolean,
    header bytea, name bytea, source_bytes bigint, digest bytea, state bigint[], masked boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.path, s.generation, s.bytes, s.ended, s.deleted IS NOT NULL, s.header, s.name,
           o.source_bytes, o.digest, o.state, o.masked
    FROM sessiond.origin o JOIN sessiond.session s USING (session)
    WHERE o.namespace = p_namespace AND sessiond.allows(o.namespace)
      AND (o.session = p_session OR (p_session IS NULL AND o.directory = p_directory))
$$;
COMMENT ON FUNCTION sessiond.mirrored IS
    'What is stored of the files of a directory; or of one file, whichever directory it was in';

CREATE FUNCTION sessiond.mirror(
    p_owner uuid, p_directory text, p_path bytea,
    p_namespace text, p_key text, p_home text,
    p_expected integer, p_expected_bytes bigint, p_replaces boolean,
    p_starts bigint[], p_entries uuid[], p_lines bytea[],
    p_message_starts bigint[], p_lengths integer[], p_bodies text[],
    p_bytes bigint, p_ended boolean,
    p_source_bytes bigint, p_digest bytea, p_state bigint[], p_masked boolean,
    p_header bytea, p_id bytea, p_cwd bytea, p_name bytea, p_messages integer,
    p_first_message bytea, p_created double precision, p_latest double precision, p_fields text
) RETURNS TABLE (outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_session uuid := sessiond.session_of(p_namespace, p_key);
    s sessiond.session;
    now_generation integer := p_expected + CASE WHEN p_replaces THEN 1 ELSE 0 END;
BEGIN
    PERFORM sessiond.require(p_namespace);
    -- Locked, so that the lease cannot be granted to another process before this is committed.
    PERFORM FROM sessiond.lease l WHERE l.namespace = p_namespace AND l.directory = p_directory
        AND l.owner = p_owner FOR SHARE;
    IF NOT FOUND THEN RETURN QUERY SELECT 'lost'; RETURN; END IF;
    s := sessiond.writable(v_session);
    -- A file can be in two mirrored directories: by a link, or if one is within the other.
    IF s.session IS NOT NULL AND s.home IS DISTINCT FROM p_home OR EXISTS (
        SELECT FROM sessiond.origin o
        JOIN sessiond.lease l ON l.namespace = o.namespace AND l.directory = o.directory
        WHERE o.session = v_session AND l.owner <> p_owner AND l.until > clock_timestamp()
    ) THEN
        RETURN QUERY SELECT 'taken'; RETURN;
    END IF;
    IF coalesce(s.generation, 0) <> p_expected OR coalesce(s.bytes, -1) <> p_expected_bytes
       OR (s.deleted IS NOT NULL AND NOT p_replaces) THEN
        RETURN QUERY SELECT 'moved'; RETURN;
    END IF;
    IF p_replaces THEN
        INSERT INTO sessiond.namespace VALUES (p_namespace) ON CONFLICT DO NOTHING;
        INSERT INTO sessiond.session AS t (
            session, namespace, key, generation, bytes, ended, written_by, home, header, id, cwd,
            name, messages, first_message, created, latest, fields
        ) VALUES (
            v_session, p_namespace, p_key, now_generation, p_bytes, p_ended, p_owner, p_home,
            p_header, p_id, p_cwd, p_name, p_messages, p_first_message, p_created, p_latest,
            p_fields
        ) ON CONFLICT (session) DO UPDATE SET
            generation = now_generation, bytes = p_bytes, ended = p_ended, written_by = p_owner,
            changed = clock_timestamp(), deleted = NULL, header = p_header, id = p_id,
            cwd = p_cwd, name = p_name, messages = p_messages, first_message = p_first_message,
            created = p_created, latest = p_latest, fields = p_fields
        WHERE t.generation = p_expected;
        IF NOT FOUND THEN RETURN QUERY SELECT 'moved'; RETURN; END IF;
        DELETE FROM sessiond.line l WHERE l.session = v_session;
        DELETE FROM sessiond.message m WHERE m.session = v_session;
    ELSE
        UPDATE sessiond.session t SET
            bytes = p_bytes, ended = p_ended, changed = clock_timestamp(),
            messages = t.messages + p_messages,
            first_message = coalesce(t.first_message, p_first_message),
            latest = greatest(t.latest, p_latest)
        WHERE t.session = v_session;
        IF s.name IS DISTINCT FROM p_name THEN
            UPDATE sessiond.session t SET name = p_name, fields = p_fields
            WHERE t.session = v_session;
        END IF;
    END IF;
    INSERT INTO sessiond.line
    SELECT v_session, now_generation, * FROM unnest(p_starts, p_entries, p_lines);
    INSERT INTO sessiond.message
    SELECT v_session, now_generation, * FROM unnest(p_message_starts, p_lengths, p_bodies);
    INSERT INTO sessiond.origin VALUES (
        v_session, p_namespace, p_key, p_directory, p_path, p_source_bytes, p_digest, p_state,
        p_masked
    ) ON CONFLICT (session) DO UPDATE SET
        directory = p_directory, path = p_path, source_bytes = p_source_bytes, digest = p_digest,
        state = p_state, masked = p_masked;
    RETURN QUERY SELECT 'written';
END $$;
COMMENT ON FUNCTION sessiond.mirror IS
    'Adds lines to the copy of a file, or begins its next generation with them, if the copy has the'
    ' expected generation and length (-1: there is none)';

CREATE FUNCTION sessiond.mirror_deletion(p_owner uuid, p_directory text, p_session uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session := sessiond.writable(p_session);
BEGIN
    IF s.home IS NULL OR s.deleted IS NOT NULL THEN RETURN true; END IF;
    PERFORM FROM sessiond.lease l WHERE l.namespace = s.namespace AND l.directory = p_directory
        AND l.owner = p_owner FOR SHARE;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE sessiond.session t SET deleted = clock_timestamp(), changed = clock_timestamp()
    WHERE t.session = p_session;
    RETURN true;
END $$;
COMMENT ON FUNCTION sessiond.mirror_deletion IS
    'Marks the copy of a file that was deleted; false if the lease was lost';

CREATE FUNCTION sessiond.require_home(s sessiond.session) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF s.home IS NOT NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('the session''s home is %s', s.home);
    END IF;
END $$;
CREATE FUNCTION sessiond.append_all(
    p_sessions uuid[], p_generations integer[], p_bytes bigint[], p_entries uuid[],
    p_lines bytea[], p_messages integer[], p_first_messages bytea[], p_latest double precision[],
    p_bodies text[], p_relaxed boolean
) RETURNS TABLE (outcome text, bytes bigint, changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_outcome text;
    found_bytes bigint;
    found_changed bigint;
BEGIN
    FOR i IN 1 .. cardinality(p_sessions) LOOP
        -- An equal length does not show that the lines are equal: a line continues those before it.
        IF i > 1 AND p_sessions[i] = p_sessions[i - 1] AND found_outcome <> 'written' THEN
            RETURN QUERY SELECT CASE found_outcome WHEN 'alone' THEN 'alone' ELSE 'moved' END,
                0::bigint, 0::bigint;
            CONTINUE;
        END IF;
        -- Waiting for another host's lock would delay the other sessions, and could be a deadlock.
        PERFORM FROM sessiond.session s
        WHERE s.session = p_sessions[i] AND sessiond.allows(s.namespace, true)
        FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            SELECT * INTO found_outcome, found_bytes, found_changed FROM sessiond.append(
                p_sessions[i], p_generations[i], p_bytes[i], p_entries[i], p_lines[i],
                p_messages[i], p_first_messages[i], p_latest[i], false, NULL, NULL, p_bodies[i],
                p_relaxed);
        ELSE
            SELECT 'alone', 0, 0 INTO found_outcome, found_bytes, found_changed;
        END IF;
        RETURN QUERY SELECT found_outcome, found_bytes, found_changed;
    END LOOP;
END $$;
COMMENT ON FUNCTION sessiond.append_all IS
    'Calls `append` for each line, in the order given. Lines of one session follow one another;'
    ' after one that is not written, those of its session are not. `alone` if the session is locked,'
    ' missing or may not be written, so that it must be done by itself. No line may rename its'
    ' session';

CREATE FUNCTION sessiond.beginning_with(p_id bytea, p_fields text)
RETURNS TABLE (namespace text, key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.namespace, s.key FROM sessiond.session s
    WHERE s.deleted IS NULL AND s.namespace = ANY (sessiond.namespaces(NULL))
      AND s.fields LIKE p_fields AND substring(s.id FROM 1 FOR octet_length(p_id)) = p_id
    ORDER BY s.modified DESC LIMIT 3
$$;
COMMENT ON FUNCTION sessiond.beginning_with IS
    'Up to three sessions whose ids begin so; `p_fields` is a pattern that their fields match';

CREATE FUNCTION sessiond.usage_lines(
    p_sessions uuid[], p_generations integer[], p_from bigint[], p_to bigint[]
) RETURNS TABLE (number bigint, line bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.number, l.line
    FROM unnest(p_sessions, p_generations, p_from, p_to) WITH ORDINALITY
        AS w (session, generation, first, after, number)
    JOIN sessiond.session s ON s.session = w.session AND s.generation = w.generation
    LEFT JOIN sessiond.line l ON l.session = w.session AND l.generation = w.generation
        AND l.start >= w.first AND l.start < w.after
        AND (position('"usage"'::bytea IN l.line) > 0
             OR position('"assistant"'::bytea IN l.line) > 0
             -- These letters may be spelled as escapes.
             OR position('\\u'::bytea IN l.line) > 0)
    WHERE s.deleted IS NULL AND s.namespace = ANY (sessiond.namespaces(NULL))
    ORDER BY w.number, l.start
$$;
COMMENT ON FUNCTION sessiond.usage_lines IS
    'The lines of sessions from a place to another that may record usage; one row without a line if'
    ' there are none. No row for a session that has another generation or was deleted';

CREATE FUNCTION sessiond.callable(p_writes boolean) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY[
        'version', 'visible', 'read', 'lines_at', 'last_write', 'list', 'some', 'count', 'find',
        'poll', 'search', 'messages', 'beginning_with', 'usage_lines', 'heard'
    ] || CASE WHEN p_writes THEN ARRAY[
        'append', 'append_all', 'add_lines', 'publish', 'remove', 'restore', 'lease_mirror',
        'end_lease', 'mirrored', 'mirror', 'mirror_deletion', 'ring'
    ] ELSE '{}' END
$$;
COMMENT ON FUNCTION sessiond.callable IS 'The functions that readers, or also writers, may call';

CREATE FUNCTION sessiond.let_call(p_role text, p_writes boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY sessiond.callable(p_writes) LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION sessiond.%I TO %I', name, p_role);
    END LOOP;
END $$;

-- Functions may be called by roles that were granted to, not by everybody.
REVOKE ALL ON SCHEMA sessiond FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA sessiond FROM PUBLIC;
