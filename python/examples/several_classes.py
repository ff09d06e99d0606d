"""What more than two classes cost: accuracy of one-against-rest models beside models that are not private
(spec/own-one-against-rest.md).

Run: python several_classes.py [winequality-white.csv]
(ten digits of scikit-learn; and three bins of the quality of wine)
"""

import sys
import warnings

import numpy as np
import pandas
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier

from asap_dp import PrivateLogisticRegression

SPLITS = 5
#: Public ranges of the measurements of a wine, in the order of the file.
LOW = np.array([3.8, 0.08, 0, 0.6, 0.009, 2, 9, 0.98, 2.7, 0.22, 8])
HIGH = np.array([14.2, 1.1, 1.66, 66, 0.35, 289, 440, 1.04, 3.9, 1.1, 15])


def compare(name, X, y, feature_bound, budgets):
    classes, found = np.unique(y), {}
    for seed in range(SPLITS):
        train, test, of_train, of_test = train_test_split(X, y, test_size=0.25, random_state=seed)
        usual = max(classes, key=lambda one: (of_train == one).sum())
        found.setdefault("always the same", []).append((of_test == usual).mean())
        free = OneVsRestClassifier(LogisticRegression(max_iter=2000)).fit(train, of_train)
        found.setdefault("not private", []).append(free.score(test, of_test))
        for budget in budgets:
            model = PrivateLogisticRegression(**budget, feature_bound=feature_bound, classes=classes, expected_rows=len(train), allow_useless=True)
            said = ", ".join(f"{kind} = {value}" for kind, value in budget.items())
            found.setdefault(said, []).append(model.fit(train, of_train).score(test, of_test))
    for said, scores in found.items():
        print(f"{name:7} {len(classes):2} classes  {said:16} {np.mean(scores):.3f} ± {np.std(scores):.3f}")


def main() -> None:
    warnings.simplefilter("ignore")
    X, y = load_digits(return_X_y=True)
    compare("digits", X / 16, y, 5.0, [{"epsilon": 1.0}, {"epsilon": 10.0}, {"epsilon": 30.0}, {"mu": 1.0}, {"mu": 3.0}])
    for path in sys.argv[1:]:
        table = pandas.read_csv(path, sep=";")
        quality = table.pop("quality")
        y = np.where(quality <= 5, "low", np.where(quality == 6, "middle", "high"))
        X = np.clip(2 * (table.to_numpy() - LOW) / (HIGH - LOW) - 1, -1, 1)
        compare("wine", X, y, np.sqrt(11), [{"epsilon": 0.3}, {"epsilon": 1.0}, {"epsilon": 3.0}, {"mu": 1.0}])


if __name__ == "__main__":
    main()
