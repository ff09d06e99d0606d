//! What the numbers say, in plain sentences that are made from them.

use crate::rates::{Rate, RateProblem, mu_of};
use crate::setting::Setting;
use crate::summary::Row;
use crate::system::{Standing, System};
use std::fmt::Write;

/// Two digits behind the first.
pub fn number(x: f64) -> String {
    if (1e-2..1e4).contains(&x.abs()) { short(x) } else { format!("{x:.2e}") }
}

fn short(x: f64) -> String {
    if x.abs() >= 100.0 {
        format!("{x:.0}")
    } else if x.abs() >= 10.0 {
        format!("{x:.1}")
    } else if x.abs() >= 1.0 {
        format!("{x:.2}")
    } else {
        format!("{x:.3}")
    }
}

/// The rows of one panel with the budget nearest to 1.
fn at_one<'a>(panel: &[&'a Row]) -> Vec<&'a Row> {
    let distance = |row: &Row| row.total.parameter().ln().abs();
    let least = panel.iter().map(|row| distance(row)).fold(f64::INFINITY, f64::min);
    panel.iter().copied().filter(|row| distance(row) <= least).collect()
}

fn median_of(rows: &[&Row], system: System) -> Option<f64> {
    rows.iter().find(|row| row.system == system)?.median()
}

/// The rows of one standing that ran, best first. `auto` is one of the others by another name.
fn ranked<'a>(rows: &[&'a Row], standing: Standing) -> Vec<(&'a Row, f64)> {
    let ran = rows.iter().filter(|row| row.system.standing() == standing && row.system != System::Auto);
    let mut ran: Vec<(&Row, f64)> = ran.filter_map(|row| Some((*row, row.median()?))).collect();
    ran.sort_by(|a, b| a.1.total_cmp(&b.1));
    ran
}

/// One panel: a data set, a scaling and a kind of guarantee.
pub fn panel(rows: &[&Row], setting: &Setting) -> Vec<String> {
    let (here, mut said) = (at_one(rows), Vec::new());
    let Some(first) = here.first() else { return said };
    let (pure, budget) = (first.pure(), first.total.parameter());
    let unit = if pure { "ε" } else { "μ" };
    let library = ranked(&here, Standing::Library);
    if let [(best, least), rest @ ..] = library.as_slice() {
        let mut text = format!(
            "At {unit} = {budget}, with δ = 0: {} wins with a median excess risk of {}",
            best.system.name(),
            number(*least)
        );
        if let Some((second, next)) = rest.first() {
            let _ = write!(
                text,
                ", {} times less than {} ({})",
                short(next / least),
                second.system.name(),
                number(*next)
            );
        }
        if let Some(nothing) = median_of(&here, System::Nothing) {
            if *least < nothing {
                let _ = write!(text, "; θ = 0 loses {}", number(nothing));
            } else {
                let _ = write!(text, ". **Nothing is learnt**: θ = 0 loses only {}", number(nothing));
            }
        }
        said.push(text + ".");
    }
    said.extend(baselines(&here, &library, unit));
    said.extend(why(&here, setting, pure, budget));
    said.extend(automatic(rows));
    said.extend(refused(&here));
    said
}

/// Baselines beside the best of the library.
fn baselines(here: &[&Row], library: &[(&Row, f64)], unit: &str) -> Option<String> {
    let (best, least) = library.first()?;
    let ranked = ranked(here, Standing::Baseline);
    let (first, smallest) = ranked.first()?;
    Some(if smallest < least {
        format!(
            "Of the baselines {} is better than all of the library, {} against {}: {} times. What it promises: {}.",
            first.system.name(),
            number(*smallest),
            number(*least),
            short(least / smallest),
            first.system.remark()
        )
    } else {
        format!(
            "No baseline is better: the best, {}, loses {}, {} times what {} does at the same {unit}.",
            first.system.name(),
            number(*smallest),
            short(smallest / least),
            best.system.name()
        )
    })
}

