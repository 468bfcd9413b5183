"""Trains the directive models: `python -m benchmarks.train_directives --data DIR [--language CODE]`.

Data: the sentences in written/directives/CODE/ (one file per author: `text`, `kind`, `form`), those in tests, for
English also other written messages and the labelled turns of real sessions if --data has them. It writes
src/wisen/text/directive_weights/CODE.json: weights of words that authors wrote here, no text of anybody's session.
`--report` leaves out each author, and each project, in turn, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from benchmarks.data import json_lines
from benchmarks.detect_items import own_label_items, real_items
from wisen.text.directive_grammar import DirectiveGrammar
from wisen.text.directive_matches import matches_of
from wisen.text.directive_reading import read_sentence
from wisen.text.directive_weights import TokenTable, chunks_of, letter_features, rule_features, word_features
from wisen.text.directive_words import SHIPPED, shipped_words
from wisen.text.directives import MAX_QUOTE_LENGTH, MAX_SHORT_MESSAGE_SENTENCES
from wisen.text.message_sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_PROJECT = Path(__file__).parents[1]
_FOLDER = _PROJECT / "src/wisen/text/directive_weights"
_WRITTEN = Path(__file__).parent / "written"
_TESTED = _PROJECT / "tests/text/directive_sentences.toml"
_TESTED_COUNT = 3.0
_HEARD, _NONE = ("standing", "told", "by_form"), ("none", "passing", "not_lasting")
_ELSE = ("none", "passing", "praise")
"""English messages that were written to train other things, and hold no directive."""
_BY_LETTERS = ("ja", "ko", "zh")
_LEAST_WORD, _LEAST_FEATURE = 3, 2
"""How often a word and a feature must occur to count."""
_SIGN, _WORD, _PAIR, _TRIPLE = 0.7, 1.0, 1.5, 2.0
"""How strongly weights are held back: what the rules found, words, and two and three that follow each other."""
_ROUNDS = 3
_PART_OF_NEGATIVE = 0.7
"""What a sentence counts beside others of a message that holds no directive."""
_REAL_NONE, _REAL_LASTING = 1.0, 0.3
"""What a real turn counts: one that teaches nothing, and one that is labelled to last, often by no words of its own."""
_VETOED = 0.03
"""The share of written directives that are doubted although a rule matches."""
_FALSE_SURE, _FALSE_DOUBT = 0.02, 0.2
"""The share of real turns without a directive that are taken for one surely, and in doubt."""
_HARD_DOUBT = 0.25
"""The same of written messages, half of which were written to be mistaken."""
_FALSE_STANDING, _STANDING_LOST = 0.015, 0.15
"""The share of other messages that may be delivered at every start, and of directives that may be lost."""
_NEVER = 99.0
"""Where no real turns are at hand, words alone never make it sure."""
_LEAST_WEIGHT = 0.05


@dataclass(frozen=True, kw_only=True)
class Example:
    """A message, and whether it holds a directive."""

    author: str
    text: str
    holds: bool
    counts: float
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    """Each sentence as it is folded, and what the rules found in it."""
    is_marked: bool
    """Whether a rule hears in it that a directive lasts."""

    @property
    def is_real(self) -> bool:
        """Whether somebody typed it at work."""
        return "/" in self.author

    @property
    def is_detected(self) -> bool:
        """Whether the rules hear a directive in it."""
        return any("form none" not in signs for _, signs in self.sentences)


@dataclass(frozen=True, kw_only=True)
class Model:
    """Weights as they were trained."""

    table: TokenTable | None
    words: list[str]
    weights: dict[str, float]
    bias: float

    def score(self, example: Example) -> float:
        """The most that a sentence of a message reaches."""
        of = [self._sum([*_features(sentence, self.table), *signs]) for sentence, signs in example.sentences]
        return self.bias + max(of)

    def _sum(self, features: Iterable[str]) -> float:
        return sum(self.weights.get(each, 0.0) for each in features)


@dataclass(frozen=True, kw_only=True)
class ScoredExample:
    """A message with what a model gives it that does not know its author."""

    example: Example
    score: float


def main() -> None:
    """Train each language on everything, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_directives", description=__doc__)
    parser.add_argument("--data", type=Path, help="the unpacked data")
    parser.add_argument("--language", help="only this one")
    parser.add_argument("--report", action="store_true", help="leave out authors and projects in turn, write nothing")
    options = parser.parse_args()
    for code in [options.language] if options.language else SHIPPED:
        examples = examples_of(code, options.data)
        if not any(each.holds for each in examples):
            print(f"{code}: no sentences in {_WRITTEN / 'directives' / code}")
            continue
        scored = left_out_scores(code, examples)
        print(json.dumps({code: report(scored, choose_thresholds(scored))}))
        if not options.report:
            model, chosen = _as_stored(train(code, examples)), choose_thresholds(scored)
            tested = [
                model.score(each) for each in examples if each.author == "tested" and each.holds and each.is_marked
            ]
            # what the tests hold is told at each start
            _write(code, model, {**chosen, "standing": round(min(chosen["standing"], *tested, 99.0) - 0.01, 2)})


