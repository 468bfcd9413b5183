-- What mining found, and what it takes to look only at sessions that hold something new.
-- Lists are JSON arrays. An event is named by its number.

-- Where the events of a session lie: one row for each stretch that brought some. Other sessions' may lie between.
CREATE TABLE spans (
    session INTEGER NOT NULL REFERENCES sessions (number),
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (session, first)
) WITHOUT ROWID;

CREATE TABLE mining (
    session INTEGER PRIMARY KEY REFERENCES sessions (number),
    newest INTEGER NOT NULL,   -- the number of its last event
    version INTEGER            -- of the miner that saw all of it, none while something is new
);
CREATE INDEX mining_by_version ON mining (version);

-- Runs of events of one session, whatever was left out between the numbers.
INSERT INTO spans
SELECT session, min(number), max(number) FROM (
    SELECT events.number AS number, session,
        row_number() OVER (ORDER BY events.number)
        - row_number() OVER (PARTITION BY session ORDER BY events.number) AS run
    FROM events JOIN scenes ON scenes.number = scene
) GROUP BY session, run;

INSERT INTO mining SELECT session, max(last), NULL FROM spans GROUP BY session;

-- The next three are counts of sessions that hold nothing new; the others are counted when somebody asks.
CREATE TABLE tallies (
    scene INTEGER NOT NULL REFERENCES scenes (number),
    shape INTEGER NOT NULL REFERENCES shapes (number),
    many INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (scene, shape)
) WITHOUT ROWID;

-- How calls ended, where the session holds call and end.
CREATE TABLE ends (
    session INTEGER NOT NULL REFERENCES sessions (number),
    called INTEGER NOT NULL REFERENCES shapes (number),
    ended INTEGER NOT NULL REFERENCES shapes (number),
    many INTEGER NOT NULL,
    PRIMARY KEY (session, called, ended)
) WITHOUT ROWID;

-- What may belong to an event of another session: rejections, interrupts, and outcomes of calls that are not here.
CREATE TABLE loose (
    event INTEGER PRIMARY KEY REFERENCES events (number),
    session INTEGER NOT NULL REFERENCES sessions (number)
);
CREATE INDEX loose_by_session ON loose (session);

CREATE TABLE signatures (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    who TEXT NOT NULL,
    says TEXT NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (key, who, says, version)
);

CREATE TABLE changes (
    number INTEGER PRIMARY KEY,
    tool TEXT NOT NULL,
    removed TEXT NOT NULL,
    added TEXT NOT NULL,
    before TEXT NOT NULL,      -- the calls that came first
    UNIQUE (tool, removed, added, before)
);

CREATE TABLE fixes (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    signature INTEGER NOT NULL REFERENCES signatures (number),
    change INTEGER NOT NULL REFERENCES changes (number),
    UNIQUE (id, signature, change)
);

CREATE TABLE failures (
    session INTEGER NOT NULL REFERENCES sessions (number),
    call INTEGER NOT NULL REFERENCES events (number),
    signature INTEGER NOT NULL REFERENCES signatures (number),
    tool TEXT NOT NULL,
    command TEXT NOT NULL,
    place TEXT NOT NULL,
    at INTEGER NOT NULL,
    masked INTEGER NOT NULL,
    transient INTEGER NOT NULL,
    said INTEGER REFERENCES events (number),       -- its outcome
    ended_by INTEGER REFERENCES events (number),
    attempts TEXT NOT NULL,    -- events, each as the distance from the one before
    trajectory TEXT NOT NULL,
    lost_ms INTEGER NOT NULL,
    lost_tokens INTEGER NOT NULL,
    PRIMARY KEY (session, call)
) WITHOUT ROWID;

CREATE TABLE tries (
    fix INTEGER NOT NULL REFERENCES fixes (number),
    session INTEGER NOT NULL REFERENCES sessions (number),
    failure INTEGER NOT NULL REFERENCES events (number),
    later INTEGER NOT NULL REFERENCES events (number),
    danger TEXT NOT NULL,
    worked INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (fix, session, failure, later)
) WITHOUT ROWID;
CREATE INDEX tries_by_session ON tries (session);

-- Most of these changes never fix anything: they are only known by a digest.
CREATE TABLE habits (
    change INTEGER NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions (number),
    many INTEGER NOT NULL,
    PRIMARY KEY (change, session)
) WITHOUT ROWID;
CREATE INDEX habits_by_session ON habits (session);

CREATE TABLE pairs (
    session INTEGER NOT NULL REFERENCES sessions (number),
    tool TEXT NOT NULL,
    after_success INTEGER NOT NULL,
    after_failure INTEGER NOT NULL,
    PRIMARY KEY (session, tool)
) WITHOUT ROWID;

CREATE TABLE goals (
    session INTEGER NOT NULL REFERENCES sessions (number),
    request INTEGER NOT NULL REFERENCES events (number),
    at INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    calls TEXT NOT NULL,       -- events, each as the distance from the one before
    failed INTEGER NOT NULL,
    ending TEXT NOT NULL,
    said_next INTEGER REFERENCES events (number),
    PRIMARY KEY (session, request)
) WITHOUT ROWID;
