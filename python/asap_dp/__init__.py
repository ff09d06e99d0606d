"""Differentially private learning with δ = 0, as scikit-learn estimators.

>>> from asap_dp import PrivateLogisticRegression
>>> model = PrivateLogisticRegression(epsilon=1.0, feature_bound=1.0, expected_rows=5000)
>>> model.fit(X, y)                  # doctest: +SKIP
>>> model.release_.check()           # doctest: +SKIP

Every number you give to an estimator is public. Choose it without looking at the records.
"""

from importlib.metadata import version as _version

from ._answer import Answer, Estimate, PredictedUselessScore, count, private_quantile, split
from ._budget import BudgetWarning
from ._base import PredictedUseless, PredictedUselessWarning
from ._estimators import PrivateHuberRegressor, PrivateLogisticRegression, PrivateRidge
from ._ledger import read_ledger
from ._pipeline import PublicStateWarning, public
from ._release import Release, Verdict
from ._schema import Schema

__version__ = _version("asap-dp")

__all__ = [
    "Answer",
    "BudgetWarning",
    "Estimate",
    "PredictedUseless",
    "PredictedUselessScore",
    "PredictedUselessWarning",
    "PrivateHuberRegressor",
    "PrivateLogisticRegression",
    "PrivateRidge",
    "PublicStateWarning",
    "Release",
    "Schema",
    "Verdict",
    "__version__",
    "count",
    "private_quantile",
    "public",
    "read_ledger",
    "split",
]
