#!/usr/bin/env python3
"""A second opinion on releases, in another language: the clauses of spec/own-certificate.md in exact fractions.

Written from that page; standard library only. One release in JSON per line of standard input; for each a line with
`ok` or with what does not hold. A new mechanism is one function in MECHANISMS, its shares and its claims.
"""
import hashlib
import json
import re
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as F
from math import isqrt

PROVED, TESTED, ASSUMED = "proved", "tested", "assumed"
U, H = F(1, 2**53), 1 + F(1, 2**10)
HALF_PI, TWO_PI, LN_2 = F(1.2533141373155003), F(0.7978845608028654), F(0.6931471805599454)


getcontext().prec = 80
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


class Fails(Exception):
    pass


class Number(F):
    """The exact value of the f64 nearest to a text, which is kept for the digest."""

    def __new__(cls, text, whole=False):
        value = int(text) if whole else float(text)
        if value != value or value in (float("inf"), float("-inf")):
            raise Fails("not a finite number")
        number = super().__new__(cls, value)
        number.text, number.whole = text, whole
        return number


def need(holds, clause):
    if not holds:
        raise Fails(clause)


def up(x, places=200):
    """Not below the square root."""
    scale = 4 ** (places + max(0, x.denominator.bit_length() - x.numerator.bit_length()))
    k = -((-x.numerator * scale) // x.denominator)
    root = isqrt(k)
    return F(root + (root * root < k), isqrt(scale))


def root_fits(plain, radicand, bound):
    return plain <= bound and radicand <= (bound - plain) ** 2


def decimal(x):
    return Decimal(F(x).numerator) / Decimal(F(x).denominator)


def converts(mu, epsilon):
    """e^ε ≤ Φ(μ/2)/Φ(−μ/2), a μ above 20 taken as 20, to some seventy digits: φ(x)·(x + x³/3 + x⁵/15 + …) is Φ(x) − ½."""
    if mu <= 0 or epsilon <= 0 or epsilon > 100:
        return False
    x = decimal(min(mu, 20)) / 2
    term, total, k = x, x, 1
    while abs(term) > total * Decimal(10) ** -75:
        k += 2
        term *= x * x / k
        total += term
    q = total * (-x * x / 2).exp() / (2 * PI).sqrt()
    half = Decimal(1) / 2
    return decimal(epsilon).exp() * (half - q) <= half + q


# ---- the form -------------------------------------------------------------------------------------------------------

def unique(pairs):
    names = [name for name, _ in pairs]
    need(len(set(names)) == len(names), "a key is there twice")
    return dict(pairs)


LEFT_OUT = {"choice", "regulariser", "converted", "shape", "jacobian"}


def fields(value, names, optional=()):
    need(isinstance(value, dict), "an object")
    need(set(names) <= set(value) | set(optional) and set(value) <= set(names), "fields are those of the schema")
    # The digest is of the fields in the order of the schema, in whatever order they are written; what may be left out
    # and is null counts as left out.
    in_order(value, [name for name in names if name in value and not (name in LEFT_OUT and value[name] is None)])


def in_order(value, names):
    ordered = [(name, value[name]) for name in names]
    value.clear()
    value.update(ordered)


def real(x):
    need(isinstance(x, Number), "a number")
    return x


def natural(x, low=0, high=2**64 - 1):
    need(isinstance(x, Number) and x.whole and low <= x <= high, "a whole number in range")
    return int(x)


def text(x, *allowed):
    need(isinstance(x, str) and (not allowed or x in allowed), "a known word")
    return x


def tagged(value, *names):
    need(isinstance(value, dict) and len(value) == 1 and next(iter(value)) in names, "one known key")
    return next(iter(value.items()))


def canonical(value):
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + canonical(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


# ---- noise ----------------------------------------------------------------------------------------------------------

class Noise:
    def __init__(self, value):
        self.law, body = tagged(value, "discrete-laplace", "rounded-normal", "euclidean-laplace")
        laplace = self.law == "discrete-laplace"
        fields(body, ["exponent", "numerator", "denominator"] if laplace else ["exponent", "steps"])
        exponent = natural(body["exponent"], -(2**31), 2**31 - 1)
        need(-1022 <= exponent <= 970, "lattice steps are normal numbers")
        self.g = F(2) ** exponent
        num, den = (natural(body["numerator"]), natural(body["denominator"])) if laplace else (natural(body["steps"]), 1)
        need(num >= 1 and den >= 1, "a positive scale")
        self.s = F(num, den)
        self.norm = 1 if laplace else 2
        self.page = "own:" + self.law

    def covers(self, moved, norm, d, share, kind):
        need((self.law == "rounded-normal") == (kind == "gaussian"), "noise is of the kind of the guarantee")
        bought = share * self.s * self.g
        if self.law == "discrete-laplace":
            need(root_fits(d * self.g, (d if norm == 2 else 1) * moved**2, bought), "noise covers")
        else:
            need(root_fits(moved, d * self.g**2, bought), "noise covers")

    def check(self, moved, norm, d, share, kind, reach, point):
        self.covers(moved, norm, d, share, kind)
        need(reach + 64 * self.s * self.g <= 2**53 * self.g, "the lattice holds the noise")
        for x in point:
            need((x / self.g).denominator == 1 and abs(x) <= 2**53 * self.g, "a point on its lattice")

    def cut(self, reach, point):
        need(all(abs(x) <= reach + (1024 * self.s + 3) * self.g for x in point), "within 1024 scales of noise")


class Block:
    """Columns of a row: numbers up to 1, or with a bounded 1-norm, or with a bounded 2-norm."""

    def __init__(self, value):
        self.kind, body = tagged(value, "cube", "one-norm", "ball")
        fields(body, ["columns"] if self.kind == "cube" else ["columns", "bound"])
        self.columns = natural(body["columns"])
        self.bound = F(1) if self.kind == "cube" else real(body["bound"])


class Blocks:
    """A tilt with a law for each block: the numbers and the intercept first, then the others in their order."""

    page = "own:shaped-tilt"

    def __init__(self, parts, P, gaussian):
        need(isinstance(parts, list) and P.shape is not None, "blocks of a shape")
        numbers = sum(b.columns for b in P.shape if b.kind == "cube") + P.intercept
        # columns, square of the length in the law's norm, law; computed norms may be a little too small.
        groups = [(numbers, F(numbers if gaussian else 1), "cube-laplace")] if numbers else []
        laws = {"one-norm": "laplace", "ball": "euclidean-laplace"}
        groups += [(b.columns, (b.bound * (1 + F(1, 2**30))) ** 2, laws[b.kind]) for b in P.shape if b.kind != "cube"]
        need(len(groups) == len(parts), "a law for each block")
        self.parts, self.rounding = [], F(0)
        for part, (columns, square, law) in zip(parts, groups):
            fields(part, ["columns", "law", "exponent", "steps"])
            exponent = natural(part["exponent"], -(2**31), 2**31 - 1)
            need(-1022 <= exponent <= 970, "lattice steps are normal numbers")
            text(part["law"], "cube-laplace", "laplace", "euclidean-laplace", "normal")
            need(part["law"] == ("normal" if gaussian else law) and natural(part["columns"]) == columns, "law of its block")
            need(natural(part["steps"]) >= 1, "a positive scale")
            g = F(2) ** exponent
            self.parts.append((square, natural(part["steps"]) * g))
            self.rounding += columns * (g / 2) ** 2

    def pure(self, G, P, share):
        # The lengths of laws under ε are no roots: squares of rational numbers.
        roots = [F(isqrt(q.numerator), isqrt(q.denominator)) for q, _ in self.parts]
        return sum(r / s for r, (_, s) in zip(roots, self.parts)) * G <= share * P.rho

    def gaussian(self, G, P, left):
        return left >= 0 and sum(q / s**2 for q, s in self.parts) * G**2 <= (left * P.rho) ** 2

    def stretch(self, P):
        return decimal(sum(q * s**2 for q, s in self.parts)).sqrt()


def joint_price(epsilon, kappa):
    """The largest of p·ε + ln(1 + κp(1 − p)) − ε: its derivative in q = 1 − p vanishes at a root of a quadratic equation."""
    if kappa <= epsilon:
        return Decimal(0)
    e, k = decimal(epsilon), decimal(kappa)
    q = (e + 2 - (e * e + 4 + 4 * e * e / k).sqrt()) / (2 * e)
    return (1 + k * q * (1 - q)).ln() - q * e


def gaussian_price(m, kappa):
    """The largest of ln(1 + κq) − m²q/2 for q up to ¼."""
    q = min(max(2 / (m * m) - 1 / kappa, Decimal(0)), Decimal(1) / 4)
    return (1 + kappa * q).ln() - m * m * q / 2


# ---- the problem and its sums ---------------------------------------------------------------------------------------

class Problem:
    def __init__(self, value, neighbours):
        fields(value, ["loss", "feature_norm", "target", "max_rows", "intercept", "row_norm", "dimension", "regulariser",
                       "parameter_bound", "shape"], ["shape"])
        self.shape = value.get("shape")
        if self.shape is not None:
            self.shape = [Block(block) for block in self.shape]
        self.c = {"add-remove": 1, "replace-one": 2}[text(neighbours, "add-remove", "replace-one")]
        loss, self.delta = value["loss"], None
        if isinstance(loss, dict):
            self.loss, body = tagged(loss, "huber", "user", "logistic", "squared")
            if self.loss == "huber":
                fields(body, ["delta"])
                self.delta = real(body["delta"])
                need(self.delta > 0, "loss has its parameters")
            elif self.loss == "user":
                fields(body, ["name", "shape"], ["shape"])
                text(body["name"])
                body.get("shape") is None or real(body["shape"])
            else:
                need(body is None, "a loss without parameters")
        else:
            self.loss = text(loss, "logistic", "squared")
        self.R, self.Y, self.rho = (real(value[k]) for k in ("feature_norm", "target", "row_norm"))
        self.n, self.d = natural(value["max_rows"]), natural(value["dimension"])
        self.reg, self.search = real(value["regulariser"]), value.get("parameter_bound")
        need(isinstance(value["intercept"], bool), "intercept or not")
        self.intercept = value["intercept"]

    def check(self):
        need(self.reg > 0 and self.R > 0 and self.Y > 0 and self.n >= 1, "bounds are positive")
        need(self.search is None or real(self.search) > 0, "bounds are positive")
        need(1 <= self.d <= 2**23 - 3, "dimension")
        if self.shape is not None:
            need(self.shape and all(b.columns >= 1 and b.bound > 0 for b in self.shape), "blocks have columns")
            need(sum(b.columns for b in self.shape) + self.intercept == self.d, "blocks have all columns")
            squares = sum(b.columns if b.kind == "cube" else b.bound**2 for b in self.shape)
            need(squares <= self.R**2, "feature norm covers the blocks")
        need((self.R * (1 + F(1, 2**30))) ** 2 + self.intercept <= self.rho**2 and self.rho >= 0, "row norm")

    def facts(self, z):
        """S, s, C, l, q for predictions up to z."""
        w = z + self.Y
        return {"logistic": (F(1), F(1, 2**48), F(1, 4), F(1, 2**48), F(0)),
                "squared": (w, w / 2**52, F(1), F(0), U),
                "huber": (min(self.delta or 0, w), w / 2**52, F(1), 5 * U * w, 2 * U)}[self.loss]

    def lipschitz(self, G, reach):
        if self.loss == "user":
            return G > 0
        return self.c * self.rho * self.facts(self.rho * reach)[0] <= G

    def minimiser_within(self, r):
        if self.loss == "user":
            return r > 0
        at_0 = {"logistic": LN_2, "squared": self.Y**2 / 2, "huber": min(self.Y**2 / 2, (self.delta or 0) * self.Y)}
        searched = self.search is not None and self.search <= r
        return r >= 0 and (searched or 2 * self.n * at_0[self.loss] <= self.reg * r**2)

    def smoothness(self):
        return self.reg + self.n * self.facts(F(0))[2] * self.rho**2

    def slope(self, T):
        return self.n * self.rho * self.facts(self.rho * T)[0] + self.reg * T

    def common(self):
        p = (self.d // 4 + 6) * U
        w = ((F(self.n, 64) + 129) * U) ** 2
        return p, w, (self.n + 1) * self.d * F(1, 2**1022)

    def gradient(self, T):
        z = self.rho * T * (1 + F(1, 2**30))
        (S, s, C, _, _), (p, w, zero) = self.facts(z), self.common()
        rows = self.n * self.rho * ((15 * U + w) * (S + s) + s + p * C * z)
        return H * (rows + 2 * U * self.reg * T) + zero * (1 + C * self.rho + T)

    def divergences(self, X, V):
        (S, _, C, l, q), (p, w, zero) = self.facts(self.rho * (X + V) * (1 + F(1, 2**30))), self.common()
        a = H * self.n * F(1, 2**1022) + zero * ((1 + self.rho) * (1 + X + V) * (1 + C)) ** 2
        scale, regular = H * self.n * self.rho, H * (p / 2 + 2 * U) * self.reg
        b, sums = l + p * C * self.rho * X, 22 * U + w
        yield a, scale * b, scale * self.rho * (q + (p + sums / 2) * C) + regular
        yield a, scale * (b + 2 * (p + sums) * S), scale * self.rho * q + regular


def minimiser(value, problem):
    fields(value, ["bound", "lipschitz", "rounding", "tolerance", "sensitivity"])
    r, G, rounding, tau, moved = (real(value[k]) for k in ("bound", "lipschitz", "rounding", "tolerance", "sensitivity"))
    need(min(r, G, rounding, moved) >= 0, "numbers are not negative")
    need(problem.minimiser_within(r), "minimiser bound")
    need(problem.lipschitz(G, r), "Lipschitz constant near")
    need(tau > 0 and 2 * rounding <= tau, "tolerance")
    if problem.loss != "user":
        T = 3 * r + tau
        k = 8 if problem.search is None else 8 * (problem.d + 16)
        derived = (1 + F(1, 2**20)) * (problem.gradient(T) + k * F(1, 2**52) * T * problem.smoothness())
        need(derived <= rounding * problem.reg, "rounding covers")
    need(G + 2 * tau * problem.reg <= moved * problem.reg, "sensitivity")
    return r, moved


# ---- the charge -----------------------------------------------------------------------------------------------------

def quantile(alpha, lam):
    need(alpha <= F(1, 4), "an exponent within range")
    y = HALF_PI * (alpha + alpha**2 / 2 + alpha**3 / 5)
    return up((y + y**3 / 5) ** 2 / lam)


def growing(a, b, c, f, lam, B):
    kappa, D = c / lam, up(f**2 / lam)
    need(128 * c <= lam, "an error that grows slowly")
    beta = (b + 2 * c * D) / up(lam) * (1 + F(1, 2**150))
    alpha = 2 * (a + b * D + c * D**2) + kappa * (2 + 4 * kappa) + TWO_PI * beta * (1 + 2 * kappa)
    return max(quantile(alpha + beta**2 / 2 * (1 + 4 * kappa), lam), (b + 4 * c * B) / lam)


def proximal(P, gamma, B, centre, abc):
    d, u, S = P.d, H * U, centre + B
    m, L, g = gamma * P.reg, gamma * P.smoothness(), gamma * P.slope(S)
    need(all(F(1, 2**200) <= x <= 2**200 for x in (m, L, B, S)), "ordinary numbers")
    wanted = max(d * (L - m), d * max(g - m * B, 0) / (2 * B), d**2 / B**2)
    inverse = max(wanted - m, m / 2**20)
    lam, f, root = m + inverse, 4 * up(F(d)) + 2, up(F(1, d))
    largest, d1, sigma = F(11, 10) * max(lam, L), u * ((4 * d + 34) * B + S), 8 * (d + 8) * u * S
    need(B > 2 * sigma, "a ball with an inside")
    step = d1 + F(3, 2) * (1 + root) * u * ((18 * d + 294) * B + 2 * S) + 4 * u * B
    step += (14 + 15 * root) * (F(d, 2) + 16) * u * B + growing(0, 4 * u * up(lam), 4 * u * lam, f, lam, B)
    a, b, c = abc
    c = gamma * (c + U * P.smoothness()) + F(d + 9, 2) * u * L
    energies = growing(gamma * a * up(largest / m), gamma * b + L * d1, c, f, m, B)
    gradient = (gamma * P.gradient(S) + 2 * U * g) / m
    edge = sigma + quantile(sigma / (B - 2 * sigma) * (d + B * g), m)
    return (1 + F(21, 20) * inverse / m) * step + energies + gradient + edge


def exact(P, gamma, B, centre, abc):
    d, T, r = P.d, centre + F(11, 8) * B, F(19, 8) * B
    m, L, g = gamma * P.reg, gamma * P.smoothness(), gamma * P.slope(T)
    move = 16 * U * r
    point = move + U * (centre + 2 * B)
    slack = point + 2 * (d + 8) * U * B
    need(128 * slack <= B, "a thin shell")
    j = (d + 1).bit_length() - 1
    y = F(d + 1, 2**j)
    ln = j * LN_2 + (y**2 - 1) / (2 * y)
    a, b, c = abc
    e = gamma * (a + b * r + (c + U * P.smoothness()) * r**2) + (gamma * P.gradient(T) + 2 * U * g) * r + g * move
    e += 4 * U * g * r + U * (32 * H * up(L) * r * (up(F(d)) + 7) + 64 + 15 * (d + 8) * (d + 1) * (ln + 4))
    return quantile(2 * e + 2 * slack * g + 2 * slack * d / (B - 2 * slack), m) + 2 * slack + point


def paid(charge, norm, P, bound, gamma, B, centre, X, V):
    """Whether the charge covers the bound, for one of the two errors of a divergence."""
    for abc in P.divergences(X, V):
        try:
            if (P.d if norm == 1 else 1) * bound(P, gamma, B, centre, abc) ** 2 <= charge**2:
                return True
        except Fails:
            pass
    return False


# ---- the mechanisms -------------------------------------------------------------------------------------------------

def output(body, c, P, share, kind):
    fields(body, ["minimiser", "noise"])
    noise = Noise(body["noise"])
    r, moved = minimiser(body["minimiser"], P)
    noise.check(moved, 2, P.d, share["output"], kind, r, c["theta"])
    noise.cut(r, c["theta"])
    return "rigorous", {noise.page: PROVED}


def posterior(body, c, P, share, kind):
    fields(body, ["calibration", "sampler", "expected_rows", "minimiser", "localisation", "reference", "asap"])
    sampler, paper = text(body["sampler"], "exact", "proximal", "mala"), text(body["calibration"], "tight", "paper") == "paper"
    need(1 <= natural(body["expected_rows"]) <= P.n, "expected rows")
    local, ref, asap = body["localisation"], body["reference"], body["asap"]
    fields(local, ["noise", "theta_0"])
    fields(ref, ["centre_norm", "radius", "lipschitz", "gamma"])
    fields(asap, ["norm", "error", "charge", "noise"])
    first, last, theta_0 = Noise(local["noise"]), Noise(asap["noise"]), local["theta_0"]
    need(isinstance(theta_0, list) and len(theta_0) == P.d, "θ_0 has d coordinates")
    r, moved = minimiser(body["minimiser"], P)
    first.check(moved, 2, P.d, share["localise"], kind, r, map(real, theta_0))
    first.cut(r, theta_0)
    centre, B, G, gamma = (real(ref[k]) for k in ("centre_norm", "radius", "lipschitz", "gamma"))
    need(centre >= 0 and sum(x**2 for x in theta_0) <= centre**2 and B > 0 and gamma > 0, "centre, radius, gamma")
    need(P.lipschitz(G, centre + B), "Lipschitz constant on the ball")
    if kind == "pure":
        need(2 * gamma * G * B <= share["posterior"], "temperature")
    else:
        need(gamma * G**2 <= share["posterior"] ** 2 * P.reg, "temperature")
    error, charge, norm = real(asap["error"]), real(asap["charge"]), natural(asap["norm"], 0, 255)
    need(error > 0 and charge >= 0 and norm == last.norm, "error, charge, norm")
    if sampler != "mala":
        need(4 * charge <= error, "a quarter of the error")
        if P.loss != "user":
            need(paid(charge, norm, P, proximal, gamma, B, centre, centre + B, 2 * B), "charge, proximal")
            if sampler == "exact" and P.d <= 512:
                far = centre + F(11, 8) * B
                need(paid(charge, norm, P, exact, gamma, B, centre, far, F(19, 8) * B), "charge, exact")
    last.check(2 * error, norm, P.d, share["asap"], kind, centre + B, c["theta"])
    claims = dict.fromkeys(["lem:adaptive_composition", "thm:asap_privacy", "own:proximal", "own:truncated", first.page,
                            last.page, "lem:pure_DP_Post_Sam" if kind == "pure" else "lem:GDP_Post_Sam"], PROVED)
    claims.update(dict.fromkeys({"exact": ["own:exact", "own:rounding"], "proximal": ["own:rounding"],
                                 "mala": ["lem:W_infty_TV"]}[sampler], PROVED))
    if sampler == "mala":
        claims.update({"own:conductance": ASSUMED if paper else PROVED, "lem:equiv_W_infty": ASSUMED,
                       "assumptions:idealized-numerics": ASSUMED})
        return ("asymptotic-constants" if paper else "real-arithmetic-only"), claims
    return "rigorous", claims


MINIMISER = "own:certified-minimiser"


def objective(body, c, P, share, kind):
    price = text(body.get("price", "apart"), "apart", "tied", "free")
    if price == "apart":
        # It is what is meant where nothing is said, and then it is not said.
        body.pop("price", None)
    fields(body, ["expected_rows", "radius", "lipschitz", "smoothness", "jacobian", "price", "tilt", "asap"],
           ["jacobian", "price"])
    need(1 <= natural(body["expected_rows"]) <= P.n, "expected rows")
    R, G, beta = (real(body[k]) for k in ("radius", "lipschitz", "smoothness"))
    need(R > 0 and G >= 0 and beta >= 0, "radius, constants")
    need(P.search is None or P.search == R, "search is in the ball of the parameter bound")
    need(P.lipschitz(G, R), "Lipschitz constant on the ball")
    need(beta > 0 if P.loss == "user" else P.facts(F(0))[2] * P.rho**2 <= beta, "smoothness of the loss")
    gaussian, asap = kind == "gaussian", body["asap"]
    blocks = isinstance(body["tilt"], list)
    tilt = Blocks(body["tilt"], P, gaussian) if blocks else Noise(body["tilt"])
    need(gaussian or body.get("jacobian") is None, "Jacobian is stated once")
    need(not gaussian or P.loss in ("logistic", "user"), "slope keeps its sign")
    stated = body.get("jacobian") if gaussian else share.get("jacobian")
    need(price != "free" or stated is None, "what is free is not paid for")
    need(price != "apart" or stated is not None, "Jacobian is paid for")
    need(price == "apart" or P.loss == "logistic", "slope and curvature are tied")
    jacobian = F(0) if stated is None else real(stated)
    # √(π/2) < 321/256, for each loss in which neighbours differ.
    left = share["tilt"] - (F(321, 256) * P.c * jacobian if gaussian else 0)
    need(jacobian >= 0, "Jacobian")
    if blocks:
        need(tilt.gaussian(G, P, left) if gaussian else tilt.pure(G, P, left), "tilt covers")
    else:
        need(tilt.law == ("rounded-normal" if gaussian else "euclidean-laplace"), "a law of the kind, in the 2-norm")
        need(G <= left * tilt.s * tilt.g, "tilt covers")
    if price == "apart":
        need(jacobian > 10**4 or decimal(P.reg + beta) <= decimal(P.reg) * decimal(jacobian).exp(), "Jacobian")
    elif gaussian:
        m = decimal(F(left) / P.c)
        stretch = tilt.stretch(P) if blocks else decimal(P.rho * tilt.s * tilt.g)
        need(m > 0 and gaussian_price(m, m * stretch / decimal(P.reg)) <= decimal(jacobian), "joint price")
    else:
        need(joint_price(share["tilt"] / P.c, 4 * beta / P.reg) <= decimal(jacobian), "joint price")
    fields(asap, ["norm", "error", "charge", "noise"])
    last, error, charge = Noise(asap["noise"]), real(asap["error"]), real(asap["charge"])
    need(natural(asap["norm"], 0, 255) == 2 == last.norm and error > 0 and 0 <= 2 * charge <= error, "error, charge, norm")
    if P.loss != "user":
        pull = max(P.rho * P.facts(P.rho * R)[0] / beta, R)
        lengths = (12 + (P.d - 1).bit_length()) * R + 2 * pull
        derived = P.gradient(R) + U * P.smoothness() * lengths
        rounding = tilt.rounding if blocks else P.d * (tilt.g / 2) ** 2
        need(root_fits(derived, rounding, P.reg * charge), "charge covers")
    last.check(2 * error, 2, P.d, share["asap"], kind, R, c["theta"])
    pages = ["own:objective-perturbation", "lem:adaptive_composition", "thm:asap_privacy", tilt.page, last.page, MINIMISER]
    pages += ["own:gaussian-tilt"] * gaussian + ["own:joint-price"] * (price != "apart")
    return "rigorous", dict.fromkeys(pages, PROVED)


def noisy_gradient(body, c, P, share, kind):
    fields(body, ["expected_rows", "steps", "skipped", "step", "momentum", "radius", "lipschitz", "rounding", "sensitivity",
                  "share", "noise"])
    need(1 <= natural(body["expected_rows"]) <= P.n, "expected rows")
    T, b = natural(body["steps"]), natural(body["skipped"])
    need(b < T and real(body["step"]) > 0 and 0 <= real(body["momentum"]) < 1, "schedule")
    r, G, rounding, moved, each = (real(body[k]) for k in ("radius", "lipschitz", "rounding", "sensitivity", "share"))
    need(r > 0 and (P.search is None or r <= P.search), "ball")
    need(sum(x**2 for x in c["theta"]) <= r**2, "θ̂ is in the ball")
    need(G >= 0 and P.lipschitz(G, r) and rounding >= 0 and G + 2 * rounding <= moved, "sensitivity")
    need(P.loss == "user" or P.gradient(r) <= rounding, "rounding covers")
    power = 1 if kind == "pure" else 2
    need(each > 0 and T * each**power <= share["gradients"] ** power, "all steps together")
    noise = Noise(body["noise"])
    noise.covers(moved, 2, P.d, each, kind)
    return "rigorous", dict.fromkeys(["own:noisy-gradient", "lem:adaptive_composition", noise.page], PROVED)


def chosen(choice, tag, P):
    fields(choice, ["rows", "curvature", "regulariser", "pass_price", "compared"], ["regulariser"])
    need(1 <= natural(choice["rows"]) <= P.n, "rows of the choice")
    need(choice.get("curvature") is None or real(choice["curvature"]) >= 0, "curvature of the choice")
    [fields(one, ["mechanism", "predicted", "passes"], ["predicted", "passes"]) for one in choice["compared"]]
    names = [text(one["mechanism"]) for one in choice["compared"]]
    need(len(set(names)) == len(names), "compared once")
    price, prices = real(choice["pass_price"]), {}
    need(price >= 0, "price of a pass")
    for one in choice["compared"]:
        pair = [one.get("predicted"), one.get("passes")]
        need((pair[0] is None) == (pair[1] is None), "a prediction and its passes")
        if pair[0] is not None:
            missed, passes = map(real, pair)
            need(missed >= 0 and passes >= 0, "a prediction is not negative")
            prices[one["mechanism"]] = missed + price * passes
    need(tag in prices and prices[tag] == min(prices.values()), "the least predicted price")
    if choice.get("regulariser") is not None:
        tried = choice["regulariser"]
        fields(tried, ["missed", "with_half", "with_twice"], ["with_half", "with_twice"])
        others = [real(tried[name]) for name in ("with_half", "with_twice") if tried.get(name) is not None]
        need(all(0 <= real(tried["missed"]) <= other for other in others) and real(tried["missed"]) >= 0, "no better neighbour")


# The tag of a mechanism: its function, and the names of its shares.
MECHANISMS = {
    "objective": (objective, ["tilt", "jacobian", "asap"]),
    "noisy-gradient": (noisy_gradient, ["gradients"]),
    "output": (output, ["output"]),
    "posterior": (posterior, ["localise", "posterior", "asap"]),
}


def told_apart(texts, marks=()):
    """Each once, visible, trimmed, none of them a mark. (Which letters look alike is the issuer's to say.)"""
    [text(one) for one in texts]
    need(len(set(texts)) == len(texts) and all(one == one.strip() and one not in marks for one in texts), "texts are told apart")
    need(all(one and not any(ord(sign) < 32 for sign in one) for one in texts), "texts are visible")


def a_range(ends, missing):
    need(isinstance(ends, list) and len(ends) == 2 and real(ends[0]) < real(ends[1]), "a range has two ends")
    # From here on a difference rounds to infinity.
    need(ends[1] - ends[0] < 2**1024 - 2**970, "a range has a width")
    need(missing is None or ends[0] <= real(missing) <= ends[1], "a missing cell is within the range")


def table(columns, loss):
    """The schema of a table: how many numbers a row becomes."""
    fields(columns, ["marks", "features", "target", "ignored"])
    fields(columns["target"], ["name", "kind"])
    marks, parameters, plain, seen_levels = columns["marks"], 0, 0, False
    [text(mark) for mark in marks]
    need(len(set(marks)) == len(marks) <= 100 and all(mark == mark.strip() for mark in marks), "marks are told apart")
    for feature in columns["features"]:
        fields(feature, ["name", "kind"])
        kind, body = tagged(feature["kind"], "plain", "number", "levels")
        seen_levels = seen_levels or kind == "levels"
        need(seen_levels == (kind == "levels"), "columns of levels behind all others")
        if kind == "plain":
            fields(body, ["missing"])
            need(body["missing"] is None or real(body["missing"]) is not None, "a number")
            plain += 1
        elif kind == "number":
            fields(body, ["range", "scale", "log", "missing"])
            text(body["scale"], "[-1,1]", "[0,1]"), need(body["log"] is True or body["log"] is False, "true or false")
            a_range(body["range"], body["missing"])
        else:
            fields(body, ["levels", "other", "missing"])
            need(1 <= len(body["levels"]) <= 10**4, "1 to 10000 levels")
            told_apart(body["levels"], marks)
            need(all(body[one] is None or body[one] in body["levels"] for one in ("other", "missing")), "of the levels")
        parameters += len(body["levels"]) if kind == "levels" else 1
    kind, body = tagged(columns["target"]["kind"], "plain", "range", "threshold", "classes")
    if kind == "plain":
        fields(body, ["missing"])
        need(body["missing"] is None or real(body["missing"]) is not None, "a number")
    elif kind == "range":
        fields(body, ["range", "missing"])
        a_range(body["range"], body["missing"])
        need(loss != "logistic", "a range is for numbers")
    elif kind == "threshold":
        fields(body, ["at_least", "missing"])
        need(real(body["at_least"]) is not None and (body["missing"] is None or real(body["missing"]) is not None), "numbers")
    else:
        fields(body, ["classes", "missing"])
        told_apart(body["classes"], marks)
        need(len(body["classes"]) == 2 and body["missing"] in [None, *body["classes"]], "two classes")
    need(kind not in ("threshold", "classes") or loss not in ("squared", "huber"), "classes are for a loss that has some")
    names = [feature["name"] for feature in columns["features"]] + [columns["target"]["name"]] + columns["ignored"]
    [text(name) for name in names]
    if plain == 0:
        told_apart(names)
        told_apart([mark for mark in marks if mark])
    return parameters


def check(line):
    release = json.loads(line, object_pairs_hook=unique, parse_float=Number, parse_int=lambda t: Number(t, True),
                         parse_constant=lambda t: need(False, "not a number"))
    fields(release, ["columns", "certificate", "digest", "signature"], ["columns", "signature"])
    c = release["certificate"]
    fields(c, ["schema", "crate_version", "neighbours", "ledger", "problem", "mechanism", "choice", "theta", "randomness",
               "numerics", "certified", "claims"], ["choice"])
    need(c["schema"] == 3 and c["schema"].whole, "schema 3")
    text(c["crate_version"]), text(c["randomness"], "secure", "replay")
    P = Problem(c["problem"], c["neighbours"])
    need(isinstance(c["theta"], list) and len(c["theta"]) == P.d, "θ̂ has d coordinates")
    [real(x) for x in c["theta"]]
    tag, body = tagged(c["mechanism"], *MECHANISMS)
    run, names = MECHANISMS[tag]
    fields(c["ledger"], ["total", "converted", "shares"], ["converted"])
    kind, total = tagged(c["ledger"]["total"], "pure", "gaussian")
    converted = c["ledger"].get("converted")
    if converted is not None:
        need(kind == "gaussian" and converts(real(total), real(converted)), "converted ε")
        kind, total = "pure", converted
    [fields(share, ["name", "spent"]) for share in c["ledger"]["shares"]]
    free = tag == "objective" and isinstance(body, dict) and body.get("price") == "free"
    names = [name for name in names if (kind == "pure" and not free) or name != "jacobian"]
    need([share["name"] for share in c["ledger"]["shares"]] == names, "shares are those of the mechanism")
    spent = {share["name"]: real(share["spent"]) for share in c["ledger"]["shares"]}
    need(all(x > 0 for x in spent.values()) and real(total) >= 0, "shares are positive")
    power = 1 if kind == "pure" else 2
    need(sum(x**power for x in spent.values()) <= total**power, "shares spend at most the total")
    P.check()
    numerics, claims = run(body, c, P, spent, kind)
    need(c["numerics"] == numerics, "numerics are those of the mechanism")
    user = P.loss == "user"
    need(c["certified"] is (not user and numerics != "asymptotic-constants"), "certified")
    about_the_loss = ASSUMED if user else TESTED
    claims |= dict.fromkeys(["own:budget-split", "own:lattice"], PROVED)
    if tag in ("output", "posterior"):
        claims |= dict.fromkeys([MINIMISER, "lem:sensitivity_minimizer", "lem:OutPert_DP"], PROVED)
    if converted is not None:
        claims["lem:convert_pure_G_DP"] = PROVED
    if c.get("choice") is not None:
        chosen(c["choice"], tag, P)
    claims |= {"own:losses": about_the_loss, "own:objective": about_the_loss, "assumptions:randomness": ASSUMED}
    [fields(claim, ["spec", "status"]) for claim in c["claims"]]
    made = [(claim["spec"], claim["status"]) for claim in c["claims"]]
    need(sorted(made) == sorted(claims.items()), "claims are those of the mechanism")
    columns = release.get("columns")
    if columns is not None:
        need(table(columns, P.loss) + P.intercept == P.d, "columns name every parameter")
    sealed = canonical({"columns": columns, "certificate": c})
    need(release["digest"] == "sha256:" + hashlib.sha256(sealed.encode()).hexdigest(), "the digest")


def main():
    # What is no text cannot be encoded again, and is refused like any other line.
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    for line in sys.stdin:
        try:
            check(line)
            print("ok")
        except Fails as failed:
            print(failed)
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as failed:
            print("not a release:", re.sub(r"\s+", " ", str(failed)) or type(failed).__name__)


if __name__ == "__main__":
    main()
