"""What happens beside a fit: other threads run, Ctrl-C ends it, progress shows public stages."""

import _thread
import contextlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import asap_dp._base
import asap_dp._progress
from asap_dp import PrivateLogisticRegression, Release


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


#: A process that fits for a long time, and says when it is in the middle of it.
LONG_FIT = """
import signal, threading, time
import numpy as np
import asap_dp._base
from asap_dp import PrivateLogisticRegression
import contextlib

# Whoever started the tests may have had it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
X = np.random.default_rng(0).normal(size=(1_000_000, 20)) / 5
model = PrivateLogisticRegression(mu=100.0, feature_bound=10.0, regulariser=1e-6, mechanism="noisy-gradient", expected_rows=10_000_000)
begun = threading.Event()
asap_dp._base.stages = lambda _: contextlib.nullcontext(lambda name: begun.set() if name == "fit" else None)

def tell():
    begun.wait()
    time.sleep(0.5)
    print("in the middle", flush=True)

threading.Thread(target=tell, daemon=True).start()
try:
    model.fit(X, X[:, 0] > 0)
    print("released")
except KeyboardInterrupt:
    print("interrupted", sorted(name for name in vars(model) if name.endswith("_")))
"""


def test_ctrl_c_in_a_terminal_ends_a_long_fit(tmp_path):
    """A real signal in the middle of a fit of 891 passes over 10⁶ rows: it ends far from the last of
    them, without a release."""
    script = tmp_path / "long_fit.py"
    script.write_text(LONG_FIT, encoding="utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "in the middle\n"
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out == "interrupted ['n_features_in_']\n" and err == "" and process.returncode == 0
    # A pass takes hundredths of a second: this is for a machine with much else to do.
    assert time.monotonic() - sent < 30


def test_ctrl_c_while_a_release_is_taken_over_leaves_none_of_it(monkeypatch, rows, classes):
    class Interrupted(Release):
        @property
        def theta(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(asap_dp._base, "Release", Interrupted)
    fitted = model()
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(rows, classes)
    assert not hasattr(fitted, "release_") and not hasattr(fitted, "coef_")


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
