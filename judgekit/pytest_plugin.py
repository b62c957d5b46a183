"""The pytest plugin: `judgekit.check` in tests, the scores of a session together, and judges that are replayed.

It is loaded in every pytest run where judgekit is installed, so all but the options is imported when it is first used.
"""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from collections.abc import Awaitable, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from judgekit.runner.journal import JOURNAL

if TYPE_CHECKING:
    from judgekit.core.flow import Layer, Outcomes, Round
    from judgekit.runner.records import RowResult
    from judgekit.runner.sitting import Sitting
    from judgekit.store import AnswerStore

__all__ = [
    "JudgekitFixture",
    "judgekit",
    "pytest_addoption",
    "pytest_configure",
    "pytest_generate_tests",
]

KEYLESS = "JUDGEKIT_KEYLESS"
"""Set while answers are replayed: judges can then be made without a key, since nothing is sent."""

_MODES = ("on", "read", "replay", "refresh", "off")
_DEFAULT_STORE = ".judgekit/runs.db"
_REPETITION = "_judgekit_repetition"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("judgekit", "judges in tests")
    group.addoption(
        "--judgekit-min",
        action="append",
        default=[],
        type=_pair,
        metavar="KEY=NUMBER",
        help="fail the session when the mean or pass rate of KEY over it is below NUMBER; may be repeated",
    )
    group.addoption(
        "--judgekit-repeat",
        type=_times,
        metavar="N",
        help="run each test that uses the judgekit fixture or mark N times; a mark's own repeat wins",
    )
    group.addoption(
        "--judgekit-store",
        metavar="PATH",
        help=f"keep the answers of judges in this SQLite file, from the root directory (default: none, or {_DEFAULT_STORE} "
        "with --judgekit-cache)",
    )
    group.addoption(
        "--judgekit-cache",
        choices=_MODES,
        help="what is done with kept answers: on (a request is sent once), read (nothing new is kept), refresh (asked anew "
        "and replaced), replay (nothing is sent, no key is needed; what is not kept is an error), off",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "judgekit(repeat=1, min=None): the test judges; run it `repeat` times, and fail the session when the mean or pass rate "
        "of a key over them is below `min`, a dict of key to number",
    )
    sitting = _Session(config)
    config.pluginmanager.register(sitting, "judgekit-session")
    token = JOURNAL.set(sitting)
    config.add_cleanup(lambda: JOURNAL.reset(token))
    if (cache := _cache(config)) is not None:
        _remember(config, sitting, *cache)


@pytest.hookimpl(trylast=True)  # so that the repetition is the last part of a test's id
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = _Mark.of(metafunc.definition)
    if mark is None and "judgekit" not in metafunc.fixturenames:
        return
    option = metafunc.config.getoption("judgekit_repeat")
    times = (mark and mark.repeat) or option or 1
    if times > 1:
        metafunc.fixturenames.append(_REPETITION)
        metafunc.parametrize(_REPETITION, range(times), ids=[_id(i) for i in range(times)], indirect=True)


@pytest.fixture(name=_REPETITION)
def _repetition(request: pytest.FixtureRequest) -> Any:
    return request.param


class JudgekitFixture:
    """What the fixture `judgekit` is."""

    def check(self, evaluator: Any, **values: Any) -> Any:
        """Judge a value and fail the test when the score is below `min`; see `judgekit.check`."""
        __tracebackhide__ = True
        from judgekit.runner.checking import check

        return check(evaluator, **values)

    def acheck(self, evaluator: Any, **values: Any) -> Awaitable[Any]:
        """As `check`, awaited."""
        from judgekit.runner.checking import acheck

        return acheck(evaluator, **values)

    def log(self, key: str, score: Any, comment: str | None = None) -> None:
        """Put a score that the test has found itself beside those of its judges."""
        from judgekit.runner.checking import log

        log(key, score, comment)


@pytest.fixture
def judgekit() -> JudgekitFixture:
    """Judge values in a test: `.check(evaluator, outputs=..., min=...)`, `.acheck(...)`, `.log(key, score)`."""
    return JudgekitFixture()


class _Mark(NamedTuple):  # a dataclass takes a millisecond to make
    """What `@pytest.mark.judgekit(...)` says of a test."""

    repeat: int | None = None
    min: Mapping[str, float] = MappingProxyType({})

    @classmethod
    def of(cls, item: Any) -> _Mark | None:
        """The mark that is closest to the test, or None.

        Raises:
            pytest.UsageError: it says something else.
        """
        mark = item.get_closest_marker("judgekit")
        if mark is None:
            return None
        repeat, least = mark.kwargs.get("repeat"), mark.kwargs.get("min") or {}
        known = not mark.args and mark.kwargs.keys() <= {"repeat", "min"}
        if not (known and _is_times(repeat) and _is_minimum(least)):
            raise pytest.UsageError(
                f"{item.nodeid}: write @pytest.mark.judgekit(repeat=3, min={{'correctness': 0.8}}), with a whole number of at "
                f"least 1 and numbers by key, not {mark.args or ''}{mark.kwargs}."
            )
        return cls(repeat, least)


