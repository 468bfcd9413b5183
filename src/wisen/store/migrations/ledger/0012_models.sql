-- What was asked of language models and what it cost, so that the caps of a day hold; never a word of it.

CREATE TABLE model_calls (
    id TEXT PRIMARY KEY,        -- made of the call and the stage
    call TEXT NOT NULL,
    stage TEXT NOT NULL,        -- reserved: what it may cost at most; settled: what it cost
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,          -- the user's own day
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    nanos BIGINT NOT NULL,      -- money, in billionths
    priced BIGINT NOT NULL,     -- whether its price is known
    seal TEXT NOT NULL
);
CREATE INDEX model_calls_by_day ON model_calls (machine, day);

CREATE TABLE model_coolings (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    model TEXT NOT NULL,
    until BIGINT NOT NULL,      -- up to when it is left alone
    why TEXT NOT NULL,
    seal TEXT NOT NULL
);
