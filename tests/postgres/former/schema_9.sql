-- What version 9 adds to the schema: a trash that can be listed.

CREATE FUNCTION sessiond.trashed(p_namespaces text[], p_cwd bytea) RETURNS TABLE (
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

CREATE OR REPLACE FUNCTION sessiond.callable(p_writes boolean) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ARRAY[
        'version', 'visible', 'read', 'lines_at', 'last_write', 'list', 'trashed', 'some', 'count',
        'find', 'poll', 'search', 'messages', 'beginning_with', 'usage_lines', 'heard'
    ] || CASE WHEN p_writes THEN ARRAY[
        'append', 'append_all', 'add_lines', 'publish', 'remove', 'restore', 'lease_mirror',
        'end_lease', 'mirrored', 'mirror', 'mirror_deletion', 'ring'
    ] ELSE '{}' END
$$;

REVOKE ALL ON FUNCTION sessiond.trashed FROM PUBLIC;

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
