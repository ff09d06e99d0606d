"""The guide's code runs from top to bottom, and the notebook does."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_guide_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/guide.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 8
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"docs/guide.md, block {number}", "exec"), names)
    release = names["release"]
    assert release.is_private and release.guarantee == ("epsilon", 1.0)
    assert release.columns == {"features": ["age", "pressure", "weight"], "target": "returned"}
    assert "assumed:" in capsys.readouterr().out
    # It learns what was put in: age and pressure raise the risk.
    assert (names["model"].coef_[0, :2] > 0).all() and list(names["model"].classes_) == ["no", "yes"]
    assert list(names["model"].predict(names["features"])) == ["yes", "no"]


def test_every_link_of_the_guide_leads_somewhere():
    links = set(re.findall(r"\]\(([^)#]+)", (ROOT / "docs/guide.md").read_text(encoding="utf-8")))
    assert len(links) >= 5
    assert not {link for link in links if not (ROOT / "docs" / link).exists()}


def test_the_notebook_runs(tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("ASAP_WINE_SPLITS", "2")
    notebook = nbformat.read(ROOT / "python/notebooks/wine.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert len(pictures) == 2


def test_the_tests_that_the_specification_names_exist():
    named = set(re.findall(r"`(test_\w+)\(\)`", (ROOT / "spec/own-python.md").read_text(encoding="utf-8")))
    there = {name for file in (ROOT / "python/tests").glob("*.py") for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.M)}
    assert len(named) >= 9 and named <= there
