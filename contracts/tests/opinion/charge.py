"""What rounding costs a built-in loss: own:certificate, "Rounding, derived again". Fractions; roots and
quotients rounded up."""

from fractions import Fraction

from opinion.exact import Refused, exp_down, need, root_up, up

U = Fraction(1, 2**53)
SLACK = 1 + Fraction(1, 2**30)  # of a computed norm
MORE = 1 + Fraction(1, 2**10)  # h: terms of higher order
TINY = Fraction(1, 2**1022)
ROOT_HALF_PI = Fraction(1.2533141373155003)  # the next f64 above √(π/2), as the page writes it
ROOT_2_OVER_PI = Fraction(0.7978845608028654)
LN_2 = Fraction(0.6931471805599454)  # the next f64 above ln 2, as the page writes it


class Loss:
    """The table of own:certificate: S, s, C, l, q for predictions up to z, and φ(0)."""

    def __init__(self, kind, delta, largest_target):
        self.kind, self.delta, self.target = kind, delta, largest_target
        self.built_in = kind != "user"
        self.curvature = Fraction(1, 4) if kind == "logistic" else Fraction(1)
        self.square_error = {"logistic": 0 * U, "squared": U, "huber": 2 * U}.get(kind)

    def slope(self, z):
        if self.kind == "logistic":
            return Fraction(1)
        return z + self.target if self.kind == "squared" else min(self.delta, z + self.target)

    def slope_error(self, z):
        return Fraction(1, 2**48) if self.kind == "logistic" else 2 * U * (z + self.target)

    def move_error(self, z):
        return {"logistic": Fraction(1, 2**48), "squared": 0 * U, "huber": 5 * U * (z + self.target)}[self.kind]

    def at_zero_up(self):
        if self.kind == "logistic":
            return LN_2
        half_square = self.target**2 / 2
        return half_square if self.kind == "squared" else min(half_square, self.delta * self.target)


class Sums:
    """Objective and gradients of the largest data set, in real numbers and as computed."""

    def __init__(self, problem, loss):
        self.loss, self.n, self.d = loss, problem.max_rows, problem.dimension
        self.row, self.regulariser = problem.row_norm, problem.regulariser
        self.products = self.d // 4 + 6
        self.blocks = ((Fraction(self.n, 64) + 129) * U) ** 2
        self.underflow = (self.n + 1) * self.d * TINY
        self.smoothness = self.regulariser + self.n * loss.curvature * self.row**2

    def slope(self, reach):
        """Of the objective within `reach` of 0."""
        return self.n * self.row * self.loss.slope(self.row * reach) + self.regulariser * reach

    def gradient_error(self, reach):
        z, loss = self.row * reach * SLACK, self.loss
        s = loss.slope_error(z)
        of_a_row = (15 * U + self.blocks) * (loss.slope(z) + s) + s + self.products * U * loss.curvature * z
        sums = MORE * (self.n * self.row * of_a_row + 2 * U * self.regulariser * reach)
        return sums + self.underflow * (1 + loss.curvature * self.row + reach)

    def divergence_errors(self, reach, move):
        """a, b, c of a + b·v + c·v², in both ways of the page."""
        loss, n, row, pu = self.loss, self.n, self.row, self.products * U
        z = row * (reach + move) * SLACK
        size = (1 + row) * (1 + reach + move) * (1 + loss.curvature)
        a = MORE * n * TINY + self.underflow * size**2
        linear = loss.move_error(z) + pu * loss.curvature * row * reach
        ridge = MORE * (Fraction(self.products, 2) + 2) * U * self.regulariser
        rest = 22 * U + self.blocks
        yield a, MORE * n * row * linear, MORE * n * row**2 * (loss.square_error + (pu + rest / 2) * loss.curvature) + ridge
        yield a, MORE * n * row * (linear + 2 * (pu + rest) * loss.slope(z)), MORE * n * row**2 * loss.square_error + ridge


def quantile(alpha, precision):
    """Q: how far a density within e^(±α) moves a law of this precision."""
    need(alpha <= Fraction(1, 4), "charge covers the rounding of every sampler that may draw", "own:rounding")
    y = ROOT_HALF_PI * (alpha + alpha**2 / 2 + alpha**3 / 5)
    return up((y + y**3 / 5) * root_up(1 / precision)) if y else y


def growing(a, b, c, f, precision, radius):
    """W: the same for an error a + b·v + c·v²."""
    inverse = root_up(1 / precision)
    distance, kappa = f * inverse, c / precision
    need(kappa <= Fraction(1, 128), "charge covers the rounding of every sampler that may draw", "own:rounding")
    beta = (b + 2 * c * distance) * inverse
    alpha = 2 * (a + b * distance + c * distance**2) + kappa * (2 + 4 * kappa)
    alpha += ROOT_2_OVER_PI * beta * (1 + 2 * kappa) + beta**2 * (1 + 4 * kappa) / 2
    return max(quantile(up(alpha), precision), (b + 4 * c * radius) / precision)


