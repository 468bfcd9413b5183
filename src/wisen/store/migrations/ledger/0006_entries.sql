-- What was learnt: entries as they were first recorded, where each was seen, what was decided about it, and proposals.
-- Nothing is ever changed in place: the state of an entry is what its moves make of it, so that machines merge by union.

CREATE TABLE entries (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,        -- for people: LRN-YYYYMMDD-XXX
    context TEXT NOT NULL,     -- the key of its context, or nothing for everywhere
    at BIGINT NOT NULL,
    body TEXT NOT NULL,        -- all of it, as JSON
    seal TEXT NOT NULL
);
CREATE INDEX entries_by_context ON entries (context);

CREATE TABLE occurrences (
    id TEXT PRIMARY KEY,       -- made of where it was seen: the same sight is recorded once
    entry TEXT NOT NULL,
    machine TEXT NOT NULL,
    context TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    message TEXT NOT NULL,
    at BIGINT NOT NULL,
    quote TEXT NOT NULL,
    seal TEXT NOT NULL
);
CREATE INDEX occurrences_by_entry ON occurrences (entry, at);

CREATE TABLE moves (
    id TEXT PRIMARY KEY,
    subject TEXT NOT NULL,     -- the entry or the proposal that was decided about
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    decider TEXT NOT NULL,     -- user or wisen
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    why TEXT NOT NULL,
    seal TEXT NOT NULL
);
CREATE INDEX moves_by_subject ON moves (subject);

CREATE TABLE proposals (
    id TEXT PRIMARY KEY,
    entry TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,        -- all of it, as JSON
    seal TEXT NOT NULL
);
