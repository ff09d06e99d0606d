"""The release: JSON, check, notebook view; the plan: table and picture."""

import copy
import json
import sys

import matplotlib
import numpy as np
import pytest

from asap_dp import PrivateHuberRegressor, PrivateLogisticRegression, PrivateRidge, Release

matplotlib.use("Agg")


@pytest.fixture
def model(rows, classes):
    return PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=20.0).fit(rows, classes)


def test_a_release_reads_back_bit_for_bit_and_checks(model, tmp_path):
    release = model.release_
    verdict = release.check()
    assert len(verdict.checked) > 15 and len(verdict.assumed) >= 1 and "clauses hold" in repr(verdict)
    release.save(tmp_path / "release.json")
    assert Release.load(tmp_path / "release.json") == release == Release.from_json(release.to_json()) == copy.deepcopy(release)
    assert hash(copy.copy(release)) == hash(release)
    assert np.array_equal(release.theta[:-1], model.coef_[0]) and release.theta[-1] == model.intercept_[0]
    assert json.loads(release.to_json())["certificate"] == release.certificate


@pytest.mark.parametrize("path, value", [(("theta", 0), 0.5), (("problem", "regulariser"), 21.0), (("ledger", "total"), {"pure": 0.5})])
def test_an_edit_is_seen(model, path, value):
    document = json.loads(model.release_.to_json())
    place = document["certificate"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    edited = Release(json.dumps(document))
    with pytest.raises(ValueError, match="does not hold"):
        edited.check()
    assert "DOES NOT HOLD" in edited._repr_html_()


def test_what_is_no_release_is_refused_without_quoting_it():
    with pytest.raises(ValueError, match="not a release") as refused:
        Release('{"patient": 4711}')
    assert "4711" not in str(refused.value)


def test_the_notebook_view_is_a_table_and_escapes_names(rows, classes):
    import pandas

    table = pandas.DataFrame(rows, columns=["<script>", "b", "c"])
    model = PrivateLogisticRegression(mu=1.0, feature_bound=1.5, regulariser=20.0).fit(table, classes)
    view = model.release_._repr_html_()
    assert "<script>" not in view and "&lt;script&gt;" in view
    for expected in ["μ = 1, δ = 0", "clauses hold", model.release_.mechanism, "1.5", f"{model.coef_[0, 0]:.6g}", "intercept"]:
        assert expected in view
    assert view.count("<tr>") > 15 and "holds" in model.release_.check()._repr_html_()


def test_the_notebook_view_shows_what_a_file_was_prepared_with(model, rows, targets):
    """A release has a public schema, and its texts are as little to be trusted."""
    document = json.loads(model.release_.to_json())
    number = {"range": [0.0, 12.5], "scale": "[-1,1]", "log": False, "missing": 5.0}
    document["columns"] = {
        "marks": ["?"], "ignored": [],
        "features": [
            {"name": "<b>", "kind": {"number": number}},
            {"name": "ward", "kind": {"levels": {"levels": ["<u>north</u>", "south"], "other": None, "missing": None}}},
        ],
        "target": {"name": "ill", "kind": {"classes": {"classes": ["no", "<i>yes</i>"], "missing": None}}},
    }  # fmt: skip
    view = Release(json.dumps(document))._repr_html_()
    for expected in ["column &lt;b&gt;", "[0.0, 12.5]", "&lt;u&gt;north", "target ill", "&lt;i&gt;yes&lt;/i&gt;"]:
        assert expected in view
    assert "<b>" not in view and "<i>" not in view
    huber = PrivateHuberRegressor(epsilon=1.0, feature_bound=1.0, target_bound=1.0, delta=0.25).fit(rows, targets)
    assert "linear beyond a residual of 0.25" in huber.release_._repr_html_()


def test_the_plan_is_a_table_and_tells_what_will_learn(rows, classes):
    estimator = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=20.0)
    table = estimator.plan(n_features=3, n_rows=400)
    assert list(table.index) == ["objective", "noisy-gradient", "posterior", "output"] and table["chosen"].sum() == 1
    chosen = table.index[table["chosen"]][0]
    assert (1 - table["worth"] + 1e-4 * table["passes"]).idxmin() == chosen
    assert estimator.set_params(expected_rows=400).fit(rows, classes).release_.mechanism == chosen
    # What is predicted is what the certificate says was compared.
    compared = {one["mechanism"]: one["predicted"] for one in estimator.release_.certificate["choice"]["compared"]}
    assert compared == pytest.approx((1 - table["worth"]).clip(lower=0).to_dict(), abs=1e-12)
    asked = estimator.set_params(mechanism="output").plan(3, 400)
    assert list(asked.index[asked["chosen"]]) == ["output"]
    for other in [
        PrivateRidge(mu=1.0, feature_bound=1.0, target_bound=1.0, parameter_bound=1.0),
        PrivateHuberRegressor(epsilon=1.0, feature_bound=1.0, target_bound=1.0),
    ]:
        assert len(other.plan(5, 1000)) == 4


