"""Scores, counts and splits: what the command line says, from Python. Laws and intervals are tested in Rust."""

import json
import pathlib
import pickle
import subprocess
import traceback

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from asap_dp import Answer, BudgetWarning, PredictedUselessScore, PrivateLogisticRegression, PrivateRidge, Schema, count, private_quantile, split
from asap_dp._replay import replay

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEDGER = '{"asap_ledger": 1, "total": {"pure": %s}, "neighbours": "add-remove", "events": []}'


@pytest.fixture
def model(rows, classes):
    with replay(1):
        return PrivateLogisticRegression(epsilon=5.0, feature_bound=2.0, expected_rows=400).fit(rows, classes)


@pytest.fixture
def table():
    random = np.random.default_rng(5)
    n = 900
    made = pandas.DataFrame({"who": random.integers(0, 300, n), "age": random.integers(20, 90, n), "ward": random.choice(["a", "b"], n)})
    made["ill"] = np.where(made["age"] + random.normal(0, 10, n) > 55, "yes", "no")
    return made


SCHEMA = Schema("""
[target]
name = "ill"
classes = ["no", "yes"]
[columns]
age = [20, 90]
ward = ["a", "b"]
""")


def test_a_score_counts_what_the_model_predicts(model, rows, classes):
    """At a budget beyond all doubt the confusion matrix is that of the predictions, for any labels and any table."""
    expected = [[np.sum((classes == a) & (model.predict(rows) == b)) for b in (0, 1)] for a in (0, 1)]
    for X in [rows, np.asfortranarray(rows), rows.tolist()]:
        score = model.score_private(X, classes, epsilon=1e9)
        assert (score.confusion == expected).all()
    assert score.metrics["accuracy"].value == pytest.approx(np.mean(model.predict(rows) == classes))
    low, high = score.metrics["accuracy"][1:]
    assert low < score.metrics["accuracy"].value < high
    curve = model.score_private(rows, classes, epsilon=1e9, bins=10)
    assert len(curve.calibration) == 10 and 0.5 < curve.metrics["auc"].value <= 1 and len(curve.curve) == 9


def test_errors_of_a_regression(rows, targets):
    model = PrivateRidge(epsilon=5.0, feature_bound=2.0, target_bound=2.0, regulariser=20.0, parameter_bound=2.0, allow_useless=True).fit(rows, targets)
    score = model.score_private(rows, targets, mu=1e6)
    error = np.abs(model.predict(rows) - targets).mean()
    assert score.metrics["mean_absolute"].value == pytest.approx(error, abs=1e-4)
    assert score.guarantee == ("mu", 1e6) and "r_squared" in score.metrics
    with pytest.raises(AttributeError, match="classifier"):
        score.confusion


def test_a_schema_and_persons(table):
    fit = table.drop(columns="who")
    model = PrivateLogisticRegression(epsilon=5.0, schema=SCHEMA, expected_rows=900).fit(fit)
    whole = model.score_private(fit, epsilon=1e9)
    assert whole.confusion.sum() == 900 and whole.statement["rows_per_person"] == 1
    first = model.score_private(table, epsilon=1e9, person="who", rows_per_person=2)
    kept = table.groupby("who").head(2)
    assert first.confusion.sum() == len(kept) < 900
    expected = [[np.sum((kept["ill"] == a) & (model.predict(kept.drop(columns="who")) == b)) for b in ("no", "yes")] for a in ("no", "yes")]
    assert (first.confusion == expected).all()
    as_list = model.score_private(fit, epsilon=1e9, person=table["who"].tolist(), rows_per_person=2)
    assert (as_list.confusion == first.confusion).all()
    # The noise is that of a person.
    noise = model.score_private(fit, epsilon=1.0, rows_per_person=7).statement["mechanism"]["cells"]["noise"]
    assert noise == {"discrete-laplace": {"exponent": 0, "numerator": 7, "denominator": 1}}
    with pytest.raises(ValueError, match="needs rows_per_person"):
        model.score_private(fit, epsilon=1.0, person=table["who"])


def test_an_answer_is_entered_checked_and_read_again(model, rows, classes, tmp_path):
    ledger = tmp_path / "ledger.json"
    ledger.write_text(LEDGER % 1.0, encoding="utf-8")
    score = model.score_private(rows, classes, epsilon=0.5, ledger=ledger)
    assert len(score.check().checked) == 13 and score.is_private
    assert score.statement["question"]["classes"]["model"] == {"release": model.release_.digest, "rows": "unseen"}
    counted = count(rows, epsilon=0.25, ledger=str(ledger))
    assert counted.value >= 0 and counted.metrics["rows"].low <= counted.value <= counted.metrics["rows"].high
    quantile = private_quantile(rows[:, 0], [-1.0, 0.0, 1.0], q=0.5, epsilon=0.25, ledger=ledger)
    events = json.loads(ledger.read_text(encoding="utf-8"))["events"]
    assert [event["released"]["digest"] for event in events if "released" in event] == [score.digest, counted.digest, quantile.digest]
    with pytest.raises(ValueError, match="more than its total"):
        count(rows, epsilon=0.1, ledger=ledger)
    score.save(tmp_path / "score.json")
    again = Answer.load(tmp_path / "score.json")
    assert again == score == pickle.loads(pickle.dumps(score)) and hash(again) == hash(score)
    assert "accuracy" in repr(score) and "<table>" in score._repr_html_()
    with pytest.raises(ValueError):
        Answer("{}")
    with pytest.raises(AttributeError, match="several numbers"):
        score.value
    with pytest.raises(ValueError, match="noise of the cells"):
        Answer(score.to_json().replace('"rows_per_person": 1', '"rows_per_person": 2')).check()
    with replay(3):
        known = count(rows, epsilon=1.0, ledger=ledger)
        assert not known.is_private and "NOT PRIVATE" in repr(known) and known == count(rows, epsilon=1.0)


