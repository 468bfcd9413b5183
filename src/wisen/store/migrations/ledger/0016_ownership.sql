-- Whose files below projects are, and which folders belong to which project. Rows never change; the newest word holds.

CREATE TABLE ownership (
    id TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    subject TEXT NOT NULL,     -- file, place, marker
    path TEXT NOT NULL,
    context TEXT NOT NULL,     -- the project a file lies in, or that a place says to be
    verdict TEXT NOT NULL,     -- first, owned, foreign, asked
    by_whom TEXT NOT NULL,     -- user or wisen
    digest TEXT NOT NULL,      -- of what the file held, or of its first bytes
    size BIGINT NOT NULL,      -- of how many
    identity TEXT NOT NULL,    -- device and number of a file that grows
    seal TEXT NOT NULL
);
