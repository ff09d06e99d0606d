"""A schema for a Dask DataFrame: cells become numbers on the workers, by the same code and to the
same bits as in memory."""

from __future__ import annotations

import pickle
import traceback
import warnings

import numpy as np
import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402

from asap_dp import PrivateLogisticRegression, PrivateRidge, Schema, _dask  # noqa: E402
from asap_dp._replay import replay  # noqa: E402

COLUMNS = """
[columns]
age = { range = [17, 90], missing = 40 }
gain = { range = [0, 99999], log = true }
job = { levels = ["Sales", "Tech", "Rest"], other = "Rest" }
code = ["1", "2"]
sex = ["Male", "Female"]
id = { ignore = true }
"""
CLASSES = "[target]\nname = 'income'\nclasses = ['<=50K', '>50K']\n" + COLUMNS
RANGE = "[target]\nname = 'income'\nrange = [0, 10]\n" + COLUMNS
SECRET = "4711"
ROWS = 3_001


def _frame(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    age = rng.integers(10, 100, rows)
    frame = pd.DataFrame({
        " age": age.astype(float),
        "gain": rng.choice([0, 0, 0, 5000, 10**6], rows),
        "job": pd.Categorical(rng.choice(["Sales", " Tech ", "Farming", "?"], rows)),
        "code": rng.choice([1, 2, 3], rows),
        "sex": rng.choice(["Male", "Female", None, "NA"], rows),
        "id": [f"patient {SECRET}{k}" for k in range(rows)],
        "income": np.where(age + rng.normal(size=rows) * 20 > 50, ">50K", " <=50K"),
    })  # fmt: skip
    frame.loc[::9, " age"] = np.nan
    return frame


def _model(kind=PrivateLogisticRegression, text=CLASSES, **more):
    return kind(schema=Schema(text), epsilon=2.0, regulariser=2.0, max_rows=100_000, allow_useless=True, **more)


def _fitted(model, *data):
    with replay(7), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data)


def _same(one, other) -> None:
    """Byte for byte: parameters, certificate and schema."""
    assert one.release_.to_json() == other.release_.to_json()
    assert list(one.feature_names_in_) == list(other.feature_names_in_) and one.n_features_in_ == other.n_features_in_


@pytest.mark.parametrize("mechanism", ["output", "objective"])
def test_partitions_give_the_release_of_memory(mechanism):
    frame = _frame()
    memory = _fitted(_model(mechanism=mechanism), frame)
    parts = _fitted(_model(mechanism=mechanism), dd.from_pandas(frame, npartitions=7))
    _same(memory, parts)
    assert list(parts.classes_) == ["<=50K", ">50K"]
    assert (parts.predict(frame) == memory.predict(frame)).all()


def test_numbers_are_targets_as_well():
    """Seen red: targets in the first column of what a worker makes."""
    frame = _frame().assign(income=np.random.default_rng(1).normal(5, 4, ROWS))
    memory = _fitted(_model(PrivateRidge, RANGE), frame)
    _same(memory, _fitted(_model(PrivateRidge, RANGE), dd.from_pandas(frame, npartitions=5)))


def test_targets_may_come_by_themselves():
    """As a column of the same frame, cut otherwise, as an array, or from memory; rows that are
    filtered are counted first."""
    frame = _frame()
    memory = _fitted(_model(), frame)
    features, target = frame.drop(columns="income"), frame["income"]
    parts = dd.from_pandas(features, npartitions=6)
    for y in [
        dd.from_pandas(target, npartitions=6),
        dd.from_pandas(target.astype("category"), npartitions=6),
        dd.from_pandas(target, npartitions=4),
        da.from_array(target.to_numpy(dtype=object), chunks=777),
        target,
    ]:
        _same(memory, _fitted(_model(), parts, y))
    whole = dd.from_pandas(frame, npartitions=6)
    kept = frame[frame.code < 3]
    _same(_fitted(_model(), kept), _fitted(_model(), whole[whole.code < 3]))


def test_a_cluster_applies_the_schema_on_its_workers(client, monkeypatch):
    """What comes to the client are cards and sums: no cell, and no row of numbers."""
    frame = _frame()
    received, asked = [], _dask._asked

    def noted(function, arguments, client):
        answers = asked(function, arguments, client)
        received.append((function.__name__, sum(map(len, answers))))
        return answers

    monkeypatch.setattr(_dask, "_asked", noted)
    monkeypatch.setattr(_dask, "encode_rows", _only_on_workers)
    elsewhere = _fitted(_model(mechanism="objective"), dd.from_pandas(frame, npartitions=7))
    _same(_fitted(_model(mechanism="objective"), frame), elsewhere)
    assert {name for name, _ in received} == {"card_of", "answer_of"}
    rows = len(frame) * len(elsewhere.schema.parameter_names) * 8
    assert received[0][0] == "card_of" and received[0][1] < rows / 20


