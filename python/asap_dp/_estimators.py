"""The estimators: logistic regression, ridge regression, Huber regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets

from ._base import PrivateLinearModel
from ._base import _real as real
from ._schema import _text
from ._validation import aligned, without_values

_PARAMETERS = """
    Parameters
    ----------
    epsilon : float, optional
        Asks for pure ε-differential privacy, δ = 0. Give this or ``mu``; there is no default.
    mu : float, optional
        Asks for μ-Gaussian differential privacy.
    regulariser : float or "auto", default="auto"
        Λ: the weight of ‖θ‖²/2 beside the **sum** of the losses, the intercept included. scikit-learn's ``1/C`` or
        ``alpha``. A larger one needs less noise. ``auto`` chooses it from the other public numbers, with a parameter
        bound if the loss needs one.
    schema : Schema, optional
        What the columns of a table are: ranges, levels, classes, and the values for missing cells. X
        is then a table as it is.
    feature_bound : float
        R: rows of X are shortened to this Euclidean norm. Public: choose it without looking at the
        records. A schema implies one.
{target}    parameter_bound : float, optional
        Parameters are searched only in the ball of this radius. For the squared loss a small one needs much less noise.
{delta}    fit_intercept : bool, default=True
        Whether a column of ones is appended to X.
    neighbours : {{"add-remove", "replace-one"}}, default="add-remove"
        Which data sets the guarantee compares: with one record more or less, or with one replaced.
    mechanism : {{"auto", "objective", "noisy-gradient", "posterior", "output"}}, default="auto"
        ``auto`` takes the one that is predicted to miss least, from public numbers.
    expected_rows : int, optional
        A public guess of the number of records. A wrong guess costs utility, never privacy.
    max_rows : int, optional
        A public promise: more records than this are refused. 10,000,000 unless given.
    rows_per_person : int, optional
        A person may have several rows (``fit(X, y, person=...)`` says whose each is). This many of each person are
        taken, the first ones, and ε or μ is promised for a person with all rows. A schema states it itself. By default
        each row counts by itself.
    curvature : float, optional
        A public guess of the curvature of all losses together, for the choice of the mechanism.
    allow_useless : bool, default=False
        A fit that is predicted to be hardly better than a constant raises ``PredictedUseless`` before anything is
        spent. With ``True`` it runs with a warning.
    missing : float, optional
        Without a schema: the public number that replaces every NaN in X, fixed without looking at the
        records. A schema has its own.
    ledger : path, optional
        The ledger file of the data set (``asap ledger`` declares one). A fit is entered before it draws any noise, and
        refused with ``ValueError`` if the total would be exceeded.
    dataset : str, optional
        With ``ledger``: the name of the data set, which the ledger compares with its own.
    progress : bool, default=False
        Shows which stage a fit is in (with tqdm if it is installed). The stages are the same for all records.
{classes}
    Attributes
    ----------
    release_ : Release
        What may be published: parameters, certificate, JSON. Everything below comes from it.
{attributes}    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of str
        Their names, if X has any. They are public, and part of the release.
"""

_TARGET = """    target_bound : float
        Y: targets are clipped to [-Y, Y]. Public: choose it without looking at the records. A schema has
        the target's range instead.
"""
_REGRESSION = """    coef_ : ndarray of shape (n_features,)
    intercept_ : float
"""


class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):
    __doc__ = """Logistic regression, differentially private with δ = 0, for two classes, or for
    more, each against the rest.

    More than two classes share the budget: each gets its own model, with ε/K or μ/√K (spec/own-one-against-rest.md).
""" + _PARAMETERS.format(
        target="",
        delta="",
        classes="""    classes : sequence of labels, optional
        The labels, declared in public; needed for more than two. Without it they are taken from y, their
        names count as public, and an error reveals if y has only one label. With it, records of one class are
        a data set like any other.
    class_weight : dict of labels, optional
        How much a record of each class counts, for a rare class: ``{"no": 1, "yes": 10}``; only the ratio counts. With
        more than two classes, each has its weight in its own model, and the rest counts as much as the class that
        counts least. Public: take it from what is known elsewhere. ``"balanced"`` is refused: it would look at the
        labels, which are private. Probabilities are those of the weighted classes. A schema has its own ``weights``.
""",
        attributes="""    classes_ : ndarray of shape (n_classes,)
        The labels, sorted, or those of the schema. With two, decisions are about the second.
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) for more than two
    intercept_ : ndarray of shape (1,), or (n_classes,) for more than two
