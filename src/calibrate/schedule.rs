//! The schedule of a noisy descent: how many steps, how long, with how much momentum, and which of them are averaged.
//! It is chosen from public numbers by the predicted excess risk. No guarantee rests on it. spec: `own:noisy-gradient`

use super::gradient::MOST_STEPS;

/// The steps `θ_t = Π(θ_(t−1) − η·ĝ_t + m·(θ_(t−1) − θ_(t−2)))` from 0, and the mean of those after the first b.
/// spec: `own:noisy-gradient`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// T: the number of noisy gradients.
    pub steps: u32,
    /// b: the steps that are not averaged, fewer than T.
    pub skipped: u32,
    /// η: the step size.
    pub step: f64,
    /// m: the part of the last move that is made again.
    pub momentum: f64,
}

/// What a schedule does in a direction of one curvature. spec: `own:noisy-gradient`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// The mean distance from the minimiser without any noise, for a start at distance 1. Not the distance of the mean,
    /// and not less than the swing `m^(t/2)` that momentum leaves: that distances of both signs cancel, or that a swing
    /// is seen where it passes through 0, is a property of quadratics, and no objective is one.
    pub bias: f64,
    /// The variance of the mean, for noise of variance 1 in each gradient.
    pub variance: f64,
}

/// What the steps do to quadratics of some curvatures, for every number of steps so far: one entry for each curvature.
struct Filter<const N: usize> {
    step: f64,
    momentum: f64,
    kept: [f64; N],
    push: [[f64; N]; 2],
    error: [[f64; N]; 2],
    swing: f64,
    /// Sums of the first j effects of one push: of `k_0, …, k_(j−1)`, `k_j` the move j steps after a push of size 1.
    pushes: Vec<[f64; N]>,
    /// Sums of the squares of the first j of these, without the one that is 0.
    squares: Vec<[f64; N]>,
    /// Sums of `max(|e_i|, m^(i/2))` for i up to j, `e_i` the distance from the minimiser after i steps,
    /// for a start at distance 1.
    errors: Vec<[f64; N]>,
}

impl<const N: usize> Filter<N> {
    fn new(step: f64, momentum: f64, curvatures: [f64; N]) -> Self {
        let [pushes, squares, errors] = [(); 3].map(|()| vec![[0.0; N]]);
        Self {
            step,
            momentum,
            kept: curvatures.map(|curvature| 1.0 + momentum - step * curvature),
            push: [[1.0; N], [0.0; N]],
            error: [[1.0; N], [1.0; N]],
            swing: 1.0,
            pushes,
            squares,
            errors,
        }
    }

    /// Goes on until so many steps are done.
    fn extend(&mut self, steps: u32) {
        let root = self.momentum.sqrt();
        for done in self.pushes.len() - 1..steps as usize {
            let [mut pushed, mut squares, mut errors] =
                [self.pushes[done], self.squares[done], self.errors[done]];
            let [push, last_push] = &mut self.push;
            let [error, last_error] = &mut self.error;
            self.swing *= root;
            for lane in 0..N {
                let kept = self.kept[lane];
                pushed[lane] += push[lane];
                squares[lane] += pushed[lane] * pushed[lane];
                let next = kept * push[lane] - self.momentum * last_push[lane];
                (push[lane], last_push[lane]) = (next, push[lane]);
                let next = kept * error[lane] - self.momentum * last_error[lane];
                (error[lane], last_error[lane]) = (next, error[lane]);
                errors[lane] += if next.abs() > self.swing { next.abs() } else { self.swing };
            }
            self.pushes.push(pushed);
            self.squares.push(squares);
            self.errors.push(errors);
        }
    }

    /// The biases of the responses: the cheap part.
    fn bias(&self, steps: u32, skipped: u32) -> [f64; N] {
        let (all, not_averaged) = (&self.errors[steps as usize], &self.errors[skipped as usize]);
        core::array::from_fn(|lane| (all[lane] - not_averaged[lane]) / f64::from(steps - skipped))
    }

    fn response(&self, steps: u32, skipped: u32) -> [Response; N] {
        let bias = self.bias(steps, skipped);
        let (steps, skipped) = (steps as usize, skipped as usize);
        let averaged = steps - skipped;
        // A push before the mean begins is in it from then on; one inside of it for what is left of it.
        let mut early = [0.0; N];
        for (before, after) in self.pushes[1..].iter().zip(&self.pushes[1 + averaged..]).take(skipped) {
            for lane in 0..N {
                let effect = after[lane] - before[lane];
                early[lane] += effect * effect;
            }
        }
        let part = self.step / averaged as f64;
        core::array::from_fn(|lane| Response {
            bias: bias[lane],
            variance: part * part * (early[lane] + self.squares[averaged][lane]),
        })
    }
}

