//! The exact checkers behind the run-time contracts.

use super::*;
use crate::proofs::whole::scaled;
use crate::proofs::{cover, harness};
use asap_contracts::exact::{Short, Whole, without_zeros};

harness! {
    /// spec: `own:contracts`
    /// covers: exact::decompose — all inputs
    ///
    /// `decompose` takes an `f64` apart exactly: mantissa and exponent put together by the IEEE 754 format give
    /// the same bits. Negative numbers, infinities and NaN, and nothing else, are refused.
    ///
    /// assumes: nothing. bound: none, all `f64`. solver: cadical.
    /// mutation: `subnormal numbers get the exponent of normal ones`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_decompose__exact(bits: u64, shift: u8) {
        let bits = bits >> (shift % 16);
        let x = f64::from_bits(bits);
        let parts = decompose(x);
        cover!(parts == Some((1, -1074)));
        cover!(parts == Some(((1 << 53) - 1, 971)));
        cover!(parts.is_none() && x < 0.0);
        cover!(parts.is_some() && x.is_sign_negative());
        assert!(parts.is_some() == (x.is_finite() && x >= 0.0));
        if let Some((mantissa, exponent)) = parts {
            let magnitude = bits & (u64::MAX >> 1);
            assert!((-1074..=971).contains(&exponent) && mantissa < 1 << 53);
            // A mantissa without its leading bit is that of a subnormal number, whose biased exponent is 0.
            let biased = if mantissa < 1 << 52 { 0 } else { (exponent + 1075).cast_unsigned() };
            assert!(mantissa >= 1 << 52 || exponent == -1074);
            assert!(magnitude == u64::from(biased) << 52 | (mantissa & ((1 << 52) - 1)));
        }
    }
}

harness! {
    /// spec: `lem:pure_DP_Post_Sam`
    /// covers: exact::at_most — within a bound
    ///
    /// The comparison of γ·2·G·B ≤ ε says yes exactly if that holds, in words: none of these
    /// numbers needs a longer one.
    ///
    /// assumes: nothing. bound: all 8-bit ε and 4-bit γ, G, B; exponents from −2 to 1 of ε and γ, −1 of G and 1 of B.
    /// A comparison of dyadic numbers is one of integers, and its only dependence on size is their length: what
    /// overflows a word is noticed for all words (`verify_short__exact_or_none`) and goes to long numbers, which are
    /// tested. solver: cadical.
    /// mutation: `a comparison that ignores exponents`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose_scaled),
     kani::stub(asap_contracts::exact::at_most_of, no_longer_number)]
    fn verify_at_most__product(gamma: u8, lipschitz: u8, radius: u8, epsilon: u8, exponents: [u8; 2]) {
        let (g, l, r) = (u16::from(gamma % 16), u16::from(lipschitz % 16), u16::from(radius % 16));
        let left = [scaled(2, 2), scaled(g, exponents[0]), scaled(l, 1), scaled(r, 3)];
        let accepted = at_most(&[&left], &[&[scaled(epsilon.into(), exponents[1])]]);
        // In quarters; at most 2·15³·2³, which fits.
        let product = u32::from(2 * g * l * r) << (exponents[0] % 4);
        let bound = u32::from(epsilon) << (exponents[1] % 4);
        cover!(accepted && product == bound && bound > 0);
        cover!(!accepted);
        assert!(accepted == (product <= bound));
    }
}

