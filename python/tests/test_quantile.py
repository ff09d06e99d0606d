"""A private quantile: one of the candidates, near the quantile, and no word about the values. Its
law is tested in Rust."""

import threading
import traceback

import numpy as np
import pandas
import polars
import pytest

from asap_dp import private_quantile

OFFERED = [1, 2, 4, 8, 16, 32, 64]


def test_a_large_budget_finds_the_quantile_of_every_kind_of_column():
    values = np.arange(1000) % 50
    for column in [values, values.tolist(), values.astype(np.float32), pandas.Series(values), polars.Series(values), values[::-1]]:
        answer = private_quantile(column, OFFERED, q=0.6, epsilon=100.0)
        assert answer.value == 32.0 and isinstance(answer.value, float)
    assert private_quantile(values, np.array(OFFERED), 0.3, 100.0, neighbours="replace-one").value == 16.0
    # One person has 900 of the values, and one of them counts.
    values = np.where(np.arange(1000) < 900, 3, 50)
    persons = np.maximum(np.arange(1000), 900)
    asked = {"candidates": OFFERED, "q": 0.9, "epsilon": 1000.0}
    assert private_quantile(values, **asked).value < 64 == private_quantile(values, **asked, person=persons, rows_per_person=1).value


def test_a_quantile_has_a_certificate():
    answer = private_quantile([3.0] * 10, OFFERED, q=0.25, mu=0.5, neighbours="replace-one", rows_per_person=3)
    assert answer.guarantee == ("mu", 0.5) and answer.is_private and len(answer.check().checked) >= 9
    statement = answer.statement
    assert statement["rows_per_person"] == 3 and statement["question"]["quantile"]["millionths"] == 250_000
    assert answer.metrics["quantile"].value == answer.value
    edited = answer.to_json().replace('"rows_per_person": 3', '"rows_per_person": 4')
    with pytest.raises(ValueError, match="slope"):
        type(answer)(edited).check()


def test_a_small_budget_tells_nothing_and_answers_differ():
    drawn = {private_quantile([3.0] * 10, OFFERED, q=0.5, epsilon=1e-6).value for _ in range(300)}
    assert drawn == set(map(float, OFFERED))
    assert private_quantile([], OFFERED, q=0.5, epsilon=1.0).value in OFFERED


@pytest.mark.parametrize("epsilon", [1.0, 0.5])
@pytest.mark.parametrize("neighbours, sensitivity", [("add-remove", 0.5), ("replace-one", 1.0)])
def test_the_odds_are_those_of_the_budget_and_the_neighbours(epsilon, neighbours, sensitivity):
    """Of 1.5 and 9 none is at most 1 and one is at most 2, and half of them is the median:
    costs 1 and 0, odds e^(ε/2Δ).

    H0: binomial. n = 4000, false alarm 2·10⁻⁹ for each of 4 (six deviations). Seen red: ε taken four times, and
    replace-one taken for add-remove, in ``Asking::promise`` of the native half.
    """
    n = 4000
    found = sum(private_quantile([1.5, 9.0], [1.0, 2.0], 0.5, epsilon, neighbours=neighbours).value == 2.0 for _ in range(n))
    odds = np.exp(epsilon / (2 * sensitivity))
    expected = odds / (1 + odds)
    assert abs(found / n - expected) < 6 * np.sqrt(expected * (1 - expected) / n)


@pytest.mark.parametrize(
    "changed, text",
    [
        ({"q": 0.0}, "q must be"), ({"q": 1}, "q must be"), ({"q": "half"}, "q must be"), ({"q": float("nan")}, "q must be"),
        ({"epsilon": 0.0}, "epsilon must be"), ({"epsilon": -1.0}, "epsilon must be"), ({"epsilon": None}, "epsilon, mu: exactly one"), ({"mu": 1.0}, "epsilon, mu: exactly one"), ({"rows_per_person": 0}, "rows_per_person must be"), ({"rows_per_person": 1001}, "rows per person must be"), ({"person": [1, 2]}, "person: needs rows_per_person"), ({"epsilon": True}, "epsilon must be"),
        ({"candidates": []}, "candidates must be"), ({"candidates": [2, 1]}, "candidates must be"), ({"candidates": ["a"]}, "candidates must be"),
        ({"candidates": 3.0}, "candidates must be"), ({"candidates": [1.0, float("inf")]}, "candidates must be"),
        ({"neighbours": "swap"}, "neighbours must be"), ({"neighbours": None}, "neighbours must be"),
        ({"values": [4711.0, float("nan")]}, "Input values contains NaN"), ({"values": [4711.0, float("inf")]}, "Input values contains infinity"),
        ({"values": ["patient 4711"]}, "could not convert string to float"), ({"values": [[4711.0]]}, "values should be a 1d array"), ({"values": 4711.0}, "values should be a 1d array"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named_and_not_quoted(changed, text):
    arguments = {"values": [1.0, 2.0], "candidates": OFFERED, "q": 0.5, "epsilon": 1.0, **changed}
    with pytest.raises(ValueError, match=text) as refused:
        private_quantile(**arguments)
    assert "4711" not in "".join(traceback.format_exception(refused.value))


def test_threads_may_ask_at_once():
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(private_quantile(np.arange(100_000), [0, 50_000, 100_000], 0.5, 1.0).value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [50_000.0] * 4
