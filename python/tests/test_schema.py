"""A table with a public schema goes in as it is, from pandas, polars and pyarrow alike, and neighbours differ
in the parameters only."""

import json
import pathlib
import pickle
import traceback
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from asap_dp import PrivateHuberRegressor, PrivateLogisticRegression, PrivateRidge, PublicStateWarning, Release, Schema, private_quantile, public
from asap_dp._replay import replay

TEXT = """
[target]
name = "income"
classes = ["<=50K", ">50K"]

[columns]
job = { levels = ["Sales", "Tech", "Rest"], other = "Rest" }
age = { range = [17, 90], missing = 40 }
married = ["True", "False"]
code = ["1", "2"]
id = { ignore = true }
"""
SECRET = "4711"


@pytest.fixture
def table():
    random = np.random.default_rng(5)
    n = 300
    frame = pandas.DataFrame({
        " age": random.integers(10, 100, n).astype(float),
        "job": random.choice(["Sales", " Tech ", "Farming", "?"], n),
        "married": random.random(n) < 0.5,
        "code": random.choice([1, 2, 3], n),
        "id": [f"patient {SECRET}{k}" for k in range(n)],
        "income": random.choice([" <=50K", ">50K"], n),
    })  # fmt: skip
    frame.loc[::9, " age"] = np.nan
    return frame


def fitted(table, y=None, text=TEXT, **more):
    with replay(11):
        return PrivateLogisticRegression(schema=Schema(text), epsilon=2.0, regulariser=2.0, allow_useless=True, **more).fit(table, y)


def test_every_table_gives_the_same_release(table):
    expected = fitted(table).release_
    category = table.astype({"job": "category", "income": "category", "code": "category"})
    text = table.astype({"job": "string", "code": "Int64", "income": object})
    holes = pyarrow.table({name: [None if cell != cell else cell for cell in table[name].tolist()] for name in table.columns})
    for same in [category, text, polars.from_arrow(holes), holes, polars.from_arrow(holes).with_columns(polars.col("job").cast(polars.Categorical))]:
        assert fitted(same).release_ == expected, type(same)
    # y beside the table, as scikit-learn has it, in any form.
    X, y = table.drop(columns=["income", "id"]), table["income"]
    for same in [y, y.tolist(), y.to_numpy(), y.astype("category"), polars.Series(y.tolist()), pyarrow.array(y.tolist())]:
        assert fitted(X, same).release_ == expected, type(same)
    assert expected.columns["target"] == {"name": "income", "kind": {"classes": {"classes": ["<=50K", ">50K"], "missing": None}}}
    assert Release.from_json(expected.to_json()).schema == Schema(TEXT)


def test_cells_become_what_the_schema_says(table):
    schema = Schema(TEXT)
    assert schema.parameter_names == ["age", "job=Sales", "job=Tech", "job=Rest", "married=True", "married=False", "code=1", "code=2"]
    features, targets = schema.encode(table, with_target=True)
    for row, numbers, target in zip(table.to_dict("records"), features, targets, strict=True):
        age = 40.0 if row[" age"] != row[" age"] else min(max(row[" age"], 17), 90)
        job = row["job"].strip()
        levels = [job == "Sales", job == "Tech", job not in ("Sales", "Tech"), row["married"], not row["married"], row["code"] == 1, row["code"] == 2]
        assert np.allclose(numbers, [2 * (age - 17) / 73 - 1, *levels])
        assert target == (1.0 if row["income"] == ">50K" else -1.0)


def test_predictions_are_those_of_the_release(table, tmp_path):
    model = fitted(table)
    new = table.drop(columns=["income", "id"])
    model.release_.save(tmp_path / "release.json")
    loaded = Release.load(tmp_path / "release.json")
    assert np.allclose(model.predict_proba(new)[:, 1], loaded.predict(new.assign(unknown=1)), rtol=0, atol=1e-12)
    assert list(model.classes_) == ["<=50K", ">50K"] == loaded.classes
    assert set(model.predict(new)) <= {"<=50K", ">50K"}
    assert pickle.loads(pickle.dumps(model)).release_ == loaded
    assert loaded.check().assumed and "own:schema" in dict(loaded.check().checked)
    with pytest.raises(ValueError, match="`job` is not a column"):
        model.predict(new.drop(columns="job"))


def test_a_number_is_predicted_in_its_own_units(table):
    text = TEXT.replace('classes = ["<=50K", ">50K"]', "range = [1, 3]").replace('name = "income"', 'name = "code"').replace('code = ["1", "2"]', "income = { ignore = true }")
    for kind in [PrivateRidge, PrivateHuberRegressor]:
        with replay(2):
            model = kind(schema=Schema(text), epsilon=1.0, allow_useless=True).fit(table)
        predicted = model.predict(table)
        assert ((1 <= predicted) & (predicted <= 3)).all() and np.array_equal(predicted, model.release_.predict(table))
        with pytest.raises(ValueError, match="a regressor a range"):
            kind(schema=Schema(TEXT), epsilon=1.0).fit(table)
    with pytest.raises(ValueError, match="a classifier needs classes"):
        PrivateLogisticRegression(schema=Schema(text), epsilon=1.0).fit(table)


