"""Where the examples of a run come from: rows, a file, or a dataset of LangSmith through its client."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from judgekit.errors import ConfigError, DataError
from judgekit.runner.data import read_examples
from judgekit.runner.records import Example

__all__ = ["Dataset", "read_dataset"]

Dataset = str | PathLike[str] | Iterable[Any]


def read_dataset(client: Any, dataset: Dataset, version: Any) -> tuple[Example, Iterator[Example]]:
    """The first example of a dataset, and all of them, which are read as they are needed.

    Args:
        client: an object with LangSmith's `read_dataset` and `list_examples`, where `dataset` is a name that it knows.
        dataset: that name; otherwise a file or rows, as `judgekit.evaluate` takes them. Where a row has no
            `reference_outputs`, its `outputs` are these, as in LangSmith.
        version: the dataset's version, for the client.

    Raises:
        ConfigError: a version of data that has none.
        DataError: there are no rows, or they cannot be read.
    """
    if client is not None and isinstance(dataset, str):
        found = client.read_dataset(dataset_name=dataset)
        of_version = {} if version is None else {"as_of": version}
        rows: Any = client.list_examples(dataset_id=found.id, **of_version)
    elif version is not None:
        raise ConfigError("dataset_version is for a dataset that a client reads: leave it out.")
    elif isinstance(dataset, str | PathLike) and not Path(dataset).exists():
        raise DataError(
            f"There is no file {str(dataset)!r}: give a file or rows; for a dataset of LangSmith also give its client."
        )
    else:
        rows = dataset
    examples = map(_referenced, read_examples(rows))
    first = next(examples)
    if first.inputs is None:
        raise DataError("The first row has no `inputs`: a row is {'inputs': {...}, 'outputs': {...}}, say.")
    return first, chain((first,), examples)


def _referenced(example: Example) -> Example:
    if example.reference_outputs is not None:
        return example
    return dataclasses.replace(example, reference_outputs=example.outputs, outputs=None)
