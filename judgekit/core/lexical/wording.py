"""Rules for references that are words: names, terms, short phrases, and text written without spaces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from judgekit.core.lexical.case import Case, Match
from judgekit.core.lexical.lexicon import (
    ALTERNATIVES,
    CJK_ALTERNATIVES,
    CJK_NO,
    CJK_YES,
    CONJUNCTIONS,
    FUNCTION_WORDS,
    NAME_TITLES,
    NEGATIONS,
    PERSON_QUESTIONS,
)
from judgekit.core.lexical.mentions import Span, Standing, standing
from judgekit.core.lexical.reading import Reading, denies, has_cjk, squash

__all__ = ["match_passage", "match_same", "match_spaceless", "match_words"]

_LONG = 10
"""Content words; a longer reference is a passage, which an answer may well give in other words."""

_PART = 0.5
"""The share of a reference's words from which on an answer may or may not be right: cannot tell."""


def match_same(case: Case) -> Match | None:
    """An answer that is the reference, word for word."""
    return Match(True, "the answer is the reference") if case.answer.words == case.reference.words else None


def match_passage(case: Case) -> Match | None:
    """A long reference: an answer that does not quote it may still say the same."""
    long = len(case.reference.content) > _LONG
    if long and squash(case.reference.text) not in squash(case.answer.text):
        return Match(None, "the reference is a passage, which words alone cannot compare")
    return None


_CLAUSE_END = re.compile(r"[。，、；：！？（）「」,.;:!?()\n]+")
_SHORT_CJK = 12
_REACH_BEFORE, _REACH_AFTER = 6, 8


def match_spaceless(case: Case) -> Match | None:
    """A Chinese, Japanese or Korean reference: looked for letter by letter, clause by clause."""
    if not has_cjk(case.reference.text):
        return None
    wanted = squash(case.reference.text)
    clauses = [clause for part in _CLAUSE_END.split(case.answer.text) if (clause := squash(part))]
    if wanted in CJK_YES + CJK_NO:
        return _spaceless_truth(clauses, wanted in CJK_YES)
    found = {_stands(clause, wanted) for clause in clauses if wanted in clause}
    whole = "".join(clauses)
    if found == {Standing.STATED} or (not found and wanted in whole):
        return Match(True, f"{wanted} is in the answer")
    if found == {Standing.DENIED}:
        return Match(False, f"the answer denies {wanted}")
    if found:
        return Match(
            None, f"the answer has {wanted} beside a negation or an alternative that letters cannot place"
        )
    if len(wanted) > _SHORT_CJK:
        return Match(None, "the reference is a passage, which letters alone cannot compare")
    asked = squash(case.question.text)
    pairs = [wanted[i : i + 2] for i in range(len(wanted) - 1)]
    if any(pair in whole and pair not in asked for pair in pairs):
        return Match(None, f"the answer has only a part of {wanted}")
    return Match(False, f"{wanted} is not in the answer")


def _stands(clause: str, wanted: str) -> Standing:
    at = clause.index(wanted)
    before, after = clause[:at], clause[at + len(wanted) :]
    if denies(before[-_REACH_BEFORE:]) or denies(after[:_REACH_AFTER]):
        return Standing.DENIED
    if any(word in before or word in after for word in CJK_ALTERNATIVES):
        return Standing.OFFERED
    return Standing.UNCLEAR if denies(before) or denies(after) else Standing.STATED


def _spaceless_truth(clauses: list[str], wanted: bool) -> Match:
    if clauses[0].startswith(CJK_NO) or any(denies(clause) for clause in clauses):
        said = False
    elif clauses[0].startswith(CJK_YES):
        said = True
    else:
        return Match(None, "the answer says neither yes nor no")
    return Match(said is wanted, f"the answer says {'yes' if said else 'no'}")


def match_words(case: Case) -> Match | None:
    """A short phrase or a name, by the share of its words that the answer has."""
    name = f'"{case.reference.text.strip()}"'
    wanted = _telling(case)
    missing = [stem for stem in wanted if stem not in case.answer.vocabulary]
    if not missing or _is_glued(case.answer, case.reference):
        return _mentioned(case, wanted, name)
    if len(missing) == len(wanted):
        return _absent(case, wanted, name)
    return _partial(case, wanted, missing, name)


def _telling(case: Case) -> list[str]:
    """The words of the reference that an answer must have: those that the question does not have already."""
    reference = case.reference
    wanted = [reference.stems[i] for i in reference.content if reference.words[i] not in NEGATIONS]
    fresh = [stem for stem in wanted if stem not in case.question.vocabulary]
    return fresh or wanted or reference.stems


_ANSWERS_TO_A_DENIAL = {
    Standing.STATED: (False, "the answer states what the reference denies, {}"),
    Standing.DENIED: (True, "the answer denies what the reference denies, {}"),
}


def _mentioned(case: Case, wanted: list[str], name: str) -> Match:
    spans = _occurrences(case.answer, wanted)
    if case.reference.negations:
        verdict, reason = _ANSWERS_TO_A_DENIAL.get(
            standing(case.answer, spans), (None, "the answer leaves open {}")
        )
        return Match(verdict, reason.format(name))
    if _is_echo(case, wanted):
        return Match(
            None, f"the question itself has {name}, so that its mention in the answer proves nothing"
        )
    return case.decide(spans, name)


