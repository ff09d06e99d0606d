"""Classes that count differently, through Python. spec/own-class-weights.md"""

import numpy as np
import pandas as pd
import pytest

from asap_dp import PrivateLogisticRegression, Schema

X = np.linspace(-1, 1, 40).reshape(-1, 1)
Y = np.where(X[:, 0] > 0.4, "yes", "no")


def model(**more):
    settings = {"epsilon": 50.0, "feature_bound": 1.0, "regulariser": 1.0, "classes": ["no", "yes"], "allow_useless": True}
    return PrivateLogisticRegression(**{**settings, **more})


@pytest.mark.filterwarnings("ignore")
def test_weights_are_relative_and_in_the_release(monkeypatch):
    monkeypatch.setattr("asap_dp._base.replay_seed", lambda: 7)
    plain = model().fit(X, Y)
    even = model(class_weight={"no": 3, "yes": 3}).fit(X, Y)
    rare = model(class_weight={"no": 1, "yes": 20}).fit(X, Y)
    assert "class_weights" not in plain.release_.certificate["problem"]
    assert even.release_.theta.tolist() == plain.release_.theta.tolist()
    assert rare.release_.certificate["problem"]["class_weights"] == [0.05, 1.0]
    rare.release_.check()
    # The heavier class is predicted more often, and a threshold takes it back.
    assert (rare.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
    likely = rare.predict_proba(X)[:, 1] >= 0.99
    assert likely.sum() < (rare.predict(X) == "yes").sum()


def test_weights_that_look_at_the_labels_are_refused():
    for weights, said in [
        ("balanced", "labels, which are private"),
        ({"no": 1}, "each of the classes"),
        ({"no": 1, "yes": 2, "perhaps": 3}, "each of the classes"),
        ({"no": 1, "yes": -2}, "class_weight"),
        ({"no": 1, "yes": 0.0}, "class.weights"),
        ([1, 2], "each of the classes"),
    ]:
        with pytest.raises(ValueError, match=said):
            model(class_weight=weights).fit(X, Y)
    with pytest.raises(ValueError, match="needs `classes`"):
        model(class_weight={"no": 1, "yes": 2}, classes=None).fit(X, Y)


@pytest.mark.filterwarnings("ignore")
def test_a_schema_has_weights():
    schema = Schema('target = { name = "ill", classes = ["no", "yes"], weights = [1, 4] }\ncolumns.dose = [-1, 1]')
    table = pd.DataFrame({"dose": X[:, 0], "ill": Y})
    fitted = model(schema=schema, feature_bound=None, classes=None).fit(table)
    assert fitted.release_.certificate["problem"]["class_weights"] == [0.25, 1.0]
    fitted.release_.check()
    with pytest.raises(ValueError, match="the schema has weights"):
        model(schema=schema, feature_bound=None, classes=None, class_weight={"no": 1, "yes": 2}).fit(table)