impl Schedule {
    /// What is left of the start, and what comes in by noise, in a direction of this curvature: exact for a quadratic.
    /// spec: `own:noisy-gradient`, `thm:ngd_smooth`
    pub fn response(&self, curvature: f64) -> Response {
        let mut filter = Filter::new(self.step, self.momentum, [curvature]);
        filter.extend(self.steps);
        let [response] = filter.response(self.steps, self.skipped);
        response
    }
}

/// What is public about the landscape and the noise. spec: `own:noisy-gradient`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentOutlook {
    /// d: the number of parameters.
    pub dimension: usize,
    /// Λ: no direction bends less.
    pub least: f64,
    /// Λ + Nβ: no direction bends more, for N records.
    pub most: f64,
    /// Variance of one coordinate of the noise if there were one step only.
    pub unit: f64,
    /// Whether it grows with T² (pure DP) or with T (GDP).
    pub pure: bool,
    /// What θ = 0 is taken to lose.
    pub lost: f64,
}

impl DescentOutlook {
    /// Of one coordinate of the noise of each of T steps.
    pub fn variance(&self, steps: u32) -> f64 {
        let steps = f64::from(steps);
        self.unit * if self.pure { steps * steps } else { steps }
    }

    /// The predicted excess of J over its minimum if every direction has this curvature.
    pub fn risk(&self, schedule: &Schedule, curvature: f64) -> f64 {
        self.of(schedule.steps, curvature, schedule.response(curvature))
    }

    /// The worst [`DescentOutlook::risk`] over all curvatures.
    pub fn worst(&self, schedule: &Schedule) -> f64 {
        self.curvatures().map(|h| self.risk(schedule, h)).into_iter().fold(0.0, f64::max)
    }

    fn of(&self, steps: u32, curvature: f64, response: Response) -> f64 {
        let noise = 0.5 * curvature * self.dimension as f64 * self.variance(steps) * response.variance;
        noise + self.lost * response.bias * response.bias
    }

    /// What one gradient with all of the budget would cost if the curvature were known: no descent gets below it.
    pub fn ideal(&self, curvature: f64) -> f64 {
        0.5 * self.dimension as f64 * self.unit / curvature
    }

    /// Curvatures from the least to the most, each as many times the one before.
    fn curvatures(&self) -> [f64; 5] {
        let ratio = (self.most / self.least).powf(0.25);
        [0.0, 1.0, 2.0, 3.0, 4.0].map(|k| self.least * ratio.powf(k))
    }

    /// The schedule with the least mean of predicted over ideal risk: over curvatures of all sizes, or around a guess.
    /// Of nearly equal ones it is the shortest.
    pub fn schedule(&self, steps: Option<u32>, guess: Option<f64>) -> Schedule {
        let lengths = steps.map_or_else(lengths, |steps| vec![steps.clamp(1, MOST_STEPS)]);
        match guess {
            None => self.best_of(&lengths, self.curvatures()),
            Some(guess) => {
                let around = |part: f64| (part * guess).clamp(self.least, self.most.max(self.least));
                self.best_of(&lengths, [0.5, 1.0, 2.0].map(around))
            }
        }
    }