def test_rows_of_the_fit_are_noticed(rows, classes, tmp_path):
    """Sabotage: no look into the ledger. Then nothing is said."""
    ledger = tmp_path / "ledger.json"
    ledger.write_text(LEDGER % 9.0, encoding="utf-8")
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=2.0, expected_rows=400, ledger=ledger, allow_useless=True).fit(rows, classes)
    with pytest.warns(BudgetWarning, match="fitted to its records"):
        model.score_private(rows, classes, epsilon=1.0, ledger=ledger)
    score = model.score_private(rows, classes, epsilon=1.0, ledger=ledger, seen=True)
    assert score.statement["question"]["classes"]["model"]["rows"] == "seen"
    assert any("flatters" in why for _, why in score.check().assumed)


def test_a_plan_comes_first(model, rows, classes, tmp_path):
    plan = model.plan_score(6500, epsilon=0.1)
    assert 0.012 < plan["within"] < 0.014 and 300 < plan["useless_below_rows"] < 400
    ledger = tmp_path / "ledger.json"
    ledger.write_text(LEDGER % 1.0, encoding="utf-8")
    with pytest.raises(PredictedUselessScore, match="Nothing was spent"):
        model.score_private(rows, classes, epsilon=0.1, expected_rows=200, ledger=ledger)
    assert json.loads(ledger.read_text(encoding="utf-8"))["events"] == []
    with pytest.warns(UserWarning, match="at best"):
        model.score_private(rows, classes, epsilon=0.1, expected_rows=200, allow_useless=True)


def test_what_is_refused_is_named_and_not_quoted(model, rows, classes):
    labels = np.where(classes == 1, "yes", "patient 4711")
    for changed, text in [
        ({"y": labels}, "not one of the classes"), ({"epsilon": None}, "exactly one"), ({"mu": 1.0}, "exactly one"), ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": True}, "epsilon must be"), ({"bins": 3}, "bins must be"), ({"bins": 0}, "bins must be"), ({"largest_error": 1.0}, "largest error must be"),
        ({"neighbours": "swap"}, "neighbours must be"), ({"X": np.where(rows > 9, rows, np.nan)}, "contains NaN"), ({"X": rows[:, :2]}, "features"),
        ({"rows_per_person": -1}, "rows_per_person must be"), ({"seen": 1}, "seen must be"), ({"ledger": "no-such-file"}, "ledger: "),
    ]:  # fmt: skip
        arguments = {"X": rows, "y": classes, "epsilon": 1.0, **changed}
        with pytest.raises(ValueError, match=text) as refused:
            model.score_private(arguments.pop("X"), arguments.pop("y"), **arguments)
        assert "4711" not in "".join(traceback.format_exception(refused.value))


def test_a_person_is_on_one_side_and_a_row_more_moves_no_other(table):
    for made, ids in [
        (table, lambda part: set(part["who"])),
        (polars.from_pandas(table), lambda part: set(part["who"].to_list())),
        (pyarrow.Table.from_pandas(table), lambda part: set(part.column("who").to_pylist())),
    ]:
        train, test = split(made, test=0.3, person="who", key="public")
        assert type(train) is type(made) and len(train) + len(test) == 900
        assert ids(train).isdisjoint(ids(test)) and 0.2 < len(ids(test)) / 300 < 0.4
    assert ids(test) == set(split(table, 0.3, person=table["who"].to_numpy(), key="public")[1]["who"])
    by_row = split(table, 0.3, key="public")
    more = split(pandas.concat([table.iloc[:100], table.iloc[:1].assign(age=21), table.iloc[100:]]), 0.3, key="public")
    assert set(by_row[0].index) <= set(more[0].index) and set(by_row[1].index) <= set(more[1].index)
    fresh = [tuple(split(table, 0.3)[1].index) for _ in range(2)]
    assert fresh[0] != fresh[1]
    array = np.arange(60.0).reshape(20, 3)
    assert sorted(np.concatenate(split(array, 0.5))[:, 0]) == list(array[:, 0])
    for bad in [0, 1, "half", float("nan"), True]:
        with pytest.raises(ValueError, match="test must be"):
            split(table, bad)
    with pytest.raises(ValueError, match="person"):
        split(table, person="patient")


def test_a_split_is_that_of_the_command_line(table, tmp_path):
    binary = next((path for path in (ROOT / "target/debug/asap", ROOT / "target/release/asap") if path.exists()), None)
    if binary is None:
        pytest.skip("no binary asap: cargo build")
    table.to_csv(tmp_path / "all.csv", index=False)
    for flags, options in [([], {}), (["--person", "who"], {"person": "who"})]:
        out = [tmp_path / "train.csv", tmp_path / "test.csv"]
        command = [binary, "split", tmp_path / "all.csv", "--test", "0.4", "--key", "k", "--force", "--out", *out, *flags]
        subprocess.run(command, check=True, capture_output=True)
        for part, path in zip(split(table, 0.4, key="k", **options), out, strict=True):
            assert part.reset_index(drop=True).equals(pandas.read_csv(path))
