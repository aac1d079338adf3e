-- Mirrors: sessions whose home is a file of some host, which that host alone writes.

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
ALTER TABLE sessiond.origin ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.lease ENABLE ROW LEVEL SECURITY;

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
    p_session uuid, p_namespace text, p_key text, p_home text,
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
    s sessiond.session;
    now_generation integer := p_expected + CASE WHEN p_replaces THEN 1 ELSE 0 END;
BEGIN
    PERFORM sessiond.require(p_namespace);
    -- Locked, so that the lease cannot be granted to another process before this is committed.
    PERFORM FROM sessiond.lease l WHERE l.namespace = p_namespace AND l.directory = p_directory
        AND l.owner = p_owner FOR SHARE;
    IF NOT FOUND THEN RETURN QUERY SELECT 'lost'; RETURN; END IF;
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    -- A file can be in two mirrored directories: by a link, or if one is within the other.
    IF s.session IS NOT NULL AND s.home IS DISTINCT FROM p_home OR EXISTS (
        SELECT FROM sessiond.origin o
        JOIN sessiond.lease l ON l.namespace = o.namespace AND l.directory = o.directory
        WHERE o.session = p_session AND l.owner <> p_owner AND l.until > clock_timestamp()
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
            p_session, p_namespace, p_key, now_generation, p_bytes, p_ended, p_owner, p_home,
            p_header, p_id, p_cwd, p_name, p_messages, p_first_message, p_created, p_latest,
            p_fields
        ) ON CONFLICT (session) DO UPDATE SET
            generation = now_generation, bytes = p_bytes, ended = p_ended, written_by = p_owner,
            changed = clock_timestamp(), deleted = NULL, header = p_header, id = p_id,
            cwd = p_cwd, name = p_name, messages = p_messages, first_message = p_first_message,
            created = p_created, latest = p_latest, fields = p_fields
        WHERE t.generation = p_expected;
        IF NOT FOUND THEN RETURN QUERY SELECT 'moved'; RETURN; END IF;
        DELETE FROM sessiond.line l WHERE l.session = p_session;
        DELETE FROM sessiond.message m WHERE m.session = p_session;
    ELSE
        UPDATE sessiond.session t SET
            bytes = p_bytes, ended = p_ended, changed = clock_timestamp(),
            messages = t.messages + p_messages,
            first_message = coalesce(t.first_message, p_first_message),
            latest = greatest(t.latest, p_latest)
        WHERE t.session = p_session;
        IF s.name IS DISTINCT FROM p_name THEN
            UPDATE sessiond.session t SET name = p_name, fields = p_fields
            WHERE t.session = p_session;
        END IF;
    END IF;
    INSERT INTO sessiond.line
    SELECT p_session, now_generation, * FROM unnest(p_starts, p_entries, p_lines);
    INSERT INTO sessiond.message
    SELECT p_session, now_generation, * FROM unnest(p_message_starts, p_lengths, p_bodies);
    INSERT INTO sessiond.origin VALUES (
        p_session, p_namespace, p_key, p_directory, p_path, p_source_bytes, p_digest, p_state,
        p_masked
    ) ON CONFLICT (session) DO UPDATE SET
        directory = p_directory, path = p_path, source_bytes = p_source_bytes, digest = p_digest,
        state = p_state, masked = p_masked;
    RETURN QUERY SELECT 'written';
END $$;
COMMENT ON FUNCTION sessiond.mirror IS
    'Adds lines to the copy of a file, or begins its next generation with them, if the copy has the'
    ' expected generation and length (-1: there is none)';

