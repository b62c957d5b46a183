"""What the adapters back share: another project's evaluator, called as one of judgekit's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.evaluators.function_result import read_result

__all__ = ["Borrowed"]

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Borrowed:
    """Another project's evaluator as an evaluation.

    Attributes:
        name: what it is called; the key of results that bring none.
        call: evaluates an item, blocking.
        acall: the same, awaited; where it is None, `call` runs in a thread under an async driver.
        read: what either returned, in a form that `judgekit.evaluator` takes from a function.
    """

    name: str
    call: Callable[[Item], Any] = field(repr=False)
    acall: Callable[[Item], Awaitable[Any]] | None = field(repr=False)
    read: Callable[[Any], Any] = field(repr=False)

    @property
    def deadline(self) -> None:
        return None

    def flow(self, item: Item) -> Flow[Any]:
        """Ask it.

        Raises:
            ParseError: it gave no score.
            Exception: whatever it raised.
        """
        acall = self.acall
        awaited = None if acall is None else (lambda: acall(item))
        found = yield from doing(Job(lambda: self.call(item), awaited, blocking=True))
        return read_result(self.read(found), self.name)
