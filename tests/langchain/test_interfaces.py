"""A user's own evaluator works unchanged: the same checks, the same warnings, sync and async."""

from __future__ import annotations

import asyncio
import threading
import warnings
from typing import Any

import pytest

from judgekit import langchain
from judgekit.langchain import load_evaluator
from judgekit.models.scripted import scripted
from tests.langchain.classic import classic

LIBRARIES = pytest.mark.parametrize("library", [langchain, classic], ids=["judgekit", "langchain"])


def own_evaluator(library: Any, *, needs: bool) -> Any:
    """The class as a user writes it, on either library."""

    class Own(library.StringEvaluator):  # type: ignore[misc]
        @property
        def requires_input(self) -> bool:
            return needs

        @property
        def requires_reference(self) -> bool:
            return needs

        def _evaluate_strings(
            self,
            *,
            prediction: str,
            reference: str | None = None,
            input: str | None = None,  # noqa: A002
            **kwargs: Any,
        ) -> dict[str, Any]:
            return {
                "score": len(prediction),
                "seen": (reference, input, kwargs),
                "thread": threading.get_ident(),
            }

    return Own()


@LIBRARIES
def test_a_subclass_is_called_with_what_was_given(library: Any) -> None:
    own = own_evaluator(library, needs=True)
    result = own.evaluate_strings(prediction="abc", reference="r", input="i", extra=1)
    assert result["score"] == 3
    assert result["seen"] == ("r", "i", {"extra": 1})
    assert own.evaluation_name == "Own"


@LIBRARIES
def test_the_default_async_face_runs_the_sync_one_in_a_thread(library: Any) -> None:
    own = own_evaluator(library, needs=True)
    result = asyncio.run(own.aevaluate_strings(prediction="abc", reference="r", input="i", extra=1))
    assert result["seen"] == ("r", "i", {"extra": 1})
    assert result["thread"] != threading.get_ident()


@LIBRARIES
@pytest.mark.parametrize(
    ("given", "missing"), [({"input": "i"}, "a reference"), ({"reference": "r"}, "an input")]
)
def test_what_is_required_and_missing_is_an_error(library: Any, given: dict[str, str], missing: str) -> None:
    own = own_evaluator(library, needs=True)
    with pytest.raises(ValueError, match=f"^Own requires {missing} string.$"):
        own.evaluate_strings(prediction="p", **given)
    with pytest.raises(ValueError, match=f"^Own requires {missing} string.$"):
        asyncio.run(own.aevaluate_strings(prediction="p", **given))


@LIBRARIES
def test_what_is_not_used_is_warned_of_where_it_was_given(library: Any) -> None:
    own = own_evaluator(library, needs=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        own.evaluate_strings(prediction="p", reference="r", input="i")
    assert [str(each.message) for each in caught] == [
        "Ignoring input in Own, as it is not expected.",
        "Ignoring reference in Own, as it is not expected.",
    ]
    assert {each.filename for each in caught} == {__file__}


@LIBRARIES
def test_arguments_are_keywords_only(library: Any) -> None:
    with pytest.raises(TypeError):
        own_evaluator(library, needs=False).evaluate_strings("p")


@LIBRARIES
def test_an_async_override_is_what_the_async_face_calls(library: Any) -> None:
    class Own(library.StringEvaluator):  # type: ignore[misc]
        def _evaluate_strings(self, **kwargs: Any) -> dict[str, Any]:
            raise AssertionError("the sync one")

        async def _aevaluate_strings(self, *, prediction: str, **kwargs: Any) -> dict[str, Any]:
            return {"score": prediction}

    assert asyncio.run(Own().aevaluate_strings(prediction="p")) == {"score": "p"}


@LIBRARIES
def test_pairs_and_trajectories_have_the_same_faces(library: Any) -> None:
    class Pair(library.PairwiseStringEvaluator):  # type: ignore[misc]
        def _evaluate_string_pairs(
            self, *, prediction: str, prediction_b: str, **kwargs: Any
        ) -> dict[str, Any]:
            return {"score": int(prediction > prediction_b)}

    class Steps(library.AgentTrajectoryEvaluator):  # type: ignore[misc]
        def _evaluate_agent_trajectory(self, *, agent_trajectory: Any, **kwargs: Any) -> dict[str, Any]:
            return {"score": len(agent_trajectory), "reference": kwargs["reference"]}

    pair = {"prediction": "b", "prediction_b": "a"}
    assert Pair().evaluate_string_pairs(**pair) == {"score": 1}
    assert asyncio.run(Pair().aevaluate_string_pairs(**pair)) == {"score": 1}
    trip = {"prediction": "p", "agent_trajectory": [1, 2], "input": "i"}
    assert Steps().evaluate_agent_trajectory(**trip) == {"score": 2, "reference": None}
    assert asyncio.run(Steps().aevaluate_agent_trajectory(**trip)) == {"score": 2, "reference": None}
    assert Steps().requires_input
    with pytest.raises(ValueError, match="requires an input string"):
        Steps().evaluate_agent_trajectory(**{**trip, "input": None})


@pytest.mark.parametrize("kind", ["criteria", "score_string", "pairwise_string"])
def test_an_unused_reference_is_warned_of_with_the_labeled_sister(kind: str) -> None:
    own = load_evaluator(kind, llm=scripted({"reasoning": "", "score": {"score_string": 1}.get(kind, "Y")}))
    theirs = getattr(classic, type(own).__name__)
    words = theirs._skip_reference_warning.fget(own)
    with pytest.warns(UserWarning, match="Ignoring reference") as caught:
        own._check_evaluation_args(reference="r", input_="i")
    assert str(caught[0].message).replace(" instead.", "") == words.replace(
        " instead.", ""
    )  # one too many there


def test_a_misspelt_argument_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="Ignoring refernce in .* Did you mean reference?") as caught:
        load_evaluator("json_validity").evaluate_strings(prediction="1", refernce="1")
    assert caught[0].filename == __file__


def test_callbacks_of_a_call_are_warned_of() -> None:
    evaluator = load_evaluator("criteria", llm=scripted({"reasoning": "r", "score": "Y"}))
    with pytest.warns(UserWarning, match="Ignoring callbacks in CriteriaEvalChain"):
        evaluator.evaluate_strings(prediction="p", input="i", callbacks=[print])
    evaluator.evaluate_strings(prediction="p", input="i", callbacks=None, include_run_info=False)
