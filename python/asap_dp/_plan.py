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
    """The predicted excess risk of each mechanism over a range of budgets."""
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
        excess = [np.nan if row["predicted_excess"] is None else row["predicted_excess"] for row in rows]
        ax.plot(budgets, excess, label=rows[0]["mechanism"])
    ax.axhline(plans[0][0]["excess_of_zero"], color="0.4", linestyle="--", label="all parameters 0 (bound)")
    ax.axvline(settings[kind], color="0.8", zorder=0)
    ax.set(xscale="log", yscale="log", xlabel={"epsilon": "ε", "mu": "μ"}[kind], ylabel="predicted excess risk, summed over the rows")
    ax.legend()
    return ax