/// Curvature ratio, budget split and loss.
fn why(here: &[&Row], setting: &Setting, pure: bool, budget: f64) -> Vec<String> {
    let mut said = Vec::new();
    let (tau, d) = (setting.curvature_ratio(), setting.dimension() as f64);
    let (g, lambda) = (setting.constants().lipschitz, setting.regulariser());
    let output = if pure { System::OutputEuclidean } else { System::OutputGaussian };
    let (Some(asap), Some(plain)) = (median_of(here, System::AsapExact), median_of(here, output)) else {
        return said;
    };
    let square = (g / (lambda * budget)).powi(2);
    // ½·tr H·(variance of one coordinate).
    let expected = 0.5 * tau * d * lambda * square * if pure { d + 1.0 } else { 1.0 };
    let ratio = if asap > plain {
        format!("{} times the excess risk of {}", short(asap / plain), output.name())
    } else {
        format!("{} times less excess risk than {}", short(plain / asap), output.name())
    };
    let reason = if pure {
        "localised ASAP splits ε: half of it buys the ball, half the draw, and γ falls with the radius of a ball that must hold noise \
         of its own; with a curvature ratio this close to 1 there is nothing to win it back"
    } else {
        "a posterior is as wide as the curvature of J allows, so it gains the factor τ over noise of one size in all directions; and \
         after localisation G is that of the small ball around θ_0, while output perturbation pays for the farthest minimiser that \
         the bounds allow (the slope of the squared loss grows with θ)"
    };
    let clause = match (pure, tau < 1.5, asap > plain) {
        (true, true, true) | (false, _, false) => format!(": {reason}"),
        _ => String::new(),
    };
    said.push(format!(
        "ASAP with a perfect draw has {ratio} (τ = {tau:.3}){clause}. By hand, output perturbation is expected to lose ½·tr ∇²J·Var = {}.",
        number(expected)
    ));
    if let (Some(paper), Some(theirs)) =
        (median_of(here, System::AsapMalaPaper), median_of(here, System::OutputPaper))
    {
        said.push(format!(
            "Calibrated as in the paper, with equal totals, ASAP loses {} and the paper's output perturbation {}: {}. Its theorem \
             adds three stages up to 3ε (√3·μ) and its output perturbation has twice the sensitivity that is needed, which costs \
             it a factor 4; the library's needs {}.",
            number(paper),
            number(theirs),
            if paper > theirs {
                format!("output perturbation is {} times better", short(paper / theirs))
            } else {
                format!("ASAP is {} times better", short(theirs / paper))
            },
            number(plain),
        ));
    }
    said
}

/// Whether `auto` is the best of the library, over all budgets of a panel.
fn automatic(rows: &[&Row]) -> Option<String> {
    let mut ratios = Vec::new();
    for row in rows.iter().filter(|row| row.system == System::Auto) {
        let same = |other: &&Row| other.total == row.total && (other.tau - row.tau).abs() < 1e-12;
        let here: Vec<&Row> = rows.iter().copied().filter(same).collect();
        let (best, least) = *ranked(&here, Standing::Library).first()?;
        // The runs of auto have noise of their own: its choice is judged by the runs of what it chose.
        let own = chosen(row).and_then(|system| median_of(&here, system)).or(row.median())?;
        ratios.push((own / least, row, best.system));
    }
    let close = ratios.iter().filter(|(ratio, ..)| *ratio <= 1.25).count();
    let (worst, row, best) = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mut text = format!(
        "What auto chooses is within a factor 1.25 of the best median in {close} of {} cases",
        ratios.len()
    );
    if *worst > 1.25 {
        let unit = if row.pure() { "ε" } else { "μ" };
        let _ = write!(
            text,
            "; at worst {} times it ({unit} = {}, τ = {:.3}, {} where {} is best)",
            short(*worst),
            row.total.parameter(),
            row.tau,
            row.notes,
            best.name()
        );
    }
    Some(text + ".")
}

/// The system that `auto` says it chose.
fn chosen(row: &Row) -> Option<System> {
    let output = if row.pure() { System::OutputEuclidean } else { System::OutputGaussian };
    Some(match row.notes.strip_prefix("chose ")? {
        "posterior" => System::AsapExact,
        "output" => output,
        "objective" => System::Objective,
        "noisy-gradient" => System::NoisyGradient,
        _ => return None,
    })
}

fn refused(here: &[&Row]) -> Option<String> {
    let names: Vec<String> = here
        .iter()
        .filter(|row| row.quartiles.is_none())
        .map(|row| format!("{} ({})", row.system.name(), plainly(&row.notes)))
        .collect();
    (!names.is_empty()).then(|| format!("Not run: {}.", names.join("; ")))
}

/// Why something was refused, without the words of a contract; those stay in the table.
fn plainly(notes: &str) -> String {
    let value = |name: &str| notes.split_once(name)?.1.split(',').next()?.trim().parse::<f64>().ok();
    match (value("planned_steps = "), value("largest_chain = ")) {
        (Some(steps), Some(most)) => {
            format!(
                "its chain would have {} steps, more than the {} that are run",
                number(steps),
                number(most)
            )
        }
        _ => notes.to_owned(),
    }
}

/// The sweep of one loss and one kind of guarantee.
pub fn sweep(rows: &[&Row]) -> Vec<String> {
    let mut winners: Vec<(String, f64)> = Vec::new();
    let mut ratios: Vec<f64> = rows.iter().map(|row| row.tau).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.dedup();
    for tau in ratios {
        let here: Vec<&Row> = rows.iter().copied().filter(|row| (row.tau - tau).abs() < 1e-12).collect();
        if let Some((best, _)) = ranked(&here, Standing::Library).first() {
            winners.push((best.system.name().to_owned(), tau));
        }
    }
    let told: Vec<String> = winners
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|run| {
            let ((name, from), (_, to)) = (run.first()?, run.last()?);
            Some(if run.len() == 1 {
                format!("{name} at τ = {from:.3}")
            } else {
                format!("{name} from τ = {from:.3} to {to:.3}")
            })
        })
        .collect();
    let mut said = vec![format!("Least median: {}.", told.join(", "))];
    said.extend(automatic(rows));
    said
}