@pytest.mark.parametrize("n_features, n_rows, name", [
    (0, 400, "n_features"), (-1, 400, "n_features"), (2.5, 400, "n_features"), (None, 400, "n_features"), (10**30, 400, "n_features"),
    (3, 0, "n_rows"), (3, -1, "n_rows"), (3, 1e4, "n_rows"), (3, True, "n_rows"),
])  # fmt: skip
def test_a_plan_of_no_numbers_is_refused_by_name(n_features, n_rows, name):
    estimator = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0)
    for plan in [estimator.plan, estimator.plot_plan]:
        with pytest.raises(ValueError, match=f"^{name} must be"):
            plan(n_features, n_rows)
    assert len(estimator.plan(np.int64(3), np.int32(400))) == 4


def test_a_verdict_says_which_number_of_rows_it_assumed():
    """Red where a guess is asked for, or where the one of the estimator is left out."""
    estimator = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0)
    assert "The number of rows was not given: 10000 is assumed" in estimator.verdict(3)
    said = estimator.set_params(expected_rows=400).verdict(3)
    assert said == estimator.verdict(3, 400) and "With 400 rows" in said and "assumed" not in said


def test_predictions_of_a_release_need_its_columns(model, rows):
    """Six columns are not two rows of three."""
    for X in [np.zeros((4, 6)), np.zeros((4, 2)), np.zeros((0, 2))]:
        with pytest.raises(ValueError, match="one column for each feature"):
            model.release_.predict(X)
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.release_.predict(rows[0])
    expected = model.release_.predict(rows)
    assert np.array_equal(model.release_.predict(np.asfortranarray(rows)), expected) and np.array_equal(model.release_.predict(rows.tolist()), expected)
    assert len(model.release_.predict(np.zeros((0, 3)))) == 0


def test_a_refused_mechanism_says_why():
    table = PrivateLogisticRegression(epsilon=1e-3, feature_bound=1.0, regulariser=1e-6).plan(3, 1000)
    refused = table["refused"].notna()
    assert refused.any() and table.loc[refused, "predicted_excess"].isna().all()


def test_the_picture_has_a_line_for_each_mechanism():
    axes = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=20.0).plot_plan(3, 400)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["objective", "noisy-gradient", "posterior", "output", "the same prediction for all"]
    assert axes.get_xscale() == "log" and len(axes.lines[0].get_xdata()) == 21
    excess = axes.lines[0].get_ydata()
    assert excess[0] > excess[-1]


@pytest.mark.parametrize("module, call", [("pandas", "plan"), ("matplotlib", "plot_plan")])
def test_what_is_not_installed_is_named(monkeypatch, module, call):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=f"pip install {module}"):
        getattr(PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0), call)(3, 400)
