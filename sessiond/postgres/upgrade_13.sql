-- From version 12 to 13: texts and paths are compared as people type them (`plain_spelling`).

-- Texts that have other characters than those of ASCII are made anew.
UPDATE sessiond.session AS s SET has_texts = false
WHERE octet_length(s.fields) <> length(s.fields)
    OR EXISTS (
        SELECT FROM sessiond.message AS m
        WHERE m.session = s.session
            AND (octet_length(m.body) <> length(m.body) OR octet_length(m.file) <> length(m.file))
    );
