"""The ledger file: everything that spends is entered before it draws, by its name, and can be read again.

Meant to see, not tried yet: ``Fitting::enter`` that enters nothing, also only for Dask; ``private_quantile`` that does
not enter; ``entered_into`` that drops the name.
"""

import json
import os

import numpy as np
import pytest

from asap_dp import PrivateHuberRegressor, PrivateLogisticRegression, PrivateRidge, count, private_quantile, read_ledger

BOUNDS = {"feature_bound": 1.0, "regulariser": 20.0, "allow_useless": True}
OFFERED = [0.5, 1.0, 2.0]


def declared(path, total, **more):
    """What ``asap ledger --total-epsilon`` writes."""
    kind = {"total": {"pure": total}, "neighbours": "add-remove", "unit": "record", "dataset": None, **more}
    path.write_text(json.dumps({"asap_ledger": 2, **kind, "events": []}))
    return path


@pytest.mark.filterwarnings("ignore::asap_dp.PredictedUselessWarning")
def test_every_use_is_entered_with_what_one_needs_to_approve_it(tmp_path, rows, classes, targets):
    ledger = declared(tmp_path / "ledger.json", 4.0, dataset="patients")
    booked = {"ledger": ledger, "dataset": "patients"}
    asked = private_quantile(np.linalg.norm(rows, axis=1), OFFERED, 0.9, 0.25, **booked)
    models = [
        PrivateLogisticRegression(epsilon=1.0, **BOUNDS, **booked).fit(rows, classes),
        PrivateRidge(epsilon=0.5, target_bound=1.0, parameter_bound=1.0, **BOUNDS, **booked).fit(rows, targets),
        PrivateHuberRegressor(epsilon=0.125, target_bound=1.0, mechanism="output", **BOUNDS, **booked).fit(rows, targets),
    ]
    answers = [
        models[0].score_private(rows, classes, epsilon=0.0625, seen=True, **booked),
        count(rows, epsilon=0.0625, **booked),
    ]
    said = read_ledger(ledger)
    assert (said["spent"], said["left"], said["dataset"], said["fits"], said["released"]) == (2.0, 2.0, "patients", 6, 6)
    assert said["exactly"] == {"of": "epsilon", "spent": "2", "total": "4"}
    quantile, *fits, score, counted = said["entries"]
    assert (quantile["mechanism"], quantile["guarantee"]) == ("exponential", {"pure": 0.25})
    for entry, purpose, answer in zip([quantile, score, counted], ["quantile", "score", "count"], [asked, *answers], strict=True):
        assert (entry["purpose"], entry["digest"]) == (purpose, json.loads(answer.to_json())["digest"])
    assert score["mechanism"] == counted["mechanism"] == "discrete-laplace"
    for entry, model in zip(fits, models, strict=True):
        release = json.loads(model.release_.to_json())
        assert entry["purpose"] == "fit" and entry["status"] == "released" and entry["digest"] == release["digest"]
        assert entry["mechanism"].replace("-", "_") == model.release_.mechanism.replace("-", "_") and entry["dataset"] == "patients"
    # And beyond the total nothing is drawn.
    for spend in (
        lambda: PrivateLogisticRegression(epsilon=2.125, **BOUNDS, **booked).fit(rows, classes),
        lambda: private_quantile([1.0], OFFERED, 0.5, 2.125, **booked),
    ):
        with pytest.raises(ValueError, match="nothing was drawn"):
            spend()
    assert read_ledger(ledger) == said


def test_persons_have_a_ledger_of_their_own(tmp_path):
    ledger, persons = declared(tmp_path / "records.json", 4.0), declared(tmp_path / "persons.json", 4.0, unit="person")
    for kind, rows_per_person in ((ledger, 3), (persons, None)):
        with pytest.raises(ValueError, match="do not add up"):
            count([1.0], epsilon=1.0, rows_per_person=rows_per_person, ledger=kind)
    for k in (1, 3):
        count([1.0], epsilon=1.0, rows_per_person=k, ledger=persons)
    assert [entry["rows_per_person"] for entry in read_ledger(persons)["entries"]] == [1, 3]
    assert read_ledger(ledger)["fits"] == 0 and read_ledger(persons)["unit"] == "person"


def test_another_data_set_is_refused_by_name(tmp_path, rows, classes):
    ledger = declared(tmp_path / "ledger.json", 4.0)
    private_quantile([1.0], OFFERED, 0.5, 0.25, ledger=ledger, dataset="patients")
    for name, text in (("wards", '"patients", and this is "wards"'), (None, "say with dataset which")):
        with pytest.raises(ValueError, match=text):
            private_quantile([1.0], OFFERED, 0.5, 0.25, ledger=ledger, dataset=name)
        with pytest.raises(ValueError, match=text):
            PrivateLogisticRegression(epsilon=1.0, **BOUNDS, ledger=ledger, dataset=name).fit(rows, classes)
    for wrong in (4711, ""):
        with pytest.raises(ValueError, match="dataset must be"):
            private_quantile([1.0], OFFERED, 0.5, 0.25, ledger=ledger, dataset=wrong)
    with pytest.raises(ValueError, match="dataset: needs a ledger"):
        private_quantile([1.0], OFFERED, 0.5, 0.25, dataset="patients")
    assert read_ledger(ledger)["fits"] == 1


def test_what_is_refused_is_not_entered_and_what_failed_is(tmp_path, rows, classes):
    ledger = declared(tmp_path / "ledger.json", 4.0)
    for arguments in ({"epsilon": 1e-12}, {"q": 2.0}, {"candidates": [2.0, 1.0]}, {"values": [float("nan")]}):
        with pytest.raises(ValueError):
            private_quantile(**{"values": [1.0], "candidates": OFFERED, "q": 0.5, "epsilon": 0.5, **arguments}, ledger=ledger)
    assert read_ledger(ledger)["fits"] == 0
    if hasattr(os, "link"):
        os.link(ledger, tmp_path / "other.json")
        with pytest.raises(ValueError, match="hard link"):
            PrivateLogisticRegression(epsilon=1.0, **BOUNDS, ledger=ledger).fit(rows, classes)
        assert read_ledger(ledger)["fits"] == 0
    with pytest.raises(ValueError, match="cannot be read"):
        read_ledger(tmp_path / "none.json")


@pytest.mark.filterwarnings("ignore::asap_dp.PredictedUselessWarning")
def test_a_fit_on_a_cluster_is_entered_as_well(tmp_path, rows, classes):
    da = pytest.importorskip("dask.array")
    ledger = declared(tmp_path / "ledger.json", 4.0)
    X, y = da.from_array(rows, chunks=(100, 3)), da.from_array(classes, chunks=100)
    model = PrivateLogisticRegression(epsilon=1.0, **BOUNDS, ledger=ledger, dataset="patients", classes=[0, 1]).fit(X, y)
    (entry,) = read_ledger(ledger)["entries"]
    assert (entry["purpose"], entry["dataset"]) == ("fit", "patients")
    assert entry["digest"] == json.loads(model.release_.to_json())["digest"]
