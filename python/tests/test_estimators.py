"""What a user of scikit-learn expects, and what privacy asks for."""

import pickle
import struct
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from asap_dp import BudgetWarning, PrivateHuberRegressor, PrivateLogisticRegression, PrivateRidge
from asap_dp._replay import replay

BOUNDS = {"feature_bound": 1.0, "regulariser": 2.0}


def logistic(**changed):
    return PrivateLogisticRegression(**{"epsilon": 50.0, **BOUNDS, **changed})


def ridge(**changed):
    return PrivateRidge(**{"epsilon": 50.0, "target_bound": 2.0, "parameter_bound": 2.0, "max_rows": 1000, **BOUNDS, **changed})


def huber(**changed):
    return PrivateHuberRegressor(**{"epsilon": 50.0, "target_bound": 2.0, **BOUNDS, **changed})


def shortened(rows, bound):
    return rows * np.minimum(1.0, bound / np.linalg.norm(rows, axis=1, keepdims=True))


def minimiser(rows, signs, regulariser):
    """Of the regularised logistic loss with an intercept, by plain Newton steps: nothing of it is ours."""
    x = np.column_stack([rows, np.ones(len(rows))])
    theta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ theta))
        gradient = x.T @ (p - (signs > 0)) + regulariser * theta
        theta -= np.linalg.solve(x.T * (p * (1 - p)) @ x + regulariser * np.eye(len(theta)), gradient)
    return theta


def test_a_fit_is_close_to_the_minimiser_of_the_shortened_rows(rows, classes):
    """Also: rows are held to the bound (without it the minimiser is another one), and Λ is the weight of the sum."""
    model = logistic(epsilon=1e5).fit(rows, classes)
    theta = np.append(model.coef_, model.intercept_)
    expected = minimiser(shortened(rows, 1.0), classes, 2.0)
    # A descent for 10,000 assumed rows still swings by less than a hundredth on 400.
    assert np.allclose(theta, expected, rtol=0.01, atol=0.02)
    assert not np.allclose(minimiser(rows, classes, 2.0), expected, atol=0.1)
    assert model.release_.certificate["problem"]["feature_norm"] == 1.0


def test_regressions_are_close_to_the_minimiser(rows, targets):
    x = np.column_stack([shortened(rows, 1.0), np.ones(len(rows))])
    expected = np.linalg.solve(x.T @ x + 2.0 * np.eye(4), x.T @ np.clip(targets, -0.5, 0.5))
    model = ridge(epsilon=1e5, target_bound=0.5).fit(rows, targets)
    assert np.allclose(np.append(model.coef_, model.intercept_), expected, atol=0.02)
    # Below δ everywhere, Huber's loss is the squared one.
    model = huber(epsilon=1e5, target_bound=0.5, delta=5.0).fit(rows, targets)
    assert np.allclose(np.append(model.coef_, model.intercept_), expected, atol=0.02)
    assert model.release_.certificate["problem"]["loss"] == {"huber": {"delta": 5.0}}


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), ("ill", "well"), (False, True), (3.0, 7.0)])
def test_any_two_labels_and_the_second_is_the_one_that_is_predicted(rows, classes, labels):
    y = np.array(labels)[classes]
    model = logistic().fit(rows, y)
    assert list(model.classes_) == sorted(labels)
    assert np.mean(model.predict(rows) == y) > 0.9
    probabilities = model.predict_proba(rows)
    assert probabilities.shape == (len(rows), 2) and np.allclose(probabilities.sum(axis=1), 1.0)
    assert np.array_equal(model.predict(rows) == model.classes_[1], model.decision_function(rows) > 0)
    # The library's own prediction is the probability of the second class.
    assert np.allclose(probabilities[:, 1], model.release_.predict(rows))


@pytest.mark.parametrize("intercept", [True, False])
def test_predictions_are_those_of_the_library(rows, targets, intercept):
    for make in [ridge, huber]:
        model = make(fit_intercept=intercept).fit(rows, targets)
        assert np.allclose(model.predict(rows), model.release_.predict(rows))
        assert model.coef_.shape == (3,) and (model.intercept_ != 0.0) == intercept
        assert np.allclose(model.predict(np.zeros((1, 3))), model.intercept_)