def test_neighbours_differ_in_the_parameters_only(table):
    """A level that nobody has, a missing cell, a record less: of the release only theta and the digest differ."""

    def public_part(model):
        document = json.loads(model.release_.to_json())
        theta = document["certificate"].pop("theta")
        document.pop("digest")
        return json.dumps(document), len(theta), model.n_features_in_, list(model.feature_names_in_), list(model.classes_), repr(model.release_)

    seen, thetas = set(), []
    for column, cell in [("job", "Sales"), ("job", "Never heard of"), ("job", None), (" age", np.nan), (" age", 1e9), ("code", 7), (None, None)]:
        neighbour = table.copy()
        if column is None:
            neighbour = neighbour.iloc[1:]
        else:
            neighbour[column] = neighbour[column].astype(object)
            neighbour.loc[0, column] = cell
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", category=UserWarning)
            model = fitted(neighbour)
        seen.add(str(public_part(model)))
        thetas.append(tuple(model.release_.theta))
    assert len(seen) == 1 and len(set(thetas)) > 1


@pytest.mark.parametrize(
    "column, cell, text",
    [
        (" age", f"patient {SECRET}", "record 4, column `age`: must be a finite number"),
        (" age", float("inf"), "record 4, column `age`: must be a finite number"),
        ("income", SECRET, "record 4, column `income`: not one of the schema's classes"),
        ("income", None, "record 4, column `income`: the cell is missing"),
    ],
)
def test_bad_cells_are_refused_by_their_place(table, column, cell, text):
    table[column] = table[column].astype(object)
    table.loc[3, column] = cell
    with pytest.raises(ValueError, match=text) as refused:
        fitted(table)
    assert SECRET not in "".join(traceback.format_exception(refused.value)) and refused.value.__context__ is None


def test_a_schema_is_whole(table):
    with pytest.raises(ValueError, match="column `extra` has no entry"):
        fitted(table.assign(extra=1))
    with pytest.raises(ValueError, match="`job` is not a column"):
        fitted(table.drop(columns="job"))
    with pytest.raises(ValueError, match="target `income` is not a column"):
        fitted(table.drop(columns="income"))
    with pytest.raises(TypeError, match="a table with named columns"):
        fitted(np.ones((4, 3)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"schema, line 8: \"age\": must be a range"):
        Schema(TEXT.replace("job = {", "#").replace("age = { range = [17, 90]", "age = { range = [90, 17]"))
    with pytest.raises(ValueError, match="Schema.from_toml"):
        PrivateLogisticRegression(schema=TEXT, epsilon=1.0).fit(table)
    with pytest.raises(ValueError, match="the schema says what stands for missing"):
        fitted(table, missing=0.0)


def test_no_records_are_a_data_set(table):
    model = fitted(table.iloc[:0])
    assert model.release_.is_private is False and len(model.predict(table.iloc[:0])) == 0
    with replay(1):
        plain = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=2.0, classes=[0, 1], allow_useless=True).fit(np.empty((0, 2)), [])
    assert len(plain.release_.theta) == 3


def test_a_missing_number_needs_a_public_value(rows, classes):
    holes = rows.copy()
    holes[::5, 1] = np.nan
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, allow_useless=True)
    with pytest.raises(ValueError, match="Input X contains NaN: a missing cell needs a public value") as refused:
        model.fit(holes, classes)
    assert "HistGradient" not in str(refused.value)
    filled = np.where(np.isnan(holes), 0.25, holes)
    with replay(3):
        expected = model.fit(filled, classes).release_.theta
    with replay(3):
        told = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, allow_useless=True, missing=0.25).fit(holes, classes)
    assert np.array_equal(told.release_.theta, expected) and np.array_equal(told.predict(holes), told.predict(filled))
    assert told.release_.columns["features"][1] == {"name": "x1", "kind": {"plain": {"missing": 0.25}}}
    with pytest.raises(ValueError, match="contains infinity"):
        told.fit(np.where(np.isnan(holes), np.inf, holes), classes)
    for bad in ["0", float("nan"), True]:
        with pytest.raises(ValueError, match="missing must be a finite number"):
            PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, missing=bad).fit(rows, classes)


def test_no_error_counts_the_records():
    """y with two columns, no columns, a ragged list, a quantile of a table: none of the texts states how
    many records there are."""
    n = 4711
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0)
    for attempt in [
        lambda: model.fit(np.ones((n, 1)), np.ones((n, 2))),
        lambda: model.fit(np.ones((n, 0)), np.ones(n)),
        lambda: model.fit([[1.0]] * (n - 1) + [[1.0, 2.0]], [0] * n),
        lambda: model.fit(np.ones(n), np.ones(n)),
        lambda: model.fit(np.ones((n, 1)), np.ones(n + 1)),
        lambda: private_quantile([[1.0]] * (n - 1) + [[1.0, 2.0]], [0.0, 1.0], 0.5, 1.0),
        lambda: private_quantile(np.ones((n, 0)), [0.0, 1.0], 0.5, 1.0),
        lambda: private_quantile(np.ones((n, 2)), [0.0, 1.0], 0.5, 1.0),
        lambda: private_quantile(np.full(n, np.nan), [0.0, 1.0], 0.5, 1.0),
    ]:
        with pytest.raises(ValueError) as refused:
            attempt()
        assert "4711" not in str(refused.value) and "4712" not in str(refused.value) and "4710" not in str(refused.value), refused.value


