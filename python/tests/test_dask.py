"""Fits on Dask collections: the bits of a fit in memory, with workers that die, and nothing but sums on the client."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
import warnings

import numpy as np
import pytest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402

from asap_dp import PrivateHuberRegressor, PrivateLogisticRegression, PrivateRidge, _dask, _native  # noqa: E402
from asap_dp._replay import replay  # noqa: E402

ROWS, COLUMNS = 5_003, 4


def _data(rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, COLUMNS)) / 2
    return X, X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=rows) / 4


MODELS = {
    "logistic": lambda **more: PrivateLogisticRegression(epsilon=1.0, regulariser=20.0, feature_bound=1.5, max_rows=100_000, **more),
    "ridge": lambda **more: PrivateRidge(mu=1.0, regulariser=20.0, feature_bound=1.5, max_rows=100_000, target_bound=2.0, parameter_bound=2.0, allow_useless=True, **more),
    "huber": lambda **more: PrivateHuberRegressor(epsilon=1.0, regulariser=20.0, feature_bound=1.5, max_rows=100_000, target_bound=2.0, delta=0.5, **more),
}


def _targets(name: str, scores: np.ndarray) -> np.ndarray:
    return np.where(scores > 0, "yes", "no") if name == "logistic" else scores


def _fitted(model, X, y):
    with replay(7):
        return model.fit(X, y)


def _same(one, other) -> None:
    assert one.release_.theta.tobytes() == other.release_.theta.tobytes()
    assert one.release_.certificate == other.release_.certificate


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("mechanism", ["auto", "output", "objective", "noisy-gradient", "posterior"])
def test_threads_give_the_bits_of_memory(name, mechanism):
    X, scores = _data()
    y = _targets(name, scores)
    memory = _fitted(MODELS[name](mechanism=mechanism), X, y)
    chunked = _fitted(MODELS[name](mechanism=mechanism), da.from_array(X, chunks=(1_111, 3)), da.from_array(y, chunks=700))
    _same(memory, chunked)
    if name == "logistic":
        assert list(chunked.classes_) == ["no", "yes"]


@pytest.mark.parametrize("name", MODELS)
def test_a_cluster_gives_the_bits_of_memory(client, name):
    X, scores = _data()
    y = _targets(name, scores)
    memory = _fitted(MODELS[name](), X, y)
    _same(memory, _fitted(MODELS[name](), da.from_array(X, chunks=(1_000, COLUMNS)), da.from_array(y, chunks=1_000)))


def test_a_frame_has_names_and_lengths_that_are_counted(client):
    X, scores = _data()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(score=scores)
    parts = dd.from_pandas(frame, npartitions=7)
    parts = parts[parts.a < 1.0]
    kept = frame[frame.a < 1.0]
    memory = _fitted(MODELS["ridge"](), kept[list("abcd")], kept["score"])
    elsewhere = _fitted(MODELS["ridge"](), parts[list("abcd")], parts["score"])
    _same(memory, elsewhere)
    assert elsewhere.release_.columns == memory.release_.columns
    assert list(elsewhere.feature_names_in_) == list("abcd")
    # Arrays of unknown length.
    _same(
        _fitted(MODELS["ridge"](), kept[list("abcd")].to_numpy(), kept["score"].to_numpy()),
        _fitted(MODELS["ridge"](), parts[list("abcd")].values, parts["score"].values),
    )


def test_numbered_columns_have_no_names(client):
    """As scikit-learn takes them; a mixture is refused with its words."""
    X, scores = _data(600)
    frame = dd.from_pandas(pd.DataFrame(X).assign(score=scores), npartitions=2)
    fitted = _fitted(MODELS["ridge"](), frame[[0, 1, 2, 3]], frame["score"])
    assert not hasattr(fitted, "feature_names_in_") and fitted.release_.columns is None
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        MODELS["ridge"]().fit(frame, frame["score"])


def test_the_client_of_the_fit_is_the_one_that_is_current_where_it_was_called():
    """Questions are asked in another thread, where the latest client is the current one."""
    X, scores = _data(600)
    local = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0", "set_as_default": True}
    memory = _fitted(MODELS["ridge"](), X, scores)
    with distributed.Client(**local) as first, distributed.Client(**local) as latest, first.as_current():
        elsewhere = _fitted(MODELS["ridge"](), da.from_array(X, chunks=300), da.from_array(scores, chunks=300))
        assert not latest.futures
    _same(memory, elsewhere)


def _broken(block):
    raise LookupError("patient 4711")


@pytest.mark.parametrize("where", ["cluster", "threads"])
def test_an_error_of_the_source_is_not_quoted(request, where):
    """What the user's own graph raises may quote a cell, on a worker and where there is none. Seen to fail: shards that
    are made outside of `without_values`."""
    if where == "cluster":
        request.getfixturevalue("client")
    X, scores = _data(600)
    X = da.from_array(X, chunks=(300, COLUMNS)).map_blocks(_broken, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(RuntimeError, match="cannot be read: LookupError") as told:
        MODELS["ridge"]().fit(X, da.from_array(scores, chunks=300))
    assert "4711" not in "".join(traceback.format_exception(told.value))


def _slowly(shard, request):
    time.sleep(0.1)
    return _dask.answer_of(shard, request)


def test_a_worker_that_dies_changes_no_bit(client, kill_a_worker, monkeypatch):
    """One of the two processes is killed between two passes, with the shards that it holds, and
    another one during a pass."""
    X, scores = _data()
    memory = _fitted(MODELS["logistic"](mechanism="objective"), X, scores > 0)
    pass_on, rounds, killed = _dask._asked, [], []

    def kill_one() -> None:
        killed.append(kill_a_worker(client))

    def asked(function, arguments, client):
        if function is _dask.answer_of:
            rounds.append(len(arguments))
            if len(rounds) == 2:
                kill_one()
            if len(rounds) == 4:
                # 20 shards of a tenth of a second each: it is in the middle then.
                killer = threading.Timer(0.3, kill_one)
                killer.start()
                try:
                    return pass_on(_slowly, arguments, client)
                finally:
                    killer.join()
        return pass_on(function, arguments, client)

    monkeypatch.setattr(_dask, "_asked", asked)
    features, targets = da.from_array(X, chunks=(1_000, COLUMNS)), da.from_array(scores > 0, chunks=1_000)
    elsewhere = _fitted(MODELS["logistic"](mechanism="objective"), features, targets)
    assert len(set(killed)) == 2 and len(rounds) > 4 and max(rounds) == 20
    _same(memory, elsewhere)


def test_nothing_but_sums_comes_to_the_client(monkeypatch):
    """What the client receives does not grow with the rows."""

    def received(rows: int) -> tuple[int, int]:
        X, scores = _data(rows)
        sizes, asked = [], _dask._asked

        def noted(function, arguments, client):
            answers = asked(function, arguments, client)
            sizes.append(sum(map(len, answers)))
            return answers

        with monkeypatch.context() as patch:
            patch.setattr(_dask, "_asked", noted)
            _fitted(MODELS["ridge"](mechanism="output"), da.from_array(X, chunks=(10_000, COLUMNS)), da.from_array(scores, chunks=10_000))
        return max(sizes), len(sizes)

    # 64 chunks in both cases, of 256 and of 1024 rows.
    assert received(16_384) == received(65_536)


def test_shards_that_moved_are_the_same():
    X, scores = _data(512)
    shard = _dask.make_shard(X, scores, 0, MODELS["ridge"]()._settings(), None)
    moved = pickle.loads(pickle.dumps(shard))
    assert moved._held.to_bytes() == shard._held.to_bytes() and _dask.card_of(moved) == _dask.card_of(shard)
    assert shard.__sizeof__() >= X.nbytes


def test_ctrl_c_ends_a_fit_between_two_passes(monkeypatch):
    """A real signal, sent in the middle of the third of some hundred passes: a few more are made until it is
    noticed, not all of them."""
    X, scores = _data(600)
    model = PrivateLogisticRegression(mu=100.0, feature_bound=10.0, regulariser=1e-6, mechanism="noisy-gradient", expected_rows=10_000_000)
    planned = model.plan(COLUMNS, 10_000_000).loc["noisy-gradient", "passes"]
    pass_on, rounds = _dask._asked, []

    def asked(function, arguments, client):
        answers = pass_on(function, arguments, client)
        if function is _dask.answer_of:
            rounds.append(len(arguments))
            if len(rounds) == 3:
                os.kill(os.getpid(), signal.SIGINT)
            if len(rounds) >= 3:
                # The main thread looks for signals fifty times a second.
                time.sleep(0.2)
            assert len(rounds) < 100
        return answers

    monkeypatch.setattr(_dask, "_asked", asked)
    # Whoever started the tests may have had it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(da.from_array(X, chunks=300), da.from_array(scores > 0, chunks=300))
    finally:
        signal.signal(signal.SIGINT, before)
    assert planned > 100 and 3 <= len(rounds) < 50 and not hasattr(model, "release_")


@pytest.mark.parametrize("broken", ["raises", "lost", "garbage", "other"])
def test_an_answer_that_is_none_releases_nothing(monkeypatch, broken):
    X, scores = _data()
    asked, seen = _dask._asked, []

    def meddled(function, arguments, client):
        answers = asked(function, arguments, client)
        if function is _dask.answer_of:
            seen.append(answers)
            if len(seen) == 3:
                if broken == "raises":
                    raise OSError("the text of a transport")
                answers = {"lost": answers[:-1], "garbage": [*answers[:-1], b"x"], "other": seen[1]}[broken]
        return answers

    monkeypatch.setattr(_dask, "_asked", meddled)
    model = MODELS["logistic"](mechanism="objective")
    with pytest.raises(RuntimeError, match="nothing is released, and the budget counts as spent") as told:
        _fitted(model, da.from_array(X, chunks=1_000), da.from_array(scores > 0, chunks=1_000))
    assert "transport" not in str(told.value)
    assert not hasattr(model, "release_")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X.ravel(), y), "dimension other than 2"),
        (lambda X, y: (da.where(X > 1.0, np.nan, X), y), "Input X contains NaN"),
        (lambda X, y: (X, da.where(y > 0.5, np.inf, y)), "Input y contains infinity"),
    ],
)
def test_what_is_wrong_is_told_without_values(change, text):
    X, scores = _data()
    with pytest.raises(ValueError, match=text):
        MODELS["ridge"]().fit(*change(da.from_array(X, chunks=1_000), da.from_array(scores, chunks=1_000)))


def test_classes_are_checked():
    X, scores = _data()
    X = da.from_array(X, chunks=1_000)
    for y, text in [(scores > -100, "only one class"), (np.arange(ROWS) % 3, "Only binary")]:
        with pytest.raises(ValueError, match=text):
            MODELS["logistic"]().fit(X, da.from_array(y, chunks=1_000))
    with pytest.raises(ValueError, match="not one of `classes`"):
        MODELS["logistic"](classes=[0, 1]).fit(X, da.from_array(np.arange(ROWS) % 3, chunks=1_000))
    # Declared, one class is a data set like any other.
    one = MODELS["logistic"](classes=["b", "a"]).fit(X, da.from_array(np.full(ROWS, "a"), chunks=1_000))
    assert list(one.classes_) == ["a", "b"]


def test_a_request_of_any_bytes_is_refused_without_a_crash():
    X, scores = _data(512)
    held = _native.Shard(X, scores, MODELS["ridge"]()._settings(), 0)
    for request in [b"", b"x" * 7, bytes(800), held.card(), held.to_bytes()]:
        with pytest.raises(ValueError, match="request must be"):
            held.answer(request)


@pytest.mark.parametrize("mechanism", ["objective", "output", "posterior", "noisy-gradient"])
def test_the_noise_of_every_fit_is_its_own(mechanism):
    """Seen red: ``fit_shards`` with a generator of a constant key, which the release calls secure."""
    X, scores = _data()
    X, y = da.from_array(X, chunks=(1000, COLUMNS)), da.from_array(_targets("logistic", scores), chunks=1000)
    model = MODELS["logistic"](classes=["no", "yes"], mechanism=mechanism, allow_useless=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = [model.fit(X, y).release_ for _ in range(3)]
    assert all(release.is_private for release in drawn)
    assert len({value for release in drawn for value in release.theta}) == 3 * len(drawn[0].theta)


def _without_rows() -> dict[str, tuple]:
    """Features and targets of no records: one block, several, and partitions that lose all their rows. (Dask has no
    table without any partition.)"""
    X, scores = _data(600)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")).assign(score=scores), npartitions=3)
    lost = frame[frame.a > 1e9]
    arrays = (da.zeros((0, COLUMNS)), da.zeros(0))
    blocks = (da.concatenate([arrays[0], arrays[0]]), da.concatenate([arrays[1], arrays[1]]))
    return {
        "arrays": arrays,
        "blocks": blocks,
        "lost": (lost[list("abcd")], lost["score"]),
        "lost, as arrays": (lost[list("abcd")].values, lost["score"].values),
    }


@pytest.mark.parametrize("how", ["arrays", "blocks", "lost", "lost, as arrays"])
@pytest.mark.parametrize("name", MODELS)
def test_no_records_are_released_like_any_others(name, how):
    """No records are a neighbour of one record: a refusal would tell them apart. Seen to fail: a minimum of one row, in
    the collections and in a shard; no shard where there is no row."""
    X, y = _without_rows()[how]
    more = {"classes": [0.0, 1.0]} if name == "logistic" else {}
    memory = _fitted(MODELS[name](**more), np.empty((0, COLUMNS)), np.empty(0))
    _same(memory, _fitted(MODELS[name](**more), X, y))


def test_a_cluster_releases_no_records(client):
    X, y = _without_rows()["lost"]
    _same(_fitted(MODELS["ridge"](), np.empty((0, COLUMNS)), np.empty(0)), _fitted(MODELS["ridge"](), X, y))


def test_a_block_without_rows_is_as_if_it_were_not_there():
    """Also where the labels are looked at. Seen to fail: `check_array` of every block of labels, with
    its minimum of one row."""
    X, scores = _data(600)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=scores > 0, part=np.arange(600) // 200)
    parts = dd.from_pandas(frame, npartitions=3)
    parts, kept = parts[parts.part != 1], frame[frame.part != 1]
    assert 0 in [len(part) for part in dask.compute(*parts.to_delayed())]
    memory = _fitted(MODELS["logistic"](), kept[list("abcd")].to_numpy(), kept["label"].to_numpy())
    elsewhere = _fitted(MODELS["logistic"](), parts[list("abcd")].values, parts["label"].values)
    _same(memory, elsewhere)
    assert elsewhere.classes_.dtype == memory.classes_.dtype
