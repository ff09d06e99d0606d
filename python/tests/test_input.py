"""Every kind of table gives the same release, and no refusal quotes a record."""

import tracemalloc
import traceback

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from asap_dp import PrivateLogisticRegression, PrivateRidge
from asap_dp._replay import replay
from asap_dp._validation import without_values

NAMES = ["a", "b", "c"]


def released(X, y):
    with replay(11):
        model = PrivateLogisticRegression(epsilon=2.0, feature_bound=1.0, regulariser=2.0).fit(X, y)
    return model.release_.theta


def test_every_layout_and_every_table_gives_the_same_bits(rows, classes):
    expected = released(rows, classes)
    frame = pandas.DataFrame(rows, columns=NAMES)
    wide = np.zeros((len(rows), 6))
    wide[:, ::2] = rows
    unaligned = np.frombuffer(b"." + rows.tobytes(), dtype=np.float64, offset=1).reshape(rows.shape)
    assert not unaligned.flags.aligned
    locked = rows.copy()
    locked.flags.writeable = False
    swapped = rows.astype(rows.dtype.newbyteorder())
    for X in [
        np.asfortranarray(rows), wide[:, ::2], rows[::-1][::-1], unaligned, locked, swapped, rows.tolist(), frame, frame.astype("Float64"),
        polars.DataFrame(rows, schema=NAMES), pyarrow.table(dict(zip(NAMES, rows.T, strict=True))),
    ]:  # fmt: skip
        assert np.array_equal(released(X, classes), expected), type(X)
    words = np.array(["no", "yes"])[classes]
    for y in [
        classes.astype(bool), classes.tolist(), classes.astype(np.float32), pandas.Series(classes), polars.Series(classes), pyarrow.array(classes),
        words, words.astype(object), pandas.Series(words, dtype="category"), pandas.Series(words, dtype="string"), pandas.Series(classes, dtype="boolean"),
        polars.Series(words), pyarrow.array(words), pyarrow.chunked_array([words]),
    ]:  # fmt: skip
        assert np.array_equal(released(rows, y), expected), type(y)


def test_every_table_names_its_columns(rows, classes):
    for table in [
        pandas.DataFrame(rows, columns=NAMES), polars.DataFrame(rows, schema=NAMES), pyarrow.table(dict(zip(NAMES, rows.T, strict=True))),
    ]:  # fmt: skip
        model = PrivateLogisticRegression(epsilon=2.0, feature_bound=1.0, regulariser=2.0).fit(table, classes)
        assert list(model.feature_names_in_) == NAMES and [it["name"] for it in model.release_.columns["features"]] == NAMES
        assert np.array_equal(model.predict(table), model.predict(pandas.DataFrame(rows, columns=NAMES)))
        # Columns in another order are not taken as they come.
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(table[["b", "a", "c"]] if hasattr(table, "columns") and not hasattr(table, "column_names") else table.select(["b", "a", "c"]))


def test_single_precision_is_read_as_it_is(rows, classes):
    single = rows.astype(np.float32)
    assert np.array_equal(released(single, classes), released(single.astype(np.float64), classes))


