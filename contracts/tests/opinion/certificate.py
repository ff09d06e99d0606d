"""The form of a release: every object with its fields in the order that the digest is of (own:certificate, Names)."""

from opinion import form, schema
from opinion.form import f64, listed, one_of, optional, or_null, record, tagged, text, unsigned, usually

VERSION = 3

STEPS = record(exponent=form.exponent, steps=unsigned)
NOISE = tagged(
    discrete_laplace=record(exponent=form.exponent, numerator=unsigned, denominator=unsigned),
    euclidean_laplace=STEPS,
    rounded_normal=STEPS,
)
GUARANTEE = tagged(pure=f64, gaussian=f64)
CLAIMS = listed(record(spec=text, status=one_of("proved", "tested", "assumed")))
NEIGHBOURS = one_of("add-remove", "replace-one")
RANDOMNESS = one_of("secure", "replay")
MINIMISER = record(bound=f64, lipschitz=f64, rounding=f64, tolerance=f64, sensitivity=f64)
LAST_STAGE = record(norm=unsigned, error=f64, charge=f64, noise=NOISE)
BOUNDED = record(columns=unsigned, bound=f64)
BLOCK = tagged(cube=record(columns=unsigned), one_norm=BOUNDED, ball=BOUNDED)
LAW = one_of("cube-laplace", "laplace", "euclidean-laplace", "normal")
BLOCK_NOISE = record(columns=unsigned, law=LAW, exponent=form.exponent, steps=unsigned)


def tilt(value, place):
    return listed(BLOCK_NOISE)(value, place) if isinstance(value, list) else NOISE(value, place)


MECHANISM = tagged(
    output=record(minimiser=MINIMISER, noise=NOISE),
    objective=record(
        expected_rows=unsigned, radius=f64, lipschitz=f64, smoothness=f64, jacobian=optional(f64),
        price=usually("apart", one_of("apart", "tied", "free")), tilt=tilt, asap=LAST_STAGE,
    ),
    noisy_gradient=record(
        expected_rows=unsigned, steps=unsigned, skipped=unsigned, step=f64, momentum=f64, radius=f64, lipschitz=f64,
        rounding=f64, sensitivity=f64, share=f64, noise=NOISE,
    ),
    posterior=record(
        calibration=one_of("tight", "paper"), sampler=one_of("exact", "proximal", "mala"), expected_rows=unsigned,
        minimiser=MINIMISER, localisation=record(noise=NOISE, theta_0=listed(f64)),
        reference=record(centre_norm=f64, radius=f64, lipschitz=f64, gamma=f64), asap=LAST_STAGE,
    ),
)
CHOICE = record(
    rows=unsigned, curvature=or_null(f64),
    regulariser=optional(record(missed=f64, with_half=or_null(f64), with_twice=or_null(f64))), pass_price=f64,
    compared=listed(record(
        mechanism=text, predicted=or_null(f64), passes=or_null(f64),
    )),
)
LOSS = tagged(
    words=("logistic", "squared"), huber=record(delta=f64), user=record(name=text, shape=or_null(f64)),
)
PROBLEM = record(
    loss=LOSS, class_weights=optional(form.pair(f64)), feature_norm=f64, target=f64,
    max_rows=unsigned, intercept=form.boolean, row_norm=f64, dimension=unsigned, regulariser=f64,
    parameter_bound=or_null(f64), shape=optional(listed(BLOCK)),
)
CERTIFICATE = record(
    schema=unsigned, crate_version=text, neighbours=NEIGHBOURS,
    ledger=record(total=GUARANTEE, converted=optional(f64), shares=listed(record(name=text, spent=f64))),
    person=optional(record(rows=unsigned, total=GUARANTEE)), problem=PROBLEM, mechanism=MECHANISM, choice=optional(CHOICE), theta=listed(f64), randomness=RANDOMNESS,
    numerics=one_of("rigorous", "real-arithmetic-only", "asymptotic-constants"), certified=form.boolean, claims=CLAIMS,
)
SEALED = record(columns=schema.COLUMNS, certificate=CERTIFICATE)
FILE = record(columns=optional(form.unread), certificate=form.unread, digest=text, signature=optional(form.SIGNATURE))
