namespace CaService;

/// <summary>
/// The tables, as numbered steps from an empty file to today's: a database's <c>user_version</c> says how many it has taken. A step that was
/// released never changes; what is new is a step more. Times are seconds of Unix time.
/// </summary>
internal static class Schema
{
    /// <summary>
    /// The first tables. The index <c>one_valid_per_address</c> is the rule that no address ever has two valid certificates, held by the
    /// database itself whatever the program above it does.
    /// </summary>
    /// <remarks>Files from before there were numbers say 0 and may have the tables of the first two steps: those ask what is there.</remarks>
    private const string Certificates = """
        CREATE TABLE IF NOT EXISTS certificates (
            serial     TEXT PRIMARY KEY,
            address    TEXT NOT NULL,
            key        TEXT NOT NULL,          -- SHA-256 of the SubjectPublicKeyInfo, hexadecimal
            host       TEXT NOT NULL,
            role       TEXT NOT NULL CHECK (role IN ('worker', 'manager')),
            not_before INTEGER NOT NULL,
            not_after  INTEGER NOT NULL,
            status     TEXT NOT NULL CHECK (status IN ('valid', 'replaced', 'expired')),
            ticket     TEXT,
            der        BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX IF NOT EXISTS one_valid_per_address ON certificates (address) WHERE status = 'valid';
        CREATE INDEX IF NOT EXISTS valid_hosts ON certificates (host) WHERE status = 'valid';

        CREATE TABLE IF NOT EXISTS tickets (
            id        TEXT PRIMARY KEY,
            hash      BLOB NOT NULL,           -- SHA-256 of ID:SECRET; the secret has 128 random bits, so no slow hash is needed
            uses      INTEGER NOT NULL,
            not_after INTEGER NOT NULL
        ) STRICT;

        -- A machine is a key: it uses a ticket once, however often it asks.
        CREATE TABLE IF NOT EXISTS ticket_uses (
            ticket TEXT NOT NULL REFERENCES tickets (id),
            key    TEXT NOT NULL,
            at     INTEGER NOT NULL,
            PRIMARY KEY (ticket, key)
        ) STRICT;

        CREATE TABLE IF NOT EXISTS audit (
            id       INTEGER PRIMARY KEY,
            at       INTEGER NOT NULL,
            event    TEXT NOT NULL,
            detail   TEXT NOT NULL,
            previous TEXT NOT NULL,
            hash     TEXT NOT NULL
        ) STRICT;
        CREATE TRIGGER IF NOT EXISTS audit_keeps BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
        CREATE TRIGGER IF NOT EXISTS audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
        """;

    /// <summary>Certificates that were taken back, and the list that says so.</summary>
    private const string Revocations = """
        -- The row in certificates stays as it is, so that nobody else gets the address before the certificate is over.
        CREATE TABLE IF NOT EXISTS revocations (
            serial    TEXT PRIMARY KEY REFERENCES certificates (serial),
            key       TEXT NOT NULL,
            not_after INTEGER NOT NULL,
            at        INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS revoked_keys ON revocations (key);

        -- The newest list alone is kept.
        CREATE TABLE IF NOT EXISTS revocation_lists (
            number INTEGER PRIMARY KEY,
            at     INTEGER NOT NULL,
            der    BLOB NOT NULL
        ) STRICT;
        CREATE TRIGGER IF NOT EXISTS lists_grow BEFORE INSERT ON revocation_lists
            WHEN NEW.number <= (SELECT max(number) FROM revocation_lists) BEGIN SELECT RAISE(ABORT, 'the number of a list only grows'); END;
        """;

    /// <summary>Who waits for the administrator's word, and who has it.</summary>
    private const string Admissions = """
        CREATE TABLE policy (
            one  INTEGER PRIMARY KEY CHECK (one = 1),
            name TEXT NOT NULL CHECK (name IN ('ticket', 'list', 'manual'))
        ) STRICT;

        CREATE TABLE admissions (
            node    TEXT PRIMARY KEY,          -- the key: the ring address, 40 hexadecimal digits
            state   TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'denied')),
            address TEXT,                      -- none of a key that was decided on before it asked
            host    TEXT,
            ticket  TEXT,
            since   INTEGER NOT NULL,
            asked   INTEGER NOT NULL,
            decided INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX one_waits_per_address ON admissions (address) WHERE state = 'waiting';
        """;

    /// <summary>What has to be known when old rows go (<see cref="Retention"/>).</summary>
    private const string Retained = """
        CREATE INDEX certificates_begin ON certificates (not_before);
        CREATE INDEX certificates_end ON certificates (not_after);

        -- A key that was revoked once gets no certificate, also when the rows of its certificates are gone.
        CREATE TABLE banned (
            key TEXT PRIMARY KEY,
            at  INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO banned SELECT key, min(at) FROM revocations GROUP BY key;

        -- The last line of the audit that is gone. The newest one alone is kept.
        CREATE TABLE audit_start (
            id   INTEGER PRIMARY KEY,
            hash TEXT NOT NULL
        ) STRICT;
        CREATE TRIGGER start_grows BEFORE INSERT ON audit_start
            WHEN NEW.id <= (SELECT max(id) FROM audit_start) BEGIN SELECT RAISE(ABORT, 'the start of the audit only goes on'); END;
        DROP TRIGGER audit_stays;
        CREATE TRIGGER audit_stays BEFORE DELETE ON audit
            WHEN OLD.id > coalesce((SELECT max(id) FROM audit_start), 0) BEGIN SELECT RAISE(ABORT, 'the audit loses only what is before its start'); END;
        """;

    /// <summary>What the pool's lists name and this database does not know: it may be a copy from before (docs/decisions/0013).</summary>
    private const string Heard = """
        CREATE TABLE heard (
            serial    TEXT PRIMARY KEY,
            not_after INTEGER NOT NULL,        -- no certificate of this number lasts longer
            at        INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """;

    /// <summary>Step 1 and those after it.</summary>
    public static IReadOnlyList<string> Steps { get; } = [Certificates, Revocations, Admissions, Retained, Heard];
}
