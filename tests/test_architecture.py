"""The shape of the package, read from its source: nothing here imports judgekit.

What the rules mean is in CONTRIBUTING.md; what they let through is data, below, with the reason for each entry.
An entry for a file that does not exist yet is idle; an entry that its file no longer needs fails.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "judgekit"

FLOORS: dict[str, int] = {
    "_version": 0,
    "errors": 0,
    "types": 0,
    "core": 1,
    "resources": 1,  # says where the packaged files are; reading them is for the floor above
    "stats": 1,
    "datasets": 2,
    "evaluators": 2,
    "locks": 2,
    "models": 2,
    "prompts": 2,
    "runs": 2,
    "store": 2,
    "judges": 3,
    "llm": 3,
    "simulators": 3,
    "batch": 4,
    "cluster": 4,
    "report": 4,
    "runner": 4,
    "trust": 4,
    "__init__": 5,
    "__main__": 5,
    "adapters": 5,
    "cli": 5,
    "langchain": 5,
    "pytest_plugin": 5,
}
"""The floor of each module or sub-package of judgekit; imports go to a lower floor, or stay in the sub-package."""

SIDEWAYS: dict[tuple[str, str], str] = {
    ("__main__", "cli"): "`python -m judgekit` is the command line",
    ("evaluators", "models"): "an evaluator's sync and async faces call the drivers",
    ("judges", "llm"): "a ready-made judge is a call of the front door",
    ("models", "store"): "`connect(..., cache=...)` opens the store",
    ("report", "runner"): "a report reads the outcomes of a run",
    ("trust", "runner"): "a judge on trial is run, and runs are read",
    ("runs", "locks"): "one process at a time writes to a run",
    ("runs", "store"): "rows and answers are in one file",
}
"""Imports between two units of one floor; taken together they lead in no circle."""

TYPING_ONLY: dict[tuple[str, str], str] = {}
"""(file, judgekit module): upward imports that stand under TYPE_CHECKING and are never executed."""

HEAVY: dict[str, frozenset[str]] = {
    "pytest_plugin": frozenset({"pytest"}),  # pytest is what loads it
    "stats": frozenset(
        {"numpy"}
    ),  # nothing there works without it, and nothing imports stats until it is asked
}
"""What a unit may import at module level besides the standard library and judgekit: all else costs start-up time."""

ASYNC: dict[str, str] = {
    "adapters/inspect_ai.py": "Inspect takes coroutine functions alone",
    "adapters/ragas.py": "Ragas awaits its metrics",
    "core/flow.py": "`arun`, the async driver",
    "evaluators/base.py": "the async face; frameworks know an async evaluator by its coroutine function",
    "langchain/smith/running.py": "`arun_on_dataset`",
    "langchain/schema.py": "the async faces of LangChain's interfaces",
    "models/base.py": "a model's awaited call, and its timeout",
    "models/clients.py": "one client for each event loop, and the loop that sync code shares",
    "models/drive.py": "answers a round of effects on an event loop",
    "models/embedded.py": "answers at once, so an async judge needs no thread for it",
    "models/langchain.py": "awaits `ainvoke`",
    "models/official.py": "awaits the SDK's `post`",
    "models/recorded.py": "answers at once, or awaits the model that it records",
    "models/scripted.py": "answers at once, so an async test needs no thread for it",
    "runner/checking.py": "`acheck`, awaited in async tests",
    "runner/data.py": "reads rows that come asynchronously",
    "runner/engine.py": "keeps many rows under way in one event loop",
    "runner/evaluating.py": "`aevaluate`",
    "runner/experiment.py": "pairs rows that come asynchronously with what is known of them",
    "runner/rows.py": "keeps many rows under way in one event loop",
    "runner/scoring.py": "drives one evaluator of a row on the loop",
}
"""The only files where `async` and `await` may stand; everything else is a flow and is written once."""

LOOPS: dict[str, str] = {
    "models/clients.py": "one loop in a thread of its own, so that sync calls share async connections",
}
"""The only files that make an event loop; all others run in the caller's, or in none."""

