-- What had become of a change each time somebody looked: that it was made, and later whether the user kept, reworded or
-- refused it. Only what differs from the look before is kept.

CREATE TABLE looks (
    id TEXT PRIMARY KEY,
    change TEXT NOT NULL,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    fate TEXT NOT NULL,
    path TEXT NOT NULL,        -- where it was found, or missed
    head TEXT NOT NULL,        -- the commit that was checked out, or nothing
    text TEXT NOT NULL,        -- the user's words, where it is his now
    seal TEXT NOT NULL
);
CREATE INDEX looks_by_machine ON looks (machine);