    /// [`DescentOutlook::schedule`] for the mean over these curvatures.
    fn best_of<const N: usize>(&self, lengths: &[u32], curvatures: [f64; N]) -> Schedule {
        let alone = |steps| Schedule { steps, skipped: 0, step: 1.0 / self.most, momentum: 0.0 };
        // For each length the best schedule and its score, and the least of all scores.
        let mut best: Vec<(f64, Schedule)> =
            lengths.iter().map(|&steps| (f64::INFINITY, alone(steps))).collect();
        let mut least = f64::INFINITY;
        // What the start costs, as parts of the ideal, for a bias of 1.
        let lost = curvatures.map(|h| self.lost / self.ideal(h));
        for step in STEP_PARTS.map(|part| part / self.most) {
            for momentum in MOMENTA {
                let mut filter = Filter::new(step, momentum, curvatures);
                for (&steps, best) in lengths.iter().zip(&mut best) {
                    // A constant push moves the mean by 1 − bias of where it moves the minimiser. So the
                    // squares of the T effects sum up to (1 − bias)²/(Th²) at least, and the noise is at least
                    // this much times the ideal:
                    let unit = self.variance(steps) / (self.unit * f64::from(steps));
                    // The least sum of the two over all biases; it grows with T.
                    let floor: f64 = lost.iter().map(|lost| lost * unit / (lost + unit)).sum();
                    if floor > least * NO_ROUNDING {
                        break;
                    }
                    filter.extend(steps);
                    for skipped in SKIPPED_TWENTIETHS.map(|part| steps * part / 20) {
                        let bounds = filter.bias(steps, skipped).into_iter().zip(lost).map(|(bias, lost)| {
                            let moved = (1.0 - bias).max(0.0);
                            lost * bias * bias + unit * moved * moved
                        });
                        if bounds.sum::<f64>() > best.0 * NO_ROUNDING {
                            continue;
                        }
                        let responses = filter.response(steps, skipped).into_iter().zip(curvatures);
                        let score =
                            responses.map(|(response, h)| self.of(steps, h, response) / self.ideal(h));
                        let score = score.sum::<f64>();
                        if score < best.0 {
                            *best = (score, Schedule { steps, skipped, step, momentum });
                            least = least.min(score);
                        }
                    }
                }
            }
        }
        let chosen = best.iter().find(|(score, _)| *score <= NEARLY * least);
        chosen.map_or(alone(1), |(_, schedule)| *schedule)
    }
}

/// A bound that is not larger by more than this may be smaller in exact arithmetic.
const NO_ROUNDING: f64 = 1.0 + 1e-9;

/// η as parts of 1/(Λ + Nβ).
const STEP_PARTS: [f64; 3] = [1.0, 0.5, 0.25];

/// The momenta that are tried: the larger, the faster along flat directions and the slower to forget.
const MOMENTA: [f64; 7] = [0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97];

/// b in twentieths of T.
const SKIPPED_TWENTIETHS: [u32; 5] = [0, 4, 7, 10, 14];

/// A score that is this much larger is as good if the descent is shorter.
const NEARLY: f64 = 1.1;

/// The longest descent that is chosen without being asked for.
const LONGEST: u32 = 256;