@pytest.mark.parametrize("order, dtype", [("C", np.float64), ("F", np.float64), ("C", np.float32)])
def test_python_makes_no_copy_of_the_features(order, dtype):
    """The one copy is the library's, of the clipped rows; numpy and scikit-learn allocate less than
    a tenth of the matrix."""
    X = np.asarray(np.random.default_rng(0).normal(size=(50_000, 20)), dtype=dtype, order=order)
    y = np.arange(len(X)) % 2 == 0
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=2.0)
    tracemalloc.start()
    model.fit(X, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The targets and what makes them are a few columns.
    assert most < X.nbytes / 3


SECRET = "4711.625"


@pytest.mark.parametrize(
    "error, text, X, y",
    [
        (ValueError, "Input X contains NaN", [[float(SECRET)], [float("nan")]], [0, 1]),
        (ValueError, "Input X contains infinity", [[float(SECRET)], [float("inf")]], [0, 1]),
        (ValueError, "could not convert string to float", [["patient " + SECRET], ["1"]], [0, 1]),
        (ValueError, "could not convert string to float", np.array([["patient " + SECRET], [1.0]], dtype=object), [0, 1]),
        (ValueError, "could not convert string to float", pandas.DataFrame({"a": ["patient " + SECRET, "1"]}), [0, 1]),
        (ValueError, "could not convert string to float", polars.DataFrame({"a": ["patient " + SECRET, "1"]}), [0, 1]),
        (TypeError, "argument must be a string or a real number", [[{"patient": SECRET}], [1.0]], [0, 1]),
        (ValueError, "Complex data not supported", np.array([[complex(SECRET)], [1.0]]), [0, 1]),
        (ValueError, "Expected 2D array, got 1D array instead", [float(SECRET), 1.0], [0, 1]),
        (ValueError, "Expected 2D array, got scalar array instead", float(SECRET), [0]),
        (ValueError, "Found array with dim 3", [[[float(SECRET)]], [[1.0]]], [0, 1]),
        (ValueError, "setting an array element with a sequence", [[float(SECRET), 1.0], [1.0]], [0, 1]),
        (ValueError, "Input X contains NaN", pandas.DataFrame({"a": [float(SECRET), None]}), [0, 1]),
        (ValueError, "Input X contains NaN", pandas.DataFrame({"a": [4711, None]}, dtype="Int64"), [0, 1]),
        (ValueError, "Input X contains NaN", polars.DataFrame({"a": [float(SECRET), None]}), [0, 1]),
        (ValueError, "Input X contains NaN", pyarrow.table({"a": [float(SECRET), None]}), [0, 1]),
        (ValueError, "could not convert string to float", pyarrow.table({"a": ["patient " + SECRET, "1"]}), [0, 1]),
        (ValueError, "could not convert string to float", pandas.DataFrame({"a": ["patient " + SECRET, "1"]}, dtype="category"), [0, 1]),
        (ValueError, "inconsistent numbers of samples", [[float(SECRET)], [1.0]], [0, 1, 1]),
        (ValueError, "Found array with 0 feature", np.empty((2, 0)), [0, 1]),
        (ValueError, "only one class", [[1.0], [2.0]], [SECRET, SECRET]),
        (ValueError, "Only binary classification is supported", [[1.0], [2.0], [3.0]], [SECRET, "b", "c"]),
        (ValueError, "Unknown label type: continuous", [[1.0], [2.0]], [float(SECRET), 0.5]),
        (ValueError, "Input y contains NaN", [[1.0], [2.0]], [float(SECRET), float("nan")]),
        (ValueError, "y should be a 1d array", [[1.0], [2.0]], [[0, float(SECRET)], [1, 1]]),
        (ValueError, "requires y to be passed", [[1.0], [2.0]], None),
    ],
)  # fmt: skip
def test_refusals_have_sklearns_words_and_no_value(error, text, X, y):
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0)
    with pytest.raises(error, match=text) as refused:
        model.fit(X, y)
    told = "".join(traceback.format_exception(refused.value))
    assert SECRET not in told and "4711" not in told
    # Nor is the exception that quoted the value still there.
    assert refused.value.__context__ is None and refused.value.__cause__ is None


@pytest.mark.parametrize("y", [["patient " + SECRET, "1"], [float("nan"), float(SECRET)], [[1.0, float(SECRET)], [1.0, 1.0]]])
def test_refused_targets_are_not_quoted(y):
    with pytest.raises(ValueError) as refused:
        PrivateRidge(epsilon=1.0, feature_bound=1.0, target_bound=1.0).fit([[1.0], [2.0]], y)
    assert "4711" not in "".join(traceback.format_exception(refused.value)) and refused.value.__context__ is None


def test_a_text_that_nobody_knows_is_not_passed_on():
    class Hostile:
        shape = (2, 1)

        def __array__(self, *_, **__):
            raise ValueError(f"a cell holds {SECRET}")

        def __len__(self):
            return 2

    with pytest.raises(ValueError, match="the input is refused") as refused:
        PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0).fit(Hostile(), [0, 1])
    assert "4711" not in "".join(traceback.format_exception(refused.value))

    # Nor that of an error of another kind: tables have families of their own.
    class Foreign(Hostile):
        def __array__(self, *_, **__):
            raise polars.exceptions.ComputeError(f"a cell holds {SECRET}")

    with pytest.raises(RuntimeError, match="cannot be read: ComputeError") as refused:
        PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0).fit(Foreign(), [0, 1])
    assert "4711" not in "".join(traceback.format_exception(refused.value)) and refused.value.__context__ is None


def test_a_single_number_is_not_quoted():
    """Some versions of scikit-learn quote it, where they take it for a collection."""

    def quoting():
        raise TypeError(f"Singleton array array({SECRET}) cannot be considered a valid collection.")

    with pytest.raises(TypeError, match="^Singleton array cannot be considered a valid collection$"):
        without_values(quoting)


def test_rows_of_a_prediction_are_not_quoted_either(rows, classes):
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0).fit(rows, classes)
    for predict in [model.predict, model.release_.predict]:
        for X, text in [([["patient " + SECRET] * 3], "could not convert string"), ([[float(SECRET), 1.0, float("nan")]], "contains NaN")]:
            with pytest.raises(ValueError, match=text) as refused:
                predict(X)
            assert "4711" not in "".join(traceback.format_exception(refused.value))
