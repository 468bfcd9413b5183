-- What was read from the agents' logs. Derived: it can be deleted and read again. SQLite only.
-- Moments are milliseconds since 1970 in UTC. An empty text stands for "none" where a row is looked up by all its values.

CREATE TABLE agents (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents (number),
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    cursor TEXT NOT NULL,
    UNIQUE (path, agent)
);

CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents (number),
    native TEXT NOT NULL,
    segment INTEGER NOT NULL,
    UNIQUE (agent, native, segment)
);

CREATE TABLE holdings (
    source INTEGER NOT NULL REFERENCES sources (number),
    session INTEGER NOT NULL REFERENCES sessions (number),
    PRIMARY KEY (source, session)
) WITHOUT ROWID;

-- Where an event happened. Many share one.
CREATE TABLE scenes (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number),
    context TEXT NOT NULL,
    place TEXT NOT NULL,
    UNIQUE (session, context, place)
);

-- What sort of event it was. Very many share one.
CREATE TABLE shapes (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,        -- message, call, outcome, rejection, interrupt
    provenance TEXT NOT NULL,
    how TEXT NOT NULL,         -- the origin of a message, the status of an outcome
    tool TEXT NOT NULL,        -- of a call
    withheld TEXT NOT NULL,    -- the safety rule for which its text was not kept
    UNIQUE (kind, provenance, how, tool, withheld)
);

-- Narrow on purpose: each value costs time for each event, and questions that count read all of it.
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents (number),
    id TEXT NOT NULL,
    scene INTEGER NOT NULL REFERENCES scenes (number),
    shape INTEGER NOT NULL REFERENCES shapes (number),
    at INTEGER NOT NULL,
    call TEXT,                 -- the id of the call that an outcome, rejection or interrupt is about
    UNIQUE (id, agent)
);

-- The text of a message or outcome, the arguments of a call.
CREATE TABLE texts (
    event INTEGER PRIMARY KEY REFERENCES events (number),
    text TEXT NOT NULL
);

CREATE TABLE troubles (
    source INTEGER NOT NULL REFERENCES sources (number),
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_offset INTEGER NOT NULL,
    PRIMARY KEY (source, kind, detail)
) WITHOUT ROWID;
