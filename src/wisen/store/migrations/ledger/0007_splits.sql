-- A person may take an occurrence out of its entry: that is a move about the occurrence, and asked for at each question.

CREATE INDEX moves_by_kind ON moves (kind, subject);
