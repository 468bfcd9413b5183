-- How much each session weighs: what to retire is decided without reading its events.
-- Only for sessions that hold nothing new; the others are counted when somebody asks.

CREATE TABLE session_sizes (
    session INTEGER PRIMARY KEY REFERENCES sessions (number),
    context TEXT NOT NULL,     -- that of most of its events
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    events INTEGER NOT NULL,
    bytes INTEGER NOT NULL     -- of its texts
);
INSERT INTO session_sizes
SELECT scenes.session, '', min(at), max(at), count(*), coalesce(sum(length(CAST(text AS BLOB))), 0)
FROM events JOIN scenes ON scenes.number = scene LEFT JOIN texts ON texts.event = events.number
WHERE scenes.session IN (SELECT session FROM mining WHERE version IS NOT NULL) GROUP BY scenes.session;
UPDATE session_sizes SET context = coalesce((
    SELECT scenes.context FROM scenes JOIN tallies ON tallies.scene = scenes.number
    WHERE scenes.session = session_sizes.session GROUP BY scenes.context ORDER BY sum(many) DESC, scenes.context LIMIT 1
), '');
