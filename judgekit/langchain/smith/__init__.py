"""LangChain's runs over datasets without LangChain's legacy package or an account: `langchain_classic.smith`."""

from __future__ import annotations

from judgekit.langchain.smith.config import EvalConfig, RunEvalConfig, SingleKeyEvalConfig
from judgekit.langchain.smith.keys import InputFormatError
from judgekit.langchain.smith.results import Feedback, TestResult
from judgekit.langchain.smith.running import arun_on_dataset, run_on_dataset

__all__ = [
    "EvalConfig",
    "Feedback",
    "InputFormatError",
    "RunEvalConfig",
    "SingleKeyEvalConfig",
    "TestResult",
    "arun_on_dataset",
    "run_on_dataset",
]
