-- What language models answered, so that the same question costs nothing the second time. It can be asked again.

CREATE TABLE model_answers (
    number INTEGER PRIMARY KEY,
    question TEXT NOT NULL UNIQUE,  -- a digest
    purpose TEXT NOT NULL,
    text TEXT NOT NULL
);
