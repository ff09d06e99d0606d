"""A private quantile, for a bound of a column of which nothing is known."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from . import _native
from ._ledger import entered_into
from ._validation import aligned, without_values


def private_quantile(
    values: Any, candidates: Any, q: float, epsilon: float, *, neighbours: str = "add-remove", ledger: Any = None, dataset: str | None = None
) -> float:
    """One of ``candidates``, close to the ``q``-quantile of ``values``. **Every call spends ε**, on top of what the fit spends.

    The exponential mechanism over public candidates, drawn exactly: ε-differentially private with δ = 0 (``spec/own-quantile.md``).

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        One number for each record, for instance a column or the norms of the rows. Each must depend on its own record only.
    candidates : array-like
        The possible answers: finite numbers in increasing order. Public: choose them without looking at the records, for instance
        powers of two from the smallest to the largest that can be at all.
    q : float
        The level, from 0.000001 to 0.999999; it is taken to six digits.
    epsilon : float
        The budget of this call.
    neighbours : {"add-remove", "replace-one"}, default="add-remove"
        As for the fit that it is for.
    ledger : path, optional
        The ledger file of the data set: what is spent is entered before anything is drawn, and refused if the total would be exceeded.
    dataset : str, optional
        With ``ledger``: the name of the data set, which the ledger compares with its own.

    Returns
    -------
    float
        The candidate that was drawn. It may be published, and a bound that is made of it is a public number.
    """
    for name, value in (("q", q), ("epsilon", epsilon)):
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            raise ValueError(f"{name}: allowed is a number")
    if not isinstance(neighbours, str):
        raise ValueError("neighbours: allowed is add-remove or replace-one")
    offered = np.asarray(candidates)
    if offered.ndim != 1 or offered.dtype.kind not in "iuf":
        raise ValueError("candidates: allowed is a list of numbers")

    def validated() -> np.ndarray:
        column = check_array(values, ensure_2d=False, dtype=np.float64, ensure_min_samples=0, input_name="values")
        if column.ndim != 1:
            raise ValueError("values should be a 1d array")
        return column

    column = without_values(validated)
    booked = entered_into(ledger, dataset)
    return _native.private_quantile(aligned(column), offered.astype(np.float64).tolist(), float(q), float(epsilon), neighbours, *booked)