""",
    )

    _loss = "logistic"

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        mu: float | None = None,
        regulariser: float | str = "auto",
        schema: Any = None,
        feature_bound: float | None = None,
        parameter_bound: float | None = None,
        fit_intercept: bool = True,
        neighbours: str = "add-remove",
        mechanism: str = "auto",
        expected_rows: int | None = None,
        max_rows: int | None = None,
        rows_per_person: int | None = None,
        curvature: float | None = None,
        allow_useless: bool = False,
        missing: float | None = None,
        ledger: Any = None,
        dataset: str | None = None,
        progress: bool = False,
        classes: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.mu = mu
        self.regulariser = regulariser
        self.schema = schema
        self.feature_bound = feature_bound
        self.parameter_bound = parameter_bound
        self.fit_intercept = fit_intercept
        self.neighbours = neighbours
        self.mechanism = mechanism
        self.expected_rows = expected_rows
        self.max_rows = max_rows
        self.rows_per_person = rows_per_person
        self.curvature = curvature
        self.allow_useless = allow_useless
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset
        self.progress = progress
        self.classes = classes
        self.class_weight = class_weight

    def decision_function(self, X: Any) -> np.ndarray:
        """⟨x, θ̂⟩ plus intercept: above 0 for the second class, shape (n_samples,); with more than two, one for each,
        (n_samples, n_classes)."""
        return self._linear(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, columns in the order of ``classes_``. Shape (n_samples, n_classes).

        With more than two classes: those of each against the rest, divided by their sum.
        """
        scores = self._linear(X)
        if scores.ndim == 1:
            second = expit(scores)
            return np.column_stack([1.0 - second, second])
        logarithms = log_expit(scores)
        parts = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        return parts / parts.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row. Shape (n_samples,)."""
        scores = self._linear(X)
        return self.classes_[scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)]

    def _converted(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        if self.schema is not None:
            if self.classes is not None:
                raise ValueError("classes: the schema has the classes")
            return self._encoded(X, y)

        def validated() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            features, labels = self._validated(X, y)
            check_classification_targets(labels)
            classes = self._classes_of(labels)
            return features, labels, classes

        features, labels, classes = without_values(validated)
        return aligned(features), _targets(labels, classes), classes

    def _scored(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        if self.schema is not None:
            return super()._scored(X, y)

        def validated() -> tuple[np.ndarray, np.ndarray]:
            features, labels = self._validated(X, y, reset=False)
            if not np.isin(labels, self.classes_).all():
                raise ValueError("labels: y has a label that is not one of the classes of the fit")
            return features, labels

        features, labels = without_values(validated)
        return features.astype(np.float64, copy=False), _targets(labels, self.classes_)

    def _settings(self, **changed: Any) -> dict[str, Any]:
        labels = self._labels()
        several = None if labels is None or len(labels) < 3 else [_text(label) for label in labels]
        return {**super()._settings(**changed), "classes": several, "class_weights": self._weights()}

    def _labels(self) -> list[Any] | None:
        """The labels in the order of ``classes_``, if they are declared."""
        if self.schema is not None:
            return getattr(self.schema, "classes", None)
        return None if self.classes is None else np.unique(np.asarray(self.classes)).tolist()

    def _weights(self) -> list[float] | None:
        """How much the classes count, the other one first."""
        weights = self.class_weight
        if weights is None:
            return None
        if isinstance(weights, str):
            raise ValueError(
                "class_weight must be a dictionary of public numbers: 'balanced' weights would be made of the labels, which are private"
            )
        labels = self._labels()
        if self.schema is not None and self.schema.has_weights:
            raise ValueError("class_weight must be left out: the schema has weights")
        if labels is None:
            raise ValueError("class_weight: needs `classes`, so that the labels are public")
        if not isinstance(weights, dict) or {*weights} != {*labels}:
            raise ValueError("class_weight must have a number for each of the classes, and no other")
        return [real("class_weight", weights[label]) for label in labels]

    def _classes_of(self, labels: np.ndarray) -> np.ndarray:
        """The classes, sorted: as declared, or two as found."""
        found = np.unique(labels)
        if self.classes is None:
            if len(found) > 2:
                raise ValueError(
                    "Only binary classification is supported. The type of the target is multiclass. With `classes` declared in public "
                    "there may be more than two"
                )
            if len(found) < 2:
                raise ValueError(
                    "PrivateLogisticRegression needs samples of at least 2 classes in the data, but the data contains only one class; "
                    "with `classes` declared, one class is enough"
                )
            return found
        classes = np.unique(np.asarray(self.classes))
        if not 2 <= len(classes) <= 100:
            raise ValueError("labels: `classes` must name 2 to 100 different labels")
        if not np.isin(found, classes).all():
            raise ValueError("labels: y has a label that is not one of `classes`")
        return classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _targets(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Labels as the library reads them: -1 and 1 for two classes, the number of the class for more."""
    if len(classes) == 2:
        return np.where(labels == classes[1], 1.0, -1.0)
    return np.searchsorted(classes, labels).astype(np.float64)


