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
    fields text NOT NULL,
    has_texts boolean NOT NULL DEFAULT true,
    tip bytea
) WITH (fillfactor = 80);
COMMENT ON COLUMN sessiond.session.bytes IS 'Length of the file, including the last newline';
COMMENT ON COLUMN sessiond.session.ended IS 'Whether the last line ends with a newline';
COMMENT ON COLUMN sessiond.session.written_by IS 'Id of the last write of all lines';
COMMENT ON COLUMN sessiond.session.home IS
    'Where the session is a file; such a session is read-only in the store';
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
    line bytea NOT NULL,
    PRIMARY KEY (session, generation, start)
);
COMMENT ON COLUMN sessiond.line.start IS 'Offset of the first byte of the line in the file';

CREATE TABLE sessiond.message (
    session uuid NOT NULL,
    generation integer NOT NULL,
    start bigint NOT NULL,
    body text NOT NULL,
    part integer NOT NULL,
    field text NOT NULL,
    role text,
    time double precision,
    tool text,
    file text,
    model text,
    PRIMARY KEY (session, generation, start, part)
);

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
    directory text NOT NULL,
    path bytea NOT NULL,
    source_bytes bigint NOT NULL,
    digest bytea NOT NULL,
    state bigint[],
    masked boolean NOT NULL,
    machine text
);
COMMENT ON TABLE sessiond.origin IS 'The file of which a session is a copy, and how much is copied';
COMMENT ON COLUMN sessiond.origin.directory IS 'The mirrored directory, with its host';
COMMENT ON COLUMN sessiond.origin.path IS 'The real path of the file';
COMMENT ON COLUMN sessiond.origin.state IS
    'Device, inode, size, mtime and ctime of the file if these bytes are all of it';
CREATE INDEX origin_directory ON sessiond.origin (namespace, directory);

CREATE TABLE sessiond.lease (
    namespace text COLLATE "C" NOT NULL,
    directory text NOT NULL,
    owner uuid NOT NULL,
    holder text NOT NULL,
    until timestamptz NOT NULL,
    waiting integer NOT NULL DEFAULT 0,
    behind_since timestamptz,
    failing integer NOT NULL DEFAULT 0,
    error text,
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
ALTER TABLE sessiond.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.line ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.message ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.bell ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.origin ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessiond.lease ENABLE ROW LEVEL SECURITY;

DO $$ BEGIN
    -- Compresses ten times as fast as the default; not every server was built with it.
    ALTER TABLE sessiond.line ALTER COLUMN line SET COMPRESSION lz4;
EXCEPTION WHEN OTHERS THEN NULL;
END $$;

CREATE TYPE sessiond.reading AS (
    generation integer, bytes bigint, changed bigint, deleted boolean, home text,
    first bigint, data bytea
);

CREATE TYPE sessiond.copying AS (
    owner uuid, directory text, machine text, home text, path bytea, source_bytes bigint,
    digest bytea, state bigint[], masked boolean
);

CREATE TYPE sessiond.listed AS (
    namespace text, key text, generation integer, bytes bigint, changed bigint, header bytea,
    name bytea, messages integer, first_message bytea, created double precision,
    latest double precision, home text
);
