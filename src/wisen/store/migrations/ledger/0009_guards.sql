-- What is watched for before calls. Rows never change; in which mode a guard is stands in moves.

CREATE TABLE guards (
    id TEXT NOT NULL,          -- the same for the same watch in the same context
    version TEXT NOT NULL,     -- of what it watches for and proposes instead
    context TEXT NOT NULL,     -- empty for everywhere
    at BIGINT NOT NULL,
    body TEXT NOT NULL,        -- the guard as JSON
    seal TEXT NOT NULL,
    PRIMARY KEY (id, version)
);

-- What a guard did, or would have done, is an exposure with the call that it was about.
ALTER TABLE exposures ADD COLUMN call TEXT;
ALTER TABLE exposures ADD COLUMN mode TEXT;
