-- All functions of the store, who may see which rows, and what searches look into; run again by
-- every migration, so an upgrade drops first what has got other parameters or results.

COMMENT ON COLUMN sessiond.session.fields IS
    'Name, id, working directory and title as searches fold them; the name is the first line';
COMMENT ON COLUMN sessiond.session.has_texts IS
    'Whether `message` has all texts; until `store migrate` has made them, those of older versions';
COMMENT ON COLUMN sessiond.session.tip IS
    'The id of the last entry, or nothing if there is none; null: there may be branches';
COMMENT ON TABLE sessiond.message IS
    'Texts of lines as searches fold them, and what is known of each; tool and model in lower case';
COMMENT ON COLUMN sessiond.message.part IS 'The number of the text in its line';
COMMENT ON COLUMN sessiond.message.time IS 'Milliseconds since the epoch';
COMMENT ON COLUMN sessiond.message.file IS 'The normal path of the file that a call names';
COMMENT ON COLUMN sessiond.origin.digest IS
    'Digest of these bytes, by which growth is told from other changes';
COMMENT ON COLUMN sessiond.lease.waiting IS 'How many files were to be compared a moment ago';
COMMENT ON COLUMN sessiond.lease.behind_since IS
    'Since when the copies may lack something of their files; null: they are complete';
COMMENT ON COLUMN sessiond.lease.failing IS 'How many files could not be copied';
COMMENT ON COLUMN sessiond.lease.error IS 'Why the last of them could not';
COMMENT ON COLUMN sessiond.origin.machine IS
    'Which machine of this name has the file; null: not known yet';
CREATE INDEX IF NOT EXISTS session_without_texts ON sessiond.session (namespace, session)
    WHERE NOT has_texts;
-- Of the last part of the path, in which all paths of one file agree; hashed, as it may be long.
CREATE INDEX IF NOT EXISTS message_file ON sessiond.message
    USING hash (reverse(split_part(reverse(file), '/', 1))) WHERE file IS NOT NULL;
CREATE INDEX IF NOT EXISTS message_time ON sessiond.message (time);

DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    -- What people search most, what user and assistant said, has an index of its own.
    EXECUTE 'CREATE INDEX IF NOT EXISTS message_said ON sessiond.message'
        ' USING gin (body gin_trgm_ops) WHERE field = ''said''';
    EXECUTE 'CREATE INDEX IF NOT EXISTS message_done ON sessiond.message'
        ' USING gin (body gin_trgm_ops) WHERE field <> ''said''';
    EXECUTE 'CREATE INDEX IF NOT EXISTS session_fields ON sessiond.session'
        ' USING gin (fields gin_trgm_ops)';
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE USING MESSAGE =
        'pg_trgm is not available: searches read the names and texts of all sessions that may be'
        ' read';
END $$;

CREATE OR REPLACE FUNCTION sessiond.owns() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- The current user is the owner of this function and of the schema.
    RETURN pg_has_role(session_user, current_user, 'MEMBER');
END $$;

CREATE OR REPLACE FUNCTION sessiond.visible(writing boolean DEFAULT false) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT a.namespace), '{}') FROM sessiond.access a
    JOIN pg_roles r ON r.rolname = a.role
    WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND (a.writes OR NOT writing)
$$;
COMMENT ON FUNCTION sessiond.visible IS
    'The namespaces that the user of this session may read or write; ''*'' is among them for all';

