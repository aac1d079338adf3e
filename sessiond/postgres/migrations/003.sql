-- Lists and searches that call no function for each row, and an index for names in searches.

CREATE OR REPLACE FUNCTION sessiond.list(
    p_namespaces text[], p_cwd bytea, p_named boolean,
    p_modified double precision, p_path text, p_most bigint
) RETURNS SETOF sessiond.listed
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.namespace, f.key, f.generation, f.bytes,
           (extract(epoch FROM f.changed) * 1000000)::bigint, f.header, f.name, f.messages,
           f.first_message, f.created, f.latest
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
           s.first_message, s.created, s.latest
    FROM sessiond.session s
    WHERE s.session = ANY (p_sessions) AND s.deleted IS NULL
      AND s.namespace = ANY (sessiond.namespaces(NULL))
$$;

CREATE OR REPLACE FUNCTION sessiond.search(
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
           s.first_message, s.created, s.latest, h.tokens
    FROM sessiond.session s
    LEFT JOIN (
        SELECT t.session, array_agg(t.token) AS tokens
        FROM unnest(holders, tokens) AS t (session, token) GROUP BY t.session
    ) AS h ON h.session = s.session
    WHERE s.namespace = ANY (allowed) AND s.deleted IS NULL
      AND (p_cwd IS NULL OR sha256(s.cwd) = sha256(p_cwd))
      AND (candidates IS NULL OR s.session = ANY (candidates));
END $$;

DROP FUNCTION sessiond.listed(sessiond.session);

DO $$ BEGIN
    EXECUTE 'CREATE INDEX session_fields ON sessiond.session USING gin (fields gin_trgm_ops)';
EXCEPTION WHEN undefined_object THEN
    RAISE NOTICE 'pg_trgm is not available: searches read the names of all sessions';
END $$;
