/// The tables of a session file: docs/session-file.md.
///
/// A record has a number, `id`, in the order of the log; messages stand in `messages`, all others in `records`. A file is a session file of this
/// version if these tables are in it exactly as they stand here; what somebody else has added to it is never looked at.
enum SessionSchema {
    /// `Unms`, at byte 68 of the file (SQLite's application_id).
    static let applicationID: Int32 = 0x556E_6D73
    /// SQLite's user_version.
    static let version: Int32 = 1
    /// What every SQLite file begins with.
    static let magic = Array("SQLite format 3\0".utf8)

    /// The tables that readers rely on, by name.
    static let tables: [(name: String, sql: String)] = [
        ("runs", "CREATE TABLE runs(id INTEGER PRIMARY KEY, first INTEGER NOT NULL, base INTEGER NOT NULL, tool TEXT) STRICT"),
        (
            "conversations",
            """
            CREATE TABLE conversations(
              id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, opened INTEGER, closed INTEGER,
              client_address TEXT, client_port INTEGER, client_name TEXT, server_address TEXT, server_port INTEGER, server_name TEXT,
              transport TEXT, protocol TEXT, host TEXT, path TEXT, how TEXT, closed_by TEXT, code INTEGER, duration INTEGER,
              client_bytes INTEGER, server_bytes INTEGER, client_messages INTEGER, server_messages INTEGER, findings INTEGER, worst TEXT
            ) STRICT
            """
        ),
        (
            "messages",
            """
            CREATE TABLE messages(
              id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL REFERENCES conversations(id), time INTEGER, side INTEGER, opcode INTEGER,
              length INTEGER NOT NULL, wire_length INTEGER NOT NULL, fragments INTEGER, compressed INTEGER, first_packet INTEGER,
              last_packet INTEGER, offset INTEGER, channel INTEGER, stream INTEGER, framing TEXT, truncated INTEGER, redacted INTEGER,
              payload ANY
            ) STRICT
            """
        ),
        (
            "records",
            """
            CREATE TABLE records(
              id INTEGER PRIMARY KEY, kind TEXT NOT NULL, conversation INTEGER REFERENCES conversations(id), time INTEGER, side INTEGER,
              json TEXT NOT NULL, split INTEGER, truncated INTEGER, payload ANY
            ) STRICT
            """
        ),
        (
            "traces",
            """
            CREATE TABLE traces(
              conversation INTEGER NOT NULL REFERENCES conversations(id), first INTEGER NOT NULL, ids TEXT NOT NULL,
              PRIMARY KEY(conversation, first)
            ) STRICT, WITHOUT ROWID
            """
        ),
        (
            "pages",
            """
            CREATE TABLE pages(
              id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, earliest INTEGER, latest INTEGER
            ) STRICT
            """
        ),
    ]

    /// What is made of a new file beside the tables.
    static let rest: [String] = [
        """
        CREATE TABLE exchanges(
          conversation INTEGER NOT NULL REFERENCES conversations(id), exchange INTEGER NOT NULL, request INTEGER, response INTEGER,
          time INTEGER, method TEXT, target TEXT, host TEXT, status INTEGER, latency INTEGER, PRIMARY KEY(conversation, exchange)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE findings(
          record INTEGER PRIMARY KEY REFERENCES records(id), conversation INTEGER REFERENCES conversations(id), time INTEGER,
          finding TEXT NOT NULL, severity TEXT NOT NULL, reference TEXT, detail TEXT
        ) STRICT
        """,
        "CREATE INDEX conversations_by_host ON conversations(host)",
        "CREATE INDEX exchanges_by_host ON exchanges(host)",
        "CREATE INDEX findings_by_finding ON findings(finding)",
        "CREATE INDEX findings_by_conversation ON findings(conversation)",
        "CREATE INDEX records_by_conversation ON records(conversation)",
        """
        CREATE VIEW conversation_records AS
        SELECT traces.conversation AS conversation, ids.value AS id FROM traces, json_each(traces.ids) AS ids
        """,
        """
        CREATE VIEW found AS
        SELECT search.search AS words, messages.* FROM search CROSS JOIN pages ON pages.id = search.rowid
        CROSS JOIN messages ON messages.id BETWEEN pages.first AND pages.last
        """,
        "CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, detail=none, tokenize='unicode61')",
        // Segments are merged by 64 at a time rather than with every transaction.
        "INSERT INTO search(search, rank) VALUES('automerge', 0)",
        "INSERT INTO search(search, rank) VALUES('crisismerge', 64)",
        "INSERT INTO search(search, rank) VALUES('hashsize', 8388608)",
    ]
}