def test_a_fit_is_entered_into_the_ledger(table, tmp_path):
    path = tmp_path / "ledger.json"
    path.write_text('{"asap_ledger": 1, "total": {"pure": 1.0}, "neighbours": "add-remove", "events": []}', encoding="utf-8")

    def model(epsilon, **more):
        return PrivateLogisticRegression(schema=Schema(TEXT), epsilon=epsilon, allow_useless=True, ledger=path, **more)

    first = model(0.75).fit(table)
    started, released = json.loads(path.read_text(encoding="utf-8"))["events"]
    assert started["started"]["spent"] == {"pure": 0.75} and released["released"]["digest"] == json.loads(first.release_.to_json())["digest"]
    before = path.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="ledger: .*more than its total would be spent; nothing was drawn"):
        model(0.5).fit(table)
    with pytest.raises(ValueError, match="ledger: .*other neighbours"):
        model(0.1, neighbours="replace-one").fit(table)
    # A bad cell is refused before anything is spent, and a replayed fit spends nothing.
    with pytest.raises(ValueError, match="not one of the schema's classes"):
        model(0.1).fit(table.assign(income="other"))
    with replay(1):
        model(0.1).fit(table)
    assert path.read_text(encoding="utf-8") == before
    with pytest.raises(ValueError, match="ledger: .*cannot be read"):
        PrivateLogisticRegression(schema=Schema(TEXT), epsilon=0.1, ledger=tmp_path / "none.json").fit(table)


def test_a_step_that_learned_is_warned_of(rows, classes):
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, allow_useless=True)
    with pytest.warns(PublicStateWarning, match="standardscaler.*mean_"):
        make_pipeline(StandardScaler(), model).fit(rows, classes)
    silent = [
        make_pipeline(FunctionTransformer(np.tanh), model),
        make_pipeline(OneHotEncoder(categories=[[0, 1]] * 3, handle_unknown="ignore"), FunctionTransformer(lambda X: X.toarray()), model),
        make_pipeline(public(MinMaxScaler()), model),
    ]
    for pipeline in silent:
        with warnings.catch_warnings():
            warnings.simplefilter("error", category=PublicStateWarning)
            pipeline.fit(np.round(np.abs(rows)) % 2, classes)


def test_adult_in_five_lines():
    data = pathlib.Path(__file__).resolve().parents[2] / "../shared/data/adult.csv"
    if not data.exists():
        pytest.skip("adult.csv is not there")
    schema = Schema.from_toml(pathlib.Path(__file__).resolve().parents[2] / "docs/adult-schema.toml")
    table = pandas.read_csv(data)
    model = PrivateLogisticRegression(schema=schema, epsilon=1.0, expected_rows=25_000).fit(table.iloc[::2])
    accuracy = (model.predict(table.iloc[1::2]) == table.iloc[1::2][" income"].str.strip()).mean()
    assert accuracy > 0.82 and model.release_.check()


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_number_that_is_written_as_a_mark_is_missing(kind):
    """In a table of numbers as in one of texts, which is read as a file is. Seen to fail: numbers that no mark was
    looked for in, so that -999 was the lower end."""
    schema = Schema('''
        missing_marks = ["", "-999", "9.5"]
        target = { name = "y", range = [0, 10], missing = 5 }
        columns.age = { range = [0, 100], missing = 50 }
        columns.code = { levels = ["1", "2"], missing = "2" }
    ''')
    cells = {"age": [-999.0, 9.5, 20.0], "code": [1.0, -999.0, 9.0], "y": [1.0, -999.0, 9.5]}
    texts = {"age": ["-999", "9.5", "20"], "code": ["1", "-999", "9"], "y": ["1", "-999", "9.5"]}
    found, expected = (schema.encode(kind(table), with_target=True) for table in (cells, texts))
    assert np.array_equal(expected[0], [[0, 1, 0], [0, 0, 1], [-0.6, 0, 0]]) and np.array_equal(expected[1], [-0.8, 0, 0])
    assert np.array_equal(found[0], expected[0]) and np.array_equal(found[1], expected[1])


def test_a_record_in_the_place_of_names_is_not_quoted(table):
    """A file without a header, read as if it had one. Seen to fail: the first column without an entry was quoted."""
    without = pandas.DataFrame([["Tech", 55]], columns=["Sales", "4711"])
    with pytest.raises(ValueError, match="must name the columns") as told:
        PrivateLogisticRegression(schema=Schema(TEXT), epsilon=1.0).fit(without)
    assert not any(cell in str(told.value) for cell in ("Sales", "4711"))