def _is_echo(case: Case, wanted: list[str]) -> bool:
    """Whether the reference stands in the question, and the answer adds words or names the other choice too."""
    if not case.question.vocabulary.issuperset(wanted):
        return False
    return bool(_new(case) or (set(_rivals(case.question, wanted)) & case.answer.vocabulary))


def _rivals(question: Reading, wanted: list[str]) -> Iterator[str]:
    """What stands on the other side of an `or` of the question: the word before it, and all after it."""
    for i, word in enumerate(question.words):
        if word in ALTERNATIVES:
            before = [question.stems[j] for j in question.content if j < i]
            after = [question.stems[j] for j in question.content if j > i]
            yield from (stem for stem in before[-1:] + after if stem not in wanted)


def _absent(case: Case, wanted: list[str], name: str) -> Match:
    if any(_are_alike(stem, said) for stem in wanted for said in _new(case)):
        return Match(None, f"the answer has a word that is spelled almost like one of {name}")
    return Match(False, f"{name} is not in the answer")


def _partial(case: Case, wanted: list[str], missing: list[str], name: str) -> Match:
    """An answer that has some of the words."""
    said = _new(case)
    number = next((stem for stem in missing if stem[0].isdigit()), None)
    other = next((stem for stem in sorted(said) if stem[0].isdigit() and stem not in wanted), None)
    if number and other:
        return Match(False, f"the answer has {other} where the reference has {number}")
    if left_out := _left_out(case.reference, missing):
        return Match(False, f"the answer leaves out {left_out}, which the reference asks for as well")
    foreign = [stem for stem in said if stem not in wanted and not _are_initials(stem, wanted)]
    if said and not foreign and not number:
        return case.decide(_occurrences(case.answer, wanted), f"a shorter form of {name}")
    if not PERSON_QUESTIONS.isdisjoint(case.question.words) and wanted[-1] not in missing:
        return _family_name(case, wanted, name)
    if 1 - len(missing) / len(wanted) >= _PART:
        return Match(None, f"the answer has only a part of {name}")
    return _absent(case, missing, name)


def _left_out(reference: Reading, missing: list[str]) -> str | None:
    """The first of the things joined by `and` of which the answer has no word."""
    if CONJUNCTIONS.isdisjoint(reference.words):
        return None
    items: list[list[int]] = [[]]
    for i in reference.content:
        previous = items[-1][-1] if items[-1] else i
        joined = not CONJUNCTIONS.isdisjoint(reference.words[previous:i])
        if joined or reference.clauses[i] != reference.clauses[previous]:
            items.append([])
        items[-1].append(i)
    for item in items:
        if all(reference.stems[i] in missing for i in item):
            return " ".join(reference.words[i] for i in item)
    return None


def _family_name(case: Case, wanted: list[str], name: str) -> Match:
    """An answer with the last word of a person's name: right, unless another given name stands before it."""
    answer = case.answer
    family = wanted[-1]
    others = [
        i - 1
        for i, stem in enumerate(answer.stems)
        if stem == family and i and _is_other_name(answer, i - 1, wanted)
    ]
    spans = _occurrences(answer, [family])
    if len(others) < len(spans):
        return case.decide(spans, f"the family name of {name}")
    said = f"{answer.words[others[0]]} {family}"
    verdict = False if answer.is_capitalized(others[0]) else None
    return Match(verdict, f'the answer has "{said}" where the reference has {name}')


def _is_other_name(answer: Reading, i: int, wanted: list[str]) -> bool:
    word = answer.words[i]
    if word in FUNCTION_WORDS or word in NAME_TITLES or answer.clauses[i] != answer.clauses[i + 1]:
        return False
    if answer.stems[i] in wanted or _are_initials(word, wanted):
        return False
    return answer.is_capitalized(i) or not answer.is_capitalized(i + 1)


def _new(case: Case) -> set[str]:
    """The content words of the answer that the question does not have."""
    return {case.answer.stems[i] for i in case.answer.content} - case.question.vocabulary - FUNCTION_WORDS


def _are_initials(word: str, wanted: Iterable[str]) -> bool:
    return len(word) <= 3 and {*word} <= {stem[0] for stem in wanted}


def _are_alike(one: str, other: str) -> bool:
    """Whether two words share a long beginning: `sharecropper` and `sharecropping`."""
    shared = max(5, (2 * max(len(one), len(other)) + 2) // 3)
    return one[:shared] == other[:shared] and min(len(one), len(other)) >= shared


def _is_glued(answer: Reading, reference: Reading) -> bool:
    """Whether the answer has the reference's letters with other spaces: `head-up` and `headup`."""
    letters = "".join(reference.words)
    if len(letters) < 5:
        return False
    joined = "".join(answer.words)
    at = joined.find(letters)
    if at < 0:
        return False
    edges, position = {0}, 0
    for word in answer.words:
        position += len(word)
        edges.add(position)
    return {at, at + len(letters)} <= edges


def _occurrences(answer: Reading, wanted: list[str]) -> list[Span]:
    """Where the words stand in a row; where any of them stands when they do so nowhere."""
    places = answer.content
    stems = [answer.stems[i] for i in places]
    n = len(wanted)
    rows = [(places[i], places[i + n - 1]) for i in range(len(stems) - n + 1) if stems[i : i + n] == wanted]
    return (
        rows
        or [(i, i) for i, stem in enumerate(answer.stems) if stem in wanted]
        or [(0, len(answer.words) - 1)]
    )
