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
    kind TEXT NOT NULL,        -- event, words, marked, thing, until; or done, without which the next run finishes it
    agent TEXT NOT NULL,       -- of an event
    session TEXT NOT NULL,
    value TEXT NOT NULL,       -- an id, or a keyed digest of words
    size BIGINT NOT NULL,      -- how many words, or when
    seal TEXT NOT NULL
);