def _as_stored(model: Model) -> Model:
    kept = {name: round(weight, 2) for name, weight in sorted(model.weights.items()) if abs(weight) >= _LEAST_WEIGHT}
    return Model(table=model.table, words=sorted(model.words), weights=kept, bias=round(model.bias, 3))


def _write(code: str, model: Model, limit: dict[str, float]) -> None:
    stored = {
        "letters": model.table is None,
        "bias": model.bias,
        **limit,
        "words": model.words,
        "weights": model.weights,
    }
    _FOLDER.mkdir(exist_ok=True)
    text = json.dumps(stored, ensure_ascii=False, indent=0, separators=(",", ":"))
    (_FOLDER / f"{code}.json").write_text(text + "\n", encoding="utf-8")


def examples_of(code: str, data: Path | None) -> list[Example]:
    """The messages of a language that were written for this, and for English what was typed at work."""
    found = []
    for path in sorted((_WRITTEN / "directives" / code).glob("*.jsonl")):
        found += [_example(code, path.stem, row["text"], row["kind"] == "directive") for row in json_lines(path)]
    tested = tomllib.loads(_TESTED.read_text(encoding="utf-8")).get(code.partition("-")[0], {})
    for names, holds in ((_HEARD, True), (_NONE, False)):
        texts = [text for name in names for text in tested.get(name, ())]
        if code.startswith("hi"):
            texts = [text for text in texts if text.isascii() is code.endswith("-latn")]
        found += [_example(code, "tested", text, holds, _TESTED_COUNT) for text in texts]
    if code == "en":
        for name in _ELSE:
            lines = (_WRITTEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()
            found += [_example(code, "written", line, holds=False) for line in lines if line.strip()]
        for item in [*real_items(data), *own_label_items(data)] if data is not None else ():
            if item.lasts is not False:
                counts = _REAL_LASTING if item.lasts else _REAL_NONE
                found.append(_example(code, f"{item.project}", item.typed_turn.text, bool(item.lasts), counts))
    return [each for each in found if each.sentences]


def _example(code: str, author: str, text: str, holds: bool, counts: float = 1.0) -> Example:  # noqa: FBT001  # of a row
    sentences = sentences_of(text)
    few = len(sentences) <= MAX_SHORT_MESSAGE_SENTENCES and len(text) <= MAX_QUOTE_LENGTH
    read, marked = [], False
    for sentence in sentences:
        if len(sentence.text) <= MAX_QUOTE_LENGTH:
            matches = matches_of(_grammar(code).with_accents_of(sentence.text), sentence.text)
            reading = read_sentence(matches, is_message=few)
            marked = marked or (reading is not None and reading.marker is not None)
            read.append((matches.folded, tuple(rule_features(matches, reading))))
    return Example(author=author, text=text, holds=holds, counts=counts, sentences=tuple(read), is_marked=marked)


@cache
def _grammar(code: str) -> DirectiveGrammar:
    return DirectiveGrammar(code, shipped_words(code))


def _features(sentence: str, table: TokenTable | None) -> set[str]:
    return letter_features(sentence) if table is None else word_features(sentence, table)


def train(code: str, examples: Sequence[Example]) -> Model:
    """Fit the weights: of a message with a directive, the sentence counts that speaks most for one."""
    words = [] if code in _BY_LETTERS else _known_words(examples)
    table = None if code in _BY_LETTERS else TokenTable(words, english=code == "en")
    features = [
        [sorted({*_features(sentence, table), *signs}) for sentence, signs in each.sentences] for each in examples
    ]
    counted = Counter(name for of in features for each in of for name in each)
    names = sorted(name for name, number in counted.items() if number >= _LEAST_FEATURE)
    place = {name: number for number, name in enumerate(names)}
    penalty = np.array([*(_penalty_of(name, letters=table is None) for name in names), 1e-6])
    found = np.zeros(len(names) + 1)
    for turn in range(_ROUNDS):
        rows, truth, counts = _rows(examples, features, place, None if turn == 0 else found)
        found = _fit(rows, truth, counts, penalty, found)
    weights = dict(zip(names, map(float, found[:-1]), strict=True))
    return Model(table=table, words=words, weights=weights, bias=float(found[-1]))


def _known_words(examples: Sequence[Example]) -> list[str]:
    """Words of several authors, where there are several; none that only real sessions hold."""
    times: Counter[str] = Counter()
    authors = defaultdict(set)
    written = [each for each in examples if not each.is_real]
    for each in written:
        for word in {chunk.replace("'", "") for sentence, _ in each.sentences for chunk in chunks_of(sentence)}:
            times[word] += 1
            authors[word].add(each.author)
    least = 2 if len({each.author for each in written}) > 3 else 1
    return [word for word in times if word.isalpha() and times[word] >= _LEAST_WORD and len(authors[word]) >= least]


def _penalty_of(name: str, *, letters: bool) -> float:
    if name.startswith(("kind ", "opens ", "form ")):
        return _SIGN
    size = len(name) if letters else name.count(" ") + 1
    return _WORD if size == 1 else _PAIR if size == 2 else _TRIPLE


def _rows(
    examples: Sequence[Example], features: list[list[list[str]]], place: dict[str, int], found: Numbers | None
) -> tuple[csr_matrix, Numbers, Numbers]:
    begins, columns, truth, counts = [0], [], [], []
    for example, sentences in zip(examples, features, strict=True):
        of = [[place[name] for name in each if name in place] for each in sentences]
        if example.holds and found is not None:
            of = [max(of, key=lambda each: float(found[each].sum()))]
        part = 1 / len(of) if example.holds else (1.0 if len(of) == 1 else _PART_OF_NEGATIVE)
        for each in of:
            columns += each
            begins.append(len(columns))
            truth.append(1.0 if example.holds else -1.0)
            counts.append(example.counts * part)
    shape = (len(truth), len(place))
    return csr_matrix((np.ones(len(columns)), columns, begins), shape=shape), np.array(truth), np.array(counts)


def _fit(rows: csr_matrix, truth: Numbers, counts: Numbers, penalty: Numbers, start: Numbers) -> Numbers:
    def loss(weights: Numbers) -> tuple[float, Numbers]:
        margin = -truth * (rows @ weights[:-1] + weights[-1])
        pull = -truth * counts / (1 + np.exp(-margin))
        total = (counts * np.logaddexp(0, margin)).sum() + 0.5 * (penalty * weights * weights).sum()
        return float(total), np.append(rows.T @ pull, pull.sum()) + penalty * weights

    found: Numbers = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return found


def left_out_scores(code: str, examples: Sequence[Example]) -> list[ScoredExample]:
    """Each message with what a model gives it that knows neither its author nor its project."""
    scored = []
    for author in sorted({each.author for each in examples}):
        model = train(code, [each for each in examples if each.author != author])
        for each in examples:
            if each.author == author:
                scored.append(ScoredExample(example=each, score=model.score(each)))
    return scored


def choose_thresholds(scored: Sequence[ScoredExample]) -> dict[str, float]:
    """From which scores on what follows, chosen on authors and projects that were left out."""
    holds = [each for each in scored if each.example.holds and not each.example.is_real]
    real = [each.score for each in scored if not each.example.holds and each.example.is_real]
    none = real or [each.score for each in scored if not each.example.holds]
    false_sure, false_doubt = _FALSE_SURE, _FALSE_DOUBT if real else _HARD_DOUBT
    scores = [each.score for each in holds if each.example.is_detected]
    chosen = {
        "sure": np.quantile(none, 1 - false_sure) if real else _NEVER,
        "threshold": np.quantile(none, 1 - false_doubt),
        "veto": np.quantile(scores, _VETOED),
        "standing": _standing_limit(scored),
    }
    return {name: round(float(value), 2) for name, value in chosen.items()}


def _standing_limit(scored: Sequence[ScoredExample]) -> float:
    """Below which score a sentence does not last, though it says so: few without a directive are told at starts."""
    none = [each for each in scored if not each.example.holds and not each.example.is_real]
    marked = sorted((each.score for each in none if each.example.is_marked), reverse=True)
    allowed = int(_FALSE_STANDING * len(none))
    needed = marked[allowed] + 0.01 if len(marked) > allowed else -_NEVER
    meant = [each.score for each in scored if each.example.holds and each.example.is_marked]
    return float(min(needed, np.quantile(meant, _STANDING_LOST)))


def report(scored: Sequence[ScoredExample], limit: dict[str, float]) -> dict[str, object]:
    """What becomes of messages of whom the model does not know, at its limits; beside it what rules do alone."""
    groups = {
        "directives": [each for each in scored if each.example.holds and not each.example.is_real],
        "negatives": [each for each in scored if not each.example.holds and not each.example.is_real],
        "real_lasting": [each for each in scored if each.example.holds and each.example.is_real],
        "real_none": [each for each in scored if not each.example.holds and each.example.is_real],
    }
    return {"limits": limit, **{name: _outcomes(group, limit) for name, group in groups.items() if group}}


def _outcomes(group: Sequence[ScoredExample], limit: dict[str, float]) -> dict[str, float]:
    rules = [each.example.is_detected for each in group]
    sure = [each.score >= limit["veto" if each.example.is_detected else "sure"] for each in group]
    detected = [each.score >= limit["threshold"] or each.example.is_detected for each in group]
    marked = [each.example.is_marked for each in group]
    standing = [each.example.is_marked and each.score >= limit["standing"] for each in group]
    shares = {"rules_alone": rules, "sure": sure, "heard": detected, "marked": marked, "standing": standing}
    return {"n": len(group), **{name: round(float(np.mean(values)), 3) for name, values in shares.items()}}


if __name__ == "__main__":
    main()