-- In PL/pgSQL, which keeps its plans: this is called with every request.
CREATE OR REPLACE FUNCTION sessiond.allows(namespace text, writing boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN pg_has_role(session_user, current_user, 'MEMBER')
        OR sessiond.visible(writing) && ARRAY[namespace, '*'];
END $$;

CREATE OR REPLACE FUNCTION sessiond.require(namespace text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT sessiond.allows(namespace, true) THEN
        RAISE insufficient_privilege USING
            MESSAGE = format('%s may not write the namespace %s', session_user, namespace);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION sessiond.session_of(namespace text, key text) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT encode(substring(sha256(convert_to(namespace || '/' || key, 'UTF8')) FOR 16), 'hex')::uuid
$$;
COMMENT ON FUNCTION sessiond.session_of IS
    'The key of a session''s rows: a digest, so nobody can take the place of another namespace''s';

CREATE OR REPLACE FUNCTION sessiond.writable(p_session uuid) RETURNS sessiond.session
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

CREATE OR REPLACE FUNCTION sessiond.namespaces(wanted text[]) RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(n.namespace ORDER BY n.namespace), '{}') FROM sessiond.namespace n
    WHERE (wanted IS NULL OR n.namespace = ANY (wanted))
      AND (sessiond.owns() OR sessiond.visible() && ARRAY['*'] OR n.namespace = ANY (sessiond.visible()))
$$;
COMMENT ON FUNCTION sessiond.namespaces IS 'Those of the wanted namespaces that may be read';

DROP POLICY IF EXISTS reading ON sessiond.session;
CREATE POLICY reading ON sessiond.session FOR SELECT
    USING ((SELECT sessiond.visible()) && ARRAY[namespace, '*']);
DROP POLICY IF EXISTS reading ON sessiond.line;
CREATE POLICY reading ON sessiond.line FOR SELECT
    USING (EXISTS (SELECT FROM sessiond.session s WHERE s.session = line.session));
DROP POLICY IF EXISTS reading ON sessiond.message;
CREATE POLICY reading ON sessiond.message FOR SELECT
    USING (EXISTS (SELECT FROM sessiond.session s WHERE s.session = message.session));

CREATE OR REPLACE FUNCTION sessiond.count_session(s sessiond.session, change integer) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO sessiond.tally
    SELECT s.namespace, place, s.name IS NOT NULL,
           get_byte(uuid_send(s.session), 0) % 8, change
    FROM (VALUES (''::bytea), (sha256(s.cwd))) AS places (place)
    WHERE s.deleted IS NULL ORDER BY place
    ON CONFLICT (namespace, cwd, named, slot) DO UPDATE SET sessions = tally.sessions + change
$$;

CREATE OR REPLACE FUNCTION sessiond.tally_session() RETURNS trigger
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
DROP TRIGGER IF EXISTS tally ON sessiond.session;
CREATE TRIGGER tally AFTER INSERT OR DELETE OR UPDATE OF deleted, name, cwd ON sessiond.session
    FOR EACH ROW EXECUTE FUNCTION sessiond.tally_session();

CREATE OR REPLACE FUNCTION sessiond.read(
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

CREATE OR REPLACE FUNCTION sessiond.lines_at(
    p_sessions uuid[], p_generations integer[], p_starts bigint[]
) RETURNS TABLE (number bigint, line bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.number, l.line
    FROM unnest(p_sessions, p_generations, p_starts) WITH ORDINALITY
        AS w (session, generation, start, number)
    JOIN sessiond.session s USING (session, generation)
    JOIN sessiond.line l USING (session, generation, start)
    WHERE s.deleted IS NULL AND s.namespace = ANY (sessiond.namespaces(NULL))
    ORDER BY w.number
$$;
COMMENT ON FUNCTION sessiond.lines_at IS
    'The lines at places of sessions that still have these generations, and the number of each place';

CREATE OR REPLACE FUNCTION sessiond.contents(p_sessions uuid[], p_generations integer[])
RETURNS TABLE (number bigint, data bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT w.number, string_agg(l.line, '\x0a'::bytea ORDER BY l.start)
    FROM unnest(p_sessions, p_generations) WITH ORDINALITY AS w (session, generation, number)
    JOIN sessiond.session s USING (session, generation)
    JOIN sessiond.line l USING (session, generation)
    WHERE s.deleted IS NULL AND s.namespace = ANY (sessiond.namespaces(NULL))
    GROUP BY w.number
$$;
COMMENT ON FUNCTION sessiond.contents IS
    'All lines of sessions that still have these generations, and the number of each session';

CREATE OR REPLACE FUNCTION sessiond.add_texts(
    p_session uuid, p_generation integer, p_starts bigint[], p_texts text[]
) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO sessiond.message
        (session, generation, start, part, field, role, time, tool, file, model, body)
    SELECT p_session, p_generation, l.start, t.*
    FROM unnest(p_starts, p_texts) AS l (start, texts)
    CROSS JOIN LATERAL json_to_recordset(l.texts::json) AS t (
        part integer, field text, role text, time double precision, tool text, file text,
        model text, body text)
$$;
COMMENT ON FUNCTION sessiond.add_texts IS
    'Adds what searches find of lines: for each line a JSON array of its texts, or null';

CREATE OR REPLACE FUNCTION sessiond.require_version(p_known integer) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT v.version > p_known FROM sessiond.schema_version v) THEN
        RAISE feature_not_supported USING MESSAGE = 'the schema is of a newer version';
    END IF;
END $$;
COMMENT ON FUNCTION sessiond.require_version IS
    'Raises an error if the schema is newer than what the writer knows: it was migrated meanwhile';

CREATE OR REPLACE FUNCTION sessiond.write(
    p_namespace text, p_key text, p_copy sessiond.copying,
    p_expected integer, p_expected_bytes bigint, p_replaces boolean, p_write uuid,
    p_relaxed boolean, p_version integer,
    p_lines bytea[], p_texts text[], p_ended boolean,
    p_header bytea, p_id bytea, p_cwd bytea, p_name bytea, p_messages integer,
    p_first_message bytea, p_created double precision, p_latest double precision, p_fields text,
    p_after bytea, p_tip bytea
) RETURNS TABLE (outcome text, bytes bigint, changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_session uuid := sessiond.session_of(p_namespace, p_key);
    s sessiond.session;
    is_copy boolean := NOT (p_copy IS NULL);
    starts bigint[] := '{}';
    line bytea;
    now_generation integer := p_expected + p_replaces::integer;
    now_bytes bigint;
    now_at timestamptz := clock_timestamp();
    -- Of a session without entries the first one continues nothing.
    new_tip bytea := CASE WHEN p_after IS NULL THEN '' ELSE p_tip END;
BEGIN
    PERFORM sessiond.require_version(p_version);
    IF p_relaxed THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    IF is_copy THEN
        PERFORM sessiond.require(p_namespace);
        -- Locked, so that the lease cannot be granted to another process before this is committed.
        PERFORM FROM sessiond.lease l WHERE l.namespace = p_namespace
            AND l.directory = p_copy.directory AND l.owner = p_copy.owner FOR SHARE;
        IF NOT FOUND THEN outcome := 'lost'; RETURN NEXT; RETURN; END IF;
    END IF;
    s := sessiond.writable(v_session);
    IF s.session IS NULL THEN PERFORM sessiond.require(p_namespace); END IF;
    outcome := 'repeated';
    bytes := s.bytes;
    changed := (extract(epoch FROM s.changed) * 1000000)::bigint;
    IF s.written_by = p_write THEN RETURN NEXT; RETURN; END IF;
    IF NOT is_copy THEN
        PERFORM sessiond.require_home(s);
    -- A file can be in two mirrored directories: by a link, or if one is within the other.
    ELSIF s.session IS NOT NULL AND s.home IS DISTINCT FROM p_copy.home OR EXISTS (
        SELECT FROM sessiond.origin o
        JOIN sessiond.lease l ON l.namespace = o.namespace AND l.directory = o.directory
        WHERE o.session = v_session AND l.owner <> p_copy.owner AND l.until > clock_timestamp()
    ) OR EXISTS (
        SELECT FROM sessiond.origin o WHERE o.session = v_session AND o.machine <> p_copy.machine
    ) THEN
        outcome := 'taken'; RETURN NEXT; RETURN;
    END IF;
    outcome := 'moved';
    now_bytes := CASE WHEN p_replaces THEN 0 ELSE s.bytes + (NOT s.ended)::integer END;
    FOREACH line IN ARRAY p_lines LOOP
        starts := starts || now_bytes;
        now_bytes := now_bytes + octet_length(line) + 1;
    END LOOP;
    now_bytes := now_bytes - (NOT p_ended)::integer;
    IF p_replaces THEN
        IF s.deleted IS NULL AND coalesce(s.bytes, -1) <> p_expected_bytes THEN
            RETURN NEXT; RETURN;
        END IF;
        INSERT INTO sessiond.namespace VALUES (p_namespace) ON CONFLICT DO NOTHING;
        INSERT INTO sessiond.session AS t (
            session, namespace, key, generation, bytes, ended, written_by, changed, home, header,
            id, cwd, name, messages, first_message, created, latest, fields, tip
        ) VALUES (
            v_session, p_namespace, p_key, now_generation, now_bytes, p_ended, p_write, now_at,
            p_copy.home, p_header, p_id, p_cwd, p_name, p_messages, p_first_message, p_created,
            p_latest, p_fields, new_tip
        ) ON CONFLICT (session) DO UPDATE SET
            generation = now_generation, bytes = now_bytes, ended = p_ended, written_by = p_write,
            changed = now_at, deleted = NULL, header = p_header, id = p_id, cwd = p_cwd,
            name = p_name, messages = p_messages, first_message = p_first_message,
            created = p_created, latest = p_latest, fields = p_fields, has_texts = true,
            tip = new_tip
        -- Of two hosts that create a session at once, one sees no row above.
        WHERE t.generation = p_expected;
        IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
        DELETE FROM sessiond.line l WHERE l.session = v_session;
        DELETE FROM sessiond.message m WHERE m.session = v_session;
    ELSE
        UPDATE sessiond.session t SET
            bytes = now_bytes, ended = p_ended, changed = now_at,
            messages = t.messages + p_messages,
            first_message = coalesce(t.first_message, p_first_message),
            latest = greatest(t.latest, p_latest),
            tip = CASE WHEN p_after IS NULL THEN t.tip WHEN t.tip = p_after THEN p_tip END
        WHERE t.session = s.session AND t.deleted IS NULL
          AND t.generation = p_expected AND t.bytes = p_expected_bytes;
        IF NOT FOUND THEN RETURN NEXT; RETURN; END IF;
        IF s.name IS DISTINCT FROM p_name OR s.first_message IS NULL THEN
            UPDATE sessiond.session t SET name = p_name, fields = p_fields
            WHERE t.session = v_session;
        END IF;
    END IF;
    INSERT INTO sessiond.line
    SELECT v_session, now_generation, * FROM unnest(starts, p_lines);
    PERFORM sessiond.add_texts(v_session, now_generation, starts, p_texts);
    IF is_copy THEN
        INSERT INTO sessiond.origin VALUES (
            v_session, p_namespace, p_copy.directory, p_copy.path, p_copy.source_bytes,
            p_copy.digest, p_copy.state, p_copy.masked, p_copy.machine
        ) ON CONFLICT (session) DO UPDATE SET
            directory = excluded.directory, path = excluded.path,
            source_bytes = excluded.source_bytes, digest = excluded.digest, state = excluded.state,
            masked = excluded.masked, machine = coalesce(excluded.machine, origin.machine);
    END IF;
    outcome := 'written';
    bytes := now_bytes;
    changed := (extract(epoch FROM now_at) * 1000000)::bigint;
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION sessiond.write IS
    'Adds lines to a session, or makes them its next generation, if it has the expected generation'
    ' and length (-1: there is none, or it is deleted); else it has moved. `repeated`: it was done'
    ' before, by the write of this id. What is known of an addition adds to what is stored';

CREATE OR REPLACE FUNCTION sessiond.sealed(
    p_text text, p_at bigint DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    -- The time is under the seal, so that a notification that was heard cannot be sent again later.
    -- Twice, so that nobody can seal a text that continues a sealed one.
    SELECT t.dated || ' ' || encode(
        sha256(b.secret || sha256(b.secret || convert_to(t.dated, 'UTF8'))), 'hex')
    FROM sessiond.bell b, (SELECT p_text || ' ' || p_at AS dated) AS t
$$;

CREATE OR REPLACE FUNCTION sessiond.ring(p_origin uuid, p_sessions uuid[]) RETURNS void
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

CREATE OR REPLACE FUNCTION sessiond.heard(p_payloads text[]) RETURNS TABLE (namespace text, key text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    allowed text[] := sessiond.namespaces(NULL);
    payload text;
    parts text[];
    at bigint;
    sessions uuid[] := '{}';
BEGIN
    FOREACH payload IN ARRAY p_payloads LOOP
        CONTINUE WHEN payload !~ '^[0-9a-f-]{36}( [0-9a-f-]{36})+ [0-9]{13} [0-9a-f]{64}$';
        parts := string_to_array(payload, ' ');
        at := parts[cardinality(parts) - 1]::bigint;
        parts := trim_array(parts, 2);
        IF at > extract(epoch FROM clock_timestamp()) * 1000 - 60000
            AND sessiond.sealed(array_to_string(parts, ' '), at) = payload
        THEN
            sessions := sessions || (parts[2:])::uuid[];
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
    ' changed. A payload that `ring` or `remove` has not made in the last minute is nothing';

CREATE OR REPLACE FUNCTION sessiond.remove(p_session uuid, p_permanently boolean) RETURNS boolean
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

CREATE OR REPLACE FUNCTION sessiond.restore(p_session uuid) RETURNS text
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

CREATE OR REPLACE FUNCTION sessiond.list(
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

CREATE OR REPLACE FUNCTION sessiond.trashed(p_namespaces text[], p_cwd bytea) RETURNS TABLE (
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision, home text, deleted double precision
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home, extract(epoch FROM s.deleted)
    FROM sessiond.session s
    WHERE s.namespace = ANY (sessiond.namespaces(p_namespaces)) AND s.deleted IS NOT NULL
      AND (p_cwd IS NULL OR sha256(s.cwd) = sha256(p_cwd))
    ORDER BY s.deleted DESC, s.namespace, s.key
$$;
COMMENT ON FUNCTION sessiond.trashed IS
    'The deleted sessions, the latest first, and when they were deleted';

CREATE OR REPLACE FUNCTION sessiond.some(p_sessions uuid[]) RETURNS SETOF sessiond.listed
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home
    FROM sessiond.session s
    WHERE s.session = ANY (p_sessions) AND s.deleted IS NULL
      AND s.namespace = ANY (sessiond.namespaces(NULL))
$$;

CREATE OR REPLACE FUNCTION sessiond.count(p_namespaces text[], p_cwd bytea, p_named boolean) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(sum(t.sessions), 0)::bigint FROM sessiond.tally t
    WHERE t.namespace = ANY (sessiond.namespaces(p_namespaces))
      AND t.cwd = CASE WHEN p_cwd IS NULL THEN ''::bytea ELSE sha256(p_cwd) END
      AND (t.named OR NOT p_named)
$$;

CREATE OR REPLACE FUNCTION sessiond.find(p_namespaces text[], p_cwd bytea, p_id bytea)
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

CREATE OR REPLACE FUNCTION sessiond.poll(p_namespaces text[], p_seconds double precision)
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

CREATE OR REPLACE FUNCTION sessiond.version() RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT v.version FROM sessiond.schema_version v);
END $$;

CREATE OR REPLACE FUNCTION sessiond.are_wanted(p_wanted jsonb) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT concat_ws(' AND ',
        CASE cardinality(w.fields) WHEN 1 THEN format('m.field = %L', w.fields[1])
            ELSE format('m.field = ANY (%L)', w.fields) END,
        CASE WHEN w.roles <> '{}' THEN format('m.role = ANY (%L)', w.roles) END,
        CASE WHEN w.tools <> '{}' THEN format('m.tool = ANY (%L)', w.tools) END,
        CASE WHEN w.files <> '{}' THEN format(
            'm.file IS NOT NULL AND reverse(split_part(reverse(m.file), ''/'', 1)) = ANY (%L)'
            ' AND EXISTS (SELECT FROM unnest(%L::text[]) AS f (file)'
            ' WHERE right(''/'' || m.file, length(f.file) + 1) = ''/'' || f.file'
            ' OR right(''/'' || f.file, length(m.file) + 1) = ''/'' || m.file)',
            ARRAY(SELECT DISTINCT reverse(split_part(reverse(f), '/', 1)) FROM unnest(w.files) f),
            w.files) END,
        CASE WHEN w.since IS NOT NULL THEN format('m.time >= %L', w.since) END,
        CASE WHEN w.until IS NOT NULL THEN format('m.time < %L', w.until) END,
        CASE WHEN w.model <> '' THEN format('strpos(m.model, %L) > 0', w.model) END)
    FROM jsonb_to_record(p_wanted) AS w (
        fields text[], roles text[], tools text[], files text[],
        since double precision, until double precision, model text)
$$;
COMMENT ON FUNCTION sessiond.are_wanted IS
    'A condition for the rows `m` of `message` that a search looks into. One of two paths is that of'
    ' a file if it ends with the other one';

CREATE OR REPLACE FUNCTION sessiond.search_statement(
    p_namespaces text[], p_cwd bytea, p_texts text[], p_fields text[], p_wanted jsonb,
    p_modified double precision, p_path text, p_most bigint
) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $statement$
DECLARE
    allowed text[] := sessiond.namespaces(p_namespaces);
    selected text := format(
        's.session, s.modified, s.namespace, s.key, s.fields, s.tip FROM sessiond.session s'
        ' WHERE s.namespace = ANY (%L) AND s.deleted IS NULL', allowed)
        || CASE WHEN p_cwd IS NULL THEN '' ELSE format(' AND sha256(s.cwd) = %L', sha256(p_cwd)) END;
    wanted text := sessiond.are_wanted(p_wanted);
    -- Each has an index of its own.
    kinds text[] := CASE
        WHEN NOT p_wanted -> 'fields' ? 'said' THEN ARRAY['m.field <> ''said''']
        WHEN p_wanted -> 'fields' = '["said"]' THEN ARRAY['m.field = ''said''']
        ELSE ARRAY['m.field = ''said''', 'm.field <> ''said'''] END;
    later text := CASE WHEN p_path IS NULL THEN 'true' ELSE format(
        'f.modified <= %1$L AND (f.modified < %1$L OR f.path < %2$L)', p_modified, p_path) END;
    counts text := format(
        'SELECT count(*) AS total, count(*) FILTER (WHERE %s) AS rest FROM found f WHERE f.plain', later);
    -- Selects the sessions with texts that hold the first token.
    holders text := '';
    -- Each selects those that hold one of the others. Not joined with one another: planning a join
    -- of a hundred tables takes minutes.
    others text[] := '{}';
    -- Selects the sessions in which the first token may be.
    first text := 'SELECT false AS held, ' || selected;
    joined text := '';
    every_session text;
    total text;
    tokens text := 'CASE WHEN s.held THEN ARRAY[1] ELSE ARRAY[]::integer[] END';
    every text := 'true';
    plain text := CASE WHEN p_wanted -> 'of_current_branch' = 'true' THEN 's.tip IS NOT NULL'
        ELSE 'true' END;
    holds text;
    is_held text;
    like_text text;
    like_field text;
BEGIN
    FOR i IN 1 .. cardinality(p_texts) LOOP
        like_text := format('LIKE %L', p_texts[i]);
        holds := CASE p_texts[i] WHEN '%%' THEN 'true' ELSE (
            SELECT string_agg(format('%s AND m.body %s', k.kind, like_text), ' OR ')
            FROM unnest(kinds) AS k (kind)) END;
        holds := format('%s AND EXISTS (SELECT FROM sessiond.message m'
            ' WHERE m.session = s.session AND %s AND (%s))', selected, wanted, holds);
        IF i = 1 THEN
            is_held := 's.held';
            holders := format('h1 AS (SELECT %s), ', holds);
            first := 'SELECT true AS held, h1.* FROM h1';
        ELSE
            is_held := format('coalesce(%s = ANY (h.tokens), false)', i);
            others := others || format('SELECT %s AS token, %s', i, holds);
        END IF;
        IF p_fields IS NULL THEN
            every := format('%s AND %s', every, is_held);
            CONTINUE;
        END IF;
        SELECT string_agg(format('s.fields LIKE %L', p.pattern), ' OR ') INTO like_field
        FROM unnest(string_to_array(p_fields[i], E'\n')) AS p (pattern);
        every := format('%s AND (%s OR %s)', every, is_held, like_field);
        plain := format(
            '%1$s AND (%2$s OR s.fields %3$s) AND split_part(s.fields, E''\n'', 1) NOT %3$s',
            plain, is_held, like_text);
        IF i = 1 THEN
            first := format('%s UNION ALL SELECT false, %s AND (%s)'
                ' AND NOT EXISTS (SELECT FROM h1 WHERE h1.session = s.session)',
                first, selected, like_field);
        END IF;
    END LOOP;
    IF cardinality(p_texts) = 0 AND p_most IS NOT NULL THEN
        -- Every session is a hit: all are counted already, and each namespace has an index for pages.
        total := sessiond.count(p_namespaces, p_cwd, false)::text;
        every_session := 'SELECT false AS held, s.namespace || ''/'' || s.key AS path, ' || selected;
        counts := 'SELECT ' || total || '::bigint AS total, ' || CASE WHEN p_path IS NULL THEN total
            ELSE '(SELECT count(*) FROM (' || every_session || ') AS f WHERE ' || later || ')' END
            || '::bigint AS rest';
        first := 'SELECT p.* FROM unnest(' || quote_literal(allowed) || '::text[]) AS n (namespace)'
            || ' CROSS JOIN LATERAL (SELECT f.* FROM (' || every_session
            || ' AND s.namespace = n.namespace) AS f WHERE ' || later
            || ' ORDER BY f.modified DESC, f.key DESC LIMIT ' || p_most || ') AS p';
    END IF;
    IF others <> '{}' THEN
        tokens := tokens || ' || h.tokens';
        joined := format(
            'LEFT JOIN (SELECT o.session, array_agg(o.token) AS tokens FROM (%s) AS o'
            ' GROUP BY o.session) AS h ON h.session = s.session',
            array_to_string(others, ' UNION ALL '));
    END IF;
    RETURN format(
        $$
        WITH %1$s found AS (
            SELECT s.session, s.modified, (s.namespace || '/' || s.key) COLLATE "C" AS path,
                   %2$s AS tokens, (%3$s) AS plain
            FROM (%4$s) AS s %5$s WHERE %6$s
        ), page AS (
            SELECT f.session, f.tokens, f.plain FROM found f WHERE NOT f.plain
            UNION ALL (
                SELECT f.session, f.tokens, f.plain FROM found f WHERE f.plain AND %7$s
                ORDER BY f.modified DESC, f.path DESC LIMIT %8$L::bigint
            )
        )
        SELECT n.total, n.rest, p.plain,
               CASE WHEN s.tip IS NULL THEN p.tokens ELSE 0 || p.tokens END, s.namespace, s.key, s.generation, s.bytes,
               (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
               s.first_message, s.created, s.latest, s.home
        FROM (%9$s) AS n LEFT JOIN (page p CROSS JOIN LATERAL (
            -- By the key: the server expects many more sessions than a page has.
            SELECT s.* FROM sessiond.session s WHERE s.session = p.session OFFSET 0
        ) AS s) ON true
        $$,
        holders, tokens, plain, first, joined, every, later, p_most, counts);
END $statement$;
COMMENT ON FUNCTION sessiond.search_statement IS
    'What `search` executes: written with its values, so that the server knows how rare each is and'
    ' whether to begin with the texts or with the sessions that may be read';

CREATE OR REPLACE FUNCTION sessiond.search(
    p_namespaces text[], p_cwd bytea, p_texts text[], p_fields text[], p_wanted jsonb,
    p_modified double precision, p_path text, p_most bigint
) RETURNS TABLE (
    total bigint, rest bigint, plain boolean, held integer[],
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision, home text
)
-- Compiling takes longer than the statement.
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    IF p_fields IS NULL AND EXISTS (
        SELECT FROM sessiond.session s
        WHERE s.namespace = ANY (sessiond.namespaces(p_namespaces)) AND NOT s.has_texts
    ) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'not all texts of the store are made yet';
    END IF;
    RETURN QUERY EXECUTE sessiond.search_statement(
        p_namespaces, p_cwd, p_texts, p_fields, p_wanted, p_modified, p_path, p_most);
END $$;
COMMENT ON FUNCTION sessiond.search IS
    'The sessions in which every token (`p_texts`, for LIKE) may be, and the numbers of those that'
    ' wanted texts hold, and 0 if the session has only one branch. Tokens may be in fields, too, as `p_fields` says, unless that is null. Plain'
    ' are sessions whose names hold no token, and which have each in the id, the directory or a'
    ' text (of a search of the current branch only those that have no others): they have equal'
    ' ranks, so of these only `p_most` after a time and a path, the latest'
    ' first. `total` and `rest` count them on all pages, and after that place; always one row at least';

CREATE OR REPLACE FUNCTION sessiond.places(
    p_sessions uuid[], p_generations integer[], p_texts text[], p_wanted jsonb, p_most integer
) RETURNS TABLE (number bigint, start bigint, part integer, token bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT w.number, f.start, f.part, t.number'
        ' FROM unnest($1, $2) WITH ORDINALITY AS w (session, generation, number)'
        ' JOIN sessiond.session s USING (session, generation)'
        ' CROSS JOIN (SELECT ARRAY[text] AS texts, number FROM unnest($3) WITH ORDINALITY AS one (text, number)'
        '     UNION ALL SELECT $3, 0 WHERE cardinality($3) > 1) AS t'
        ' CROSS JOIN LATERAL ('
        '     SELECT m.start, m.part FROM sessiond.message m'
        '     WHERE m.session = w.session AND m.generation = w.generation'
        -- Not LIKE, for which the server may look into an index of all sessions.
        '       AND (SELECT bool_and(strpos(m.body, text) > 0) FROM unnest(t.texts) AS text) AND %s'
        '     ORDER BY m.start, m.part LIMIT $4'
        ' ) AS f WHERE s.deleted IS NULL AND s.namespace = ANY ($5)',
        sessiond.are_wanted(p_wanted))
    USING p_sessions, p_generations, p_texts, p_most, sessiond.namespaces(NULL);
END $$;
COMMENT ON FUNCTION sessiond.places IS
    'For each session and each token, where the first `p_most` wanted texts are that hold it;'
    ' token 0 stands for all of them together';

CREATE OR REPLACE FUNCTION sessiond.admit(
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

CREATE OR REPLACE FUNCTION sessiond.dismiss(p_role text, p_namespace text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM sessiond.access a WHERE a.role = p_role AND a.namespace = p_namespace
$$;
COMMENT ON FUNCTION sessiond.dismiss IS 'Undoes `admit`';

CREATE OR REPLACE FUNCTION sessiond.lease_mirror(
    p_namespace text, p_directory text, p_machine text, p_owner uuid, p_holder text,
    p_seconds double precision, p_waiting integer DEFAULT 0,
    p_behind double precision DEFAULT NULL, p_failing integer DEFAULT 0, p_error text DEFAULT NULL
) RETURNS TABLE (granted boolean, holder text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    ends timestamptz := clock_timestamp() + make_interval(secs => p_seconds);
    behind timestamptz := clock_timestamp() - make_interval(secs => p_behind);
BEGIN
    PERFORM sessiond.require(p_namespace);
    UPDATE sessiond.lease SET until = ends, waiting = p_waiting, behind_since = behind,
        failing = p_failing, error = p_error
    WHERE namespace = p_namespace AND directory = p_directory AND owner = p_owner;
    IF FOUND THEN RETURN QUERY SELECT true, p_holder; RETURN; END IF;
    INSERT INTO sessiond.lease AS l VALUES (
        p_namespace, p_directory, p_owner, p_holder, ends, p_waiting, behind, p_failing, p_error
    ) ON CONFLICT (namespace, directory) DO UPDATE SET
        owner = excluded.owner, holder = excluded.holder, until = excluded.until,
        waiting = excluded.waiting, behind_since = excluded.behind_since,
        failing = excluded.failing, error = excluded.error
    WHERE l.until < clock_timestamp();
    -- Looked up when nobody else can store copies any more.
    IF EXISTS (
        SELECT FROM sessiond.origin o
        WHERE o.namespace = p_namespace AND o.directory = p_directory AND o.machine <> p_machine
    ) THEN
        DELETE FROM sessiond.lease l
        WHERE l.namespace = p_namespace AND l.directory = p_directory AND l.owner = p_owner;
        RETURN QUERY SELECT false, 'another machine of the same name (give each its own --host)';
        RETURN;
    END IF;
    -- Copies that a former version stored.
    UPDATE sessiond.origin o SET machine = p_machine FROM sessiond.lease l
    WHERE o.namespace = p_namespace AND o.directory = p_directory AND o.machine IS NULL
      AND l.namespace = o.namespace AND l.directory = o.directory AND l.owner = p_owner;
    RETURN QUERY SELECT l.owner = p_owner, l.holder FROM sessiond.lease l
    WHERE l.namespace = p_namespace AND l.directory = p_directory;
END $$;
COMMENT ON FUNCTION sessiond.lease_mirror IS
    'Become or stay the only process that mirrors a directory; not granted while another one is, nor'
    ' to another machine than that of the copies';

CREATE OR REPLACE FUNCTION sessiond.end_lease(p_namespace text, p_directory text, p_owner uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM sessiond.require(p_namespace);
    DELETE FROM sessiond.lease l
    WHERE l.namespace = p_namespace AND l.directory = p_directory AND l.owner = p_owner;
END $$;

CREATE OR REPLACE FUNCTION sessiond.mirrored(p_namespace text, p_directory text, p_session uuid)
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

CREATE OR REPLACE FUNCTION sessiond.mirror_deletion(p_owner uuid, p_directory text, p_session uuid)
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

CREATE OR REPLACE FUNCTION sessiond.require_home(s sessiond.session) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF s.home IS NOT NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('the session''s home is %s', s.home);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION sessiond.with_id(
    p_namespaces text[], p_cwd bytea, p_id bytea, p_fields text, p_host text
) RETURNS SETOF sessiond.listed
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    allowed text[] := sessiond.namespaces(p_namespaces);
    most CONSTANT integer := 100;
BEGIN
    -- A statement for each question, because one for both could use no index.
    RETURN QUERY SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home
    FROM sessiond.session s
    WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
      AND sha256(s.id) = sha256(p_id) AND s.id = p_id AND (p_cwd IS NULL OR s.cwd = p_cwd)
      AND (p_host IS NULL OR starts_with(s.home, p_host || ':'))
    ORDER BY s.modified DESC, s.key DESC LIMIT most;
    IF FOUND THEN RETURN; END IF;
    RETURN QUERY SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home
    FROM sessiond.session s
    WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL AND s.fields LIKE p_fields
      AND substring(s.id FROM 1 FOR octet_length(p_id)) = p_id
      AND (p_cwd IS NULL OR s.cwd = p_cwd)
      AND (p_host IS NULL OR starts_with(s.home, p_host || ':'))
    ORDER BY s.modified DESC, s.key DESC LIMIT most;
END $$;
COMMENT ON FUNCTION sessiond.with_id IS
    'The sessions with this id, else those whose ids begin so; `p_fields` is a pattern that their'
    ' fields match, and `p_host` the host on which they are written';

CREATE OR REPLACE FUNCTION sessiond.usage_lines(
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

CREATE OR REPLACE FUNCTION sessiond.callable(p_writes boolean) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY[
        'version', 'visible', 'read', 'lines_at', 'list', 'trashed', 'some', 'count', 'find',
        'poll', 'search', 'places', 'contents', 'with_id', 'usage_lines', 'heard'
    ] || CASE WHEN p_writes THEN ARRAY[
        'write', 'remove', 'restore', 'lease_mirror', 'end_lease', 'mirrored', 'mirror_deletion',
        'ring'
    ] ELSE '{}' END
$$;
COMMENT ON FUNCTION sessiond.callable IS 'The functions that readers, or also writers, may call';

CREATE OR REPLACE FUNCTION sessiond.let_call(p_role text, p_writes boolean) RETURNS void
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

DO $$
DECLARE
    who record;
BEGIN
    FOR who IN
        SELECT a.role, bool_or(a.writes) AS writes FROM sessiond.access a
        JOIN pg_roles r ON r.rolname = a.role GROUP BY a.role
    LOOP
        PERFORM sessiond.let_call(who.role, who.writes);
    END LOOP;
END $$;
