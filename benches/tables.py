#!/usr/bin/env python3
"""Predicted beside measured, on real tables: default settings of asap_dp, the best of a grid, diffprivlib, no privacy, and a constant.

    pip install ./python diffprivlib==0.6.6 scikit-learn pandas
    python3 benches/tables.py [--data DIR] [--fits 7] [--only adult,wine] [--json docs/measured/tables.json] [--svg docs/tables.svg]

Tables: Adult, Spambase and Wine Quality from DIR, and scikit-learn's breast cancer, digits and diabetes. The schema has the extremes of the
numbers and the levels of the rest of each table, which stands for a public one here and is not private. A quarter of the rows is kept for
the score. *Default* is told the budget, the schema and the number of rows, and nothing else. *Best* is the best mean over all mechanisms with the default regulariser, and a grid around it for objective perturbation: nobody can choose like
that in private, it is the most that luck could give. diffprivlib gets the same encoded rows, the bound that they imply and a grid of its own regularisers.
The noise is fresh in every run. Without asap_dp, scikit-learn, pandas or diffprivlib the script says so and succeeds.
"""

import argparse
import json
import pathlib
import statistics
import sys
import warnings

try:
    import numpy as np
    import pandas
    from diffprivlib.models import LinearRegression as TheirLinearRegression
    from diffprivlib.models import LogisticRegression as TheirLogisticRegression
    from sklearn import datasets
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.metrics import r2_score, roc_auc_score

    from asap_dp import PrivateLogisticRegression, PrivateRidge, Schema
except ImportError as missing:
    print(f"{missing.name} is not installed: nothing to compare")
    sys.exit(0)

BUDGETS = [("epsilon", 0.1), ("epsilon", 0.3), ("epsilon", 1.0), ("epsilon", 3.0), ("mu", 0.3), ("mu", 1.0)]
MECHANISMS = ["objective", "noisy-gradient", "posterior", "output"]
FACTORS = [0.25, 0.5, 1.0, 2.0, 4.0]
THEIR_C = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]


def schema_of(table, target):
    """A schema with the extremes of the numbers and the levels of the rest: it stands for a public one, and is none."""
    lines = ["[target]", f"name = {json.dumps(target)}"]
    numbers = pandas.api.types.is_numeric_dtype(table[target])
    lines.append(f"range = [{table[target].min()}, {table[target].max()}]" if numbers else 'classes = ["no", "yes"]')
    lines.append("[columns]")
    for name in table.columns.drop(target):
        column = table[name]
        if column.nunique() == 1:
            rule = "{ ignore = true }"
        elif pandas.api.types.is_numeric_dtype(column):
            rule = f"[{float(column.min())}, {float(column.max())}]"
        else:
            rule = json.dumps(sorted(map(str, column.unique())))
        lines.append(f"{json.dumps(str(name))} = {rule}")
    return Schema("\n".join(lines))


def tables(folder):
    """Name and table, the target in the column `target`: classes are no and yes."""
    adult = pandas.read_csv(folder / "adult.csv", skipinitialspace=True).replace("?", "unknown")
    spam = pandas.read_csv(folder / "spambase.data", header=None)
    white, red = (pandas.read_csv(folder / f"winequality-{kind}.csv", sep=";") for kind in ("white", "red"))
    breast, diabetes = (load(as_frame=True) for load in (datasets.load_breast_cancer, datasets.load_diabetes))
    digits = datasets.load_digits()

    def of(rows, target):
        rows = rows.set_axis([str(name) for name in rows.columns], axis=1)
        classes = np.where(target, "yes", "no") if np.asarray(target).dtype == bool else np.asarray(target, float)
        return rows.assign(target=classes)

    yield "spambase", of(spam.iloc[:, :-1], spam.iloc[:, -1] == 1)
    yield "wine white", of(white.drop(columns="quality"), white["quality"] >= 6)
    yield "wine red", of(red.drop(columns="quality"), red["quality"] >= 6)
    yield "breast cancer", of(breast.data, breast.target == 1)
    yield "digits, odd", of(pandas.DataFrame(digits.data), digits.target % 2 == 1)
    yield "wine quality", of(white.drop(columns="quality"), white["quality"])
    yield "diabetes", of(diabetes.data, diabetes.target)
    yield "adult", of(adult.drop(columns="income"), adult["income"] == ">50K")


