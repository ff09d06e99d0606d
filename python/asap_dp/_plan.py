"""What each mechanism is predicted to be worth, before any record is touched: a table and a picture."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas


def table(settings: dict[str, Any], n_features: int) -> pandas.DataFrame:
    """All mechanisms side by side, the chosen one marked."""
    try:
        import pandas
    except ImportError:
        raise ImportError("plan returns a pandas DataFrame: pip install pandas") from None
    return pandas.DataFrame(json.loads(_native.plan(settings, n_features))).set_index("mechanism")


def picture(settings: dict[str, Any], n_features: int, budgets: Any, ax: Any) -> matplotlib.axes.Axes:
    """The part of what can be learnt that each mechanism is predicted to miss, over a range of budgets."""
    kind = "epsilon" if settings["mu"] is None else "mu"
    budgets = settings[kind] * np.geomspace(0.1, 10, 21) if budgets is None else np.asarray(budgets, dtype=float)
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("plot_plan draws with matplotlib: pip install matplotlib") from None
        _, ax = pyplot.subplots()
    plans = [json.loads(_native.plan({**settings, kind: float(budget)}, n_features)) for budget in budgets]
    for rows in zip(*plans, strict=True):
        missed = [np.nan if row["worth"] is None else max(1 - row["worth"], 1e-9) for row in rows]
        ax.plot(budgets, missed, label=rows[0]["mechanism"])
    ax.axhline(1.0, color="0.4", linestyle="--", label="the same prediction for all")
    ax.axvline(settings[kind], color="0.8", zorder=0)
    ax.set(xscale="log", yscale="log", xlabel={"epsilon": "ε", "mu": "μ"}[kind], ylabel="part of what can be learnt that is missed, predicted")
    ax.legend()
    return ax
