-- What instruction files held that no repository remembers: they are overwritten, and nobody else keeps what was there.
-- A text that came back after another one is a snapshot of its own.

CREATE TABLE snapshots (
    path TEXT NOT NULL,
    machine TEXT NOT NULL,
    at BIGINT NOT NULL,
    text TEXT NOT NULL,
    digest TEXT NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (path, machine, at, digest)
);
