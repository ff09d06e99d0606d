//! Numbers with about 104 bits, as the unevaluated sum of two `f64`: the reference for rounding errors.

use core::ops::{Add, Div, Mul, Neg};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wide {
    high: f64,
    low: f64,
}

/// `a + b` exactly, as a rounded sum and its error.
fn two_sum(a: f64, b: f64) -> Wide {
    let high = a + b;
    let added = high - a;
    Wide { high, low: (a - (high - added)) + (b - added) }
}

impl From<f64> for Wide {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let middle = two_sum(high.high, high.low + low.high);
        two_sum(middle.high, middle.low + low.low)
    }
}

impl Neg for Wide {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let error = self.high.mul_add(other.high, -high);
        two_sum(high, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Wide {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let mut rest = self;
        let mut quotient = Self::from(0.0);
        for _ in 0..3 {
            let digit = Self::from(rest.high / other.high);
            rest = rest + -(digit * other);
            quotient = quotient + digit;
        }
        quotient
    }
}

impl Wide {
    pub(crate) fn to_f64(self) -> f64 {
        self.high + self.low
    }

    pub(crate) fn is_positive(self) -> bool {
        self.high > 0.0
    }

    /// `e^x` for −700 ≤ x ≤ 0.
    fn exp(self) -> Self {
        let ln_2 = Self { high: core::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
        let k = (self.high / ln_2.high).round();
        let r = self + -(Self::from(k) * ln_2);
        let mut term = Self::from(1.0);
        let mut sum = term;
        for i in 1..28 {
            term = term * r / Self::from(f64::from(i));
            sum = sum + term;
        }
        let scale = k.exp2();
        Self { high: sum.high * scale, low: sum.low * scale }
    }

    /// `e^x − 1` for |x| ≤ 0.75, to about 30 of its own digits.
    pub(crate) fn exp_m1(self) -> Self {
        let (mut term, mut sum) = (self, self);
        for i in 2..30 {
            term = term * self / Self::from(f64::from(i));
            sum = sum + term;
        }
        sum
    }

    /// `ln(1 + x)` for −0.5 ≤ x ≤ 1, to about 30 of its own digits: one step of Newton's method.
    pub(crate) fn ln_1p(self) -> Self {
        let start = Self::from(self.high.ln_1p());
        let excess = start.exp_m1() + -self;
        start + -(excess / (Self::from(1.0) + self))
    }

    /// `ln(1 + e^x)`, to about 30 digits of the larger of it and 1.
    pub(crate) fn softplus(self) -> Self {
        let negative = if self.is_positive() { -self } else { self };
        let e = if negative.high < -700.0 { Self::from(0.0) } else { negative.exp() };
        if self.is_positive() { self + e.ln_1p() } else { e.ln_1p() }
    }

    /// `1/(1 + e^(−x))`, to about 30 digits of the larger of the two classes.
    pub(crate) fn sigmoid(self) -> Self {
        let one = Self::from(1.0);
        let negative = if self.is_positive() { -self } else { self };
        let e = if negative.high < -700.0 { Self::from(0.0) } else { negative.exp() };
        (if self.is_positive() { one } else { e }) / (one + e)
    }
}

#[test]
fn known_digits() {
    let third = Wide::from(1.0) / Wide::from(3.0);
    assert!((third * Wide::from(3.0) + Wide::from(-1.0)).to_f64().abs() < 1e-31);
    // e^-1 = 0.36787944117144232159552377016146087
    let e = Wide::from(-1.0).exp();
    let expected = Wide::from(0.367_879_441_171_442_33) + Wide::from(-1.242_875_367_278_836_3e-17);
    assert!((e + -expected).to_f64().abs() < 1e-31, "{e:?}");
    // The logarithm is the inverse of the exponential, and ln 2 is known.
    let ln_2 = Wide::from(core::f64::consts::LN_2) + Wide::from(2.319_046_813_846_299_6e-17);
    assert!((Wide::from(1.0).ln_1p() + -ln_2).to_f64().abs() < 1e-31);
    for x in [-0.5, -1e-3, -1e-20, 1e-9, 0.7] {
        let there_and_back = Wide::from(x).ln_1p().exp_m1();
        assert!((there_and_back + Wide::from(-x)).to_f64().abs() < 1e-30 * x.abs(), "{x}");
    }
    // σ(x) + σ(−x) = 1
    for x in [0.0, 0.3, 5.0, 40.0, 800.0] {
        let sum = Wide::from(x).sigmoid() + Wide::from(-x).sigmoid();
        assert!((sum + Wide::from(-1.0)).to_f64().abs() < 1e-30);
    }
}
