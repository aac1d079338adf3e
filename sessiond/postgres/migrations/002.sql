-- Readers and writers: roles that are admitted to namespaces.

-- In PL/pgSQL, which keeps its plans: this is called with every request.
CREATE OR REPLACE FUNCTION sessiond.allows(namespace text, writing boolean DEFAULT false)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN pg_has_role(session_user, current_user, 'MEMBER')
        OR sessiond.visible(writing) && ARRAY[namespace, '*'];
END $$;

CREATE OR REPLACE FUNCTION sessiond.owns() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- The current user is the owner of this function and of the schema.
    RETURN pg_has_role(session_user, current_user, 'MEMBER');
END $$;

CREATE OR REPLACE FUNCTION sessiond.version() RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT v.version FROM sessiond.schema_version v);
END $$;

CREATE FUNCTION sessiond.admit(p_role text, p_namespace text, p_writes boolean DEFAULT false)
RETURNS void
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
            ' sessiond.remove, sessiond.restore TO %I', p_role);
    END IF;
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

REVOKE ALL ON FUNCTION sessiond.admit, sessiond.dismiss FROM PUBLIC;