CREATE FUNCTION sessiond.mirror_deletion(
    p_owner uuid, p_directory text, p_session uuid, p_namespace text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM sessiond.require(p_namespace);
    PERFORM FROM sessiond.lease l WHERE l.namespace = p_namespace AND l.directory = p_directory
        AND l.owner = p_owner FOR SHARE;
    IF NOT FOUND THEN RETURN false; END IF;
    UPDATE sessiond.session t SET deleted = clock_timestamp()
    WHERE t.session = p_session AND t.namespace = p_namespace AND t.home IS NOT NULL
      AND t.deleted IS NULL;
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

CREATE OR REPLACE FUNCTION sessiond.add_lines(
    p_session uuid, p_namespace text, p_generation integer,
    p_starts bigint[], p_entries uuid[], p_lines bytea[],
    p_message_starts bigint[], p_lengths integer[], p_bodies text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    PERFORM sessiond.require(p_namespace);
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session;
    PERFORM sessiond.require_home(s);
    IF s.generation >= p_generation THEN
        RAISE unique_violation USING MESSAGE = 'this generation exists already';
    END IF;
    INSERT INTO sessiond.line
    SELECT p_session, p_generation, * FROM unnest(p_starts, p_entries, p_lines);
    INSERT INTO sessiond.message
    SELECT p_session, p_generation, * FROM unnest(p_message_starts, p_lengths, p_bodies);
END $$;

CREATE OR REPLACE FUNCTION sessiond.remove(p_session uuid, p_permanently boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    IF NOT FOUND OR s.deleted IS NOT NULL THEN RETURN false; END IF;
    PERFORM sessiond.require(s.namespace);
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
    ELSE
        UPDATE sessiond.session t SET deleted = clock_timestamp() WHERE t.session = p_session;
    END IF;
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION sessiond.restore(p_session uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s sessiond.session;
BEGIN
    SELECT * INTO s FROM sessiond.session t WHERE t.session = p_session FOR UPDATE;
    IF NOT FOUND OR NOT sessiond.allows(s.namespace) THEN RETURN 'missing'; END IF;
    PERFORM sessiond.require(s.namespace);
    IF s.deleted IS NULL THEN RETURN 'exists'; END IF;
    PERFORM sessiond.require_home(s);
    UPDATE sessiond.session t SET deleted = NULL, changed = clock_timestamp()
    WHERE t.session = p_session;
    RETURN 'restored';
END $$;

CREATE OR REPLACE FUNCTION sessiond.admit(
    p_role text, p_namespace text, p_writes boolean DEFAULT false
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA sessiond TO %I', p_role);
    EXECUTE format(
        'GRANT SELECT ON sessiond.session, sessiond.line, sessiond.message TO %I', p_role);
    EXECUTE format(
        'GRANT EXECUTE ON FUNCTION sessiond.version, sessiond.visible, sessiond.read,'
        ' sessiond.lines_at, sessiond.last_write, sessiond.list, sessiond.some, sessiond.count,'
        ' sessiond.find, sessiond.states, sessiond.search, sessiond.messages TO %I', p_role);
    IF p_writes THEN
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION sessiond.append, sessiond.add_lines, sessiond.publish,'
            ' sessiond.remove, sessiond.restore, sessiond.lease_mirror, sessiond.end_lease,'
            ' sessiond.mirrored, sessiond.mirror, sessiond.mirror_deletion TO %I', p_role);
    END IF;
    INSERT INTO sessiond.access VALUES (p_role, p_namespace, p_writes)
    ON CONFLICT (role, namespace) DO UPDATE SET writes = p_writes;
END $$;

DO $$
DECLARE
    writer text;
BEGIN
    -- Writers that were admitted before may mirror, too.
    FOR writer IN SELECT DISTINCT a.role FROM sessiond.access a
                  JOIN pg_roles r ON r.rolname = a.role WHERE a.writes LOOP
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION sessiond.lease_mirror, sessiond.end_lease,'
            ' sessiond.mirrored, sessiond.mirror, sessiond.mirror_deletion TO %I', writer);
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION sessiond.lease_mirror, sessiond.end_lease, sessiond.mirrored,
    sessiond.mirror, sessiond.mirror_deletion, sessiond.require_home FROM PUBLIC;
