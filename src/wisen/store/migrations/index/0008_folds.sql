-- Which sessions changed, and when: who keeps a total looks only at those that changed since it was made.
-- A session is here once, at its last change. One that was deleted stays here, by its number alone.

CREATE TABLE session_changes (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL UNIQUE
);
INSERT INTO session_changes (session) SELECT session FROM mining WHERE version IS NOT NULL ORDER BY session;

CREATE TRIGGER session_mined AFTER UPDATE OF version ON mining WHEN NEW.version IS NOT NULL BEGIN
    INSERT OR REPLACE INTO session_changes (session) VALUES (NEW.session);
END;
CREATE TRIGGER session_deleted AFTER DELETE ON mining BEGIN
    INSERT OR REPLACE INTO session_changes (session) VALUES (OLD.session);
END;

-- Totals over sessions, each with the revision up to which it counts. They can be worked out again at any time.
CREATE TABLE folds (
    name TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    revision INTEGER NOT NULL,
    holds_text INTEGER NOT NULL,  -- whether it quotes anybody; such a fold goes when something is forgotten
    value TEXT NOT NULL
) WITHOUT ROWID;
