"""A place in a configuration file: what is wrong there is told with it, and what is named there is found from it."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from judgekit.errors import ConfigError
from judgekit.runner.tally import close_names

__all__ = ["Place"]


@dataclass(frozen=True)
class Place:
    """The value at `steps`, keys and numbers of list items, in a file. `place / step` is a place inside it."""

    file: Path
    steps: tuple[str | int, ...] = ()

    def __truediv__(self, step: str | int) -> Place:
        return Place(self.file, (*self.steps, step))

    def __str__(self) -> str:
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        line = _line(self.file, self.steps)
        where = [str(self.file), *([f"line {line}"] if line else []), steps.removeprefix(".")]
        return ", ".join(filter(None, where))

    def fail(self, problem: str) -> NoReturn:
        """Raise a `ConfigError` that names the place."""
        raise ConfigError(f"{self}: {problem}" if problem.endswith(("?", ".")) else f"{self}: {problem}.")

    def mapping(self, value: Any, known: Collection[str]) -> dict[str, Any]:
        """A mapping whose keys are all known."""
        found = self.kind(value, Mapping, "a mapping")
        for key in found:
            if key not in known:
                (self / str(key)).fail(f"the key {key!r} is not known here.{close_names(str(key), known)}")
        return dict(found)

    def kind(self, value: Any, kind: Any, called: str) -> Any:
        """The value, if it is of that kind."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"{value!r} should be {called}")
        return value

    def path(self, text: str) -> Path:
        """A path, from the file's folder."""
        return self.file.parent / Path(text).expanduser()

    def imported(self, name: str) -> Any:
        """What `module:attribute` names."""
        module, colon, attribute = name.partition(":")
        if not (module and colon and attribute):
            self.fail(f"{name!r} should be 'module:function'")
        try:
            found: Any = importlib.import_module(module)
            for part in attribute.split("."):
                found = getattr(found, part)
        except ImportError as error:
            self.fail(f"{name!r} cannot be imported: {error}")
        except AttributeError as error:
            self.fail(f"{error}")
        return found


def _line(file: Path, steps: tuple[str | int, ...]) -> int | None:
    """The line of a place in YAML, or JSON, which is YAML as well; None for other files."""
    if file.suffix not in (".yaml", ".yml", ".json"):
        return None
    import yaml

    try:
        node = yaml.compose(file.read_text(encoding="utf-8-sig"), yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return None
    line = None
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            pairs = {key.value: (key, value) for key, value in node.value}
            if step not in pairs:
                break
            key, node = pairs[step]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            break
    return line
