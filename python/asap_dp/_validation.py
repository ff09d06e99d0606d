"""What comes in: arrays and tables of numbers, refused with scikit-learn's errors, but never with a value of a record."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

#: Texts of scikit-learn and numpy that quote cells or count records, and what stays of them.
_QUOTING = [
    (re.compile(r"(Found input variables with inconsistent numbers of samples).*", re.S), r"\1"),
    (re.compile(r"(could not convert string to \w+).*", re.S), r"\1: every column has to be numeric"),
    (re.compile(r"(Complex data not supported).*", re.S), r"\1"),
    (re.compile(r"(Expected 2D array, got (?:1D|scalar) array instead):\narray=.*\n(Reshape your data.*)", re.S), r"\1.\n\2"),
]

#: Texts that speak of shapes, types and public names only.
_SILENT = re.compile(
    r"Input (X|y) contains (NaN|infinity)|Found array with|X has \d+ features, but"
    r"|X does not contain any features|Unknown label type: \S+|Only binary classification is supported|Sparse (data|matrix)|A sparse matrix"
    r"|This \w+ estimator requires y|\w+ requires y to be passed|y should be a 1d array|y cannot be None|The feature names should match"
    r"|Feature names (are|must|unseen)|(float\(\) )?argument must be|\w+ (needs|was given|does not support) |labels: |Singleton array|Expected sequence or array-like"
)

_REFUSED = "the input is refused: allowed are a 2D array or table of finite numbers and one target for each row"


def without_values(validate: Callable[[], T]) -> T:
    """Runs a validation. An error keeps scikit-learn's type and text, except for what would quote a cell."""
    try:
        return validate()
    except (ValueError, TypeError) as error:
        refused = _told(error)
    # Not inside of the handler: the exception that quotes a cell would be its context.
    raise refused


def _told(error: Exception) -> Exception:
    text = str(error)
    for quoting, kept in _QUOTING:
        text, count = quoting.subn(kept, text)
        if count:
            break
    else:
        text = text if _SILENT.match(text) else _REFUSED
    return TypeError(text) if isinstance(error, TypeError) else ValueError(text)


def is_dask(data: Any) -> bool:
    """Whether data is a Dask collection; Dask is not imported to find out."""
    return type(data).__module__.split(".")[0] in {"dask", "dask_expr"}


def aligned(array: np.ndarray) -> np.ndarray:
    """The array itself wherever its numbers lie as the processor wants them, which is all but always."""
    return np.require(array, requirements=["ALIGNED"])


def target_name(y: Any) -> str:
    """The name of a column of targets, if it has one."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "target"
