"""`python/run-tests` where there is nothing to run it with: one line, and exit code 3."""

import os
import pathlib
import shutil
import subprocess

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("surroundings", "text"),
    [
        ({"PYTHON": "no-such-python"}, "python: not run, there is no no-such-python >= 3.10 with venv"),
        # An index that is not there, as without a network.
        ({"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "no-such-folder"}, "python: not run, pip cannot install what it needs"),
    ],
)
def test_what_is_absent_is_said_in_one_line(tmp_path, surroundings, text):
    (tmp_path / "python").mkdir()
    for name in ["run-tests", "pyproject.toml"]:
        shutil.copy(PYTHON / name, tmp_path / "python")
    run = subprocess.run([tmp_path / "python" / "run-tests"], env={**os.environ, **surroundings}, capture_output=True, text=True, timeout=300)
    assert run.returncode == 3 and run.stderr == ""
    assert run.stdout.startswith(text) and run.stdout.count("\n") == 1
