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
    assert [feature["name"] for feature in release.columns["features"]] == ["age", "pressure", "weight", "ward"]
    assert release.columns["target"]["kind"]["classes"]["classes"] == ["no", "yes"]
    assert "assumed:" in capsys.readouterr().out
    # It learns what was put in: age and pressure raise the risk.
    assert (names["model"].coef_[0, :2] > 0).all() and list(names["model"].classes_) == ["no", "yes"]
    assert list(names["model"].predict(names["new"])) == ["yes", "no"]
    # The score is of this release, and near what its rows say.
    score, hold = names["score"], names["hold"]
    right = (names["model"].predict(hold) == hold["returned"]).mean()
    assert abs(score.metrics["accuracy"].value - right) < 0.02 and 1300 < len(hold) < 1700
    assert score.statement["question"]["classes"]["model"] == {"release": release.digest, "rows": "unseen"}
    # Entered, and released.
    assert (tmp_path / "patients.ledger.json").read_text(encoding="utf-8").count("released") >= 1


def test_the_hospital_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASAP", str(ROOT))
    (block,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/hospital.md").read_text(encoding="utf-8"), re.M | re.S)
    names = {}
    exec(compile(block, "docs/hospital.md", "exec"), names)
    release, train = names["model"].release_, names["train"]
    assert release.guarantee == ("epsilon", 2.5) and release.rows_per_person == 3
    assert release.certificate["problem"]["class_weights"] == [0.125, 1.0]
    assert names["largest"].value == 100.0
    assert not {*train["patient"]} & {*names["test"]["patient"]}, "a patient is on one side"
    assert 0.6 < names["score"].metrics["auc"].value < 0.95
    book = names["asap_dp"].read_ledger(tmp_path / "ward.ledger.json")
    assert book["unit"] == "person" and book["spent"] == 5.75
    uses = [("quantile", 3), ("fit", 3), ("score", 3), ("fit", 3), ("score", 3)]
    assert [(it["purpose"], it["rows_per_person"]) for it in book["entries"]] == uses
    diagnoses, tested = names["diagnoses"], names["test"]
    assert diagnoses.classes_.tolist() == ["pneumonia", "fracture", "diabetes"] and diagnoses.release_.guarantee == ("epsilon", 1.5)
    found = (diagnoses.predict(tested) == tested["diagnosis"]).mean()
    assert found > 0.65 and abs(names["right"].metrics["accuracy"].value - found) < 0.05
    assert names["likely"].shape == (len(tested), 3)


def test_the_scorer_of_the_guide_is_the_library(tmp_path, monkeypatch):
    """Not more than 40 lines, and the same answers as the library for every row: holes, unknown levels,
    what is out of range."""
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\nimport json\nimport math\n(.*?)^score = ", text, re.M | re.S)
    assert len(block.strip().splitlines()) + 2 <= 40
    names = {}
    exec(compile("import json\nimport math\n" + block, "docs/guide.md, the scorer", "exec"), names)
    import numpy as np
    import pandas

    from asap_dp import PrivateHuberRegressor, PrivateLogisticRegression, Schema
    from asap_dp._replay import replay

    random = np.random.default_rng(3)
    n = 400
    table = pandas.DataFrame({
        "age": random.integers(0, 120, n).astype(float),
        "gain": np.where(random.random(n) < 0.2, random.integers(0, 10**6, n), 0),
        "job": random.choice(["a", " b ", "zzz", "?", "", "c"], n),
        "sex": random.choice(["m", "f", None, "x"], n),
        "y": random.choice(["no", "yes"], n),
        "pay": random.normal(50, 30, n),
    })  # fmt: skip
    table.loc[::7, "age"] = np.nan
    columns = """
    age = { range = [18, 100], missing = 40 }
    gain = { range = [0, 99999], log = true, scale = "[0,1]" }
    job = { levels = ["a", "b", "rest"], other = "rest", missing = "a" }
    sex = ["m", "f"]
    """
    yes = Schema(f"[target]\nname = 'y'\nclasses = ['no', 'yes']\n[columns]\n{columns}\npay = {{ ignore = true }}")
    pay = Schema(f"[target]\nname = 'pay'\nrange = [0, 100]\n[columns]\n{columns}\ny = {{ ignore = true }}")
    jobs = columns.replace('job = { levels = ["a", "b", "rest"], other = "rest", missing = "a" }\n', "")
    table["kind"] = random.choice(["u", "v", "w"], n)
    kind = Schema(f"[target]\nname = 'kind'\nclasses = ['u', 'v', 'w']\n[columns]\n{jobs}\njob = {{ ignore = true }}")
    for model in [
        PrivateLogisticRegression(schema=kind, epsilon=3.0, allow_useless=True),
        PrivateLogisticRegression(schema=yes, epsilon=1.0, allow_useless=True),
        PrivateHuberRegressor(schema=pay, epsilon=1.0, allow_useless=True, fit_intercept=False),
    ]:
        with replay(5):
            model.fit(table[[name for name in table if name in model.schema.known]])
        score = names["scorer"](model.release_.to_json())
        by_hand = [score(row) for row in table.drop(columns=["y", "pay", "kind"]).to_dict("records")]
        assert np.allclose(by_hand, model.release_.predict(table), rtol=0, atol=1e-12)


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