harness! {
    /// spec: `lem:OutPert_DP`
    /// covers: exact::at_most — within a bound
    ///
    /// The comparison for "the scale is large enough", sensitivity ≤ ε·scale, says yes exactly if that holds.
    ///
    /// assumes: nothing. bound: all 8-bit mantissas; exponents from −2 to 1 of scale and sensitivity, −1 of ε.
    /// solver: cadical.
    /// mutation: `equal numbers count as too small`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose_scaled),
     kani::stub(asap_contracts::exact::at_most_of, no_longer_number)]
    fn verify_at_most__scale(sensitivity: u8, epsilon: u8, scale: u8, exponents: [u8; 2]) {
        let left = [scaled(sensitivity.into(), exponents[0])];
        let right = [scaled(epsilon.into(), 1), scaled(scale.into(), exponents[1])];
        let accepted = at_most(&[&left], &[&right]);
        // In eighths.
        let needed = u32::from(sensitivity) << (exponents[0] % 4 + 1);
        let given = (u32::from(epsilon) * u32::from(scale)) << (exponents[1] % 4);
        cover!(accepted && needed == given && given > 0);
        cover!(!accepted);
        assert!(accepted == (needed <= given));
    }
}

harness! {
    /// spec: `own:noisy-gradient`
    ///
    /// The comparison for "T steps of share m together spend at most the total", T·m² ≤ M², says
    /// yes exactly if that holds.
    ///
    /// assumes: nothing. bound: all 4-bit T and m and 8-bit M; exponents from −2 to 1 of both shares,
    /// 0 of T. solver: cadical.
    /// covers: exact::at_most — within a bound
    /// mutation: `a product of two factors at most`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose_scaled),
     kani::stub(asap_contracts::exact::at_most_of, no_longer_number)]
    fn verify_at_most__steps(steps: u8, share: u8, total: u8, exponents: [u8; 2]) {
        let (steps, share) = (u16::from(steps % 16), u16::from(share % 16));
        let (part, whole) = (scaled(share, exponents[0]), scaled(total.into(), exponents[1]));
        let accepted = at_most(&[&[scaled(steps, 2), part, part]], &[&[whole, whole]]);
        // In sixteenths: at most 15³·2⁶ and 255²·2⁶.
        let spent = u32::from(steps * share * share) << (2 * (exponents[0] % 4));
        let given = (u32::from(total) * u32::from(total)) << (2 * (exponents[1] % 4));
        cover!(accepted && spent == given && given > 0 && steps == 4);
        cover!(!accepted);
        assert!(accepted == (spent <= given));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: exact::step_until — within a bound
    ///
    /// `step_until` ends after at most `limit` steps, and ends on the safe side: what it returns satisfies the
    /// condition and is the first that does; `None` means that none within the limit does.
    ///
    /// assumes: limit ≤ 5. bound: 5 steps, any condition; the callers use 4 and 16 of the same loop. solver: cadical.
    /// mutation: `the last value is returned unchecked`
    [kani::proof, kani::unwind(8), kani::solver(cadical)]
    fn verify_step_until__first_that_holds(holds: [bool; 6], limit: u8) {
        let limit = limit % 6;
        let found = step_until(0_usize, |x| x + 1, |x| holds[x], limit.into());
        cover!(found.is_none() && limit == 5);
        cover!(found == Some(5));
        match found {
            Some(at) => {
                assert!(holds[at] && at <= usize::from(limit));
                assert!(!holds.iter().take(at).any(|x| *x));
            }
            None => assert!(!holds.iter().take(usize::from(limit) + 1).any(|x| *x)),
        }
    }
}

