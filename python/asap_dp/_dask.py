"""Records on a Dask cluster: they stay with the workers, which answer with sums.

A fit asks for sums over rows, again and again. Each question is one map over the shards, and the answers are joined on
the client in the order of the rows: no bit depends on which worker computed them, when, or how often. Dask replaces a
worker that dies; what it held is computed again from its source.

Another system needs the same three functions where its workers are, and a map in place of
:func:`_asked` and :func:`_made`:

* :func:`make_shard` of a block of rows, which a schema has turned into numbers by :func:`encode_rows` (Spark:
  ``mapPartitionsWithIndex`` of a persisted RDD; Ray: a task or an actor for each block),
* :func:`card_of` a shard, once,
* :func:`answer_of` a shard to a request, once for each question.

Workers, client and what goes between them belong to the curator: shards, cards and answers are
as private as the records.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from . import _native
from ._progress import stages
from ._schema import Schema
from ._validation import aligned, check_features, finite, is_dask, target_name, without_values

if TYPE_CHECKING:
    import dask.array

_log = logging.getLogger("asap_dp")


class Shard:
    """Some rows of a worker, clipped to the bounds. Its pickle is the rows: the scheduler may move it or spill it."""

    __slots__ = ("_held", "_settings", "_size")

    def __init__(self, held: _native.Shard, settings: dict[str, Any], size: int) -> None:
        self._held, self._settings, self._size = held, settings, size

    def __reduce__(self) -> tuple[Any, ...]:
        return _moved, (self._held.to_bytes(), self._settings, self._size)

    def __sizeof__(self) -> int:
        return self._size


def _moved(data: bytes, settings: dict[str, Any], size: int) -> Shard:
    return Shard(_native.Shard.from_bytes(settings, data), settings, size)


def encode_rows(table: Any, y: Any, first: int, schema: Schema) -> np.ndarray:
    """The numbers that a schema makes of a block of rows whose first one is number ``first`` of all, the
    targets in the last column."""
    features, targets = schema.encode(table, y, with_target=True, first=first)
    return np.column_stack([features, targets])


def make_shard(X: Any, y: Any, first: int, settings: dict[str, Any], classes: np.ndarray | None, missing: float | None = None) -> Shard:
    """The shard of a block of rows whose first one is number ``first`` of all. It depends on nothing else:
    it may be made again."""

    def validated() -> tuple[np.ndarray, np.ndarray]:
        # No rows are a shard, too.
        features = check_features(lambda **options: check_array(X, ensure_min_samples=0, input_name="X", **options), missing)
        if classes is None:
            return features, check_array(y, ensure_2d=False, ensure_min_samples=0, dtype=np.float64, input_name="y")
        labels = check_array(y, ensure_2d=False, ensure_min_samples=0, dtype=None, input_name="y")
        if not np.isin(labels, classes).all():
            raise ValueError("labels: y has a label that is not one of `classes`")
        return features, np.where(labels == classes[1], 1.0, -1.0)

    features, targets = without_values(validated)
    held = _native.Shard(aligned(features), aligned(targets), settings, first)
    return Shard(held, settings, 8 * (features.size + 2 * len(targets)))


def card_of(shard: Shard) -> bytes:
    """What the client must know of a shard: its place, its length, a fingerprint."""
    return shard._held.card()


def answer_of(shard: Shard, request: bytes) -> bytes:
    """The sums that a request asks for, over the rows of a shard."""
    return shard._held.answer(request)


def fit_dask(estimator: Any, X: Any, y: Any) -> Any:
    """Fits an estimator to Dask collections."""
    settings, schema, missing = estimator._settings(), estimator.schema, finite("missing", estimator.missing)
    if schema is None:
        n_features = without_values(lambda: _columns_of(X))
        names = without_values(lambda: _names_of(X))
        shown = [f"x{k}" for k in range(n_features)] if names is None and missing is not None else names
        known = None if shown is None else (shown, target_name(y), "person", missing)
    else:
        without_values(lambda: _table_of(schema, X, y))
        n_features, names, known = len(schema.parameter_names), schema.columns, None
    found: dict[str, Any] = {"classes": None, "shards": []}
    # Asked once, and here: the fit runs in another thread, where another client may be the current one.
    client = _client()

    def read() -> list[bytes]:
        # Of a schema's targets the numbers are known before any is read: classes are for those that are found.
        classes = None
        if schema is not None:
            features, targets = without_values(lambda: _encoded(schema, X, y))
            found["classes"] = None if schema.classes is None else np.asarray(schema.classes)
        else:
            features, targets = without_values(lambda: _arrays(X, y))
            if hasattr(estimator, "_classes_of"):
                classes = found["classes"] = without_values(lambda: _classes(estimator, targets))
        # Without a cluster they are made here and now, of whatever the collections are made of.
        found["shards"] = without_values(lambda: _made(features, targets, (settings, classes, missing), client))
        return without_values(lambda: _asked(card_of, [(shard,) for shard in found["shards"]], client))

    def exchange(requests: list[tuple[int, bytes]]) -> list[bytes]:
        return _asked(answer_of, [(found["shards"][shard], request) for shard, request in requests], client)

    with stages(estimator.progress) as stage:
        text = _native.fit_shards(n_features, settings, estimator._surroundings(), read, exchange, known, stage)
    named = {} if names is None else {"feature_names_in_": np.asarray(names, dtype=object)}
    return estimator._released(text, found["classes"], **named)


def _columns_of(X: Any) -> int:
    if not is_dask(X) or getattr(X, "ndim", 0) != 2:
        raise ValueError("Found array with a dimension other than 2: X must be a Dask array or DataFrame if y is one")
    return int(X.shape[1])


def _names_of(X: Any) -> list[str] | None:
    """The names of the columns as scikit-learn takes them: texts, or none at all."""
    names = list(X.columns) if hasattr(X, "columns") else []
    texts = [name for name in names if isinstance(name, str)]
    if 0 < len(texts) < len(names):
        raise TypeError("Feature names are only supported if all input features have string names")
    return texts or None


def _table_of(schema: Schema, X: Any, y: Any) -> Any:
    """The columns of a Dask DataFrame that the schema reads: names are public, and no cell is looked at."""
    if not hasattr(X, "map_partitions"):
        raise TypeError("schema must be for a table with named columns: a Dask DataFrame, whose partitions are those of pandas")
    own = schema.names_in(X, with_target=y is None)
    return X[list(own.values())]


def _encoded(schema: Schema, X: Any, y: Any) -> tuple[dask.array.Array, dask.array.Array]:
    """What the schema makes of features and targets, each partition where it is: Dask arrays whose
    blocks have known lengths."""
    import dask.array as da

    tables, labels = _Pieces(_table_of(schema, X, y)), None if y is None else _Pieces(_targets(y))
    rows, width = _count(tables) if labels is None else _count(tables, labels), len(schema.parameter_names) + 1
    if rows == 0:
        return da.empty((0, width - 1)), da.empty(0)
    if labels is None:
        targets = [None] * len(tables.parts)
    else:
        # Cells as they are where rows and targets are cut alike: an array has no categories.
        alike = labels.parts is not None and labels.lengths == tables.lengths
        targets = labels.parts if alike else labels.array().rechunk((tables.lengths,)).to_delayed()
    encode = dask.delayed(encode_rows, pure=True)
    starts = np.cumsum([0, *tables.lengths[:-1]]).tolist()
    blocks = [
        da.from_delayed(encode(table, target, first, schema), (length, width), dtype=np.float64)
        for table, target, first, length in zip(tables.parts, targets, starts, tables.lengths, strict=True)
    ]
    numbers = da.concatenate(blocks)
    return numbers[:, :-1], numbers[:, -1]


def _arrays(X: Any, y: Any) -> tuple[dask.array.Array, dask.array.Array]:
    """Features and targets as Dask arrays whose blocks have known lengths."""
    import dask.array as da

    features, targets = _Pieces(X), _Pieces(_targets(y))
    if _count(features, targets) == 0:
        return da.empty((0, int(X.shape[1]))), da.empty(0)
    return features.array(), targets.array()


def _targets(y: Any) -> Any:
    import dask.array as da

    if not is_dask(y):
        y = da.from_array(np.asarray(y), chunks=-1)
    if getattr(y, "ndim", 0) != 1:
        raise ValueError("y should be a 1d array")
    return y


class _Pieces:
    """The partitions of a table, or the blocks of an array. A table is asked for them once, because Dask may join the
    partitions of a file with many columns, and not always the same ones."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self.parts = data.to_delayed() if hasattr(data, "map_partitions") else None
        chunks = (np.nan,) if self.parts is not None else data.chunks[0]
        self.lengths = None if any(np.isnan(chunk) for chunk in chunks) else tuple(chunks)

    def counts(self) -> Any:
        """The lengths of the pieces, for Dask to compute."""
        if self.parts is not None:
            return [dask.delayed(len)(part) for part in self.parts]
        data = self._data
        return data.map_blocks(_rows_of_block, dtype=np.int64, drop_axis=list(range(1, data.ndim)), chunks=((1,) * data.numblocks[0],))

    def array(self) -> dask.array.Array:
        """A Dask array of the pieces, whose lengths are known."""
        import dask.array as da

        if self.parts is None:
            data = self._data.copy()
            data._chunks = (self.lengths, *data.chunks[1:])
            return data
        cells, width = dask.delayed(np.asarray, pure=True), self._data.shape[1:]
        pieces = zip(self.parts, self.lengths, strict=True)
        return da.concatenate([da.from_delayed(cells(part), (length, *width), dtype=object) for part, length in pieces])