MUTABLE: dict[tuple[str, str], str] = {}
"""(file, class): dataclasses of floors 0 and 1 that are not frozen."""

LONGEST = 400


@dataclass(frozen=True)
class Import:
    """One imported module, by its full dotted name, and where the statement stands."""

    target: str
    line: int
    eager: bool  # executed when the module is: neither in a function nor under TYPE_CHECKING
    typing: bool  # under TYPE_CHECKING


def unit_of(path: Path) -> str:
    """The module or sub-package directly under judgekit that the file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def file_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def unit_named(module: str) -> str:
    """The unit that a dotted name of judgekit lies in; `judgekit` itself is the top `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = {module_of(path): path for path in FILES}
each_file = pytest.mark.parametrize("path", FILES, ids=file_of)


def is_typing_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def targets(node: ast.Import | ast.ImportFrom, path: Path) -> Iterator[str]:
    """The modules that a statement imports; `from package import module` is an import of the module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        package = path.relative_to(ROOT).parent.parts
        anchor = ".".join(package[: len(package) - node.level + 1])
        base = f"{anchor}.{base}" if base else anchor
    for alias in node.names:
        full = f"{base}.{alias.name}"
        yield full if full in MODULES else base


def walk_imports(body: list[ast.stmt], path: Path, *, inside: bool, typing: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            eager = not inside and not typing
            yield from (Import(target, node.lineno, eager, typing) for target in targets(node, path))
            continue
        deferred = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                blocks = [child for child in value if isinstance(child, ast.stmt)]
                handled = [
                    child
                    for part in value
                    if isinstance(part, ast.ExceptHandler | ast.match_case)
                    for child in part.body
                ]
                guarded = typing or (is_typing_guard(node) and field == "body")
                yield from walk_imports(blocks + handled, path, inside=deferred, typing=guarded)


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    return tuple(walk_imports(tree_of(path).body, path, inside=False, typing=False))


def own_imports(path: Path) -> Iterator[Import]:
    """The imports of judgekit's own modules."""
    return (found for found in imports_of(path) if found.target.split(".")[0] == "judgekit")


def floor(unit: str) -> int:
    """The unit's floor; a unit that is not listed stands above all others."""
    return FLOORS.get(unit, 1 + max(FLOORS.values()))


def may_import(unit: str, other: str) -> bool:
    return unit == other or (unit, other) in SIDEWAYS or floor(other) < floor(unit)


def climbs(path: Path) -> Iterator[Import]:
    """Imports that do not go down, TYPE_CHECKING or not."""
    return (found for found in own_imports(path) if not may_import(unit_of(path), unit_named(found.target)))


def test_every_unit_has_a_floor() -> None:
    assert {unit_of(path) for path in FILES} - FLOORS.keys() == set()


@each_file
def test_imports_go_down(path: Path) -> None:
    upward = [
        f"line {found.line}: {found.target} (floor {floor(unit_named(found.target))})"
        for found in climbs(path)
        if not (found.typing and (file_of(path), found.target) in TYPING_ONLY)
    ]
    assert not upward, f"{file_of(path)} is on floor {floor(unit_of(path))} and imports {upward}"


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {
        module: {found.target for found in own_imports(path) if found.eager and found.target != module}
        for module, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " -> ".join(error.args[1]))


@each_file
def test_importing_a_module_imports_nothing_heavy(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"judgekit"} | HEAVY.get(unit_of(path), frozenset())
    heavy = [
        f"line {found.line}: {found.target}"
        for found in imports_of(path)
        if found.eager and found.target.split(".")[0] not in allowed
    ]
    assert not heavy, f"{file_of(path)}: import these inside the function that needs them: {heavy}"


ASYNC_NODES = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)


def async_lines(path: Path) -> list[int]:
    return [
        node.lineno if isinstance(node, ASYNC_NODES) else node.target.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ASYNC_NODES) or (isinstance(node, ast.comprehension) and node.is_async)
    ]


@each_file
def test_async_stands_only_where_it_is_listed(path: Path) -> None:
    lines = async_lines(path)
    if file_of(path) in ASYNC:
        assert lines, f"{file_of(path)} has no async code left: take it off ASYNC"
    else:
        assert not lines, f"{file_of(path)}: write a flow instead of async code on lines {lines}"


LOOP = "the caller owns the event loop; sync code drives the flow with `run`"
FORBIDDEN_CALLS = {
    "eval": "text is data",
    "exec": "text is data",
    "asyncio.run": LOOP,
    "asyncio.Runner": LOOP,
}


def forbidden(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Nonlocal() | ast.Global():
            yield f"line {node.lineno}: no call may configure the next; pass {', '.join(node.names)} on as a value"
        case ast.Call(func=func) if (name := ast.unparse(func)) in FORBIDDEN_CALLS:
            yield f"line {node.lineno}: {name}: {FORBIDDEN_CALLS[name]}"
        case ast.ImportFrom(module="asyncio", names=names) if {"run", "Runner"} & {
            name.name for name in names
        }:
            yield f"line {node.lineno}: {LOOP}"


@each_file
def test_nothing_forbidden(path: Path) -> None:
    found = [reason for node in ast.walk(tree_of(path)) for reason in forbidden(node)]
    patches = [f"line {x.line}: {x.target}" for x in imports_of(path) if x.target.startswith("nest_asyncio")]
    assert found + patches == [], file_of(path)


@each_file
def test_event_loops_are_made_only_where_it_is_listed(path: Path) -> None:
    makers = {"new_event_loop", "run_until_complete"}
    lines = [
        node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in makers
    ]
    assert bool(lines) == (file_of(path) in LOOPS), f"{file_of(path)}, lines {lines}: {LOOP}"


@pytest.mark.parametrize(
    "path",
    [*FILES, *sorted((ROOT / "tests").rglob("*.py"))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_files_stay_short(path: Path) -> None:
    length = len(path.read_text(encoding="utf-8").splitlines())
    assert length <= LONGEST, f"{length} lines: one idea a file"


def is_public(path: Path) -> bool:
    """Neither private, nor run by name, nor a package marker with nothing in it but a docstring."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    private = any(part.startswith("_") and part != "__init__" for part in parts)
    return not private and any(not isinstance(node, ast.Expr) for node in tree_of(path).body)


def assigned(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


@pytest.mark.parametrize("path", [path for path in FILES if is_public(path)], ids=file_of)
def test_a_public_module_says_what_it_is_and_what_it_offers(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree), f"{file_of(path)} has no docstring"
    assert "__all__" in assigned(tree), f"{file_of(path)} has no __all__"


def is_mutable_dataclass(node: ast.ClassDef) -> bool:
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        name = ast.unparse(call.func if call else decorator)
        if name.rpartition(".")[2] == "dataclass":
            options = {word.arg: ast.unparse(word.value) for word in call.keywords} if call else {}
            return options.get("frozen") != "True"
    return False


@pytest.mark.parametrize("path", [path for path in FILES if floor(unit_of(path)) <= 1], ids=file_of)
def test_values_are_frozen(path: Path) -> None:
    classes = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    loose = {node.name for node in classes if is_mutable_dataclass(node)}
    excused = {name for file, name in MUTABLE if file == file_of(path)}
    assert loose == excused, f"{file_of(path)}: freeze these dataclasses, or take them off MUTABLE"


def test_sideways_imports_lead_in_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for unit, other in SIDEWAYS:
        graph.setdefault(unit, set()).add(other)
    TopologicalSorter(graph).prepare()


def test_no_exemption_is_stale() -> None:
    sideways = {
        (unit_of(path), unit_named(found.target))
        for path in FILES
        for found in own_imports(path)
        if unit_of(path) != unit_named(found.target)
    }
    units = {unit_of(path) for path in FILES}
    needed = {(file_of(path), found.target) for path in FILES for found in climbs(path) if found.typing}
    idle = {pair for pair in SIDEWAYS if set(pair) <= units and pair not in sideways}
    stale = {pair for pair in TYPING_ONLY if (PACKAGE / pair[0]).exists() and pair not in needed}
    assert (idle, stale) == (set(), set())
