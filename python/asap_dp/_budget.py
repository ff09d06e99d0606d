"""Fitting copies of one estimator spends the budget once for each copy."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any
from weakref import WeakKeyDictionary


class BudgetWarning(UserWarning):
    """Several fits of copies of one estimator: each spends its own budget."""


class _Family:
    """An estimator and its copies, numbered as they are made."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)


# The family of an estimator and its number in it. Not an attribute: a copy that has not been fitted
# has its parameters only.
_members: WeakKeyDictionary[Any, tuple[_Family, int]] = WeakKeyDictionary()


def joined(copy: Any, original: Any) -> None:
    """Notes that ``copy`` was made of ``original``."""
    family, _ = _members.setdefault(original, (_Family(), 0))
    _members[copy] = (family, next(family.numbers))


def number_of(estimator: Any) -> int:
    """Which copy of its family an estimator is; 0 if it is not a copy."""
    return _members[estimator][1] if estimator in _members else 0


def restored(estimator: Any, number: int) -> None:
    """Notes the number of a copy that was sent to another process."""
    if number:
        _members[estimator] = (_Family(), number)


def warn_of_copies(estimator: Any) -> None:
    """Warns when a second copy, or a later one, is about to be fitted: what GridSearchCV and cross_val_score do."""
    number = number_of(estimator)
    if number > 1:
        warnings.warn(
            f"Copy number {number} of one estimator is being fitted, as a search or a cross-validation does. Every fit spends its "
            f"own budget: {_sum(estimator, number)}. Scores computed from records, and what a search chooses by them, carry no "
            "noise and are not private.",
            BudgetWarning,
            stacklevel=3,
        )


def _sum(estimator: Any, number: int) -> str:
    """What this many copies of the estimator spend on the same records, if each is fitted."""
    if estimator.mu is not None:
        name, total = "mu", estimator.mu * math.sqrt(number)
    else:
        name, total = "epsilon", estimator.epsilon * number
    return f"{number} copies fitted to the same records spend {name} = {total:.6g} together"
