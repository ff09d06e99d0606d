"""What a fit is predicted to be worth: said, and refused before anything is spent. All of it is
made of public numbers."""

import numpy as np
import pytest

from asap_dp import PredictedUseless, PredictedUselessWarning, PrivateLogisticRegression, PrivateRidge


def test_a_useless_fit_raises_before_it_spends(rows, classes):
    poor = PrivateLogisticRegression(epsilon=0.001, feature_bound=1.0, expected_rows=400)
    with pytest.raises(PredictedUseless, match="majority class.*would make it useful.*Nothing was spent"):
        poor.fit(rows, classes)
    assert not hasattr(poor, "release_")
    # Public numbers decide, not the records: one row, or a thousand times as many.
    for X, y in [(rows[:1].repeat(5, axis=0), [0, 1, 0, 1, 0]), (np.tile(rows, (10, 1)), np.tile(classes, 10))]:
        with pytest.raises(PredictedUseless):
            poor.fit(X, y)
    with pytest.warns(PredictedUselessWarning, match="majority class"):
        model = poor.set_params(allow_useless=True).fit(rows, classes)
    assert model.release_.check()
    with pytest.raises(ValueError, match="^allow_useless must be"):
        poor.set_params(allow_useless="yes").fit(rows, classes)
    useless = PrivateRidge(epsilon=0.001, feature_bound=1.0, target_bound=1.0, expected_rows=400)
    with pytest.raises(PredictedUseless, match="mean alone"):
        useless.fit(rows, rows[:, 0])


def test_the_regulariser_is_chosen_from_public_numbers(rows, classes):
    model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, expected_rows=4000).fit(rows, classes)
    said = model.release_.certificate
    chosen = said["problem"]["regulariser"]
    assert model.plan(3, 4000)["regulariser"].unique() == [chosen]
    tried = said["choice"]["regulariser"]
    # Half of it may be refused.
    assert all(tried["missed"] <= tried[name] for name in ("with_half", "with_twice") if tried[name] is not None)
    # Other records, the same choice; another budget, another one.
    other = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, expected_rows=4000).fit(-rows[:50], classes[:50])
    assert other.release_.certificate["problem"]["regulariser"] == chosen
    assert PrivateLogisticRegression(epsilon=0.1, feature_bound=1.0).plan(3, 4000)["regulariser"].iloc[0] > chosen
    # What is given is taken.
    given = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=7.0).fit(rows, classes).release_.certificate
    assert given["problem"]["regulariser"] == 7.0 and "regulariser" not in given["choice"]
    for bad in ["Auto", "", "1"]:
        with pytest.raises(ValueError, match="^regulariser must be"):
            PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, regulariser=bad).fit(rows, classes)
    # The squared loss gets a parameter bound with it: Y·√d/R.
    ridge = PrivateRidge(epsilon=1.0, feature_bound=1.0, target_bound=3.0, fit_intercept=False, expected_rows=40_000).fit(rows, rows[:, 0])
    assert ridge.release_.certificate["problem"]["parameter_bound"] == pytest.approx(1.5 * 3**0.5)


def test_the_verdict_is_said_in_words():
    model = PrivateLogisticRegression(epsilon=0.1, feature_bound=5.0)
    poor, rich = model.verdict(25, 2000), model.verdict(25, 1_000_000)
    assert poor.startswith("Worse than nothing") and "ε = " in poor and "rows" in poor and "columns" in poor
    assert rich.startswith("Useful") and "calibrated on" in rich and "AUC" in rich and "from about" in rich
    assert "With 2000 rows" in poor and "assumed" not in poor