harness! {
    /// spec: `own:budget-split`
    /// covers: exact::at_most — within a bound
    ///
    /// The comparison for "the shares sum to at most the total" says yes exactly if they do: therefore smaller shares
    /// keep a yes, and composition is monotone.
    ///
    /// assumes: nothing. bound: all 16-bit mantissas with exponents from −2 to 1. solver: cadical.
    /// mutation: `a comparison that forgets a term`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose_scaled),
     kani::stub(asap_contracts::exact::at_most_of, no_longer_number)]
    fn verify_at_most__shares(mantissas: [u16; 4], exponents: [u8; 4]) {
        let [a, b, c, total] = [0, 1, 2, 3].map(|i| scaled(mantissas[i], exponents[i]));
        let accepted = at_most(&[&[a], &[b], &[c]], &[&[total]]);
        let [a, b, c, total] = [0, 1, 2, 3].map(|i| u32::from(mantissas[i]) << (exponents[i] % 4));
        cover!(accepted && a + b + c == total && total > 0);
        cover!(!accepted);
        assert!(accepted == (a + b + c <= total));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: exact::at_most, exact::at_most_of — within a bound
    ///
    /// A number that has no exact value (NaN, infinite, negative) on either side makes every comparison false, in words
    /// and in numbers of any length; the two agree.
    ///
    /// assumes: nothing. bound: one term of one factor on each side, all 16-bit mantissas. solver: cadical.
    /// mutation: `what is not a number counts as small`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose_scaled)]
    fn verify_at_most__refuses_what_is_no_number(left: Option<u16>, right: Option<u16>) {
        let [x, y] = [left, right].map(|x| x.map_or(f64::NAN, |mantissa| scaled(mantissa, 2)));
        let accepted = at_most(&[&[x]], &[&[y]]);
        cover!(accepted);
        cover!(!accepted && left.is_some() && right.is_some());
        assert!(accepted == left.zip(right).is_some_and(|(left, right)| left <= right));
        assert!(accepted == at_most_of(&[&[x]], &[&[y]], Dyadic::<Whole>::new));
    }
}

