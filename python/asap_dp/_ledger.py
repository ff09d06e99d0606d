"""The ledger file of a data set: what was spent on it, entry by entry."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _native


def read_ledger(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a ledger file says, as ``asap ledger --json`` prints it. Nothing is changed.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict
        ``total``, ``spent`` and ``left`` (all three of the kind of the total), ``exactly`` (the two sides of the
        comparison, with all of their digits, as texts), ``dataset``, ``neighbours``, ``unit``, and ``entries``: for
        each its ``number``, ``time`` (UTC), ``purpose``, ``guarantee``, ``mechanism``, ``rows_per_person``,
        ``dataset``, ``digest`` (of the release; None if there is none) and ``status``.
    """
    return json.loads(_native.read_ledger(os.fspath(path)))


def entered_into(ledger: Any, dataset: Any) -> tuple[str | None, str | None]:
    """A ledger and the name of the data set, checked."""
    if dataset is not None and not isinstance(dataset, str):
        raise ValueError("dataset must be a text, the name of the data set")
    if dataset is not None and ledger is None:
        raise ValueError("dataset: needs a ledger, which compares it with its own name")
    return None if ledger is None else os.fspath(ledger), dataset