class _Session:
    """The judgements of this process, and in the process that reports those of all workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._item: pytest.Item | None = None
        self._pending: list[dict[str, Any]] = []
        self._count = 0
        self._judged: dict[str, list[RowResult]] = {}
        self._minimums: dict[str, Mapping[str, float]] = {}
        self._sitting: Sitting | None = None
        self.answers: AnswerStore | None = None
        self.mode: Any = "on"

    # what `judgekit.check` needs

    def layers(self) -> Sequence[Layer]:
        if self.answers is None:
            return ()
        from judgekit.core.layers import remembered

        return (remembered(self.answers, self.mode, _repetition_of(self._item)),)

    def add(self, judged: RowResult) -> None:
        if self._item is None:  # a judge was called while no test ran
            return
        record = {**judged.to_dict(), "index": self._count, "repetition": _repetition_of(self._item)}
        self._count += 1
        self._pending.append(record)
        scores = ((f"judgekit.{score.key}", score.score) for score in judged.scores)
        self._item.user_properties.extend(scores)

    def under_all(self, effects: Round) -> Generator[Round, Outcomes, Outcomes]:
        """The layer under every judge of the session, also those that tests call without `check`."""
        (layer,) = self.layers()
        return (yield from layer(effects))

    # hooks

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._item, self._count = item, 0
        try:
            return (yield)
        finally:
            self._item = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        report = yield
        mark = _Mark.of(item)
        report.judgekit = {  # a plain value, which pytest-xdist sends on
            "test": _without_repetition(item),
            "judged": self._pending,
            "min": dict(mark.min) if mark and report.when == "call" and not report.skipped else {},
        }
        self._pending = []
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        said = getattr(report, "judgekit", None)
        again = str(report.outcome) == "rerun"  # by pytest-rerunfailures: the last attempt counts
        if said is None or again or self._is_worker:
            return
        if said["judged"]:
            from judgekit.runner.records import RowResult

            rows = self._judged.setdefault(said["test"], [])
            rows += map(RowResult.from_dict, said["judged"])
        if said["min"]:
            self._minimums[said["test"]] = said["min"]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        wanted = self._config.getoption("judgekit_min")
        if self._is_worker or not (self._judged or self._minimums or wanted):
            return
        if self._config.getoption("collectonly", default=False):
            return
        from judgekit.runner.sitting import sum_up

        self._sitting = sum_up(self._judged, wanted, self._minimums)
        if self._sitting.missed and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._sitting is None:
            return
        terminalreporter.section("judgekit")
        for line in (*self._sitting.table.splitlines(), *self._sitting.kept):
            terminalreporter.line(line)
        for line in self._sitting.missed:
            terminalreporter.line(line, red=True)

    @property
    def _is_worker(self) -> bool:
        return hasattr(self._config, "workerinput")


def _cache(config: pytest.Config) -> tuple[Path, str] | None:
    """The store and what is done with it; None when no answers are kept."""
    path, mode = config.getoption("judgekit_store"), config.getoption("judgekit_cache")
    if mode == "off" or (path is None and mode is None):
        return None
    store = config.rootpath / (path or _DEFAULT_STORE)
    if mode == "replay" and not store.is_file():
        raise pytest.UsageError(
            f"--judgekit-cache replay: there is no store {store}: record answers first, --judgekit-cache on."
        )
    return store, mode or "on"


def _remember(config: pytest.Config, session: _Session, store: Path, mode: str) -> None:
    from judgekit.errors import JudgekitError
    from judgekit.models.drive import layered
    from judgekit.store import AnswerStore

    try:
        session.answers, session.mode = AnswerStore(store), mode
    except JudgekitError as error:
        raise pytest.UsageError(f"--judgekit-store: {error}") from error
    config.add_cleanup(session.answers.close)
    under_all = layered(session.under_all)
    under_all.__enter__()
    config.add_cleanup(under_all.__exit__)
    if mode == "replay" and KEYLESS not in os.environ:
        os.environ[KEYLESS] = "1"
        config.add_cleanup(partial(os.environ.__delitem__, KEYLESS))


def _id(repetition: int) -> str:
    return f"run{repetition + 1}"


def _repetition_of(item: pytest.Item | None) -> int:
    callspec = getattr(item, "callspec", None)
    return 0 if callspec is None else callspec.params.get(_REPETITION, 0)


def _without_repetition(item: pytest.Item) -> str:
    callspec = getattr(item, "callspec", None)
    if callspec is None or _REPETITION not in callspec.params:
        return item.nodeid
    mine = f"{_id(callspec.params[_REPETITION])}]"
    name = item.nodeid.removesuffix(mine)
    return name.removesuffix("[") if name.endswith("[") else f"{name.removesuffix('-')}]"


def _is_times(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1)


def _is_minimum(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(least, int | float) for least in value.values())


def _times(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} should be a whole number of at least 1")
    return int(text)


def _pair(text: str) -> tuple[str, float]:
    key, _, number = text.rpartition("=")
    with suppress(ValueError):
        if key:
            return key, float(number)
    raise ArgumentTypeError(f"{text!r} should be KEY=NUMBER, as in correctness=0.8")