/// Lengths that grow by a quarter.
fn lengths() -> Vec<u32> {
    let next = |steps: &u32| Some((steps * 5 / 4).max(steps + 1)).filter(|next| *next <= LONGEST);
    core::iter::successors(Some(1), next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recursion of the mechanism on ½h·θ², one push after the other.
    fn simulated(schedule: &Schedule, curvature: f64, start: f64, push: Option<u32>) -> f64 {
        let (mut now, mut before, mut mean) = (start, start, 0.0);
        for done in 0..schedule.steps {
            let noise = if push == Some(done) { 1.0 } else { 0.0 };
            let next = now - schedule.step * (curvature * now + noise) + schedule.momentum * (now - before);
            (now, before) = (next, now);
            if done >= schedule.skipped {
                let swing = schedule.momentum.sqrt().powf(f64::from(done) + 1.0);
                mean += if push.is_none() { now.abs().max(swing) } else { now }
                    / f64::from(schedule.steps - schedule.skipped);
            }
        }
        mean
    }

    #[test]
    fn the_response_is_that_of_the_recursion() {
        for (steps, skipped, step, momentum) in
            [(1, 0, 0.3, 0.0), (2, 1, 0.1, 0.5), (7, 3, 0.25, 0.9), (40, 0, 0.05, 0.7), (33, 32, 0.2, 0.95)]
        {
            let schedule = Schedule { steps, skipped, step, momentum };
            for curvature in [0.01, 1.0, 3.5] {
                let Response { bias, variance } = schedule.response(curvature);
                assert!((bias - simulated(&schedule, curvature, 1.0, None)).abs() < 1e-12);
                let squares = (0..steps).map(|push| simulated(&schedule, curvature, 0.0, Some(push)).powi(2));
                let expected: f64 = squares.sum();
                assert!((variance - expected).abs() < 1e-12 * (1.0 + expected), "{schedule:?} {curvature}");
            }
        }
    }

    /// A mean over many steps of a descent that has arrived comes as close as one knowing gradient: 1/h² times the
    /// noise of one step with all of the budget.
    #[test]
    fn a_long_descent_costs_little_more_than_the_ideal() {
        let outlook =
            DescentOutlook { dimension: 11, least: 5.0, most: 1255.0, unit: 1.0, pure: false, lost: 433.0 };
        let chosen = outlook.schedule(None, None);
        for curvature in outlook.curvatures() {
            let ratio = outlook.risk(&chosen, curvature) / outlook.ideal(curvature);
            assert!((0.99..2.0).contains(&ratio), "{chosen:?} {curvature} {ratio}");
        }
        assert!((50..=LONGEST).contains(&chosen.steps));
        // Under pure DP each step costs as much again: fewer are worth while.
        let pure = DescentOutlook { pure: true, unit: 12.0, ..outlook }.schedule(None, None);
        assert!(pure.steps < chosen.steps / 3, "{pure:?} {chosen:?}");
        // Who knows the curvature needs fewer still.
        let guessed = outlook.schedule(None, Some(100.0));
        assert!(guessed.steps < chosen.steps && guessed.skipped < guessed.steps);
        assert_eq!(outlook.schedule(Some(3), None).steps, 3);
        assert_eq!(outlook.schedule(Some(2000), None).steps, 2000);
    }

    /// All candidates one by one, with nothing left out by a bound: the same choice.
    #[test]
    fn the_bounds_leave_out_nothing_that_would_be_chosen() {
        let outlook =
            DescentOutlook { dimension: 11, least: 5.0, most: 1255.0, unit: 1.0, pure: false, lost: 433.0 };
        let flat = DescentOutlook { least: 100.0, most: 700.0, lost: 3.0, ..outlook };
        for outlook in [outlook, flat, DescentOutlook { pure: true, unit: 12.0, ..outlook }] {
            for guess in [None, Some(100.0)] {
                let curvatures = guess.map_or(outlook.curvatures().to_vec(), |h| vec![h / 2.0, h, h * 2.0]);
                let curvatures: Vec<f64> =
                    curvatures.iter().map(|h| h.clamp(outlook.least, outlook.most)).collect();
                let score = |schedule: &Schedule| -> f64 {
                    curvatures.iter().map(|&h| outlook.risk(schedule, h) / outlook.ideal(h)).sum()
                };
                let mut scored = Vec::new();
                for steps in lengths() {
                    for step in STEP_PARTS.map(|part| part / outlook.most) {
                        for momentum in MOMENTA {
                            for skipped in SKIPPED_TWENTIETHS.map(|part| steps * part / 20) {
                                let schedule = Schedule { steps, skipped, step, momentum };
                                scored.push((score(&schedule), schedule));
                            }
                        }
                    }
                }
                let least = scored.iter().fold(f64::INFINITY, |least, (score, _)| least.min(*score));
                let shortest = scored.iter().find(|(score, _)| *score <= NEARLY * least).unwrap().1.steps;
                let best = scored.iter().filter(|(_, schedule)| schedule.steps == shortest);
                let best = best.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1;
                assert_eq!(outlook.schedule(None, guess), best, "{outlook:?} {guess:?}");
            }
        }
    }

    /// The last of T plain steps: what is left of the start is at most (1 − ηΛ)^T, and the variance at most η/Λ.
    #[test]
    fn the_last_of_plain_steps_keeps_the_bound_of_the_theorem() {
        let (least, most) = (5.0, 1255.0);
        for (steps, part) in [(1, 1.0), (50, 1.0), (1000, 0.5), (5000, 0.25)] {
            let step = part / most;
            let schedule = Schedule { steps, skipped: steps - 1, step, momentum: 0.0 };
            for curvature in [least, 20.0, 300.0, most] {
                let Response { bias, variance } = schedule.response(curvature);
                let left = (1.0 - step * least).powf(steps.into());
                assert!(bias <= left * (1.0 + 1e-9) && variance <= step / least, "{steps} {curvature}");
            }
        }
    }

    #[test]
    fn extreme_numbers_have_a_schedule() {
        for (least, most, unit, lost) in [
            (1e-300, 1e300, 1e-300, 1e300),
            (5.0, 5.0, 1e300, 1.0),
            (1.0, f64::MAX, f64::MIN_POSITIVE, 0.0),
            (f64::MIN_POSITIVE, 1.0, f64::MAX, f64::MAX),
        ] {
            for pure in [false, true] {
                let outlook = DescentOutlook { dimension: 3, least, most, unit, pure, lost };
                let Schedule { steps, skipped, step, momentum } = outlook.schedule(None, None);
                assert!((1..=LONGEST).contains(&steps) && skipped < steps && step > 0.0);
                assert!((0.0..1.0).contains(&momentum));
            }
        }
    }
}
