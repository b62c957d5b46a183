"""Who is told of the judgements that `judgekit.check` makes. It costs nothing to import, as every pytest run does."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgekit.core.flow import Layer
    from judgekit.runner.records import RowResult

__all__ = ["JOURNAL", "Journal"]


class Journal(Protocol):
    """Keeps judgements, of a test session say."""

    def layers(self) -> Sequence[Layer]:
        """What stands between the judge of the next judgement and its model."""
        ...

    def add(self, judged: RowResult) -> None:
        """One judgement: its scores or its failure, and what it cost."""
        ...


JOURNAL: ContextVar[Journal | None] = ContextVar("judgekit_journal", default=None)
"""The journal of this context; None keeps nothing."""
