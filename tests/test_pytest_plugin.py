"""The pytest plugin, in sessions of its own: what fails, what is counted, and what is replayed.

The inner sessions load no plugin by its entry point, so that they are the same where judgekit is installed and where not.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import judgekit as jk
import judgekit.runner.sitting
import judgekit.stats  # an inner session forgets what it imported, and NumPy cannot be imported twice
from judgekit.core.exchange import Answer
from judgekit.core.flow import Outcomes, Round
from judgekit.core.layers import remembered
from judgekit.errors import ConfigError, ParseError
from judgekit.models.drive import layered
from judgekit.models.scripted import scripted
from judgekit.runner.checking import acheck, check, log
from judgekit.store import AnswerStore

Session = Callable[..., pytest.RunResult]

JUDGES = """
import asyncio
import pytest
import judgekit as jk
from judgekit.models.scripted import scripted

def judge(*scores, key="correctness", **options):
    lines = [score if isinstance(score, str) else {"reasoning": "because", "score": score} for score in scores]
    return jk.create_llm_as_judge(prompt="{outputs}", judge=scripted(*lines), feedback_key=key, **options)
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Runs a test file's text with options."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def session(text: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_inner=JUDGES + text)
        plugins = ("-p", "judgekit.pytest_plugin", "-p", "no:cacheprovider")
        return pytester.runpytest_inprocess(*plugins, "--strict-markers", *options)

    return session


# `check` by itself


def _judge(*scores: object, **options: object) -> jk.Model:
    return scripted(*({"reasoning": "because", "score": score} for score in scores))


def test_check_returns_the_result() -> None:
    judge = jk.create_llm_as_judge(prompt="{outputs}", judge=_judge(True), feedback_key="right")
    result = check(judge, outputs="x", min=True)
    assert isinstance(result, dict)
    assert (result["key"], result["score"], result["comment"]) == ("right", True, "because")
    assert asyncio.run(acheck(judge, outputs="x", min=1, key="other"))["key"] == "other"  # type: ignore[call-overload]


def test_below_the_minimum_the_message_shows_what_was_judged() -> None:
    judge = jk.create_llm_as_judge(
        prompt="{outputs}", judge=_judge(0.25), continuous=True, feedback_key="tone"
    )
    with pytest.raises(AssertionError) as error:
        check(judge, inputs="q\nr", outputs="y" * 9999, reference_outputs={"a": 1}, min=0.5)
    told = str(error.value)
    assert told.startswith(
        "tone: the score 0.25 is below the minimum 0.5\n  comment: because\n  inputs: q r\n"
    )
    assert "reference_outputs: {" in told
    assert len(told) < 700


@pytest.mark.parametrize(
    ("score", "least", "passes"),
    [
        (True, True, True),
        (False, 0.5, False),
        (1, True, True),
        (0.9, True, False),
        (0.5, 0.5, True),
        (False, 0, True),
    ],
)
def test_what_passes(score: float, least: float, passes: bool) -> None:
    def evaluator(outputs: object) -> float:
        return score

    if passes:
        check(evaluator, outputs="x", min=least)
    else:
        with pytest.raises(AssertionError):
            check(evaluator, outputs="x", min=least)


def _several(outputs: object) -> list[dict[str, object]]:
    return [{"key": "a", "score": 1}, {"key": "b", "score": 0.2}]


def test_several_results_have_a_minimum_each() -> None:
    results = check(_several, outputs="x", min={"a": 1})
    assert [result["key"] for result in results] == ["a", "b"]  # type: ignore[index]
    with pytest.raises(AssertionError, match=r"^b: "):
        check(_several, outputs="x", min=0.5)


