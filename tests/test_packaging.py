"""What is built from the sources: the wheel and the sdist hold what they should, and the wheel finds its prompts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="hatchling builds the wheel and is not installed")

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = "import judgekit.prompts; print(*judgekit.prompts.names(), sep='\\n')"

Built = tuple[Path, Path]


def run(*command: str, cwd: Path, **env: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=cwd, env=clean | env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sources() -> list[Path]:
    """What git tracks or would track, relative to the root."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout, so the sources cannot be told from what lies beside them")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    return [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel and the sdist, built from a copy of the sources."""
    copy = tmp_path_factory.mktemp("copy")
    for source in sources():
        (copy / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, copy / source)
    run(sys.executable, "-m", "hatchling", "build", cwd=copy)
    (wheel,) = (copy / "dist").glob("*.whl")
    (sdist,) = (copy / "dist").glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def wheel_names(built: Built) -> set[str]:
    with zipfile.ZipFile(built[0]) as archive:
        return set(archive.namelist())


def info(names: set[str]) -> str:
    """The wheel's `.dist-info` directory."""
    (found,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
    return found


def test_the_wheel_installs_one_import_name(wheel_names: set[str]) -> None:
    assert {name.split("/")[0] for name in wheel_names} == {"judgekit", info(wheel_names)}


def test_the_wheel_holds_each_prompt(wheel_names: set[str]) -> None:
    prompts = {path.relative_to(ROOT / "prompts").as_posix() for path in (ROOT / "prompts").rglob("*.md")}
    assert prompts
    shipped = {name for name in wheel_names if name.startswith("judgekit/prompts_data/")}
    assert {f"judgekit/prompts_data/{name}" for name in prompts} == {x for x in shipped if x.endswith(".md")}


def test_the_wheel_is_typed_and_licensed(wheel_names: set[str]) -> None:
    assert {"judgekit/py.typed", f"{info(wheel_names)}/licenses/LICENSE"} <= wheel_names


def test_the_metadata_names_the_distribution(built: Built, wheel_names: set[str]) -> None:
    with zipfile.ZipFile(built[0]) as archive:
        metadata = Parser().parsestr(archive.read(f"{info(wheel_names)}/METADATA").decode())
    assert (metadata["Name"], metadata["License-Expression"]) == ("judgekit-llm", "MIT")
    assert metadata["Requires-Python"] == PROJECT["requires-python"]


def test_each_command_has_its_module(wheel_names: set[str]) -> None:
    for target in PROJECT["scripts"].values():
        path = target.partition(":")[0].replace(".", "/")
        assert {f"{path}.py", f"{path}/__init__.py"} & wheel_names


def test_the_sdist_holds_what_it_takes_to_test_and_build(built: Built) -> None:
    with tarfile.open(built[1]) as archive:
        top = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"LICENSE", "Makefile", "README.md", "judgekit", "prompts", "pyproject.toml", "tests"} <= top


def test_an_installed_wheel_finds_the_prompts_of_the_checkout(built: Built, tmp_path: Path) -> None:
    if find_spec("judgekit.prompts") is None:
        pytest.skip("judgekit.prompts is not written yet")
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with zipfile.ZipFile(built[0]) as archive:
        archive.extractall(site)
    home = run(
        sys.executable,
        "-P",
        "-c",
        "import judgekit; print(judgekit.__file__)",
        cwd=elsewhere,
        PYTHONPATH=str(site),
    )
    assert Path(home.strip()).is_relative_to(site)
    installed = run(sys.executable, "-P", "-c", NAMES, cwd=elsewhere, PYTHONPATH=str(site))
    checkout = run(sys.executable, "-P", "-c", NAMES, cwd=elsewhere, PYTHONPATH=str(ROOT))
    assert installed.split() == checkout.split() != []
