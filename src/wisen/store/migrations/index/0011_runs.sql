-- How goals were reached, run by run: what workflows are found in. Beside the findings of a session, and replaced with them.

CREATE TABLE runs (
    session INTEGER NOT NULL REFERENCES sessions (number),
    request INTEGER NOT NULL REFERENCES events (number),
    context TEXT NOT NULL,
    at INTEGER NOT NULL,
    run TEXT NOT NULL,         -- a JSON object
    PRIMARY KEY (session, request)
) WITHOUT ROWID;
CREATE INDEX runs_by_context ON runs (context, at);
