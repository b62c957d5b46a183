"""A model that answers with what another model once said: a run without a network, read like any other."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgekit.core.exchange import Answer, Request
from judgekit.errors import DataError, ModelError
from judgekit.models.base import Model
from judgekit.models.call import Call
from judgekit.models.capabilities import Capabilities

__all__ = ["recorded", "recording"]


def recorded(path: str | Path) -> Model:
    """A model that answers from a recording.

    Args:
        path: JSONL. Each line has an answer (`text`, and what else `Answer.to_dict` writes) and says what it answers:
            `key`, the hash of the request's messages and schema as `recording` writes it, or, in a line without
            one, `id`, the id of the judged row, whatever it is asked. The last line for a key counts.

    Raises:
        DataError: the file is missing, or a line is no such object.
    """
    answers = _read(Path(path))

    def encode(request: Request, _: Capabilities) -> Call:
        return Call({"keys": (request.content_key, _row(request.item)), "messages": request.messages})

    def call(call: Call) -> Answer:
        for key in call.payload["keys"]:
            if key in answers:
                return answers[key]
        raise ModelError(
            f"{path} has no answer to this request: it was recorded with another prompt, schema or row. "
            "Record it again (`judgekit judge ... --record FILE`), or connect a live model."
        )

    async def acall(request: Call) -> Answer:
        return call(request)

    return Model(f"recorded:{Path(path).name}", encode, _same, call, acall, enforces=True)


def recording(model: Model, path: str | Path) -> Model:
    """The same model, with every answer also appended to a file that `recorded` reads.

    Raises:
        DataError: the file cannot be written.
    """
    file = Path(path)
    lock = threading.Lock()

    def encode(request: Request, capabilities: Capabilities) -> Call:
        call = model.encode(request, capabilities)
        return replace(call, payload={"inner": call, "request": request, **call.payload})

    def keep(call: Call, raw: Any) -> Any:
        answer = model.decode(raw)
        request: Request = call.payload["request"]
        row = _row(request.item)
        line = {"key": request.content_key, **({"id": row} if row else {}), **answer.to_dict()}
        text = json.dumps(line, ensure_ascii=False, default=str) + "\n"
        with lock, file.open("a", encoding="utf-8", errors="replace") as out:
            out.write(text)
        return raw

    def call(call: Call) -> Any:
        assert model.call is not None  # noqa: S101  # set only where the model has it
        return keep(call, model.call(replace(call.payload["inner"], timeout=call.timeout)))

    async def acall(call: Call) -> Any:
        assert model.acall is not None  # noqa: S101  # as above
        return keep(call, await model.acall(replace(call.payload["inner"], timeout=call.timeout)))

    return replace(
        model, encode=encode, call=call if model.call else None, acall=acall if model.acall else None
    )


def _same(answer: Answer) -> Answer:
    return answer


def _row(item: Mapping[str, Any]) -> str | None:
    found = item.get("id")
    return None if found is None else str(found)


def _read(path: Path) -> dict[str, Answer]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # not at U+2028, which text may hold
    except OSError as error:
        raise DataError(f"The recording {path} cannot be read: {error.strerror or error}.") from error
    answers: dict[str, Answer] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            key = found.get("key") or str(found["id"])
            answers[key] = Answer.from_dict(found)
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise DataError(
                f'{path}, line {number}: expected {{"key" or "id": ..., "text": ...}}, found {line[:80]!r}.'
            ) from error
    return answers
