-- What the user said about the work. Of a lesson all is there, or nothing.

CREATE TABLE signals (
    session INTEGER NOT NULL REFERENCES sessions (number),
    event INTEGER NOT NULL REFERENCES events (number),     -- the message
    kind TEXT NOT NULL,
    probability REAL NOT NULL,
    first INTEGER NOT NULL,    -- where in the text the evidence begins
    last INTEGER NOT NULL,     -- and where it ends
    polarity TEXT NOT NULL,
    at INTEGER NOT NULL,
    lesson TEXT,
    forbids INTEGER,
    durable REAL,
    is_durable INTEGER,
    about TEXT,
    PRIMARY KEY (session, event, kind)
) WITHOUT ROWID;

-- Readers now tell concessions, and did not in what they read before: every source is read again from its start.
-- No source has this size, and a reader with no note to itself begins at the beginning. Events that are there stay.
UPDATE sources SET size = -1, cursor = '';
