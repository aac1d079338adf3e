-- Appends to several sessions in one call, and sessions found by the beginning of an id.

CREATE FUNCTION sessiond.append_all(
    p_sessions uuid[], p_generations integer[], p_bytes bigint[], p_entries uuid[],
    p_lines bytea[], p_messages integer[], p_first_messages bytea[], p_latest double precision[],
    p_bodies text[], p_relaxed boolean
) RETURNS TABLE (outcome text, bytes bigint, changed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    FOR i IN 1 .. cardinality(p_sessions) LOOP
        -- Waiting for another host's lock would delay the other sessions, and could be a deadlock.
        PERFORM FROM sessiond.session s WHERE s.session = p_sessions[i] FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            RETURN QUERY SELECT * FROM sessiond.append(
                p_sessions[i], p_generations[i], p_bytes[i], p_entries[i], p_lines[i],
                p_messages[i], p_first_messages[i], p_latest[i], false, NULL, NULL, p_bodies[i],
                p_relaxed);
        ELSE
            RETURN QUERY SELECT 'alone', 0::bigint, 0::bigint;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION sessiond.append_all IS
    'Calls `append` for a line of each session, in the order given; `alone` if the session is locked'
    ' or missing, so that it must be done by itself. No line may rename its session';

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
        ' sessiond.find, sessiond.states, sessiond.search, sessiond.messages,'
        ' sessiond.beginning_with TO %I', p_role);
    IF p_writes THEN
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION sessiond.append, sessiond.append_all, sessiond.add_lines,'
            ' sessiond.publish, sessiond.remove, sessiond.restore, sessiond.lease_mirror,'
            ' sessiond.end_lease, sessiond.mirrored, sessiond.mirror, sessiond.mirror_deletion'
            ' TO %I', p_role);
    END IF;
    INSERT INTO sessiond.access VALUES (p_role, p_namespace, p_writes)
    ON CONFLICT (role, namespace) DO UPDATE SET writes = p_writes;
END $$;

DO $$
DECLARE
    reader text;
    writer text;
BEGIN
    -- Roles that were admitted before may use them, too.
    FOR reader IN SELECT DISTINCT a.role FROM sessiond.access a
                  JOIN pg_roles r ON r.rolname = a.role LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION sessiond.beginning_with TO %I', reader);
    END LOOP;
    FOR writer IN SELECT DISTINCT a.role FROM sessiond.access a
                  JOIN pg_roles r ON r.rolname = a.role WHERE a.writes LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION sessiond.append_all TO %I', writer);
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION sessiond.append_all, sessiond.beginning_with FROM PUBLIC;
