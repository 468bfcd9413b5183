-- What was at work when the user praised: what that comes to is worked out of these rows. Rows never change.

CREATE TABLE reinforcements (
    id TEXT PRIMARY KEY,       -- made of the message and the subject
    machine TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    message TEXT NOT NULL,     -- the one that praises
    subject TEXT NOT NULL,     -- the entry or fix
    how TEXT NOT NULL,         -- told at the start, a prompt or a failure; or named by the user
    weight BIGINT NOT NULL,    -- in millionths
    at BIGINT NOT NULL,
    seal TEXT NOT NULL
);

-- Praise is held against what its session was told.
CREATE INDEX exposures_by_session ON exposures (session);
