-- Which context a total is of: when something is forgotten, totals of other contexts with text stay.
ALTER TABLE folds ADD COLUMN context TEXT;
