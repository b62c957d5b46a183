"""Simulated conversations: an app talks to a simulated user, and evaluators judge the whole conversation."""

from __future__ import annotations

from judgekit.simulators.multiturn import (
    MultiturnSimulationResult,
    run_multiturn_simulation,
    run_multiturn_simulation_async,
)
from judgekit.simulators.users import create_async_llm_simulated_user, create_llm_simulated_user

__all__ = [
    "MultiturnSimulationResult",
    "create_async_llm_simulated_user",
    "create_llm_simulated_user",
    "run_multiturn_simulation",
    "run_multiturn_simulation_async",
]