class Study:
    """One table, split once. What others learn from is encoded by the same schema."""

    def __init__(self, name, table, fits):
        # Large tables take long, and their means are less uncertain.
        self.name, self.fits, self.schema = name, fits if len(table) < 10_000 else min(fits, 3), schema_of(table, "target")
        order = np.random.default_rng(0).permutation(len(table))
        train, test = np.split(order, [3 * len(table) // 4])
        self.table, self.held = table.iloc[train], table.iloc[test].drop(columns="target")
        self.rows, self.target = self.schema.encode(self.table, with_target=True)
        self.unseen, self.truth = self.schema.encode(table.iloc[test], with_target=True)
        self.classes = self.schema.classes is not None
        # A number counts 1, and so does a category.
        self.bound = len(self.schema.columns) ** 0.5

    def ours(self, kind, budget, **more):
        given = {kind: budget, "schema": self.schema, "expected_rows": len(self.target), "allow_useless": True, **more}
        return PrivateLogisticRegression(**given) if self.classes else PrivateRidge(**given)

    def scored(self, theta):
        """Accuracy and AUC of parameters, or their explained variance."""
        margin = self.unseen @ theta[:-1] + theta[-1]
        if self.classes:
            return float(np.mean((margin > 0) == (self.truth > 0))), float(roc_auc_score(self.truth, margin))
        return float(r2_score(self.truth, margin)), None

    def summed(self, thetas):
        scores, aucs = zip(*(self.scored(theta) for theta in thetas), strict=True)
        auc = statistics.mean(aucs) if self.classes else None
        return {"score": statistics.mean(scores), "auc": auc, "each": list(scores)}

    def fitted(self, kind, budget, fits, **more):
        return [self.ours(kind, budget, **more).fit(self.table).release_.theta for _ in range(fits)]

    def constant(self):
        share = float(np.mean(self.truth > 0))
        return max(share, 1 - share) if self.classes else 0.0

    def others(self, make, fits):
        """Parameters of learners that have scikit-learn's names for them."""
        models = [make().fit(self.rows, self.target) for _ in range(fits)]
        return [np.append(np.ravel(model.coef_), model.intercept_) for model in models]

    def not_private(self):
        make = (lambda: LogisticRegression(C=1.0, max_iter=5000)) if self.classes else (lambda: Ridge(alpha=1.0))
        return self.scored(self.others(make, 1)[0])[0]

    def theirs(self, kind, budget):
        """The best mean of their grid; nothing for μ, which they do not have."""
        if kind == "mu":
            return None
        bound = (self.bound**2 + 1) ** 0.5
        if self.classes:
            grid = [lambda c=c: TheirLogisticRegression(epsilon=budget, data_norm=bound, C=c, max_iter=500) for c in THEIR_C]
        else:
            ends = (-1.0, 1.0)
            grid = [lambda: TheirLinearRegression(epsilon=budget, bounds_X=ends, bounds_y=ends)]
        return max((self.summed(self.others(make, self.fits)) for make in grid), key=lambda one: one["score"])

    def excess(self, theta, regulariser):
        """J at the release above its minimum."""
        rows = np.column_stack([self.rows, np.ones(len(self.rows))])

        def parts(theta):
            z = rows @ theta
            if self.classes:
                p = 1 / (1 + np.exp(-z))
                return np.logaddexp(0, -self.target * z).sum(), rows.T @ (p - (self.target > 0)), p * (1 - p)
            return 0.5 * ((z - self.target) ** 2).sum(), rows.T @ (z - self.target), np.ones(len(z))

        def value(theta):
            return parts(theta)[0] + 0.5 * regulariser * theta @ theta

        best = np.zeros(rows.shape[1])
        for _ in range(100):
            _, slope, bend = parts(best)
            step = np.linalg.solve((rows.T * bend) @ rows + regulariser * np.eye(len(best)), slope + regulariser * best)
            size = 1.0
            while value(best - size * step) > value(best) and size > 1e-6:
                size /= 2
            best = best - size * step
            if np.abs(step).max() < 1e-9:
                break
        return float(value(np.asarray(theta)) - value(best))

    def budget(self, kind, budget, grid):
        """Everything for one budget."""
        default = self.summed(self.fitted(kind, budget, self.fits))
        plan = self.ours(kind, budget).plan(n_rows=len(self.target))
        mechanism = plan.index[plan["chosen"]][0]
        chosen, regulariser = plan.loc[mechanism], float(plan.loc[mechanism, "regulariser"])
        excess = {}
        for name in MECHANISMS:
            try:
                more = {"mechanism": name, "regulariser": regulariser, "parameter_bound": self.parameters()}
                all_of = [self.excess(theta, regulariser) for theta in self.fitted(kind, budget, 3, **more)]
                excess[name] = {"predicted": float(plan.loc[name, "predicted_excess"]), "measured": statistics.mean(all_of)}
            except ValueError:
                continue
        best = default
        for name in MECHANISMS if grid else []:
            # The others are never better by a regulariser alone: one is enough for them.
            for factor in FACTORS if name == "objective" else [1.0]:
                more = {"mechanism": name, "regulariser": factor * regulariser, "parameter_bound": self.parameters()}
                try:
                    found = {**self.summed(self.fitted(kind, budget, self.fits, **more)), "mechanism": name, "factor": factor}
                except ValueError:
                    continue
                best = max(best, found, key=lambda one: one["score"])
        said = self.ours(kind, budget).verdict(n_rows=len(self.target))
        return {
            "kind": kind, "budget": budget, "default": default, "best": best, "diffprivlib": self.theirs(kind, budget),
            "worth": float(chosen["worth"]), "mechanism": mechanism, "regulariser": regulariser, "verdict": said.split(":")[0].split(".")[0], "excess": excess,
        }

    def parameters(self):
        """What goes with a chosen regulariser for the squared loss: Y√d/R."""
        d = self.rows.shape[1] + 1
        return None if self.classes else float((d / (self.bound**2 + 1)) ** 0.5)


def shown(score):
    """Far below a constant is far enough."""
    return f"{score:.3f}" if score > -1 else "below -1"


def summary(results):
    """The small table."""
    print("| table | rows, columns | budget | predicted worth | default | best of a grid | diffprivlib | not private | constant |")
    print("|---|---|---|---|---|---|---|---|---|")
    for one in results:
        for it in one["budgets"]:
            symbol = {"epsilon": "ε", "mu": "μ"}[it["kind"]]
            theirs = "" if it["diffprivlib"] is None else shown(it["diffprivlib"]["score"])
            print(
                f"| {one['table']} | {one['rows']}, {one['columns']} | {symbol} = {it['budget']} | {it['worth']:.2f}, {it['verdict']} | {it['default']['score']:.3f} | "
                f"{it['best']['score']:.3f} | {theirs} | {one['not_private']:.3f} | {one['constant']:.3f} |"
            )
    ratios = {name: [] for name in MECHANISMS}
    for one in results:
        for it in one["budgets"]:
            for name, pair in it["excess"].items():
                ratios[name].append(pair["predicted"] / pair["measured"])
    for name, all_of in ratios.items():
        if all_of:
            low, median, high = np.quantile(all_of, [0.1, 0.5, 0.9])
            print(f"predicted / measured excess, {name}: median {median:.2f}, 10 % {low:.2f}, 90 % {high:.2f}, of {len(all_of)}")


def picture(results, path):
    """Predicted worth against the measured part of what can be gained, as SVG."""
    colours = {"epsilon": "#0072b2", "mu": "#d55e00"}
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 480" font-family="sans-serif" font-size="13">', '<rect width="640" height="480" fill="white"/>']

    def place(x, y):
        return 70 + 540 * x, 420 - 380 * (np.clip(y, -0.2, 1.2) + 0.2) / 1.4

    for mark in (0, 0.25, 0.5, 0.75, 1):
        (x, _), (_, y) = place(mark, 0), place(0, mark)
        parts.append(f'<path d="M{x:.0f} 40V420M70 {y:.0f}H610" stroke="#ddd"/><text x="{x:.0f}" y="440" text-anchor="middle">{mark}</text><text x="60" y="{y + 4:.0f}" text-anchor="end">{mark}</text>')
    (x0, y0), (x1, y1) = place(0, 0), place(1, 1)
    parts.append(f'<path d="M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}" stroke="#999" stroke-dasharray="4"/>')
    for one in results:
        room = one["not_private"] - one["constant"]
        for it in one["budgets"]:
            share = (it["default"]["score"] - one["constant"]) / room
            x, y = place(float(np.clip(it["worth"], 0, 1)), share)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colours[it["kind"]]}"><title>{one["table"]}, {it["kind"]} {it["budget"]}</title></circle>')
    parts.append('<text x="340" y="465" text-anchor="middle">predicted worth</text><text x="20" y="230" transform="rotate(-90 20 230)" text-anchor="middle">measured: part of the gain without privacy</text>')
    parts.append(f'<circle cx="90" cy="22" r="4" fill="{colours["epsilon"]}"/><text x="100" y="26">ε</text><circle cx="130" cy="22" r="4" fill="{colours["mu"]}"/><text x="140" y="26">μ</text></svg>')
    path.write_text("\n".join(parts) + "\n")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared/data")
    parser.add_argument("--fits", type=int, default=7)
    parser.add_argument("--only", default="", help="tables whose names begin so, separated by commas")
    parser.add_argument("--no-grid", action="store_true", help="default settings and diffprivlib alone")
    parser.add_argument("--json", type=pathlib.Path, default=None)
    parser.add_argument("--svg", type=pathlib.Path, default=None)
    options = parser.parse_args()
    if not (options.data / "adult.csv").exists():
        print("adult.csv was not found: --data says where it is")
        return
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, table in tables(options.data):
            if not name.startswith(tuple(options.only.split(","))):
                continue
            study = Study(name, table, options.fits)
            budgets = [study.budget(kind, budget, not options.no_grid) for kind, budget in BUDGETS]
            results.append({
                "table": name, "fits": study.fits, "rows": len(study.target), "columns": study.rows.shape[1], "budgets": budgets,
                "constant": study.constant(), "not_private": study.not_private(),
            })  # fmt: skip
            print(f"{name}: done", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps({"fits": options.fits, "tables": results}, indent=1) + "\n")
            if options.svg:
                picture(results, options.svg)
    summary(results)


if __name__ == "__main__":
    main()
