"""Bradley-Terry strengths at equal length: what is won by longer answers is taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from judgekit.stats import Estimate, Interval, Ranking, Strength
from judgekit.stats.inputs import Column, cluster_codes
from judgekit.stats.result import interval_or_reason
from judgekit.stats.special import normal_quantile, t_two_sided_quantile
from judgekit.trust.splitting import picked
from judgekit.trust.words import as_data

if TYPE_CHECKING:
    from judgekit.stats.inputs import FloatArray

__all__ = ["LengthControlledRanking", "at_equal_length"]

_SEPARATED = "length separates the wins from the losses, so no finite model fits"


@dataclass(frozen=True, repr=False)
class LengthControlledRanking(Ranking):
    """A ranking at equal length.

    Attributes:
        length_effect: log-odds of winning for a length difference, (a - b) / (a + b), of one standard deviation; above 0
            the judge goes with the longer answer.
    """

    length_effect: Estimate | None = None

    def __repr__(self) -> str:
        return f"{super().__repr__()}; {self.length_effect!r}"

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {**super().to_dict(), "length_effect": as_data(self.length_effect)}


def at_equal_length(
    plain: Ranking,
    games: tuple[Sequence[str], Sequence[str], Sequence[float | None]],
    longer: Sequence[float],
    *,
    cluster: Column | None,
    level: float,
) -> Ranking:
    """The ranking with a term for length in its model (Li, Angelopoulos & Chiang 2024, as chatbot arenas do).

    Args:
        plain: the ranking without it, of the same games.
        games: the first system, the second system and the outcome of each.
        longer: how much longer the first answer is, from -1 to 1.
        cluster: what each game belongs to.
        level: confidence level.
    """
    import numpy as np

    kept = [outcome is not None for outcome in games[2]]
    names = [strength.name for strength in plain.strengths]
    first, second, outcome = (picked(each, kept) for each in games)
    y, length = np.array(outcome, dtype=np.float64), np.array(picked(longer, kept), dtype=np.float64)
    design = np.zeros((y.size, len(names) + 1))
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        design[row, names.index(a)], design[row, names.index(b)] = 1.0, -1.0
    design[:, -1] = length / (length.std() or 1.0)
    codes = cluster_codes(None if cluster is None else picked(list(cluster), kept), y.size)
    fit = _fit(design, y, codes)
    if fit is None:
        rows = tuple(
            replace(each, value=None, se=None, interval=None, reason=_SEPARATED) for each in plain.strengths
        )
        return LengthControlledRanking(rows, plain.n, plain.missing, _SEPARATED)
    values, errors, units = fit
    strengths = [
        replace(
            each, value=values[place], se=errors[place], **_bounds(values[place], errors[place], units, level)
        )
        for place, each in enumerate(plain.strengths)
    ]
    effect = Estimate(
        name="effect of length", value=values[-1], n=y.size, **_bounds(values[-1], errors[-1], units, level)
    )
    ordered: list[Strength] = sorted(strengths, key=lambda each: -(each.value or 0.0))
    return LengthControlledRanking(tuple(ordered), plain.n, plain.missing, None, effect)


def _bounds(value: float, error: float, units: int | None, level: float) -> dict[str, Any]:
    if units == 1:
        return interval_or_reason("all games belong to one cluster, and nothing shows how clusters differ")
    if units is None:
        quantile, method = normal_quantile((1 + level) / 2), "normal"
    else:
        quantile, method = t_two_sided_quantile(level, units - 1), f"sandwich, {units} clusters"
    return interval_or_reason(Interval(value - quantile * error, value + quantile * error, level, method))


def _fit(design: FloatArray, y: FloatArray, codes: Any) -> tuple[list[float], list[float], int | None] | None:
    """Weights of the logistic model, their standard errors and the number of clusters; None where it does not settle."""
    import numpy as np

    weights = np.zeros(design.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(design @ weights, -700, 700)))
        information = design.T @ (design * (p * (1 - p))[:, None])
        inverse = np.linalg.pinv(
            information, rcond=1e-10, hermitian=True
        )  # strengths may all move by the same amount
        step = inverse @ (design.T @ (y - p))
        weights = weights + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-10:
            break
    else:
        return None
    spread, units = inverse, None
    if codes is not None:
        units = int(np.unique(codes).size)
        groups = np.unique(codes, return_inverse=True)[1]
        scores = np.zeros((units, design.shape[1]))
        np.add.at(scores, groups, design * (y - p)[:, None])
        spread = inverse @ (scores.T @ scores) @ inverse * units / max(1, units - 1)
    return weights.tolist(), np.sqrt(np.diag(spread)).tolist(), units
