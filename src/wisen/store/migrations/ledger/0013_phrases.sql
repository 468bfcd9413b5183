-- The user's own wording of feedback, of each machine for itself. Rows never change; the newest about a phrase holds.

CREATE TABLE phrases (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    text TEXT NOT NULL,        -- in small letters, as the detector reads it
    kind TEXT NOT NULL,        -- correction or praise
    way TEXT NOT NULL,         -- counted, model, file; removed: it is not to come back by itself
    hits BIGINT NOT NULL,      -- turns with it around which the work showed what it stands for
    turns BIGINT NOT NULL,     -- turns with it
    sessions BIGINT NOT NULL,
    signs BIGINT NOT NULL,     -- turns without it around which the work showed the same
    others BIGINT NOT NULL,    -- of so many
    seal TEXT NOT NULL
);

-- The turns that speak for a phrase.
CREATE TABLE phrase_proofs (
    id TEXT PRIMARY KEY,       -- made of the phrase's and the turn's
    phrase TEXT NOT NULL,
    machine TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    message TEXT NOT NULL,
    at BIGINT NOT NULL,
    context TEXT NOT NULL,
    quote TEXT NOT NULL,
    signs TEXT NOT NULL,       -- what happened around it
    seal TEXT NOT NULL
);

-- When turns were looked through for phrases: the first time more of them are.
CREATE TABLE phrase_searches (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    since BIGINT NOT NULL,
    way TEXT NOT NULL,
    turns BIGINT NOT NULL,
    found BIGINT NOT NULL,
    seal TEXT NOT NULL
);