def _rows_of_block(block: np.ndarray) -> np.ndarray:
    return np.array([len(block)])


def _count(*collections: _Pieces) -> int:
    """The number of rows, which is the same in all collections. Lengths that are not known need
    one look at the source."""
    unknown = [data for data in collections if data.lengths is None]
    for data, counts in zip(unknown, dask.compute(*(data.counts() for data in unknown)), strict=True):
        data.lengths = tuple(int(count) for count in np.ravel(counts))
    rows = {sum(data.lengths) for data in collections}
    if len(rows) > 1:
        raise ValueError("Found input variables with inconsistent numbers of samples")
    return rows.pop()


def _classes(estimator: Any, y: dask.array.Array) -> np.ndarray:
    """The two classes, sorted: as declared, or as found by a look at the targets."""
    if estimator.classes is not None:
        return estimator._classes_of(np.asarray(estimator.classes))
    found = dask.compute(*(dask.delayed(_labels)(block) for block in y.to_delayed()))
    # The type of a block without any label says nothing.
    return estimator._classes_of(np.concatenate([labels for labels in found if len(labels)] or [np.empty(0)]))


def _labels(block: np.ndarray) -> np.ndarray:
    if len(block) == 0:
        return block
    labels = without_values(lambda: check_array(block, ensure_2d=False, dtype=None, input_name="y"))
    without_values(lambda: check_classification_targets(labels))
    # More than two are too many, however many there are.
    return np.unique(labels)[:3]


