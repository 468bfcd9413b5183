-- What was put before an agent in a session, or kept from it: what verdicts are judged by. Rows never change.

CREATE TABLE exposures (
    id TEXT PRIMARY KEY,       -- made of the note that it was taken from: the same note is taken once
    machine TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    subject TEXT NOT NULL,     -- the rule, entry, fix or proposal
    version TEXT NOT NULL,     -- of its wording
    channel TEXT NOT NULL,     -- hook or file
    event TEXT NOT NULL,       -- session-start, prompt, failure, before-call
    arm TEXT NOT NULL,         -- given or withheld
    at BIGINT NOT NULL,
    seal TEXT NOT NULL
);
CREATE INDEX exposures_by_subject ON exposures (subject, at);
