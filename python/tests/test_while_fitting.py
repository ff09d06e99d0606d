"""What happens beside a fit: other threads run, Ctrl-C ends it, progress shows public stages."""

import _thread
import contextlib
import sys
import threading
import time

import numpy as np
import pytest

import asap_dp._base
import asap_dp._progress
from asap_dp import PrivateLogisticRegression


@pytest.fixture(scope="module")
def many():
    """Records for a fit that takes a while."""
    X = np.random.default_rng(0).normal(size=(400_000, 20)) / 5
    return X, X[:, 0] > 0


def model(**changed):
    return PrivateLogisticRegression(**{"epsilon": 1.0, "feature_bound": 1.0, "regulariser": 5.0, **changed})


def watched(monkeypatch, stage):
    """Calls `stage` with the name of each stage that begins."""
    monkeypatch.setattr(asap_dp._base, "stages", lambda _: contextlib.nullcontext(stage))


def test_an_interrupted_fit_releases_nothing(monkeypatch, many):
    fitted, seen = model(), []

    def stage(name):
        seen.append(name)
        if name == "fit":
            threading.Timer(0.02, _thread.interrupt_main).start()

    watched(monkeypatch, stage)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(*many)
    assert seen == ["plan", "read", "fit"]
    assert not [name for name in vars(fitted) if name.endswith("_") and name != "n_features_in_"]
    # It can be fitted again, which spends again.
    watched(monkeypatch, None)
    assert fitted.fit(*many).release_.is_private


def test_other_threads_run_during_a_fit(monkeypatch, many):
    count, done, marks = 0, threading.Event(), {}

    def work():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.0005)

    watched(monkeypatch, lambda name: marks.setdefault(name, count))
    beside = threading.Thread(target=work)
    beside.start()
    try:
        # Python itself does not switch threads between two lines of ours: only who releases the lock lets others run.
        sys.setswitchinterval(10.0)
        while count == 0:
            time.sleep(0.001)
        model().fit(*many)
    finally:
        sys.setswitchinterval(0.005)
        done.set()
        beside.join()
    assert marks["check"] > marks["fit"]


def test_progress_is_the_same_for_all_records(capsys, rows, classes, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    lines = []
    for y in [classes, 1 - classes]:
        model(progress=True).fit(rows, y)
        lines.append(capsys.readouterr().err)
    assert lines[0] == lines[1] and lines[0].count("\n") == 4 and "fitting" in lines[0]


def test_progress_with_tqdm(capsys, rows, classes):
    pytest.importorskip("tqdm")
    model(progress=True).fit(rows, classes)
    shown = capsys.readouterr().err
    assert "4/4" in shown and "checking the certificate" in shown
    model().fit(rows, classes)
    assert capsys.readouterr().err == ""


def test_a_display_that_fails_loses_no_release(monkeypatch, rows, classes):
    # The last stage begins after noise was drawn.
    class Broken:
        begun = 0

        def begin(self, text):
            Broken.begun += 1
            raise OSError("the stream is closed")

        def end(self, done):
            raise OSError("the stream is closed")

    monkeypatch.setattr(asap_dp._progress, "_display", Broken)
    fitted = model(progress=True).fit(rows, classes)
    assert Broken.begun == len(asap_dp._progress.STAGES)
    fitted.release_.check()

    def gone():
        raise OSError("no display at all")

    monkeypatch.setattr(asap_dp._progress, "_display", gone)
    model(progress=True).fit(rows, classes).release_.check()