/// The figure of the rates.
pub fn rates(rows: f64) -> Vec<String> {
    let problem = RateProblem::of_the_figure(rows);
    let pure = problem.pure(1.0);
    // dG²·ln(1/δ) = d²G² where ln(1/δ) = d.
    let crossing = (-problem.dimension).exp();
    let gaussian = Rate::LocalizedPs.rate(&problem, 1.0, crossing);
    vec![format!(
        "At n = {rows:.0e} and ε = 1 the pure rows cost {}, whatever δ is. NoisySGD costs as much at δ = e^(−d) = {crossing:.1e} and more below \
         it: with these d, pure privacy is the cheaper one for every smaller δ, whatever n is; the μ that implies (1, {crossing:.1e}) is {:.3} and \
         costs {}. At μ = 1 the rows under GDP cost {}. These are rates with unit constants, not predictions.",
        number(pure),
        mu_of(1.0, crossing),
        number(gaussian),
        number(problem.gaussian(1.0))
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::LossKind;
    use crate::setting::tests::small;
    use crate::study::Part;
    use asap_dp::privacy::{Epsilon, Guarantee};

    fn row(system: System, budget: f64, median: Option<f64>) -> Row {
        Row {
            part: Part::Wine,
            name: "n".to_owned(),
            variant: "v".to_owned(),
            loss: LossKind::Squared,
            dimension: 2,
            total: Guarantee::Pure(Epsilon::new(budget).unwrap()),
            tau: 1.2,
            system,
            runs: 3,
            quartiles: median.map(|x| [x / 2.0, x, 2.0 * x]),
            notes: if system == System::Auto { "chose output".to_owned() } else { "too long".to_owned() },
        }
    }

    fn told(rows: &[Row]) -> String {
        panel(&rows.iter().collect::<Vec<_>>(), &small(LossKind::Squared)).join("\n")
    }

    /// Exchanged numbers tell another story.
    #[test]
    fn a_chain_that_is_too_long_is_said_in_words() {
        let contract = "refused: feasible_chain [alg:MALA] requires `a <= b`, but planned_steps = 5.3338128e7, largest_chain = 5e6";
        assert_eq!(plainly(contract), "its chain would have 5.33e7 steps, more than the 5.00e6 that are run");
        assert_eq!(plainly("refused: too long"), "refused: too long");
    }

    #[test]
    fn findings_follow_the_numbers() {
        let rows = |asap, output, clipped, nothing| {
            [
                row(System::AsapExact, 1.0, Some(asap)),
                row(System::OutputEuclidean, 1.0, Some(output)),
                row(System::OutputEuclidean, 10.0, Some(1e-9)),
                row(System::AutomaticClipping, 1.0, Some(clipped)),
                row(System::Nothing, 1.0, Some(nothing)),
                row(System::AsapMala, 1.0, None),
                row(System::Auto, 1.0, Some(0.1 * output)),
            ]
        };
        let text = told(&rows(6.0, 2.0, 9.0, 50.0));
        assert!(
            text.contains(
                "output, Euclidean Laplace wins with a median excess risk of 2.00, 3.00 times less"
            ),
            "{text}"
        );
        assert!(text.contains("3.00 times the excess risk of output") && text.contains("splits ε"), "{text}");
        assert!(text.contains("No baseline is better") && text.contains("θ = 0 loses 50.0"), "{text}");
        assert!(text.contains("Not run: ASAP, certified MALA (too long)"), "{text}");
        let text = told(&rows(2.0, 6.0, 1.0, 1.5));
        assert!(text.contains("ASAP, exact draw wins") && text.contains("Nothing is learnt"), "{text}");
        assert!(
            text.contains("DP-GD, automatic clipping (baseline) is better than all of the library"),
            "{text}"
        );
        assert!(text.contains("3.00 times less excess risk") && !text.contains("splits ε"), "{text}");
        assert!(
            text.contains(
                "at worst 3.00 times it (ε = 1, τ = 1.200, chose output where ASAP, exact draw is best)"
            ),
            "{text}"
        );
    }

    #[test]
    fn the_winners_of_a_sweep_are_told_in_order() {
        let mut rows = Vec::new();
        for (tau, asap, output) in [(1.1, 3.0, 1.0), (2.0, 3.0, 2.0), (9.0, 3.0, 8.0)] {
            rows.push(Row { tau, ..row(System::AsapExact, 1.0, Some(asap)) });
            rows.push(Row { tau, ..row(System::OutputEuclidean, 1.0, Some(output)) });
        }
        let text = sweep(&rows.iter().collect::<Vec<_>>()).join(" ");
        assert!(
            text.contains("output, Euclidean Laplace from τ = 1.100 to 2.000, ASAP, exact draw at τ = 9.000"),
            "{text}"
        );
    }

    #[test]
    fn the_rates_cross_where_the_page_says() {
        assert!(rates(1e4)[0].contains("272") && rates(1e4)[0].contains("1.7e-5"), "{:?}", rates(1e4));
    }
}
