"""What comes in: arrays and tables of numbers, refused with scikit-learn's errors, but never
with a value of a record."""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

T = TypeVar("T")

#: Texts of scikit-learn and numpy that quote cells or count records, and what stays of them.
_QUOTING = [
    (re.compile(r"(Found input variables with inconsistent numbers of samples).*", re.S), r"\1"),
    (re.compile(r"(could not convert string to \w+).*", re.S), r"\1: every column must be numeric"),
    (re.compile(r"(Complex data not supported).*", re.S), r"\1"),
    # Not scikit-learn's advice, an imputer: one that learns from the records is not covered by the guarantee.
    (
        re.compile(r"(Input (?:X|values) contains NaN).*", re.S),
        r"\1: a missing cell needs a public value (`missing=NUMBER`, or `missing` in a schema), fixed without looking at the records; what an "
        r"imputer learns from them is not private",
    ),
    (re.compile(r"(Input y contains NaN).*", re.S), r"\1: every record needs a target, or a schema with `missing` for it"),
    # These count the records.
    (re.compile(r"((?:y|values) should be a 1d array).*", re.S), r"\1"),
    (re.compile(r"(Found array with 0 (?:sample|feature)\(s\)) \(shape=.*?\) (while a minimum of \d+ is required)", re.S), r"\1 \2"),
    (re.compile(r"(setting an array element with a sequence).*", re.S), r"\1: every row must have the same number of cells"),
    (re.compile(r"(Expected 2D array, got (?:1D|scalar) array instead):\narray=.*\n(Reshape your data.*)", re.S), r"\1.\n\2"),
    (re.compile(r"(Singleton array) .* (cannot be considered a valid collection).*", re.S), r"\1 \2"),
]

#: Texts that speak of shapes, types and public names only.
_SILENT = re.compile(
    r"schema: |schema must |the table: |the table must |record \d+, column |Input (X|y|values) contains infinity|Found array with|X has \d+ features, but"
    r"|X does not contain any features|Unknown label type: \S+|Only binary classification is supported|Sparse (data|matrix)|A sparse matrix"
    r"|This \w+ estimator requires y|\w+ requires y to be passed|(y|values) should be a 1d array|y cannot be None|The feature names should match"
    r"|Feature names (are|must|unseen)|(float\(\) )?argument must be|\w+ (needs|was given|does not support) |labels: |Expected sequence or array-like|setting an array element with a sequence"
)

_REFUSED = "the input is refused: it must be a 2D array or table of finite numbers and one target for each row"


def without_values(validate: Callable[[], T]) -> T:
    """Runs a validation. An error keeps scikit-learn's type and text, except for what would quote a cell."""
    try:
        return validate()
    except MemoryError:
        raise
    except Exception as error:
        refused = _told(error)
    # Not inside of the handler: the exception that quotes a cell would be its context.
    raise refused


def _told(error: Exception) -> Exception:
    if not isinstance(error, ValueError | TypeError):
        # A table or a cluster with errors of its own: their kind is public, their text may quote a cell.
        return RuntimeError(f"the input cannot be read: {type(error).__name__}")
    text = str(error)
    for quoting, kept in _QUOTING:
        text, count = quoting.subn(kept, text)
        if count:
            break
    else:
        text = text if _SILENT.match(text) else _REFUSED
    return TypeError(text) if isinstance(error, TypeError) else ValueError(text)


def finite(name: str, value: Any) -> float | None:
    """A public value that may be any number."""
    if value is None or isinstance(value, numbers.Real) and not isinstance(value, bool) and np.isfinite(value):
        return None if value is None else float(value)
    raise ValueError(f"{name} must be a finite number, the same for every column; a schema has one for each")


def check_features(validate: Callable[..., Any], missing: float | None) -> Any:
    """What scikit-learn's validation makes of features (and targets, if it is of both), with a public value for missing
    numbers if there is one."""
    validated = validate(dtype=[np.float64, np.float32], ensure_all_finite=True if missing is None else "allow-nan")
    if missing is None:
        return validated
    features, *rest = validated if isinstance(validated, tuple) else (validated,)
    features = np.where(np.isnan(features), missing, features)
    if np.isinf(features).any():
        raise ValueError("Input X contains infinity")
    return (features, *rest) if rest else features


def is_dask(data: Any) -> bool:
    """Whether data is a Dask collection; Dask is not imported to find out."""
    return type(data).__module__.split(".")[0] in {"dask", "dask_expr"}


class _Named:
    """A table with names where scikit-learn looks for them; its numbers are read where they lie."""

    def __init__(self, table: Any, names: list[str]) -> None:
        self._table, self._names = table, names
        self.shape = table.shape

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.asarray(self._table, dtype=dtype)
        return array.copy() if copy else array

    def __dataframe__(self, *_: Any, **__: Any) -> _Named:
        return self

    def column_names(self) -> list[str]:
        return self._names


def with_names(X: Any) -> Any:
    """Tables of polars and pyarrow with the names of their columns. Not every pair of versions works together
    (scikit-learn 1.7 asks by a protocol that polars 2 has given up), and names that are not seen are not compared:
    columns in another order would be taken as they come."""
    module = type(X).__module__.split(".")[0]
    if module not in {"polars", "pyarrow"} or len(getattr(X, "shape", ())) != 2:
        return X
    asked = BaseEstimator()
    # Names only: no cell is looked at.
    validate_data(asked, X, skip_check_array=True)
    if hasattr(asked, "feature_names_in_"):
        return X
    return _Named(X, list(X.columns if module == "polars" else X.column_names))


def aligned(array: np.ndarray) -> np.ndarray:
    """The array itself if its numbers are aligned for the processor, which they nearly always are."""
    return np.require(array, requirements=["ALIGNED"])


def target_name(y: Any) -> str:
    """The name of a column of targets, if it has one. That of a Dask array does not count: it is a digest of
    the array's own numbers."""
    name = None if is_dask(y) and not hasattr(y, "map_partitions") else getattr(y, "name", None)
    return name if isinstance(name, str) and name else "target"