def _made(X: dask.array.Array, y: dask.array.Array, how: tuple[dict[str, Any], Any, Any], client: Any) -> list[Any]:
    """The shards, with the workers: futures, or in this process where there is no cluster. They begin where the
    library cuts the rows."""
    starts = _native.shard_starts(X.shape[0], X.shape[1] + how[0]["fit_intercept"])
    # Without any row there is one shard, which has none: workers and client do as they always do.
    starts = starts or [0]
    lengths = tuple(int(length) for length in np.diff([*starts, X.shape[0]]))
    X, y = X.rechunk((lengths, (X.shape[1],))), y.rechunk((lengths,))
    make = dask.delayed(make_shard, pure=True)
    blocks = zip(X.to_delayed().ravel(), y.to_delayed(), starts, strict=True)
    shards = [make(features, targets, first, *how) for features, targets, first in blocks]
    return list(dask.persist(*shards)) if client is None else client.compute(shards)


def _asked(function: Callable[..., bytes], arguments: list[tuple[Any, ...]], client: Any) -> list[bytes]:
    """One map over shards: the function of each, in the order of the arguments."""
    try:
        if client is None:
            return list(dask.compute(*(dask.delayed(function)(*one) for one in arguments)))
        return client.gather([client.submit(function, *one, pure=False) for one in arguments])
    except Exception as error:
        # Its kind, for the operator of the cluster; a text might quote what the workers have.
        _log.error("a pass over the shards ended with %s", type(error).__name__)
        raise


def _client() -> Any:
    """The client of the cluster, if there is one."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None
