"""The public schema of a table: what its columns are, and how their cells are treated."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np

from . import _native
from ._validation import without_values


class Schema:
    """What the columns of a table are: ranges, levels, classes, and the values for missing cells. All of it is public.

    Choose it without looking at the records: from a code book, from what a form allows or an instrument can measure.

    Parameters
    ----------
    toml : str
        The text of a schema, as ``asap schema`` writes one to fill in; a mistake raises ``ValueError`` with its line.

    Examples
    --------
    >>> from asap_dp import Schema
    >>> schema = Schema('''
    ... [target]
    ... name = "income"
    ... classes = ["<=50K", ">50K"]
    ... [columns]
    ... age = [17, 90]
    ... sex = ["Male", "Female"]
    ... ''')
    >>> schema.parameter_names
    ['age', 'sex=Male', 'sex=Female']
    """

    __slots__ = ("_document", "_text")

    def __init__(self, toml: str) -> None:
        self._text: str = _native.schema_from_toml(toml)
        self._document: dict[str, Any] = json.loads(self._text)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Schema:
        """The schema of a TOML file."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    @classmethod
    def _of_json(cls, text: str) -> Schema:
        schema = cls.__new__(cls)
        schema._text, schema._document = text, json.loads(text)
        return schema

    def to_json(self) -> str:
        """As a release carries it."""
        return self._text

    @property
    def columns(self) -> list[str]:
        """The columns that a prediction uses: numbers first, then those with levels."""
        return [feature["name"] for feature in self._document["features"]]

    @property
    def target(self) -> str:
        """The column that is predicted."""
        return str(self._document["target"]["name"])

    @property
    def known(self) -> set[str]:
        """Every column with an entry: those that a prediction uses, the target, that of persons,
        and the ignored ones."""
        return {*self.columns, self.target, *self._document["ignored"]} | ({self.person} - {None})

    @property
    def has_weights(self) -> bool:
        """Whether the classes of the target count differently."""
        return self._document["target"].get("weights") is not None

    @property
    def person(self) -> str | None:
        """The column that says whom a row is about, if a person may have several rows."""
        return self._document.get("person", {}).get("name")

    @property
    def rows_per_person(self) -> int | None:
        """How many rows of each person are taken, the first ones; ``None`` if every row counts by itself."""
        return self._document.get("person", {}).get("rows")

    @property
    def marks(self) -> list[str]:
        """The texts of a missing cell."""
        return list(self._document["marks"])

    @property
    def classes(self) -> list[str] | None:
        """The classes of the target, the positive one last; ``None`` if a number is predicted."""
        return _native.schema_classes(self._text)

    @property
    def parameter_names(self) -> list[str]:
        """A name for each number that a row becomes: that of its column, and of its level if it has levels."""
        return _native.parameter_names(self._text)

    def encode(self, table: Any, y: Any = None, with_target: bool = False, first: int = 0) -> tuple[np.ndarray, np.ndarray | None]:
        """The numbers that a table becomes, and its targets if they are wanted: y, or the table's own
        column if y is ``None``.

        An error counts records from ``first`` on, if the table is a part of a larger one.
        """
        return without_values(lambda: self._encoded(table, y, with_target, first))

    def names_in(self, table: Any, with_target: bool = False) -> dict[str, Any]:
        """The columns that are read, by their names in the schema and as the table has them. Every
        column needs an entry."""
        names = _names_of(table)
        known = self.known
        if known.isdisjoint(names):
            # Perhaps these are no names, but the cells of a record.
            raise ValueError("schema: no column of the table has an entry in the schema: the first line of a file must name the columns")
        for name in names:
            if name not in known:
                raise ValueError(f"schema: column `{name}` has no entry in the schema: add one, or `ignore = true`")
        for name in self.columns:
            if name not in names:
                raise ValueError(f"schema: `{name}` is not a column of the table")
        if with_target and self.target not in names:
            raise ValueError(f"schema: the target `{self.target}` is not a column of the table, and there is no y")
        return {name: names[name] for name in [*self.columns, *([self.target] if with_target else [])]}

    def _encoded(self, table: Any, y: Any, with_target: bool, first: int) -> tuple[np.ndarray, np.ndarray | None]:
        own = self.names_in(table, with_target and y is None)
        columns = [_cells(_column(table, own[name])) for name in self.columns]
        target = None
        if with_target:
            target = _cells(_column(table, own[self.target]) if y is None else y)
        return _native.encode(self._text, columns, target, first)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._document == other._document

    def __hash__(self) -> int:
        return hash(json.dumps(self._document, sort_keys=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema._of_json, (self._text,)

    def __repr__(self) -> str:
        return f"Schema({len(self.columns)} columns, target {self.target!r})"


def _names_of(table: Any) -> dict[str, Any]:
    """The names of a table's columns without the blanks around them, and as the table has them."""
    if hasattr(table, "column_names"):
        names = list(table.column_names)
    elif hasattr(table, "columns"):
        names = list(table.columns)
    else:
        raise TypeError("schema: X must be a table with named columns (pandas, polars or pyarrow)")
    found = {str(name).strip(): name for name in names}
    if len(found) != len(names):
        raise ValueError("schema: two columns of the table have the same name")
    return found


def _column(table: Any, name: Any) -> Any:
    return table.column(name) if hasattr(table, "column_names") else table[name]


def _text(cell: Any) -> str:
    """A cell as it would be written: whole numbers without a point."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _cells(column: Any) -> Any:
    """The cells of a column as the library reads them: numbers with NaN for what is missing, or places in a
    list of texts and -1."""
    module = type(column).__module__.split(".")[0]
    if module == "pandas":
        return _pandas(column)
    if module == "polars":
        if column.dtype.is_numeric():
            return np.ascontiguousarray(column.cast(type(column)([0.0]).dtype).to_numpy(), dtype=np.float64)
        return _factorised(column.to_list())
    if module == "pyarrow":
        if str(column.type) in _NUMBERS:
            return np.ascontiguousarray(column.to_numpy(**({} if hasattr(column, "chunks") else {"zero_copy_only": False})), dtype=np.float64)
        return _factorised(column.to_pylist())
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError("y should be a 1d array")
    if array.dtype.kind in "iuf":
        return np.ascontiguousarray(array, dtype=np.float64)
    return _factorised(array.tolist())


def whom(table: Any, person: Any) -> Any:
    """Whom each row is about: cells of a column of the table, or of what was given. Whole numbers
    keep all of their digits."""

    def cells() -> Any:
        column = person
        if isinstance(person, str):
            names = _names_of(table)
            if person not in names:
                raise ValueError("schema: the column that `person` names is not in the table")
            column = _column(table, names[person])
        found = _cells(column)
        exact = np.asarray(column) if isinstance(found, np.ndarray) else found
        if isinstance(found, np.ndarray) and exact.dtype.kind in "iu":
            texts, codes = np.unique(exact, return_inverse=True)
            return np.ascontiguousarray(codes, dtype=np.int64), [str(one) for one in texts.tolist()]
        return found

    return without_values(cells)


#: The types of pyarrow that are numbers.
_NUMBERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"halffloat", "float", "double"}


def _pandas(column: Any) -> Any:
    import pandas

    if getattr(column, "ndim", 1) != 1:
        raise ValueError("y should be a 1d array")
    if isinstance(column.dtype, pandas.CategoricalDtype):
        categories = [_text(one) for one in column.cat.categories]
        return np.ascontiguousarray(column.cat.codes, dtype=np.int64), categories
    if pandas.api.types.is_numeric_dtype(column.dtype) and not pandas.api.types.is_bool_dtype(column.dtype):
        return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    codes, texts = pandas.factorize(column, use_na_sentinel=True)
    return np.ascontiguousarray(codes, dtype=np.int64), [_text(one) for one in texts]


def _factorised(cells: list[Any]) -> tuple[np.ndarray, list[str]]:
    places: dict[Any, int] = {}
    # What is not equal to itself is not a number, and missing as None is.
    codes = [-1 if cell is None or cell != cell else places.setdefault(cell, len(places)) for cell in cells]
    return np.array(codes, dtype=np.int64), [_text(cell) for cell in places]


def without_others(table: Any, known: set[str]) -> Any:
    """The columns of a table that a schema knows."""
    return _Some(table, {name: own for name, own in _names_of(table).items() if name in known})


class _Some:
    """Some columns of a table; no cell is copied."""

    def __init__(self, table: Any, names: dict[str, Any]) -> None:
        self._table, self._own, self.columns = table, names, list(names)

    def __getitem__(self, name: str) -> Any:
        return _column(self._table, self._own[name])


def in_order(X: Any, names: list[str]) -> Any:
    """A table with these columns, and no others, in this order; anything without names as it is."""
    if not (hasattr(X, "columns") or hasattr(X, "column_names")):
        return X
    found = _names_of(X)
    if set(found) != set(names):
        raise ValueError("schema: the release has none, and the table has other columns than its features")
    columns = [_cells(_column(X, found[name])) for name in names]
    if any(isinstance(column, tuple) for column in columns):
        raise ValueError("could not convert string to float")
    return np.column_stack(columns)