def _only_on_workers(*arguments):
    from distributed import get_worker

    get_worker()
    return _dask.encode_rows(*arguments)


def test_a_worker_that_dies_changes_no_bit(client, kill_a_worker, monkeypatch):
    """What it held is made again from the cells, wherever that is."""
    frame = _frame()
    memory = _fitted(_model(mechanism="objective"), frame)
    asked, rounds, killed = _dask._asked, [], []

    def killing(function, arguments, client):
        if function is _dask.answer_of:
            rounds.append(len(arguments))
            if len(rounds) == 2:
                killed.append(kill_a_worker(client))
        return asked(function, arguments, client)

    monkeypatch.setattr(_dask, "_asked", killing)
    _same(memory, _fitted(_model(mechanism="objective"), dd.from_pandas(frame, npartitions=7)))
    assert len(killed) == 1 and len(rounds) > 2


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        ("gain", np.nan, "record 2501, column `gain`: the cell is missing"),
        ("gain", SECRET + "x", "record 2501, column `gain`: must be a finite number"),
        ("gain", np.inf, "record 2501, column `gain`: must be a finite number"),
        ("income", SECRET, "record 2501, column `income`: not one of the schema's classes"),
        ("income", None, "record 2501, column `income`: the cell is missing"),
    ],
)
def test_a_bad_cell_of_a_worker_is_refused_as_in_memory(client, column, cell, text):
    """By its place among all records, and never with what it is. Seen red: records counted from the
    beginning of the partition."""
    frame = _frame()
    frame[column] = frame[column].astype(object)
    frame.loc[2500, column] = cell
    for table in (frame, dd.from_pandas(frame, npartitions=7)):
        model = _model()
        with pytest.raises(ValueError, match=text) as told:
            model.fit(table)
        assert SECRET not in "".join(traceback.format_exception(told.value))
        assert not hasattr(model, "release_")


def test_an_unknown_level_is_none_of_them_and_no_error(client):
    frame = _frame()
    frame["sex"] = frame["sex"].where(frame.index != 2500, SECRET)
    expected = _fitted(_model(), frame.assign(sex=frame["sex"].where(frame.index != 2500, "another")))
    _same(expected, _fitted(_model(), dd.from_pandas(frame, npartitions=7)))


def test_columns_are_checked_before_anything_is_read():
    """Names are public; no cell is looked at."""

    def refuse(part):
        raise AssertionError("a partition was read")

    frame = _frame(100)
    for table, text in [(frame.assign(height=1.0), "column `height` has no entry"), (frame.drop(columns="sex"), "`sex` is not a column")]:
        unread = dd.from_pandas(table, npartitions=2).map_partitions(refuse, meta=table.iloc[:0])
        with pytest.raises(ValueError, match=text):
            _model().fit(unread)
    with pytest.raises(ValueError, match="the target `income` is not a column"):
        _model().fit(dd.from_pandas(frame.drop(columns="income"), npartitions=2))
    with pytest.raises(TypeError, match="schema must be for a table with named columns"):
        _model().fit(da.zeros((100, 6)), da.zeros(100))


def test_persons_stay_in_memory():
    """A person's rows could be with several workers: whether a row is taken depends on rows that another worker has."""
    frame = _frame(100)
    text = "person = 'id'\nrows_per_person = 2\n" + CLASSES.replace("id = { ignore = true }\n", "")
    with pytest.raises(ValueError, match="a person's rows could be with several workers"):
        _model(text=text).fit(dd.from_pandas(frame, npartitions=2))


