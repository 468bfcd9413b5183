-- What cannot be there twice, even where two processes or machines write at the same moment without knowing of each
-- other. Rows from before have no key: `wisen doctor --repair` joins what was doubled then.

-- The occurrence that an entry was made for: one sight makes one entry.
ALTER TABLE entries ADD COLUMN founded TEXT;
CREATE UNIQUE INDEX entries_by_founded ON entries (founded);

-- Made of what a proposal is about and the proposal before it: what was asked is not asked again at the same time.
ALTER TABLE proposals ADD COLUMN asks TEXT;
CREATE UNIQUE INDEX proposals_by_asks ON proposals (asks);

-- The change of the same file that came before: the changes of a file are one row behind each other.
ALTER TABLE changes ADD COLUMN follows TEXT;
CREATE UNIQUE INDEX changes_by_follows ON changes (machine, path, follows);