class _PrivateRegressor(RegressorMixin, PrivateLinearModel):
    _needed = {
        **PrivateLinearModel._needed,
        "target_bound": "targets are clipped to [-target_bound, target_bound]; choose it without looking at the records",
    }

    def predict(self, X: Any) -> np.ndarray:
        """⟨x, θ̂⟩ plus intercept, within the target bound, in the units of the target. Shape (n_samples,)."""
        if self.schema is not None and hasattr(self, "release_"):
            return self.release_.predict(X)
        bound = self.release_.target_bound if hasattr(self, "release_") else np.inf
        return np.clip(self._linear(X), -bound, bound)


class PrivateRidge(_PrivateRegressor):
    __doc__ = """Ridge regression, differentially private with δ = 0.
""" + _PARAMETERS.format(target=_TARGET, delta="", classes="", attributes=_REGRESSION)

    _loss = "squared"

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        mu: float | None = None,
        regulariser: float | str = "auto",
        schema: Any = None,
        feature_bound: float | None = None,
        target_bound: float | None = None,
        parameter_bound: float | None = None,
        fit_intercept: bool = True,
        neighbours: str = "add-remove",
        mechanism: str = "auto",
        expected_rows: int | None = None,
        max_rows: int | None = None,
        rows_per_person: int | None = None,
        curvature: float | None = None,
        allow_useless: bool = False,
        missing: float | None = None,
        ledger: Any = None,
        dataset: str | None = None,
        progress: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.mu = mu
        self.regulariser = regulariser
        self.schema = schema
        self.feature_bound = feature_bound
        self.target_bound = target_bound
        self.parameter_bound = parameter_bound
        self.fit_intercept = fit_intercept
        self.neighbours = neighbours
        self.mechanism = mechanism
        self.expected_rows = expected_rows
        self.max_rows = max_rows
        self.rows_per_person = rows_per_person
        self.curvature = curvature
        self.allow_useless = allow_useless
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset
        self.progress = progress


class PrivateHuberRegressor(_PrivateRegressor):
    __doc__ = """Huber regression (squared loss up to residuals of size ``delta``, linear beyond),
    differentially private with δ = 0.
""" + _PARAMETERS.format(
        target=_TARGET,
        delta="""    delta : float, default=1.0
        The residual beyond which the loss is linear, in the units of y (the δ of the loss, not that of privacy, which
        is 0). A smaller one needs less noise.
""",
        classes="",
        attributes=_REGRESSION,
    )

    _loss = "huber"
    _needed = {**_PrivateRegressor._needed, "delta": "the residual beyond which the loss is linear"}

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        mu: float | None = None,
        regulariser: float | str = "auto",
        schema: Any = None,
        feature_bound: float | None = None,
        target_bound: float | None = None,
        parameter_bound: float | None = None,
        delta: float = 1.0,
        fit_intercept: bool = True,
        neighbours: str = "add-remove",
        mechanism: str = "auto",
        expected_rows: int | None = None,
        max_rows: int | None = None,
        rows_per_person: int | None = None,
        curvature: float | None = None,
        allow_useless: bool = False,
        missing: float | None = None,
        ledger: Any = None,
        dataset: str | None = None,
        progress: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.mu = mu
        self.regulariser = regulariser
        self.schema = schema
        self.feature_bound = feature_bound
        self.target_bound = target_bound
        self.parameter_bound = parameter_bound
        self.delta = delta
        self.fit_intercept = fit_intercept
        self.neighbours = neighbours
        self.mechanism = mechanism
        self.expected_rows = expected_rows
        self.max_rows = max_rows
        self.rows_per_person = rows_per_person
        self.curvature = curvature
        self.allow_useless = allow_useless
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset
        self.progress = progress
