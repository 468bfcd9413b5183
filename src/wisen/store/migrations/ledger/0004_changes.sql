-- Edits of users' files with what undoes them. Written before the file is, so that nothing is ever changed unrecorded: a
-- change whose file still holds what it held before was not made.

CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    path TEXT NOT NULL,
    at BIGINT NOT NULL,
    undoes TEXT NOT NULL,      -- the change that it takes back, or nothing
    body TEXT NOT NULL,        -- the rest, as JSON
    seal TEXT NOT NULL
);
CREATE INDEX changes_by_path ON changes (path, machine);
