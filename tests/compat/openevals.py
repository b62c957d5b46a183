"""A pytest plugin that runs OpenEvals' own test suite against judgekit, without a network.

    python -m pytest -p tests.compat.openevals path/to/openevals/tests

`import openevals...` gives judgekit's names, a loopback provider stands for the models and coroutine tests share one
event loop. A model would tell a good answer from a bad one; the provider does not look, so a test is run with a
provider that says true and, when it fails, once more with one that says false: it passes when either run does.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol  # what plugins that run a test again build on

from tests.support.answers import Answer
from tests.support.network import forget_settings, refuse_outside
from tests.support.provider import Provider

__all__ = ["MODULES", "Renamed", "resolve"]

MODULES: dict[str, str] = {
    "openevals": "judgekit",
    "openevals.code": "judgekit",
    "openevals.code.base": "judgekit",
    "openevals.code.llm": "judgekit",
    "openevals.code.mypy": "judgekit",
    "openevals.code.pyright": "judgekit",
    "openevals.exact": "judgekit",
    "openevals.json": "judgekit",
    "openevals.json.match": "judgekit",
    "openevals.llm": "judgekit.llm",
    "openevals.prompts": "judgekit.prompts",
    "openevals.simulators": "judgekit",
    "openevals.simulators.multiturn": "judgekit",
    "openevals.simulators.prebuilts": "judgekit",
    "openevals.string": "judgekit",
    "openevals.string.embedding_similarity": "judgekit",
    "openevals.string.levenshtein": "judgekit",
    "openevals.trajectory": "judgekit",
    "openevals.trajectory.llm": "judgekit",
    "openevals.trajectory.match": "judgekit",
    "openevals.trajectory.strict": "judgekit",
    "openevals.trajectory.subset": "judgekit",
    "openevals.trajectory.superset": "judgekit",
    "openevals.trajectory.unordered": "judgekit",
    "openevals.types": "judgekit.types",
    "openevals.utils": "judgekit",
}
"""OpenEvals' modules and where judgekit has their names; those below `openevals.prompts` are taken with it."""

COUNTERPARTS: dict[str, tuple[str, str]] = {
    "_attachment_to_content_block": ("judgekit.core.attachments", "attachment_block"),
    "_create_llm_as_judge_scorer": (__name__, "scorer"),
    "_extract_code_from_markdown_code_blocks": ("judgekit.evaluators.code_extraction", "extract_code"),
    "_is_internal_message": ("judgekit.simulators.users", "is_internal"),
    "init_chat_model": ("langchain.chat_models", "init_chat_model"),
}
"""The names that OpenEvals' tests take from inside it, and what does their work here."""


def scorer(*, judge: Any = None, model: str, **settings: Any) -> Callable[..., Any]:
    """A judge that takes its model, unless it has one, from `openevals.llm.init_chat_model` when it is called."""
    from judgekit.llm import create_llm_as_judge

    def score(**item: Any) -> Any:
        if judge is not None:
            return create_llm_as_judge(judge=judge, model=model, **settings)(**item)
        chosen = sys.modules["openevals.llm"].init_chat_model(model=model)
        return create_llm_as_judge(judge=chosen, **settings)(**item)

    return score


def resolve(module: str, name: str) -> Any:
    """What `from openevals... import name` gives.

    Raises:
        AttributeError: judgekit has no such name.
    """
    home, attribute = COUNTERPARTS.get(name, (home_of(module), name))
    if name.isupper():
        home = "judgekit.prompts"
    return getattr(import_module(home), attribute)


def home_of(module: str) -> str:
    return MODULES["openevals.prompts" if module.startswith("openevals.prompts.") else module]


class Renamed(MetaPathFinder, Loader):
    """Finds the modules of OpenEvals: each an empty package whose names are resolved when they are asked for."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in MODULES or fullname.startswith("openevals.prompts."):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__getattr__"] = partial(resolve, module.__name__)


class Suite:
    """Runs the tests: coroutines on `loop`, each test with the answers of `provider`."""

    def __init__(self, provider: Provider, loop: asyncio.Runner) -> None:
        self.provider = provider
        self.loop = loop

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Function, nextitem: pytest.Item | None) -> bool:
        hook, function = item.ihook, item.obj
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for truth in (True, False):
            self.provider.truth = truth
            item.obj = function  # other plugins wrap it in the course of a run
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            if not any(report.failed for report in reports):
                break
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        if not inspect.iscoroutinefunction(pyfuncitem.obj):
            return None
        names = pyfuncitem._fixtureinfo.argnames
        self.loop.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True


def answer(request: dict[str, Any]) -> Answer:
    """An agent that has seen a tool's result is done; everything else is filled from the schema in the request."""
    messages = request.get("messages") or [{}]
    return "That is done." if messages[-1].get("role") == "tool" else None


def settings(url: str) -> dict[str, str]:
    """The environment of the suite: clients find the provider, and nothing is traced."""
    return {
        "ANTHROPIC_API_KEY": "sk-ant-loopback",
        "ANTHROPIC_BASE_URL": url,
        "LANGSMITH_API_KEY": "loopback",
        "LANGSMITH_ENDPOINT": url,
        "LANGSMITH_TEST_TRACKING": "false",
        "LANGSMITH_TRACING": "false",
        "OPENAI_API_KEY": "sk-loopback",
        "OPENAI_BASE_URL": f"{url}/v1",
    }


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "asyncio: a coroutine test")
    stack = ExitStack()
    config.add_cleanup(stack.close)
    provider = stack.enter_context(Provider())
    provider.reply(answer)
    patch = stack.enter_context(pytest.MonkeyPatch.context())
    forget_settings(patch)
    for name, value in settings(provider.url).items():
        patch.setenv(name, value)
    refuse_outside(patch)
    patch.setattr(sys, "meta_path", [Renamed(), *sys.meta_path])
    config.pluginmanager.register(Suite(provider, stack.enter_context(asyncio.Runner())))
