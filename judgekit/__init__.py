"""judgekit: build LLM judges, reuse prompts, and know how far a judge can be trusted.

Names are resolved when they are first used, so that `import judgekit` loads no SDK.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit._version import __version__ as __version__
    from judgekit.core.templates import Prompt as Prompt
    from judgekit.llm import create_async_llm_as_judge as create_async_llm_as_judge
    from judgekit.llm import create_llm_as_judge as create_llm_as_judge
    from judgekit.models.base import Model as Model
    from judgekit.models.connect import connect as connect

_LAZY = {
    "Model": "judgekit.models.base",
    "Prompt": "judgekit.core.templates",
    "__version__": "judgekit._version",
    "connect": "judgekit.models.connect",
    "create_async_llm_as_judge": "judgekit.llm",
    "create_llm_as_judge": "judgekit.llm",
}

__all__ = ["Model", "Prompt", "__version__", "connect", "create_async_llm_as_judge", "create_llm_as_judge"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'judgekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
