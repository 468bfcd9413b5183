-- What sessions called, in few words: the lines of instruction files are judged by it, without reading sessions again.
-- Beside the findings of a session, and replaced with them. A session that was mined before gets its rows when it is judged.

CREATE TABLE called (
    session INTEGER PRIMARY KEY REFERENCES sessions (number),
    started INTEGER,           -- the first call; none where nothing was called
    ended INTEGER,
    failures TEXT NOT NULL     -- a JSON array: signature, id and place among the calls of each that failed
);

-- Apart from the rest: most questions need only that.
CREATE TABLE call_words (
    session INTEGER PRIMARY KEY REFERENCES sessions (number),
    calls TEXT NOT NULL        -- distinct calls, each by its words
);
