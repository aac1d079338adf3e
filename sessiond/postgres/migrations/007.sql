-- The lines that record usage, and one list of the functions that roles may call.

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
        'states', 'search', 'messages', 'beginning_with', 'usage_lines'
    ] || CASE WHEN p_writes THEN ARRAY[
        'append', 'append_all', 'add_lines', 'publish', 'remove', 'restore', 'lease_mirror',
        'end_lease', 'mirrored', 'mirror', 'mirror_deletion'
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

REVOKE ALL ON FUNCTION sessiond.usage_lines, sessiond.callable, sessiond.let_call FROM PUBLIC;

-- Roles that were admitted before may use them, too.
SELECT sessiond.let_call(a.role, bool_or(a.writes)) FROM sessiond.access a
JOIN pg_roles r ON r.rolname = a.role GROUP BY a.role;
