"""Persons with several rows, through Python. spec/own-persons.md

Aimed at: `persons` not handed to the library (then nothing is fitted: the library refuses records that nobody
counted); `rows_per_person` of the settings dropped.
"""

import json

import numpy as np
import pandas as pd
import pytest

import asap_dp
from asap_dp import PrivateLogisticRegression, Schema

WHO = ["a", "b", "a", "a", "b", "c", "a"]
X = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6], [0.7]])
Y = np.array([1, 0, 1, 0, 1, 0, 1])
#: The first two of each person.
KEPT = [0, 1, 2, 4, 5]


def model(**more):
    settings = {"epsilon": 1.0, "feature_bound": 1.0, "regulariser": 2.0, "mechanism": "output", "classes": [0, 1], "allow_useless": True}
    return PrivateLogisticRegression(**{**settings, **more})


@pytest.fixture(autouse=True)
def quiet():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_a_fit_sees_the_first_rows_of_each_person(monkeypatch):
    monkeypatch.setattr("asap_dp._base.replay_seed", lambda: 7)
    expected = model(epsilon=0.5).fit(X[KEPT], Y[KEPT]).release_
    for who in (WHO, np.array([1, 2, 1, 1, 2, 3, 1]) + 2**60, pd.Series(WHO, name="patient"), pd.Series(WHO, dtype="category")):
        release = model(rows_per_person=2).fit(X, Y, person=who).release_
        assert release.theta.tolist() == expected.theta.tolist()
        assert release.guarantee == ("epsilon", 1.0) and release.rows_per_person == 2
        assert release.certificate["person"] == {"rows": 2, "total": {"pure": 1.0}}
        assert release.certificate["ledger"]["total"] == {"pure": 0.5}
        release.check()
    assert expected.rows_per_person is None


def test_numbers_that_are_close_are_different_persons(monkeypatch):
    """2^60 and 2^60 + 1 are one float: as one person they would share two rows."""
    monkeypatch.setattr("asap_dp._base.replay_seed", lambda: 7)
    who = 2**60 + np.arange(7)
    release = model(rows_per_person=1).fit(X, Y, person=who).release_
    assert release.theta.tolist() == model().fit(X, Y).release_.theta.tolist()


SCHEMA = """
person = "patient"
rows_per_person = 2
target = { name = "ill", classes = ["no", "yes"] }
columns.dose = [-1, 1]
"""


def test_a_schema_has_the_persons(tmp_path):
    table = pd.DataFrame({"patient": WHO, "dose": X[:, 0], "ill": np.where(Y == 1, "yes", "no")})
    schema = Schema(SCHEMA)
    assert (schema.person, schema.rows_per_person) == ("patient", 2)
    fitted = model(schema=schema, feature_bound=None, classes=None).fit(table)
    assert fitted.release_.columns["person"] == {"name": "patient", "rows": 2}
    assert fitted.release_.rows_per_person == 2
    fitted.release_.check()
    assert len(fitted.predict(table)) == len(fitted.release_.predict(table.drop(columns="patient"))) == 7
    # The score takes the persons of the schema.
    answer = fitted.score_private(table, epsilon=1.0, seen=True)
    assert json.loads(answer.to_json())["statement"]["rows_per_person"] == 2
    with pytest.raises(ValueError, match="person"):
        model(schema=schema, feature_bound=None, classes=None).fit(table.drop(columns="patient"))
    with pytest.raises(ValueError, match="rows_per_person must be left out"):
        model(schema=schema, feature_bound=None, classes=None, rows_per_person=3).fit(table)
    edited = json.loads(fitted.release_.to_json())
    edited["certificate"]["person"]["rows"] = 3
    with pytest.raises(ValueError):
        asap_dp.Release(json.dumps(edited)).check()


def test_what_is_wrong_is_said_without_values():
    for who, rows, said in [
        (WHO[:3], 2, "one value for each row"),
        (WHO, None, "give both or neither"),
        (None, 2, "give both or neither"),
        ("patient", 2, "one value for each row"),
        (WHO, 0, "rows.per.person"),
        (["a", None, "a", "a", "b", "c", "a"], 2, "record 2"),
        ([1.0, np.nan, 1, 1, 2, 3, 1], 2, "record 2"),
    ]:
        with pytest.raises(ValueError, match=said):
            model(rows_per_person=rows).fit(X, Y, person=who)


def test_a_mark_of_missing_cells_is_nobody():
    """As in a file. Two of whom nobody is known are not one person: a row of the one would stand in for a row of the
    other. Seen to fail: only empty texts were nobody."""
    schema = Schema("missing_marks = ['', '?', '-1']\nperson = 'who'\nrows_per_person = 1\ntarget = { name = 'y', classes = ['0', '1'] }\ncolumns.x = [0, 1]")
    for who in (["a", "?"], [7, -1], [7.0, -1.0], ["a", ""]):
        table = pd.DataFrame({"x": [0.1, 0.2], "y": [0, 1], "who": who})
        with pytest.raises(ValueError, match="record 2, column `person`: the cell is missing"):
            PrivateLogisticRegression(schema=schema, epsilon=1.0, allow_useless=True).fit(table)
        known = pd.DataFrame({"x": [0.1, 0.2], "y": [0, 1], "who": ["a", "b"]})
        model = PrivateLogisticRegression(schema=schema, epsilon=1.0, allow_useless=True).fit(known)
        with pytest.raises(ValueError, match="record 2, column `person`: the cell is missing"):
            model.score_private(table, epsilon=1.0, seen=True, allow_useless=True)
