-- What was forgotten, without a word of it: so that the same old logs do not teach it again.

CREATE TABLE tombstones (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    scope TEXT NOT NULL,       -- the key of a context, nothing for what holds everywhere, * for all
    many BIGINT NOT NULL,      -- how many things went
    seal TEXT NOT NULL
);

CREATE TABLE tombstone_keys (
    id TEXT PRIMARY KEY,       -- made of the rest
    tombstone TEXT NOT NULL,
    kind TEXT NOT NULL,        -- event, words, marked, thing or until
    agent TEXT NOT NULL,       -- of an event
    session TEXT NOT NULL,
    value TEXT NOT NULL,       -- an id, or a keyed digest of words
    size BIGINT NOT NULL,      -- how many words, or until when
    seal TEXT NOT NULL
);
CREATE INDEX tombstone_keys_by_tombstone ON tombstone_keys (tombstone);

-- A tombstone without one is of a run that died: the next one finishes it.
CREATE TABLE tombstone_ends (
    tombstone TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    seal TEXT NOT NULL
);
