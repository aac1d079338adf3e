-- Lists and searches say where a mirrored session is written; several lines of a session in a call.

ALTER TYPE sessiond.listed ADD ATTRIBUTE home text;

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

CREATE OR REPLACE FUNCTION sessiond.some(p_sessions uuid[]) RETURNS SETOF sessiond.listed
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.namespace, s.key, s.generation, s.bytes,
           (extract(epoch FROM s.changed) * 1000000)::bigint, s.header, s.name, s.messages,
           s.first_message, s.created, s.latest, s.home
    FROM sessiond.session s
    WHERE s.session = ANY (p_sessions) AND s.deleted IS NULL
      AND s.namespace = ANY (sessiond.namespaces(NULL))
$$;

DROP FUNCTION sessiond.search;
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
REVOKE ALL ON FUNCTION sessiond.search FROM PUBLIC;

DO $$
DECLARE
    reader text;
BEGIN
    FOR reader IN SELECT DISTINCT a.role FROM sessiond.access a
                  JOIN pg_roles r ON r.rolname = a.role LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION sessiond.search TO %I', reader);
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION sessiond.append_all(
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
        PERFORM FROM sessiond.session s WHERE s.session = p_sessions[i] FOR UPDATE SKIP LOCKED;
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
    ' after one that is not written, those of its session are not. `alone` if the session is locked'
    ' or missing, so that it must be done by itself. No line may rename its session';
