-- What a person decided and what must never be lost. Plain TEXT and BIGINT, so that SQLite and PostgreSQL read it alike.
-- Moments are microseconds since 1970 in UTC. Every row carries a seal over its other values.

CREATE TABLE contexts (
    key TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    seal TEXT NOT NULL
);

CREATE TABLE aliases (
    context TEXT NOT NULL REFERENCES contexts (key),
    machine TEXT NOT NULL,
    path TEXT NOT NULL,
    since BIGINT NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (machine, path, context)
);

CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    machine TEXT NOT NULL,
    started BIGINT NOT NULL,
    finished BIGINT NOT NULL,
    version TEXT NOT NULL,
    sources BIGINT NOT NULL,
    read_bytes BIGINT NOT NULL,
    new_events BIGINT NOT NULL,
    withheld BIGINT NOT NULL,
    troubles BIGINT NOT NULL,
    error TEXT,
    seal TEXT NOT NULL
);
