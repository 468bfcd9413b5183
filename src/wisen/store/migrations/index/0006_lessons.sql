-- A message may hold several lessons, each with what calls it up again. All is worked out anew from what is kept.

DROP TABLE signals;
CREATE TABLE signals (
    session INTEGER NOT NULL REFERENCES sessions (number),
    event INTEGER NOT NULL REFERENCES events (number),     -- the message
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,   -- which of its kind in the message
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
    marker TEXT,               -- the words by which it says itself that it lasts
    standing INTEGER,
    called_up_by TEXT,         -- a trigger as JSON
    PRIMARY KEY (session, event, kind, number)
) WITHOUT ROWID;
UPDATE mining SET version = NULL;