@pytest.mark.parametrize(
    ("evaluator", "options", "expected"),
    [
        (_several, {"min": {"c": 1}}, "'c'"),
        (_several, {"key": "c"}, "leave it out"),
        (lambda outputs: "good", {"min": 1}, "is a label"),
        (lambda outputs: 1, {"min": "1"}, "give a number"),
        (lambda outputs: 1, {"min": float("nan")}, "give a number"),
        (3, {}, "no evaluator"),
    ],
)
def test_what_cannot_be_checked(evaluator: object, options: dict[str, object], expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        check(evaluator, outputs="x", **options)  # type: ignore[arg-type]


def test_no_verdict_is_an_error_and_no_failed_assertion() -> None:
    judge = jk.create_llm_as_judge(prompt="{outputs}", judge=scripted("no JSON"))
    with pytest.raises(ParseError):
        check(judge, outputs="x", min=0)


def test_only_scores_are_logged() -> None:
    log("a", 0.5)
    with pytest.raises(ParseError):
        log("a", float("nan"))


# sessions


def test_the_session_tells_each_key(session: Session) -> None:
    found = session("""
def test_right(judgekit):
    assert judgekit.check(judge(True), outputs="x", min=True)["score"] is True

def test_wrong(judgekit):
    judgekit.check(judge(False), outputs="the answer", min=True)

def test_broken(judgekit):
    judgekit.check(judge("no JSON"), outputs="x", min=0)

def test_without_the_fixture():
    from judgekit.runner.checking import check
    check(lambda outputs: len(outputs), outputs="abc", key="length")

def test_logged(judgekit):
    judgekit.log("logged", 2, "said so")
""")
    found.assert_outcomes(passed=3, failed=2)
    assert found.ret == 1
    found.stdout.fnmatch_lines([
        "E * correctness: the score False is below the minimum True",
        "E * comment: because",
        "E * outputs: the answer",
        "E *ParseError: *",
        "*= judgekit =*",
        "key * score * n * failed * cost",
        "correctness * pass rate 0.5 (* to *) * 2 * 1 (no_json 1) * $0.0000",
        "length * mean 3 * 1 * 0 * $0.0000",
        "logged * mean 2 * 1 * 0 * $0.0000",
    ])  # fmt: skip
    assert "drive.py" not in found.stdout.str().split("test_broken")[0]  # only the test's own lines are shown


@pytest.mark.parametrize(
    ("least", "status", "line"),
    [
        ("correctness=0.5", 0, "passed  correctness >= 0.5  (is 0.5, *"),
        ("correctness=0.6", 1, "FAILED  correctness >= 0.6  (is 0.5, *"),
        ("other=0", 1, "FAILED  other >= 0.0  (no value: nothing was judged under this key)"),
        ("tone=0", 1, "FAILED  tone >= 0.0  (no value: it has labels)"),
    ],
)
def test_a_minimum_over_the_session(session: Session, least: str, status: int, line: str) -> None:
    text = """
@pytest.mark.parametrize("score", [True, False])
def test_it(judgekit, score):
    judgekit.check(judge(score), outputs="x")
    judgekit.log("tone", "good")
"""
    found = session(text, "--judgekit-min", least)
    found.assert_outcomes(passed=2)
    assert found.ret == status
    found.stdout.fnmatch_lines([line])


REPEATED = """
scores = iter([True, False, True] * 9)

@pytest.mark.judgekit(repeat=3, min={"correctness": 0.6})
def test_marked(judgekit):
    judgekit.check(judge(next(scores)), outputs="x")

@pytest.mark.parametrize("name", ["a", "b"])
def test_by_option(judgekit, name):
    judgekit.log("logged", 1)

def test_that_does_not_judge():
    pass
"""


def test_tests_are_repeated(session: Session) -> None:
    found = session(REPEATED, "--judgekit-repeat", "2", "-v")
    found.assert_outcomes(passed=3 + 4 + 1)
    assert found.ret == 0
    found.stdout.fnmatch_lines([
        "*::test_marked?run3? PASSED*", "*::test_by_option?a-run1? PASSED*", "*::test_by_option?b-run2? PASSED*",
        "correctness * pass rate 0.6667 * 3 * 0 *", "logged * 4 * 0 *",
        "test_inner.py::test_marked: passed  correctness >= 0.6 *",
    ])  # fmt: skip


def test_a_repeated_test_misses_its_minimum(session: Session) -> None:
    found = session(REPEATED.replace("0.6", "0.7"))
    found.assert_outcomes(passed=3 + 2 + 1)
    assert found.ret == 1
    found.stdout.fnmatch_lines(["test_inner.py::test_marked: FAILED  correctness >= 0.7  (is 0.6667, *"])


@pytest.mark.parametrize("mark", ["3", "repeat=0", "times=2", "min=0.5", "min={'a': 'x'}"])
def test_a_wrong_mark_says_how_to_write_it(session: Session, mark: str) -> None:
    found = session(f"@pytest.mark.judgekit({mark})\ndef test_it(): pass\n")
    assert found.ret != 0
    assert (
        "write @pytest.mark.judgekit(repeat=3, min={'correctness': 0.8})"
        in found.stdout.str() + found.stderr.str()
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--judgekit-min", "correctness"], "should be KEY=NUMBER"),
        (["--judgekit-repeat", "0"], "at least 1"),
        (["--judgekit-cache", "replay", "--judgekit-store", "absent.db"], "there is no store"),
        (["--judgekit-cache", "sometimes"], "replay"),
    ],
)
def test_wrong_options(session: Session, options: list[str], expected: str) -> None:
    found = session("def test_it(): pass\n", *options)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert expected in found.stderr.str()


def test_silence_where_nothing_is_judged(session: Session) -> None:
    found = session("def test_it(): pass\n")
    assert found.ret == 0
    assert "judgekit ==" not in found.stdout.str()


def test_scores_are_properties_in_junit(session: Session, pytester: pytest.Pytester) -> None:
    session("def test_it(judgekit):\n    judgekit.check(judge(True), outputs='x')\n", "--junitxml=out.xml")
    tree = ET.parse(pytester.path / "out.xml")
    properties = {each.get("name"): each.get("value") for each in tree.iter("property")}
    assert properties == {"judgekit.correctness": "True"}