def test_long_rows_are_shortened_in_predictions_however_long_they_are(rows, classes, targets):
    """As the library does, also where the norm of a row is no number."""
    far = np.array([[1e308, 1e308, -1e308], [1.7e308, 1.7e308, 1.7e308], [1e200, 0.0, 0.0], [3.0, 4.0, 0.0], [1e-310, 0.0, 0.0], [0.0, 0.0, 0.0]])
    model = logistic().fit(rows, classes)
    assert np.allclose(model.predict_proba(far)[:, 1], model.release_.predict(far), rtol=1e-9)
    near = shortened(far[3:4], 1.0)
    assert np.allclose(model.decision_function(far[3:4]), near @ model.coef_[0] + model.intercept_)
    model = ridge().fit(rows, targets)
    assert np.allclose(model.predict(far), model.release_.predict(far), rtol=1e-9)


def test_shapes_are_those_of_sklearn(rows, classes, targets):
    """Of LogisticRegression and Ridge on the same records, with an intercept and without."""
    for intercept in [True, False]:
        ours, theirs = logistic(fit_intercept=intercept).fit(rows, classes), LogisticRegression(fit_intercept=intercept).fit(rows, classes)
        for name in ["coef_", "intercept_", "classes_"]:
            assert getattr(ours, name).shape == getattr(theirs, name).shape, name
        for make in [ridge, huber]:
            ours, theirs = make(fit_intercept=intercept).fit(rows, targets), Ridge(fit_intercept=intercept).fit(rows, targets)
            assert ours.coef_.shape == theirs.coef_.shape and np.ndim(ours.intercept_) == np.ndim(theirs.intercept_) == 0
            assert isinstance(ours.intercept_, float) and ours.n_features_in_ == theirs.n_features_in_


def test_classes_can_be_declared(rows, classes):
    declared = logistic(classes=["well", "ill"])
    model = declared.fit(rows, np.array(["ill", "well"])[classes])
    assert list(model.classes_) == ["ill", "well"]
    # One class is a data set like any other.
    model = declared.fit(rows, np.full(len(rows), "ill"))
    assert np.mean(model.predict(rows) == "ill") > 0.9
    with pytest.raises(ValueError, match="not one of `classes`"):
        declared.fit(rows, np.array(["ill", "dead"])[classes])
    with pytest.raises(ValueError, match="2 to 100 different labels"):
        logistic(classes=["ill"]).fit(rows, classes)


def test_what_is_public_has_no_default_and_is_checked(rows, classes, targets):
    for model, name in [
        (PrivateLogisticRegression(**BOUNDS), "epsilon, mu"),
        (logistic(mu=1.0), "epsilon, mu"),
        (PrivateLogisticRegression(epsilon=1.0), "feature_bound"),
        (logistic(epsilon=-1.0), "epsilon"),
        (logistic(epsilon="1"), "epsilon"),
        (logistic(epsilon=float("nan")), "epsilon"),
        (logistic(regulariser=0.0), "regulariser"),
        (logistic(feature_bound=float("inf")), "feature bound"),
        (logistic(mechanism="best"), "mechanism"),
        (logistic(neighbours=None), "neighbours"),
        (logistic(neighbours="swap"), "neighbours"),
        (logistic(expected_rows=10.5), "expected_rows"),
        (logistic(max_rows=0), "max rows"),
        (logistic(max_rows=10**30), "max_rows"),
        (logistic(epsilon=10**400), "epsilon"),
        (logistic(epsilon=True), "epsilon"),
        (logistic(fit_intercept="no"), "fit_intercept"),
        (logistic(max_rows=10), "more than the public maximum"),
    ]:
        with pytest.raises(ValueError, match=name):
            model.fit(rows, classes)
        assert not hasattr(model, "release_")
    for model, name in [(PrivateRidge(epsilon=1.0, **BOUNDS), "target_bound"), (huber(delta=None), "delta"), (huber(delta=0.0), "huber delta")]:
        with pytest.raises(ValueError, match=name):
            model.fit(rows, targets)


def test_every_option_reaches_the_certificate(rows, classes):
    model = PrivateLogisticRegression(
        mu=0.5, regulariser=30.0, feature_bound=2.0, parameter_bound=3.0, fit_intercept=False, neighbours="replace-one",
        mechanism="posterior", expected_rows=500, max_rows=5000,
    ).fit(rows, classes)  # fmt: skip
    said = model.release_.certificate
    assert said["ledger"]["total"] == {"gaussian": 0.5} and said["neighbours"] == "replace-one"
    expected = {"regulariser": 30.0, "feature_norm": 2.0, "parameter_bound": 3.0, "intercept": False, "max_rows": 5000}
    assert {name: said["problem"][name] for name in expected} == expected
    assert model.release_.mechanism == "posterior" and model.release_.guarantee == ("mu", 0.5)
    chosen = logistic(expected_rows=77, curvature=3.0).fit(rows, classes).release_.certificate["choice"]
    assert chosen["rows"] == 77 and chosen["curvature"] == 3.0