def test_a_public_value_stands_for_missing_numbers():
    """Without a schema, as in memory."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(900, 2)) / 3, columns=["a", "b"])
    X.iloc[::7, 1] = np.nan
    y = pd.Series(rng.normal(size=900), name="c")
    settings = {"mu": 2.0, "regulariser": 5.0, "feature_bound": 1.0, "target_bound": 1.0, "missing": 0.25, "allow_useless": True}
    for table, target in [(dd.from_pandas(X, npartitions=3), dd.from_pandas(y, npartitions=3))]:
        _same(_fitted(PrivateRidge(**settings), X, y), _fitted(PrivateRidge(**settings), table, target))
    plain = _fitted(PrivateRidge(**settings), X.to_numpy(), y.to_numpy())
    chunked = _fitted(PrivateRidge(**settings), da.from_array(X.to_numpy(), chunks=300), da.from_array(y.to_numpy(), chunks=300))
    assert plain.release_.to_json() == chunked.release_.to_json()
    with pytest.raises(ValueError, match="Input X contains infinity"):
        PrivateRidge(**settings).fit(da.full((900, 2), np.inf, chunks=300), da.zeros(900, chunks=300))


def test_the_key_of_a_dask_array_is_no_name():
    """It is a digest of the targets: in a release it would tell of them. Seen red: ``target_name``
    without its first line."""
    X, y = _frame(900)[["gain"]] / 1e6, np.random.default_rng(2).normal(size=900)
    settings = {"mu": 2.0, "regulariser": 5.0, "feature_bound": 1.0, "target_bound": 1.0, "allow_useless": True}
    fitted = _fitted(PrivateRidge(**settings), dd.from_pandas(X, npartitions=3), da.from_array(y, chunks=300))
    assert fitted.release_.columns["target"]["name"] == "target" and "array-" not in fitted.release_.to_json()


def test_the_noise_of_every_fit_is_its_own():
    """As in ``test_dask.py``, where a constant key was seen red."""
    parts = dd.from_pandas(_frame(), npartitions=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = [_model().fit(parts).release_ for _ in range(3)]
    assert all(release.is_private for release in drawn)
    assert len({value for release in drawn for value in release.theta}) == 3 * len(drawn[0].theta)
    assert not pickle.loads(pickle.dumps(_fitted(_model(), parts))).release_.is_private


@pytest.mark.parametrize("target", ["own", "given", "an array"])
def test_partitions_that_dask_joins_are_all_read(tmp_path, target):
    """Dask joins partitions of a file of which few columns are read, and does so in some graphs and not in others. Seen
    to fail: lengths counted by a map of the table; a fifth of the rows was encoded. A fit of 60 rows lost the others;
    one of 1,000 stopped at the cards."""
    rows = 1_000
    junk = {f"junk{k}": np.arange(rows, dtype=float) for k in range(60)}
    frame = pd.DataFrame({**junk, "age": np.arange(rows) % 100.0, "income": np.arange(rows) % 10.0})
    dd.from_pandas(frame, npartitions=20).to_parquet(tmp_path / "wide")
    ignored = "".join(f"{name} = {{ ignore = true }}\n" for name in junk)
    schema = Schema("[target]\nname = 'income'\nrange = [0, 10]\n[columns]\nage = [0, 100]\n" + ignored)
    table = dd.read_parquet(tmp_path / "wide")
    y = {"own": None, "given": table["income"], "an array": frame["income"].to_numpy()}[target]
    features, targets = _dask._encoded(schema, table, y)
    expected = schema.encode(frame, with_target=True)
    assert np.array_equal(features.compute(), expected[0]) and np.array_equal(targets.compute(), expected[1])
    features, targets = _dask._arrays(table[["age"]], table["income"])
    assert np.array_equal(features.compute()[:, 0], frame["age"]) and np.array_equal(targets.compute(), frame["income"])


@pytest.mark.parametrize("target", ["own", "given", "an array"])
@pytest.mark.parametrize(("kind", "text"), [(PrivateLogisticRegression, CLASSES), (PrivateRidge, RANGE)])
def test_no_records_are_released_as_in_memory(kind, text, target):
    """What is needed comes from the schema. Seen to fail: a minimum of one row, in the collections and in a shard."""
    frame = _frame(300)
    if text is RANGE:
        frame["income"] = 5.0
    parts = dd.from_pandas(frame, npartitions=3)
    parts = parts[parts["gain"] < 0]
    memory = _fitted(_model(kind, text), frame.iloc[:0])
    if target == "own":
        elsewhere = _fitted(_model(kind, text), parts)
    else:
        y = parts["income"] if target == "given" else da.from_array(np.empty(0, dtype=object), chunks=-1)
        elsewhere = _fitted(_model(kind, text), parts.drop(columns="income"), y)
    _same(memory, elsewhere)


def test_an_empty_partition_changes_no_bit():
    frame = _frame(600).assign(part=np.arange(600) // 200)
    parts = dd.from_pandas(frame, npartitions=3)
    parts, kept = parts[parts["part"] != 1], frame[frame["part"] != 1]
    memory = _fitted(_model(), kept.drop(columns="part"))
    _same(memory, _fitted(_model(), parts.drop(columns="part")))
