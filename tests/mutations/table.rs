//! The faults. Each harness in `proofs/` has one, and says in its documentation which.

/// One fault: where, and what stands there before and after.
pub(crate) struct Mutation {
    pub(crate) harness: &'static str,
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
}

const fn mutation(
    harness: &'static str,
    name: &'static str,
    file: &'static str,
    [before, after]: [&'static str; 2],
) -> Mutation {
    Mutation { harness, name, file, before, after }
}

/// A harness and the fault that it has to see, for every harness.
pub(crate) const MUTATIONS: &[Mutation] = &[
    mutation(
        "verify_of_key__exactly",
        "a run goes on over a different byte",
        "src/noise/health.rs",
        [
            "if key[k] == key[k - 1] { run + 1 } else { 1 }",
            "if key[k] == key[k - 1] { run + 1 } else { run }",
        ],
    ),
    mutation(
        "verify_attempt__equal_pre_images",
        "remainder instead of rejection",
        "src/noise/uniform.rs",
        [
            "let candidate = random as Self & mask;",
            "let candidate = (random as Self).checked_rem(last.wrapping_add(1)).unwrap_or(mask);",
        ],
    ),
    mutation(
        "verify_bernoulli_exp_of__rounds",
        "a round draws from one number too many",
        "src/noise/bernoulli.rs",
        ["uniform_up_to(rounds_gone_on, rng) == 0", "uniform_up_to(rounds_gone_on + 1, rng) == 0"],
    ),
    mutation(
        "verify_bernoulli__certain_and_impossible",
        "a coin that says yes at its bound",
        "src/noise/bernoulli.rs",
        ["uniform_below(q, rng) < p", "uniform_below(q, rng) <= p"],
    ),
    mutation(
        "verify_split__exact",
        "the fraction keeps a bit of the integer",
        "src/noise/bernoulli.rs",
        ["mantissa - whole.checked_shl(places)", "mantissa - (whole & !1).checked_shl(places)"],
    ),
    mutation(
        "verify_signed__minus_zero_starts_again",
        "minus zero counts as zero",
        "src/noise/laplace.rs",
        ["if negative && magnitude == 0 {", "if false {"],
    ),
    mutation(
        "verify_with_periods__sum_or_cut",
        "the geometric sum wraps",
        "src/noise/laplace.rs",
        ["x = x.saturating_add(u128::from(t.get()));", "x = x.wrapping_add(u128::from(t.get()));"],
    ),
    mutation(
        "verify_rounded_up__not_below",
        "division rounds to nearest",
        "src/noise/laplace.rs",
        [
            "NonZeroU64::new(divide_up(mantissa, places - kept))?",
            "NonZeroU64::new(super::shift::divide_nearest(mantissa, places - kept).max(1))?",
        ],
    ),
    mutation(
        "verify_whole_at_least__not_below",
        "whole steps are rounded to nearest",
        "src/noise/steps.rs",
        ["whole(divide_up(", "whole(super::shift::divide_nearest("],
    ),
    mutation(
        "verify_nearest_if_certain__both_ends",
        "a rounding looks at one end only",
        "src/noise/euclidean.rs",
        ["(high / 2 <= nearest)", "(low / 2 <= nearest)"],
    ),
    mutation(
        "verify_nearest__half_a_unit",
        "a variate is rounded down",
        "src/noise/variate.rs",
        ["((digits >> (dropped - 1)) + 1) >> 1", "digits >> dropped"],
    ),
    mutation(
        "verify_times_rounded__nearest",
        "rounding forgets the carry of the second word",
        "src/noise/normal.rs",
        ["None => return true,", "None => return false,"],
    ),
    mutation(
        "verify_put_together__odd_in_sign",
        "the sign moves the magnitude",
        "src/noise/normal.rs",
        ["if negative { -magnitude }", "if negative { !magnitude }"],
    ),
    mutation(
        "verify_round__within_half_a_step",
        "rounding towards zero",
        "src/noise/lattice.rs",
        [
            "divide_nearest(mantissa, shift.unsigned_abs())",
            "mantissa.checked_shr(shift.unsigned_abs()).unwrap_or(0)",
        ],
    ),
    mutation(
        "verify_round_clamped__monotone",
        "infinities go to the wrong end",
        "src/noise/lattice.rs",
        ["Err(_) if x.is_sign_negative() => -Self::RANGE,", "Err(_) if x.is_sign_negative() => Self::RANGE,"],
    ),
    mutation(
        "verify_point__exact",
        "the sum is cut before it is clamped",
        "src/noise/lattice.rs",
        ["i128::from(k).saturating_add(noise);", "i128::from(k.saturating_add(noise as i64));"],
    ),
    mutation(
        "verify_decompose__exact",
        "subnormal numbers get the exponent of normal ones",
        "contracts/src/exact/dyadic.rs",
        ["Some((fraction, -1074))", "Some((fraction, biased - 1075))"],
    ),
    mutation(
        "verify_at_most__product",
        "a comparison that ignores exponents",
        "contracts/src/exact/dyadic.rs",
        [
            "let (Short(left), Short(right), _) = left?.aligned(&right?);",
            "let (Short(left), Short(right)) = (left?.mantissa, right?.mantissa);",
        ],
    ),
    mutation(
        "verify_at_most__scale",
        "equal numbers count as too small",
        "contracts/src/exact/dyadic.rs",
        ["Some(left? <= right?)", "Some(left? < right?)"],
    ),
    mutation(
        "verify_at_most__steps",
        "a product of two factors at most",
        "contracts/src/exact/dyadic.rs",
        ["for &factor in *term {", "for &factor in term.iter().take(2) {"],
    ),
    mutation(
        "verify_walk__as_many_gradients_as_were_paid_for",
        "one gradient more than was paid for",
        "src/mechanism/noisy_gradient.rs",
        ["for taken in 0..steps {", "for taken in 0..=steps {"],
    ),
    mutation(
        "verify_at_most__shares",
        "a comparison that forgets a term",
        "contracts/src/exact/dyadic.rs",
        ["sum = sum.plus(&product);", "sum = product;"],
    ),
    mutation(
        "verify_at_most__refuses_what_is_no_number",
        "what is not a number counts as small",
        "contracts/src/exact/dyadic.rs",
        ["_ => false,", "_ => true,"],
    ),
    mutation(
        "verify_step_until__first_that_holds",
        "the last value is returned unchecked",
        "src/exact.rs",
        ["holds(value).then_some(value)", "Some(value)"],
    ),
    mutation(
        "verify_split__within_the_total",
        "shares are handed out unchecked",
        "src/ledger.rs",
        ["if total.covers(&shares) {", "if true {"],
    ),
    mutation(
        "verify_first_accepted__accepted_or_fallback",
        "the last candidate instead of the fallback",
        "src/ball.rs",
        [
            "(0..tries).map(candidate).find(accepts).unwrap_or(fallback)",
            "(0..tries).map(candidate).reduce(|a, b| if accepts(&a) { a } else { b }).unwrap_or(fallback)",
        ],
    ),
    mutation(
        "verify_power_of_two__exact",
        "a power of two is one too small",
        "src/ball.rs",
        ["(1023 + exponent).cast_unsigned()", "(1022 + exponent).cast_unsigned()"],
    ),
    mutation(
        "verify_first_certified__in_order",
        "the search ends with its second method",
        "src/optimise/search.rs",
        [
            "Outcome::Open(theta) => point = theta,",
            "Outcome::Open(_) if k > 0 => return Ok(None),\n            Outcome::Open(theta) => point = theta,",
        ],
    ),
    mutation(
        "verify_smallest_count__suffices",
        "the estimate is returned unchecked",
        "src/calibrate/mala.rs",
        ["|x| x + 1.0, suffices, 16)?;", "|x| x + 1.0, suffices, 16).unwrap_or(start);"],
    ),
    mutation(
        "verify_admissible_tolerance__contract",
        "rounding counts once",
        "src/optimise.rs",
        ["requires 2.0 * rounding.get() <= tau.get();", "requires rounding.get() <= tau.get();"],
    ),
    mutation(
        "verify_restart_until_inside__bounded",
        "a chain too many",
        "src/sampler/mala.rs",
        ["for _ in 0..tau_max {", "for _ in 0..=tau_max {"],
    ),
    mutation(
        "verify_walk__states_and_steps",
        "a step too many",
        "src/sampler/mala.rs",
        ["for _ in 0..steps {", "for _ in 0..=steps {"],
    ),
    mutation(
        "verify_takes__decision",
        "infinite energies are taken",
        "src/sampler/mala.rs",
        ["energy.is_finite() && accepts(log_ratio, coin)", "!energy.is_nan() && accepts(log_ratio, coin)"],
    ),
    mutation(
        "verify_fair_coins__ones_among_count",
        "bits beyond the count are counted",
        "src/sampler/mala.rs",
        ["let mask = (1_u64 << (count % 64)) - 1;", "let mask = u64::MAX;"],
    ),
    mutation(
        "verify_first__accepted",
        "a proposal is thrown away",
        "src/sampler/truncated.rs",
        [
            "        if let Some(accepted) = propose() {",
            "        propose();\n        if let Some(accepted) = propose() {",
        ],
    ),
    mutation(
        "verify_first_inside__never_outside",
        "a proposal outside is returned",
        "src/sampler/truncated.rs",
        ["if inside(&proposal) {", "if true {"],
    ),
    mutation(
        "verify_rounding_fits__contract",
        "half of the error may be spent on rounding",
        "src/calibrate/reference.rs",
        ["requires 4.0 * charge.get() <= error.get();", "requires 2.0 * charge.get() <= error.get();"],
    ),
    mutation(
        "verify_within_caps__first_accepted_or_none",
        "the cap on passes is forgotten",
        "src/sampler/exact.rs",
        [
            "while made.evaluated < caps.evaluated && made.drawn < caps.drawn {",
            "while made.drawn < caps.drawn {",
        ],
    ),
    mutation(
        "verify_least_and_gap__below_both",
        "the larger of parabola and line",
        "src/sampler/exact.rs",
        ["if a <= b { (a, b - a) }", "if a > b { (a, b - a) }"],
    ),
    mutation(
        "verify_counted__no_number_is_never_accepted",
        "an energy that is no number counts as 0",
        "src/sampler/exact.rs",
        ["if energy.is_finite() { Some(energy.max(0.0)) } else { None }", "Some(energy.max(0.0))"],
    ),
    mutation(
        "verify_energy__bad_values_break_the_promise",
        "the energy is clamped",
        "src/sampler/proximal.rs",
        ["let value = divergence - quadratic;", "let value = (divergence - quadratic).max(0.0);"],
    ),
    mutation(
        "verify_step__any_text",
        "a quoted line end ends the record",
        "src/data/fields.rs",
        [
            "        (State::Quoted, _) | ",
            "        (State::Quoted, b'\\n') => (State::Record, Action::EndRecord),\n        (State::Quoted, _) | ",
        ],
    ),
    mutation(
        "verify_sniff_separator__occurs",
        "sniffing guesses a comma",
        "src/data/fields.rs",
        ["(count > 0).then_some(separator)", "Some(separator)"],
    ),
    mutation(
        "verify_feasible_chain__contract",
        "one step more than allowed",
        "src/calibrate/mala.rs",
        ["        Some(planned_steps.get())\n", "        Some(planned_steps.get() * 1.5)\n"],
    ),
    mutation(
        "verify_new__finite_and_positive",
        "an infinite budget",
        "src/input.rs",
        ["if value.is_finite() && value > 0.0 {", "if value > 0.0 {"],
    ),
    mutation(
        "verify_compose__pure",
        "the largest part instead of the sum",
        "src/privacy.rs",
        [
            "try_fold(0.0, |sum, part| add_up(sum, part.0))",
            "try_fold(0.0, |sum: f64, part| Some(sum.max(part.0)))",
        ],
    ),
    mutation(
        "verify_compose__gaussian",
        "a root that was not taken of the whole sum",
        "src/privacy.rs",
        [
            "            add_up(sum, mul_up(ratio, ratio)?)\n",
            "            add_up(0.0 * sum, mul_up(ratio, ratio)?)\n",
        ],
    ),
    mutation(
        "verify_share__at_most_its_part",
        "a share that is rounded up",
        "src/privacy.rs",
        [
            "div_down(mul_down(self.0, parts.into())?, whole.into())",
            "crate::exact::div_up(mul_up(self.0, parts.into())?, whole.into())",
        ],
    ),
    mutation(
        "verify_cell_of__one_of_its_class",
        "the cells of the classes overlap",
        "src/score/cells.rs",
        ["if positive { bins } else { 0 }", "if positive { bins / 2 } else { 0 }"],
    ),
    mutation(
        "verify_divide_up__smallest_above",
        "a quotient that is rounded down",
        "src/noise/shift.rs",
        ["floor + u64::from(!is_exact)", "floor + u64::from(!is_exact && floor == 0)"],
    ),
    mutation(
        "verify_divide_nearest__halves_up",
        "halves go down",
        "src/noise/shift.rs",
        [
            "value.saturating_add(1 << (places - 1)) >> places",
            "value.saturating_add((1 << (places - 1)) - 1) >> places",
        ],
    ),
    mutation(
        "verify_low_bits__each_once",
        "bits that are handed out again",
        "src/noise/thrifty.rs",
        [
            "self.store = self.store.checked_shr(count).unwrap_or(0);",
            "self.store = self.store.checked_shr(count / 2).unwrap_or(0);",
        ],
    ),
    mutation(
        "verify_exceeds_fresh__first_difference",
        "equal words decide",
        "src/noise/fraction.rs",
        ["if fresh != own {", "if fresh != own || index == 0 {"],
    ),
    mutation(
        "verify_with_step_at_most__largest_power",
        "the exponent of the step is one too large",
        "src/noise/lattice.rs",
        ["Self::new(floor_log2(x).ok_or(refused)?)", "Self::new(floor_log2(x).ok_or(refused)? + 1)"],
    ),
    mutation(
        "verify_add__saturates",
        "points beyond the range wrap around",
        "src/noise/lattice.rs",
        [
            "let clamped = sum.clamp(-i128::from(Self::RANGE), Self::RANGE.into()) as i64;",
            "let clamped = (sum as i64).clamp(-Self::RANGE, Self::RANGE);",
        ],
    ),
    mutation(
        "verify_rows_of__every_row_once",
        "the last row of a chunk is in the next one, too",
        "src/objective/partition.rs",
        [
            "        start..self.rows.min(start + self.chunk_rows)\n",
            "        start..self.rows.min(start + self.chunk_rows + 1)\n",
        ],
    ),
    mutation(
        "verify_partition__chunks_hold_all_rows",
        "chunks that are too short",
        "src/objective/partition.rs",
        [
            "rows.div_ceil(most_chunks).next_multiple_of(LEAST_CHUNK_ROWS)",
            "(rows / (most_chunks + 1)).next_multiple_of(LEAST_CHUNK_ROWS)",
        ],
    ),
    mutation(
        "verify_split__pieces_follow_each_other",
        "pieces that overlap",
        "src/objective/partition.rs",
        ["first..end.min(first + length)", "first..end.min(first + length + 1)"],
    ),
    mutation(
        "verify_rows_within__shards_share_a_chunk",
        "a shard forgets where it ends",
        "src/objective/partition.rs",
        ["own.start.max(rows.start)..own.end.min(rows.end)", "own.start.max(rows.start)..own.end"],
    ),
    mutation(
        "verify_add_compensated__nothing_is_lost",
        "what is lost is carried with the wrong sign",
        "src/objective/kernels.rs",
        [
            "*carry += (*sum - (total - added)) + (term - added);",
            "*carry -= (*sum - (total - added)) + (term - added);",
        ],
    ),
    mutation(
        "verify_in_blocks__every_row_once",
        "the last rows are not handed over",
        "src/data/stream.rs",
        ["    if waiting > 0 {", "    if waiting > 1 {"],
    ),
    mutation(
        "verify_folded__any_cut",
        "targets count after all features",
        "src/data/stream.rs",
        [
            "let records = features.chunks_exact(width.max(1)).zip(targets);",
            "let records = features.chunks_exact(width.max(1)).zip(targets.iter().rev());",
        ],
    ),
    mutation(
        "verify_step__quoted_text_survives",
        "a doubled quote ends the field",
        "src/data/fields.rs",
        [
            "(State::Quoted, _) | (State::Closed, b'\"') => (State::Quoted, Action::Keep),",
            "(State::Quoted, _) => (State::Quoted, Action::Keep),",
        ],
    ),
    mutation(
        "verify_may_separate__never_part_of_a_field",
        "a decimal point separates fields",
        "src/data/fields.rs",
        ["b\"+-.\".contains(&byte)", "b\"+-\".contains(&byte)"],
    ),
    mutation(
        "verify_pass__lines_of_an_editor",
        "the second half of CR LF counts",
        "src/data/fields.rs",
        ["(byte == b'\\n' && !self.after_cr)", "(byte == b'\\n')"],
    ),
    mutation(
        "verify_finite__trimmed_and_finite",
        "infinite numbers are numbers",
        "src/data/fields.rs",
        [
            "parse(cell.trim_ascii()).filter(|number| number.is_finite())",
            "parse(cell.trim_ascii()).filter(|number| !number.is_nan())",
        ],
    ),
    mutation(
        "verify_bounds__positive_and_ordered",
        "a curvature of 0",
        "src/sampler/curvature.rs",
        ["(strong_convexity > 0.0 && smoothness", "(strong_convexity >= 0.0 && smoothness"],
    ),
    mutation(
        "verify_within_caps__any_caps",
        "the cap on proposals is forgotten",
        "src/sampler/exact.rs",
        [
            "while made.evaluated < caps.evaluated && made.drawn < caps.drawn {",
            "while made.evaluated < caps.evaluated {",
        ],
    ),
    mutation(
        "verify_has_odds__likelier_is_believed",
        "the likelier answer is doubted",
        "src/sampler/exact.rs",
        ["believed(energy.max(0.0), rng)", "believed(energy.abs(), rng)"],
    ),
    mutation(
        "verify_is_inside__edge",
        "points above the tangent plane are inside",
        "src/sampler/truncated.rs",
        [
            "place.depth >= 0.0 && place.depth * (2.0 * radius - place.depth) >= square",
            "(place.depth * (2.0 * radius - place.depth)).abs() >= square",
        ],
    ),
    mutation(
        "verify_survives__certain_cases",
        "an energy that is no number survives",
        "src/sampler/truncated.rs",
        ["bernoulli_exp_f64(if x < 0.0 { 0.0 } else { x }, rng)", "bernoulli_exp_f64(x.max(0.0), rng)"],
    ),
    mutation(
        "verify_at_most__squares",
        "products that forget a factor",
        "contracts/src/exact/dyadic.rs",
        ["product = product.times(&exact(factor)?);", "product = exact(factor)?;"],
    ),
    mutation(
        "verify_at_most__sum_of_f64",
        "a sum that loses what it shares",
        "contracts/src/exact/dyadic.rs",
        ["a.checked_add(b)", "Some(a | b)"],
    ),
    mutation(
        "verify_short__exact_or_none",
        "a shift that loses bits",
        "contracts/src/exact/dyadic.rs",
        ["*value == 0 || places <= value.leading_zeros()", "*value == 0 || places < 128"],
    ),
    mutation(
        "verify_without_zeros__same_number",
        "a zero too many is taken",
        "contracts/src/exact/dyadic.rs",
        ["{ mantissa.trailing_zeros() };", "{ mantissa.trailing_zeros().max(1) };"],
    ),
    mutation(
        "verify_directed__asked_and_finite",
        "an infinite bound is handed out",
        "src/exact.rs",
        [
            "step_until(value, f64::next_up, holds, STEPS).filter(|x| x.is_finite())",
            "step_until(value, f64::next_up, holds, STEPS)",
        ],
    ),
    mutation(
        "verify_directed__right_side",
        "a quotient that is compared the wrong way round",
        "src/exact.rs",
        [
            "up(a / b, |x| at_most(&[&[a]], &[&[x, b]])).filter(|_| b > 0.0)",
            "up(a / b, |x| at_most(&[&[x, b]], &[&[a]])).filter(|_| b > 0.0)",
        ],
    ),
    mutation(
        "verify_pure_temperature__decides",
        "the temperature counts one side of the ball",
        "contracts/src/contract/temperature.rs",
        [
            "Exact::whole(2) * Exact::of(it.gamma) * Exact::of(it.lipschitz)",
            "Exact::of(it.gamma) * Exact::of(it.lipschitz)",
        ],
    ),
    mutation(
        "verify_gaussian_temperature__decides",
        "the Lipschitz constant is not squared",
        "contracts/src/contract/temperature.rs",
        [
            "Exact::of(it.gamma) * Exact::of(it.lipschitz).squared()",
            "Exact::of(it.gamma) * Exact::of(it.lipschitz)",
        ],
    ),
    mutation(
        "verify_minimiser_sensitivity__decides",
        "the tolerance counts once",
        "contracts/src/contract/sensitivity.rs",
        [
            "Exact::whole(2) * Exact::of(it.tolerance) * &regulariser",
            "Exact::of(it.tolerance) * &regulariser",
        ],
    ),
    mutation(
        "verify_gradient_sensitivity__decides",
        "one of two sums is rounded",
        "contracts/src/contract/sensitivity.rs",
        ["Exact::whole(2) * Exact::of(it.rounding) <=", "Exact::of(it.rounding) <="],
    ),
    mutation(
        "verify_step_shares__decides",
        "steps of a Gaussian share add up like those of a pure one",
        "contracts/src/contract/shares.rs",
        ["steps * share.squared() <= Exact::of(total).squared()", "steps * share <= Exact::of(total)"],
    ),
    mutation(
        "verify_persons__decides",
        "a person spends what a row spends",
        "contracts/src/contract/shares.rs",
        ["Exact::whole(it.rows) * Exact::of(row)", "Exact::of(row)"],
    ),
    mutation(
        "verify_noise_scale__decides",
        "rounding is forgotten",
        "contracts/src/check/noise.rs",
        ["bought.covers(moved, &(d * step.squared()))", "bought.covers(moved, &(Exact::whole(0) * d))"],
    ),
    mutation(
        "verify_chain_error__decides",
        "the 1-norm costs nothing",
        "contracts/src/contract/delta.rs",
        [
            "let factor = Exact::whole(if it.norm == 1 { it.dimension } else { 1 });",
            "let factor = Exact::whole(1);",
        ],
    ),
    mutation(
        "verify_charge_part__decides",
        "rounding may take all of the error",
        "contracts/src/contract/delta.rs",
        [
            "Exact::whole(parts) * Exact::of(self.charge) <= Exact::of(self.error)",
            "Exact::of(self.charge) <= Exact::of(self.error) || parts == 0",
        ],
    ),
    mutation(
        "verify_oscillation__decides",
        "the oscillation of half of the ball",
        "contracts/src/contract/variation.rs",
        [
            "let slope = Exact::whole(2) * &radius * Exact::of(it.gradient_norm);",
            "let slope = &radius * Exact::of(it.gradient_norm);",
        ],
    ),
    mutation(
        "verify_is_inside__ball",
        "the ball of twice the radius",
        "src/sampler/truncated.rs",
        ["(2.0 * radius - place.depth)", "(4.0 * radius - place.depth)"],
    ),
    mutation(
        "verify_inner_radius_of__leaves_room",
        "no room for rounding",
        "src/sampler/truncated.rs",
        ["(radius - slack * (radius + centre_norm))", "(radius - 0.25 * slack * (radius + centre_norm))"],
    ),
    mutation(
        "verify_in_order__none_skipped",
        "what does not pass leaves",
        "src/passage.rs",
        ["    check(with, &drawn)?;", "    let _ = check(with, &drawn);"],
    ),
    mutation(
        "verify_slope_new__rounded_down",
        "half of the sensitivity",
        "src/quantile.rs",
        ["saturating_add((2 << UNITS) - 1)", "saturating_add((1 << UNITS) - 1)"],
    ),
    mutation(
        "verify_costs__of_its_definition",
        "a value on a candidate is above it",
        "src/quantile.rs",
        ["|candidate| candidate < value", "|candidate| candidate <= value"],
    ),
    mutation(
        "verify_sensitivity__covers_one_value",
        "the smaller of the two sides",
        "src/quantile.rs",
        ["self.part.max(PARTS - self.part)", "self.part.min(PARTS - self.part)"],
    ),
    mutation(
        "verify_bin__edges_not_above",
        "an edge belongs to the bin below",
        "src/score/cells.rs",
        ["*edge <= probability", "*edge < probability"],
    ),
    mutation(
        "verify_whole_parts__rounded_down",
        "a part that is rounded to nearest",
        "src/score/cells.rs",
        [
            "(part.clamp(0.0, 1.0) * f64::from(PARTS)) as u32",
            "(part.clamp(0.0, 1.0) * f64::from(PARTS)).round() as u32",
        ],
    ),
    mutation(
        "verify_product__below_both",
        "a product of one place too few",
        "src/score/cells.rs",
        ["u64::from(b)) >> FINEST", "u64::from(b)) >> (FINEST - 1)"],
    ),
    mutation(
        "verify_divided__one_row",
        "a part that is counted twice",
        "src/score/cells.rs",
        ["[PARTS - u, u - square, square", "[PARTS - u, u, square"],
    ),
    mutation(
        "verify_mark__one_or_none",
        "a level of the record before stays",
        "src/data/encode.rs",
        ["        block.fill(0.0);\n", ""],
    ),
    mutation(
        "verify_meaning__itself_or_refused",
        "infinite cells are numbers",
        "src/data/encode.rs",
        [
            "ok_or(Refusal::Missing)?;\n        if !number.is_finite()",
            "ok_or(Refusal::Missing)?;\n        if number.is_nan()",
        ],
    ),
    mutation(
        "verify_perturb__each_with_its_noise",
        "a coordinate that leaves as it is",
        "src/noise/perturb.rs",
        ["round_clamped(coordinate), noise))", "round_clamped(coordinate), 0 * noise))"],
    ),
    mutation(
        "verify_noise_scale__laplace",
        "rounding costs less than a step",
        "contracts/src/check/noise.rs",
        ["d.clone() * &step * Exact::whole(denominator)", "d.clone() * &step"],
    ),
    mutation(
        "verify_delta__decides",
        "the error counts on one side",
        "contracts/src/contract/delta.rs",
        ["moved: 2.0 * it.error", "moved: it.error"],
    ),
    mutation(
        "verify_shares__decides",
        "shares of a Gaussian budget are not squared",
        "contracts/src/contract/shares.rs",
        ["sum + part.squared()", "sum + part"],
    ),
    mutation(
        "verify_tilt_scales__one_law",
        "the Jacobian takes nothing",
        "contracts/src/check/noise.rs",
        ["moved * Exact::whole(unit) + taken * &scale <=", "moved * Exact::whole(unit) <="],
    ),
    mutation(
        "verify_width__all_that_is_looked_at",
        "a width of a bit too few",
        "src/noise/uniform.rs",
        ["Self::BITS - last.leading_zeros()", "(Self::BITS - last.leading_zeros()).saturating_sub(1)"],
    ),
    mutation(
        "verify_laplace_scale__as_made",
        "a scale wider than the lattice",
        "src/noise/laplace.rs",
        ["filter(|_| steps <= Lattice::RANGE as f64)", "filter(|_| steps <= 1.5 * Lattice::RANGE as f64)"],
    ),
    mutation(
        "verify_lattice_noise__not_below",
        "a scale that is rounded down",
        "src/noise/perturb.rs",
        [
            "law: Law::Normal(NormalScale::at_least(steps)?)",
            "law: Law::Normal(NormalScale::at_least(steps.floor())?)",
        ],
    ),
    mutation(
        "verify_block_noise__as_drawn",
        "a law under the name of another",
        "src/noise/blocks.rs",
        ["LawScale::Cube(_) => BlockLaw::CubeLaplace,", "LawScale::Cube(_) => BlockLaw::Laplace,"],
    ),
    mutation(
        "verify_rounded_normal__nearest_to_its_number",
        "the whole part is not scaled",
        "src/noise/normal.rs",
        [
            "i128::from(scale.steps()) * i128::from(k) + i128::from(fraction)",
            "i128::from(k) + i128::from(fraction)",
        ],
    ),
    mutation(
        "verify_covers__exactly",
        "parts of a μ add up like those of an ε",
        "src/privacy.rs",
        [
            "let parts: Vec<[f64; 2]> = parts.iter().map(|part| [part.0; 2]).collect();",
            "let parts: Vec<[f64; 2]> = parts.iter().map(|part| [part.0, 1.0]).collect();",
        ],
    ),
    mutation(
        "verify_guarantee__its_number",
        "a replaced record counts once",
        "contracts/src/schema.rs",
        ["Self::ReplaceOne => 2,", "Self::ReplaceOne => 1,"],
    ),
    mutation(
        "verify_ledger_pure__covered_or_refused",
        "shares that are not compared with the total",
        "src/ledger.rs",
        [
            "if !epsilon.covers(&shares.map(|(_, share)| share)) {",
            "if false && !epsilon.covers(&shares.map(|(_, share)| share)) {",
        ],
    ),
    mutation(
        "verify_radius__decides",
        "G counts one of two losses",
        "contracts/src/check/loss.rs",
        ["&changed * &row * slope <= *claimed", "&row * slope <= *claimed"],
    ),
    mutation(
        "verify_total_variation__decides",
        "ξ forgets the dimension",
        "contracts/src/contract/variation.rs",
        ["Exact::whole(it.dimension) * ln_above(&ratio)", "ln_above(&ratio)"],
    ),
    mutation(
        "verify_domain_chance__decides",
        "a chance of nothing is enough",
        "contracts/src/contract/chain.rs",
        ["<= Exact::whole(19)", "<= Exact::whole(20)"],
    ),
    mutation(
        "verify_inner_variation__decides",
        "conditioning costs nothing",
        "contracts/src/contract/chain.rs",
        ["ln_2_above() + loss <=", "ln_2_above() <="],
    ),
    mutation(
        "verify_restarts__decides",
        "a chain never fails for two reasons",
        "contracts/src/contract/chain.rs",
        ["let each = u.min(w) - both;", "let each = u.min(w);"],
    ),
    mutation(
        "verify_warm_start__decides",
        "a start is off by nothing",
        "contracts/src/contract/chain.rs",
        ["ln_2_above() + spread + off +", "ln_2_above() + spread +"],
    ),
    mutation(
        "verify_proximal_steps__decides",
        "the length of a step does not count",
        "contracts/src/contract/proximal.rs",
        [
            "Exact::whole(1) + Exact::of(it.strong_convexity) * Exact::of(it.step);",
            "Exact::whole(1) + Exact::of(it.strong_convexity);",
        ],
    ),
    mutation(
        "verify_proximal_step__decides",
        "the slope of the worst case does not count",
        "contracts/src/contract/proximal.rs",
        ["let pull = slope.beyond(&(m * b));", "let pull = Exact::whole(0) * slope.beyond(&(m * b));"],
    ),
    mutation(
        "verify_fill_normal__each_its_own",
        "one draw for all entries",
        "src/noise/variate.rs",
        ["out.fill_with(|| exact_normal_f64(rng));", "out.fill(exact_normal_f64(rng));"],
    ),
    mutation(
        "verify_divided_by__rows_together",
        "a person has a row less",
        "src/privacy.rs",
        ["div_down(self.parameter(), rows)", "div_down(self.parameter(), rows - 1.0)"],
    ),
];