harness! {
    /// spec: `lem:adaptive_composition`, `own:budget-split`
    /// covers: exact::at_most — within a bound
    ///
    /// The comparison for "the squares of the shares of μ sum to at most the square of the total"
    /// says yes exactly if they do.
    ///
    /// assumes: nothing. bound: all 6-bit mantissas; exponents from −2 to 1 of the total, −1 of the shares. Each square
    /// is computed once and compared as it stands. solver: cadical.
    /// mutation: `products that forget a factor`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose_scaled),
     kani::stub(asap_contracts::exact::at_most_of, no_longer_number)]
    fn verify_at_most__squares(shares: (u8, u8, u8), total: u8, exponent: u8) {
        let [a, b, c, total] = [shares.0, shares.1, shares.2, total].map(|x| u16::from(x % 64));
        let square = |x: u16| [scaled(x, 1); 2];
        let whole = [scaled(total, exponent); 2];
        let accepted = at_most(&[&square(a), &square(b), &square(c)], &[&whole]);
        // In quarters, and the total in sixteenths.
        let spent = u32::from(a * a) + u32::from(b * b) + u32::from(c * c);
        let room = u32::from(total * total) << (2 * (exponent % 4));
        cover!(accepted && spent << 2 == room && spent > 0);
        cover!(!accepted);
        assert!(accepted == (spent << 2 <= room));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: exact::at_most — within a bound
    ///
    /// The comparison of a + b ≤ c of true `f64`, all 53 bits of each, says yes exactly if that holds.
    ///
    /// assumes: numbers from 1 to 16. bound: four binades; a wider window is a longer shift, and every shift of a word
    /// is exact or noticed (`verify_short__exact_or_none`). solver: cadical.
    /// mutation: `a sum that loses what it shares`
    [kani::proof, kani::unwind(4), kani::solver(cadical),
     kani::stub(asap_contracts::exact::at_most_of, no_longer_number)]
    fn verify_at_most__sum_of_f64(fractions: (u64, u64, u64), exponents: (u8, u8, u8), near: bool) {
        let parts = |fraction: u64, exponent: u8| (fraction >> 12 | 1 << 52, exponent % 4);
        let (a, b) = (parts(fractions.0, exponents.0), parts(fractions.1, exponents.1));
        let c = parts(fractions.2, exponents.2);
        let value = |(mantissa, places): (u64, u8)| {
            f64::from_bits((1023 + u64::from(places)) << 52 | mantissa & ((1 << 52) - 1))
        };
        let [x, y, z] = [a, b, c].map(value);
        // Half of the sums of a test are as near as an `f64` can be.
        let z = if near && !cfg!(kani) { x + y } else { z };
        let taken_apart = decompose(z).filter(|_| !cfg!(kani));
        let c = taken_apart
            .map_or(c, |(mantissa, exponent)| (mantissa, exponent.abs_diff(-52).to_le_bytes()[0]));
        let accepted = at_most(&[&[x], &[y]], &[&[z]]);
        let units = |(mantissa, places): (u64, u8)| u128::from(mantissa) << places;
        cover!(accepted && units(a) + units(b) == units(c));
        cover!(!accepted && exponents.0 != exponents.1);
        assert!(accepted == (units(a) + units(b) <= units(c)));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: exact::Natural::plus, exact::Natural::shifted, exact::Natural::from_u64 — all inputs
    ///
    /// The words in which most inequalities are decided: a sum or a shift is exact, or there is none, and none exactly
    /// if it does not fit into 128 bits. What is none stays none.
    ///
    /// assumes: nothing. bound: none, all words and all numbers of places. solver: cadical.
    /// mutation: `a shift that loses bits`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_short__exact_or_none(a: Option<u128>, b: Option<u128>, places: u32, near: u8) {
        // Words and places that matter are frequent in a test.
        let a = a.map(|a| a.checked_shr(near.into()).unwrap_or(a));
        let places = if near.is_multiple_of(2) { places % 140 } else { places };
        let (x, y) = (Short(a), Short(b));
        let (sum, moved) = (x.plus(&y).0, x.shifted(places).0);
        cover!(sum.is_none() && a.is_some() && b.is_some());
        cover!(moved.is_some_and(|moved| moved > 0) && places > 100);
        cover!(moved.is_none() && a.is_some());
        match (a, b) {
            (Some(a), Some(b)) => match sum {
                Some(sum) => assert!(sum >= a && sum - a == b),
                None => assert!(b > u128::MAX - a),
            },
            _ => assert!(sum.is_none()),
        }
        match (a, moved) {
            (Some(0), moved) => assert!(moved == Some(0)),
            (Some(a), Some(moved)) => assert!(places < 128 && moved >> places == a),
            (Some(a), None) => assert!(places >= 128 || a >> (128 - places) != 0),
            (None, moved) => assert!(moved.is_none()),
        }
        let word = u64::from(places) << (near % 33);
        assert!(Short::from_u64(word).0 == Some(word.into()));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: asap_contracts::exact::without_zeros — all inputs
    ///
    /// The same number, with an odd mantissa or 0: the bits that are taken from the mantissa were zeros, and the
    /// exponent has grown by their number.
    ///
    /// assumes: an exponent of an `f64`. bound: none, all 64-bit mantissas. solver: cadical.
    /// mutation: `a zero too many is taken`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_without_zeros__same_number(mantissa: u64, exponent: i16, zeros: u8) {
        let (mantissa, exponent) = (mantissa << (zeros % 64), i32::from(exponent) % 1075);
        let (odd, moved) = without_zeros(mantissa, exponent);
        cover!(moved == exponent + 63);
        cover!(mantissa == 0);
        let places = moved.abs_diff(exponent);
        assert!(moved >= exponent && places < 64 && odd << places == mantissa && odd >> (63 - places) <= 1);
        assert!(odd % 2 == 1 || (mantissa == 0 && places == 0));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: exact::up, exact::down — all inputs
    ///
    /// The promise of the directed operations: what `up` and `down` return was asked for and answered with yes, is
    /// finite, and positive below; whatever the estimate was and whatever the comparison says. From below an infinite
    /// estimate is the largest finite number.
    ///
    /// assumes: nothing. bound: none, all f64 as estimates, any answers for the 5 candidates of the
    /// source. solver: cadical.
    /// mutation: `an infinite bound is handed out`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_directed__asked_and_finite(estimate: f64, odd: u8, answers: u8) {
        // Infinite estimates are frequent in a test.
        let estimate = if odd.is_multiple_of(4) { f64::INFINITY } else { estimate };
        let asked = core::cell::Cell::new((0_u32, 0_u64));
        let holds = |x: f64| {
            let (count, _) = asked.get();
            asked.set((count + 1, x.to_bits()));
            answers >> count & 1 == 1
        };
        let said_yes = |x: f64| {
            let (count, last) = asked.get();
            (1..=STEPS + 1).contains(&count) && last == x.to_bits() && answers >> (count - 1) & 1 == 1
        };
        let above = up(estimate, holds);
        cover!(above.is_some() && asked.get().0 == 5);
        assert!(above.is_none_or(|x| x.is_finite() && said_yes(x)));
        asked.set((0, 0));
        let below = down(estimate, holds);
        cover!(below == Some(f64::MAX));
        assert!(below.is_none_or(|x| x > 0.0 && x <= f64::MAX && said_yes(x)));
        assert!(below.is_none_or(|x| estimate.is_nan() || x <= estimate));
    }
}