def test_workers_send_their_judgements(session: Session) -> None:
    pytest.importorskip("xdist")
    text = "@pytest.mark.judgekit(repeat=4, min={'correctness': 0.9})\ndef test_it(judgekit, request):\n"
    text += "    judgekit.check(judge('run1' not in request.node.name), outputs='x')\n"
    found = session(text, "-p", "xdist", "-n", "2", "--judgekit-min", "correctness=0.8")
    found.assert_outcomes(passed=4)
    assert found.ret == 1
    found.stdout.fnmatch_lines([
        "correctness * pass rate 0.75 * 4 * 0 *",
        "FAILED  correctness >= 0.8  (is 0.75, *",
        "test_inner.py::test_it: FAILED  correctness >= 0.9 *",
    ])  # fmt: skip


ASYNC = """
said = judge(True)

@pytest.mark.{mark}
async def test_it(judgekit):
    await asyncio.sleep(0)
    await asyncio.gather(*(judgekit.acheck(said, outputs=text, min=True) for text in "ab"))

@pytest.mark.{mark}
async def test_a_judge_without_check():
    ask = jk.create_async_llm_as_judge(prompt="{{outputs}}", judge=scripted({{"reasoning": "because", "score": True}}))
    await ask(outputs="c")

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


@pytest.mark.parametrize(
    ("module", "plugin", "mark"),
    [("pytest_asyncio", "pytest_asyncio.plugin", "asyncio"), ("anyio", "anyio.pytest_plugin", "anyio")],
)
def test_async_tests(
    session: Session, pytester: pytest.Pytester, module: str, plugin: str, mark: str
) -> None:
    pytest.importorskip(module)
    ini = "[pytest]\nfilterwarnings = error\n"
    pytester.makeini(f"{ini}asyncio_default_fixture_loop_scope = function\n" if mark == "asyncio" else ini)
    found = session(ASYNC.format(mark=mark), "-p", plugin, "--judgekit-store", "answers.db")
    found.assert_outcomes(passed=2)
    found.stdout.fnmatch_lines(["correctness * pass rate 1 * 2 * 0 *"])
    with AnswerStore(pytester.path / "answers.db") as kept:
        assert len(kept) == 3  # the layers reach an event loop's own context as well


KEPT = """
@pytest.mark.judgekit(repeat=2)
def test_it(judgekit, request):
    judgekit.check(judge({score}), outputs="x", min={least})
    assert judge({score}, key="other")(outputs="y")["score"] is {least}
"""


def test_answers_are_kept_read_and_refreshed(session: Session, pytester: pytest.Pytester) -> None:
    store = ("--judgekit-store", "answers.db")
    session(KEPT.format(score=True, least=True), *store).assert_outcomes(passed=2)
    with AnswerStore(pytester.path / "answers.db") as kept:
        assert len(kept) == 4  # each repetition asks anew
    changed = KEPT.format(score=False, least=True)
    session(changed, *store, "--judgekit-cache", "replay").assert_outcomes(passed=2)
    session(changed, *store, "--judgekit-cache", "off").assert_outcomes(failed=2)
    anew = KEPT.format(score=False, least=False)
    session(anew, *store, "--judgekit-cache", "refresh").assert_outcomes(passed=2)
    session(KEPT.format(score=True, least=False), *store).assert_outcomes(passed=2)


def test_a_replay_without_the_answer_is_an_error(session: Session, pytester: pytest.Pytester) -> None:
    AnswerStore(pytester.path / "answers.db").close()
    options = ("--judgekit-store", "answers.db", "--judgekit-cache", "replay")
    found = session("def test_it(judgekit):\n    judgekit.check(judge(True), outputs='x')\n", *options)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["E *NotRecordedError: *", "correctness * no score * 0 * 1 (not_recorded 1) *"]
    )


def test_a_replay_needs_no_key(session: Session, pytester: pytest.Pytester) -> None:
    def answering(effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        yield from ()
        return tuple(Answer('{"reasoning": "because", "score": true}') for _ in effects)

    model = jk.connect("openai:gpt-x", api_key="a key")
    ask = jk.create_llm_as_judge(prompt="{outputs}", judge=model)
    with AnswerStore(pytester.path / "answers.db") as kept, layered(remembered(kept), answering):
        ask(outputs="x")
    found = session(
        """
ask = jk.create_llm_as_judge(prompt="{outputs}", model="openai:gpt-x")

def test_it(judgekit):
    judgekit.check(ask, outputs="x", min=True)
""",
        *("--judgekit-store", "answers.db", "--judgekit-cache", "replay"),
    )
    found.assert_outcomes(passed=1)


def test_it_loads_nothing_at_start_up() -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import judgekit.pytest_plugin; "
        "print(sorted(name for name in set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name.strip("[]',\n") for name in done.stdout.split()]
    assert {name for name in loaded if "contextvars" not in name} == {
        "judgekit",
        "judgekit.pytest_plugin",
        "judgekit.runner",
        "judgekit.runner.journal",
    }
