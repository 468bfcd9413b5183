-- What can be found again by its words. Texts stand here a second time, so that a search reads nothing else.

-- The number of a memory is that of its context and its own: a search in one context reads one range.
CREATE TABLE memory_contexts (
    number INTEGER PRIMARY KEY,
    context TEXT NOT NULL UNIQUE
);

-- What memories were taken from, and a digest of all of them: what is as before is left alone.
CREATE TABLE memory_origins (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL
);

CREATE TABLE memories (
    number INTEGER PRIMARY KEY,
    origin INTEGER NOT NULL REFERENCES memory_origins (number),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    at INTEGER,
    who TEXT NOT NULL,
    uses INTEGER NOT NULL,
    place TEXT NOT NULL
);
CREATE INDEX memories_by_origin ON memories (origin, turn);
CREATE INDEX memories_by_id ON memories (id);

CREATE VIRTUAL TABLE memory_words USING fts5 (
    text, who, day, beside, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Sessions that were understood before have no memories yet.
UPDATE mining SET version = NULL;