class Draw:
    """f = γJ on the ball of a posterior: what the samplers' rounding moves, in the 2-norm."""

    def __init__(self, sums, gamma, centre, radius):
        self.sums, self.gamma, self.centre, self.radius = sums, gamma, centre, radius
        self.m, self.big = gamma * sums.regulariser, gamma * sums.smoothness

    def slope(self, reach):
        return self.gamma * self.sums.slope(reach)

    def gradient_error(self, reach):
        return self.gamma * self.sums.gradient_error(reach) + 2 * U * self.slope(reach)

    def divergences(self, reach, move):
        for a, b, c in self.sums.divergence_errors(reach, move):
            yield self.gamma * a, self.gamma * b, self.gamma * (c + U * self.sums.smoothness)

    def least(self, cost, reach, move):
        """The charge has to cover one of the two ways."""
        found = []
        for errors in self.divergences(reach, move):
            try:
                found.append(cost(*errors))
            except Refused as refused:
                last = refused
        if not found:
            raise last
        return min(found)

    def proximal(self):
        d, m, big, radius = self.sums.d, self.m, self.big, self.radius
        reach = self.centre + radius
        edge = Fraction(2**200)
        clause = "charge covers the rounding of every sampler that may draw"
        need(all(1 / edge <= x <= edge for x in (m, big, radius, reach)), clause, "own:proximal")
        g, u = self.slope(reach), MORE * U
        root, inverse_root = root_up(Fraction(d)), root_up(Fraction(1, d))
        f = 4 * root + 2
        wanted = max(d * (big - m), d * max(g - m * radius, Fraction(0)) / (2 * radius), d**2 / radius**2)
        inverse_step = max(wanted - m, m / 2**20)
        precision = m + inverse_step
        largest = Fraction(11, 10) * max(precision, big)
        point = u * ((4 * d + 34) * radius + reach)
        shell = 8 * (d + 8) * u * reach
        step = point + Fraction(3, 2) * (1 + inverse_root) * u * ((18 * d + 294) * radius + 2 * reach) + 4 * u * radius
        step += (14 + 15 * inverse_root) * (Fraction(d, 2) + 16) * u * radius
        step += growing(Fraction(0), 4 * u * root_up(precision), 4 * u * precision, f, precision, radius)
        need(radius > 2 * shell, clause, "own:proximal")
        edge_of_ball = shell + quantile(shell / (radius - 2 * shell) * (d + radius * g), m)

        def energies(a, b, c):
            stretch = root_up(largest / m)
            return growing(a * stretch, b + big * point, c + Fraction(d + 9, 2) * u * big, f, m, radius)

        chain = (1 + Fraction(21, 20) * inverse_step / m) * step
        return chain + self.least(energies, reach, 2 * radius) + self.gradient_error(reach) / m + edge_of_ball

    def exact(self):
        d, radius = self.sums.d, self.radius
        reach, move = self.centre + Fraction(11, 8) * radius, Fraction(19, 8) * radius
        g = self.slope(reach)
        of_v = 16 * U * move
        of_theta = of_v + U * (self.centre + 2 * radius)
        shell = of_theta + 2 * (d + 8) * U * radius
        need(128 * shell <= radius, "charge covers the rounding of every sampler that may draw", "own:exact")
        j = (d + 1).bit_length() - 1
        y = Fraction(d + 1, 2**j)
        log = j * LN_2 + (y**2 - 1) / (2 * y)
        mixture = 32 * MORE * root_up(self.big) * move * (root_up(Fraction(d)) + 7) + 64 + 16 * (d + 8) * (d + 1) * (log + 4)

        def energies(a, b, c):
            e = a + b * move + c * move**2 + self.gradient_error(reach) * move + g * of_v + 4 * U * g * move + U * mixture
            return quantile(2 * e + 2 * shell * g + 2 * shell * d / (radius - 2 * shell), self.m)

        return self.least(energies, reach, move) + 2 * shell + of_theta


def tilted(sums, radius, steps):
    """Λ·charge of a tilted minimiser; `steps`: (columns, lattice step) of the blocks of the tilt."""
    d, loss = sums.d, sums.loss
    one_record = sums.row * loss.slope(sums.row * radius)
    lattice = root_up(sum(columns * step**2 for columns, step in steps)) / 2
    levels = (d - 1).bit_length()  # ⌈log₂ d⌉
    updates = (12 + levels) * radius + 2 * max(one_record / (loss.curvature * sums.row**2), radius)
    return sums.gradient_error(radius) + lattice + U * sums.smoothness * updates


def tied_price(kappa, rate, jacobian):
    """own:joint-price, pure: 1 + κq(1 − q) <= e^(qε₁ + J) for all q in [0, 1].

    The exponential is above its tangent at t: E(1 − t + qε₁), E <= e^(t + J). What remains is a quadratic in q."""
    if kappa <= rate:
        return True
    t = (rate + 2 - root_up(rate**2 + 4 + 4 * rate**2 / kappa)) / 2
    t = max(t, Fraction(0))
    e = exp_down(t + jacobian)
    return not_negative(kappa, e * rate - kappa, e * (1 - t) - 1, Fraction(1))


def not_negative(a, b, c, end):
    """a·q² + b·q + c >= 0 on [0, end], a > 0."""
    lowest = -b / (2 * a)
    if lowest <= 0:
        return c >= 0
    if lowest >= end:
        return a * end**2 + b * end + c >= 0
    return 4 * a * c >= b * b


def gaussian_price(m, m_curvature, jacobian):
    """own:joint-price, Gaussian: 1 + mK·q <= e^(J + m²q/2) for all q in [0, ¼]; `m_curvature` >= mK."""
    end = Fraction(1, 4)
    half = m**2 / 2
    if m_curvature <= half:
        return True
    where = min((m_curvature / half - 1) / m_curvature, end)
    t = half * where
    e = exp_down(t + jacobian)
    return e * (1 - t) >= 1 and e * (1 - t + half * end) >= 1 + m_curvature * end
