"""Warns of a step before a private estimator that learned from the records: it depends on all of them, and
no noise covers that."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class PublicStateWarning(UserWarning):
    """A step of a pipeline before the private estimator was fitted to the records."""


#: What is known of a table without its cells.
_SHAPES = {"n_features_in_", "feature_names_in_"}
_MARK = "_asap_dp_public"


def public(step: Any) -> Any:
    """Declares that the fitted state of a pipeline's step is public: it was fixed without looking at the records.

    Parameters
    ----------
    step : transformer
        For instance a ``MinMaxScaler`` that was fitted to a table of public ranges.

    Returns
    -------
    transformer
        The same object. A copy of it (``clone``) is not declared.
    """
    setattr(step, _MARK, True)
    return step


def _learned(step: Any) -> list[str]:
    """The fitted state of a step, by its names; nothing if it is public or needs no fit."""
    if step is None or isinstance(step, str) or getattr(step, _MARK, False):
        return []
    parts = getattr(step, "transformers_", None) or getattr(step, "steps", None) or getattr(step, "transformer_list", None)
    if parts:
        return [f"{part[0]}.{name}" for part in parts for name in _learned(part[1])]
    if isinstance(getattr(step, "categories", None), list | tuple):
        # Levels that were listed are declared.
        return []
    names = [name for name in vars(step) if name.endswith("_") and not name.startswith("_") and name not in _SHAPES]
    return sorted(name for name in names if vars(step)[name] is not None)


def warn_of_learned_steps(estimator: Any) -> None:
    """Warns if the pipeline that fits the estimator has a step before it that learned from the records."""
    frame = sys._getframe(1)
    while frame is not None:
        pipeline = frame.f_locals.get("self")
        steps = getattr(pipeline, "steps", None)
        if isinstance(steps, list) and steps and isinstance(steps[-1], tuple) and steps[-1][-1] is estimator:
            found = {name: _learned(step) for name, step in steps[:-1]}
            for name, state in found.items():
                if state:
                    warnings.warn(
                        f"step {name!r} of the pipeline was fitted to the records ({', '.join(state[:5])}): what it learned from them is not "
                        "covered by the guarantee. Use `schema=` in its place, or declare its state with `asap_dp.public(step)` if it was "
                        "fixed without looking at the records.",
                        PublicStateWarning,
                        stacklevel=4,
                    )
            return
        frame = frame.f_back
