"""Comments with which code tells a type checker to look away; judged code does not get to say that."""

from __future__ import annotations

import io
import re
import tokenize

__all__ = ["without_suppressions"]

_SUPPRESSION = re.compile(r"#.*?(?:\btype:\s*ignore|\bpyright:|\bmypy:).*")
_MYPY_LINE = re.compile(r"^# mypy:(?= )", re.MULTILINE)  # mypy looks at lines, also those inside a text


def without_suppressions(code: str) -> tuple[str, int]:
    """Return Python code with its `# type: ignore`, `# mypy: ...` and `# pyright: ...` comments emptied, and their number.

    Lines and columns stay where they are. Texts that contain such words are left alone, unless the code cannot be read as
    Python; it fails its check then anyway.
    """
    try:
        found = [
            token.start
            for token in tokenize.generate_tokens(io.StringIO(code).readline)
            if token.type == tokenize.COMMENT and _SUPPRESSION.match(token.string)
        ]
    except (tokenize.TokenError, SyntaxError):
        return _SUPPRESSION.subn("#", code)
    lines = list(io.StringIO(code))
    for row, column in found:
        line = lines[row - 1]
        ending = line[len(line.rstrip("\r\n")) :]
        lines[row - 1] = f"{line[:column]}#{ending}"
    cleaned, inside = _MYPY_LINE.subn("# mypy -", "".join(lines))
    return cleaned, len(found) + inside
