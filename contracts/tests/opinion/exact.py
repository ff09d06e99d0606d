"""Exact fractions, and enclosures of roots, exponentials and normal probabilities. Nothing here is a float.

A function that ends in `_up` is never below the real value, one that ends in `_down` never above it; both agree with it
to more than two hundred binary digits. A decision takes the side that makes it harder (own:contracts)."""

from fractions import Fraction
from math import isqrt

BITS = 256


class Refused(Exception):
    """A clause does not hold. `page` is the id of the page that asks for it."""

    def __init__(self, clause, page="own:certificate"):
        super().__init__(f"{clause} ({page})")
        self.clause, self.page = clause, page


def need(holds, clause, page="own:certificate"):
    if not holds:
        raise Refused(clause, page)


def _shift(x):
    return BITS - x.numerator.bit_length() + x.denominator.bit_length()


def _scaled(n, shift):
    return Fraction(n, 1 << shift) if shift >= 0 else Fraction(n << -shift)


def down(x):
    """x >= 0, rounded down to `BITS` digits."""
    shift = _shift(x)
    n, d = (x.numerator << shift, x.denominator) if shift >= 0 else (x.numerator, x.denominator << -shift)
    return _scaled(n // d, shift)


def up(x):
    """x >= 0, rounded up to `BITS` digits."""
    shift = _shift(x)
    n, d = (x.numerator << shift, x.denominator) if shift >= 0 else (x.numerator, x.denominator << -shift)
    return _scaled(-(-n // d), shift)


def _root(x):
    shift = 2 * _shift(x)
    n = (x.numerator << shift) // x.denominator if shift >= 0 else x.numerator // (x.denominator << -shift)
    return isqrt(n), shift // 2


def root_down(x):
    n, shift = _root(x)
    return _scaled(n, shift)


def root_up(x):
    n, shift = _root(x)
    low = _scaled(n, shift)
    return low if low * low == x else _scaled(n + 1, shift)


def _exp(x, rounded, rest):
    """1 + y + y²/2 + … at y = x/2^j < 1/16, squared j times; `rest`: the last term once more
    stands for all that follow."""
    halvings = 0
    while x.numerator << 4 >= x.denominator << halvings:
        halvings += 1
    y = rounded(x / (1 << halvings)) if x else x
    total = term = Fraction(1)
    for k in range(1, 4 * BITS):
        term = rounded(term * y / k) if y else Fraction(0)
        total += term
        if term < Fraction(1, 1 << (BITS + 8)):
            break
    if rest:
        total += term
    for _ in range(halvings):
        total = rounded(total * total)
    return total


def exp_down(x):
    """e^x from below, x >= 0; beyond 2^12 that of 2^12, which is below as well."""
    return _exp(min(x, Fraction(4096)), down, rest=False)


def exp_up(x):
    """e^x from above, 0 <= x <= 2^12."""
    return _exp(x, up, rest=True)


def _arctan_of_inverse(n):
    """arctan(1/n) from below and from above: partial sums of an alternating series."""
    term, total, k, sign = Fraction(1, n), Fraction(0), 1, 1
    while term > Fraction(1, 1 << (BITS + 16)):
        total += sign * term / k
        term, k, sign = term / (n * n), k + 2, -sign
    after = total + sign * term / k
    return min(total, after), max(total, after)


def _pi_up():
    return up(16 * _arctan_of_inverse(5)[1] - 4 * _arctan_of_inverse(239)[0])  # Machin


PI_UP = _pi_up()


def normal_excess_down(x):
    """Φ(x) − ½ from below, 0 < x <= 10: φ(x)·(x + x³/3 + x⁵/15 + …), terms left out are positive."""
    term, total, k = x, x, 1
    while k < 2000 and term > total / (1 << BITS):
        k += 2
        term = down(term * x * x / k)
        total += term
    density = 1 / (root_up(2 * PI_UP) * exp_up(x * x / 2))
    return down(density * total)