harness! {
    /// spec: `own:contracts`
    /// covers: exact::add_up, exact::mul_up, exact::div_up, exact::sqrt_up, exact::add_down, exact::mul_down,
    /// exact::div_down, exact::sqrt_down — within a bound
    ///
    /// Each directed operation asks the comparison that its name promises: what it returns is on the right side of the
    /// exact sum, product, quotient or root.
    ///
    /// assumes: a divisor that is not 0, for which there is no result (tested). bound: 2-bit
    /// whole numbers, 4-bit results.
    /// solver: cadical.
    /// mutation: `a quotient that is compared the wrong way round`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(crate::exact::at_most, crate::proofs::whole::at_most),
     kani::stub(crate::exact::up, any_above),
     kani::stub(crate::exact::down, any_below)]
    fn verify_directed__right_side(a: u8, b: u8) {
        use crate::proofs::whole::number;
        let (a, b) = (number(a % 4), number(b % 3 + 1));
        let results = [add_up(a, b), mul_up(a, b), div_up(a, b), sqrt_up(a)];
        cover!(results.iter().all(Option::is_some));
        let [sum, product, quotient, root] = results;
        assert!(sum.is_none_or(|x| at_most(&[&[a], &[b]], &[&[x]])));
        assert!(product.is_none_or(|x| at_most(&[&[a, b]], &[&[x]])));
        assert!(quotient.is_none_or(|x| b > 0.0 && at_most(&[&[a]], &[&[x, b]])));
        assert!(root.is_none_or(|x| at_most(&[&[a]], &[&[x, x]])));
        let results = [add_down(a, b), mul_down(a, b), div_down(a, b), sqrt_down(a)];
        cover!(results.iter().all(Option::is_some));
        let [sum, product, quotient, root] = results;
        assert!(sum.is_none_or(|x| at_most(&[&[x]], &[&[a], &[b]])));
        assert!(product.is_none_or(|x| at_most(&[&[x]], &[&[a, b]])));
        assert!(quotient.is_none_or(|x| b > 0.0 && at_most(&[&[x, b]], &[&[a]])));
        assert!(root.is_none_or(|x| at_most(&[&[x, x]], &[&[a]])));
    }
}

/// Any number for which the condition holds, or none: what `verify_directed__asked_and_finite` shows.
#[cfg(kani)]
fn any_above(_: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    Some(crate::proofs::whole::number(kani::any::<u8>() % 16)).filter(|x| holds(*x))
}

/// The same, positive.
#[cfg(kani)]
fn any_below(_: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    Some(crate::proofs::whole::number(kani::any::<u8>() % 16)).filter(|x| *x > 0.0 && holds(*x))
}

/// Reached where words do not last: by none of the numbers of these harnesses.
#[cfg(kani)]
fn no_longer_number<N: Natural, T: Copy>(_: &[&[T]], _: &[&[T]], _: impl Fn(T) -> Option<Dyadic<N>>) -> bool {
    kani::assert(false, "words are enough");
    false
}
