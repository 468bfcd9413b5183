-- What sessions showed about what is on trial, once for each, when they are over: logs do not stay. Rows never change.

CREATE TABLE outcomes (
    id TEXT PRIMARY KEY,       -- made of the session and the subject
    machine TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    subject TEXT NOT NULL,     -- the rule or fix
    version TEXT NOT NULL,     -- of its wording
    at BIGINT NOT NULL,        -- when the session began
    relevant BIGINT NOT NULL,  -- whether its trigger fired
    hit BIGINT NOT NULL,       -- whether what it is against happened
    rails TEXT NOT NULL,       -- what must not get worse, as JSON
    seal TEXT NOT NULL
);

-- With which chance, in millionths, a coin gave it; nothing where no coin was thrown.
ALTER TABLE exposures ADD COLUMN chance BIGINT;
