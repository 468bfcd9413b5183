-- What programs record of their own work: there is no log to read it from again. A record is written once.
-- A resolution holds the tool, the session and the signature of its failure, so that one question finds both.

CREATE TABLE records (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    tool TEXT,
    session TEXT,
    place TEXT NOT NULL,
    text TEXT,
    arguments TEXT,
    key TEXT,
    who TEXT,
    says TEXT,
    signature_version BIGINT,
    failure TEXT REFERENCES records (id),
    tried TEXT,
    withheld TEXT,
    seal TEXT NOT NULL
);

CREATE INDEX records_by_tool ON records (tool);

CREATE INDEX records_by_key ON records (key);

CREATE INDEX records_by_kind ON records (kind);

CREATE INDEX records_by_tried ON records (tried);

CREATE INDEX records_by_session ON records (session, tool);