def test_a_failed_fit_leaves_nothing(rows, classes):
    model = logistic().fit(rows, classes)
    with pytest.raises(ValueError):
        model.set_params(epsilon=None).fit(rows, classes)
    assert not [name for name in vars(model) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        model.predict(rows)


def test_fits_differ_unless_they_are_replayed(rows, classes):
    assert not np.array_equal(logistic().fit(rows, classes).coef_, logistic().fit(rows, classes).coef_)
    with replay(3):
        first, second = (logistic().fit(rows, classes).release_ for _ in range(2))
    assert first == second and not first.is_private and "NOT PRIVATE" in repr(first) and "NO:" in first._repr_html_()
    after = logistic().fit(rows, classes).release_
    assert after.is_private and after != first


def test_it_works_in_a_pipeline_and_names_its_columns(rows, classes):
    table = pandas.DataFrame(rows, columns=["age", "dose", "weight"])
    y = pandas.Series(classes, name="ill")
    model = logistic().fit(table, y)
    assert list(model.feature_names_in_) == ["age", "dose", "weight"]
    assert [it["name"] for it in model.release_.columns["features"]] == ["age", "dose", "weight"]
    assert model.release_.columns["target"]["name"] == "ill"
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[["dose", "age", "weight"]])
    scaled = make_pipeline(FunctionTransformer(lambda x: x / 2), logistic())
    assert scaled.fit(rows, classes).score(rows, classes) > 0.9


def test_a_search_warns_that_every_fit_spends(rows, classes):
    search = GridSearchCV(logistic(), {"regulariser": [1.0, 5.0]}, cv=2)
    with pytest.warns(BudgetWarning, match="Every fit spends its own budget") as told:
        search.fit(rows, classes)
    # The sum is said, not left to the reader.
    for said in map(str, (it.message for it in told)):
        number = int(said.removeprefix("Copy number ").split()[0])
        assert f"{number} copies fitted to the same records spend epsilon = {50 * number} together" in said
    with pytest.warns(BudgetWarning):
        cross_val_score(logistic(), rows, classes, cv=2)
    with pytest.warns(BudgetWarning):
        GridSearchCV(make_pipeline(logistic()), {"privatelogisticregression__epsilon": [1.0]}, cv=2).fit(rows, classes)
    # Also where copies are sent to other processes.
    second = [clone(model) for model in [logistic()] for _ in range(2)][1]
    with pytest.warns(BudgetWarning):
        pickle.loads(pickle.dumps(second)).fit(rows, classes)


def test_one_fit_does_not_warn(rows, classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(logistic()).fit(rows, classes)
        logistic().fit(rows, classes)


def test_a_clone_has_the_parameters_and_not_the_model(rows, classes):
    model = logistic(epsilon=7.0).fit(rows, classes)
    copy = clone(model)
    assert copy.get_params() == model.get_params() and vars(copy).keys() == model.get_params().keys()


def test_a_pickle_holds_the_release_and_no_record(rows, targets):
    """Neither the numbers of a record, in any of the forms in which a pickle or a JSON text could hold
    them, nor their count."""
    model = ridge().fit(rows, targets)
    written = pickle.dumps(model)
    for value in np.append(rows.ravel(), targets):
        for form in [struct.pack("<d", value), struct.pack(">d", value), struct.pack("<f", value), repr(float(value)).encode()]:
            assert form not in written
    # The same search finds what is there: a parameter.
    assert struct.pack("<d", model.coef_[0]) in written and repr(float(model.coef_[0])).encode() in written
    again = pickle.loads(written)
    assert again.release_ == model.release_ and np.array_equal(again.predict(rows), model.predict(rows))
    assert len(written) < 20_000


def test_nothing_but_the_release_stays(rows, classes):
    model = logistic().fit(rows, classes)
    made = {"release_", "coef_", "intercept_", "classes_", "n_features_in_"}
    assert vars(model).keys() - model.get_params().keys() == made
