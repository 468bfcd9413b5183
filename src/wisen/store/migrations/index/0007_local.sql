-- What was typed to a model on the user's own machine is found by the user, and not told to hosted agents.

ALTER TABLE memories ADD COLUMN local INTEGER NOT NULL DEFAULT 0;
