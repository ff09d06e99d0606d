//! The pictures of the experiments.

use crate::failure::Failure;
use crate::plot::{Area, EXCESS, Stroke, axes, caption, decades, failed, picture};
use asap_experiments::rates::{Rate, RateProblem};
use asap_experiments::study::Part;
use asap_experiments::summary::Row;
use asap_experiments::system::{Standing, System};
use plotters::prelude::*;

/// What a picture of the budgets shows: at most six lines in a panel. The first is that of the library's mechanisms, and `auto`
/// is in each of the others to compare with.
const SHOWN: [(&str, &str, &[System]); 3] = [
    ("", "the mechanisms of the library", &System::OF_THE_SWEEP),
    (
        "-baselines",
        "the library and baselines, which are not δ = 0 or not rigorous",
        &[
            System::Auto,
            System::AsapMalaPaper,
            System::OutputPaper,
            System::AutomaticClipping,
            System::NoisySgd,
            System::Posterior,
        ],
    ),
    (
        "-variants",
        "variants of mechanisms, and references",
        &[
            System::Auto,
            System::AsapMala,
            System::OutputLaplace,
            System::Exponential,
            System::Nothing,
            System::LowerBound,
        ],
    ),
];

/// The names of the pictures of the budgets, without `.svg`.
pub(super) fn names(part: Part, variant: &str) -> [String; 3] {
    SHOWN.map(|(end, ..)| format!("{}-{variant}{end}", part.id()))
}

/// The file names of the pictures and their SVG text.
pub(super) fn figures(rows: &[Row], synthetic: bool) -> Result<Vec<(String, String)>, Failure> {
    let mut figures = vec![("rates.svg".to_owned(), rates()?)];
    let origin = if synthetic { "Synthetic stand-in of wine quality" } else { "Wine quality" };
    for (part, what) in [(Part::Wine, "11 columns"), (Part::TwoColumns, "2 columns")] {
        for variant in ["standardised", "public-bounds"] {
            let here: Vec<&Row> =
                rows.iter().filter(|row| row.part == part && row.variant == variant).collect();
            let scaled = if variant == "standardised" {
                "standardised by the records themselves, as in the paper (that is not private)"
            } else {
                "scaled by public ranges"
            };
            for (name, (_, systems, shown)) in names(part, variant).iter().zip(SHOWN) {
                let title = format!("{origin}, {what}, {scaled}: {systems}");
                let here: Vec<&Row> =
                    here.iter().copied().filter(|row| shown.contains(&row.system)).collect();
                let axis = Axis { name: "", place: |row| row.total.parameter() };
                figures.push((format!("{name}.svg"), grid(&title, &here, &axis, |row| row.name.as_str())?));
            }
        }
    }
    let here: Vec<&Row> = rows.iter().filter(|row| row.part == Part::Sweep).collect();
    let title = "Which mechanism for which problem: synthetic rows on the sphere, n = 5000, d = 5";
    let axis = Axis { name: "how much the records bend J: τ − 1", place: |row| row.tau - 1.0 };
    figures.push(("sweep.svg".to_owned(), grid(title, &here, &axis, |row| row.variant.as_str())?));
    Ok(figures)
}

/// What the horizontal axis shows; its name is the budget's unless given.
struct Axis {
    name: &'static str,
    place: fn(&Row) -> f64,
}

/// A panel for each group and kind of guarantee.
fn grid(title: &str, rows: &[&Row], axis: &Axis, group: fn(&Row) -> &str) -> Result<String, Failure> {
    let mut groups: Vec<&str> = Vec::new();
    for row in rows {
        if !groups.contains(&group(row)) {
            groups.push(group(row));
        }
    }
    let systems: Vec<System> = System::ALL
        .into_iter()
        .filter(|system| rows.iter().any(|row| row.system == *system && row.quartiles.is_some()))
        .collect();
    let names = systems.iter().map(|system| (system.name(), style(*system)));
    picture(title, names, 2 * groups.len(), |panels| {
        let kinds = groups.iter().flat_map(|group| [(group, true), (group, false)]);
        for (area, (name, pure)) in panels.iter().zip(kinds) {
            let here: Vec<&Row> =
                rows.iter().copied().filter(|row| group(row) == *name && row.pure() == pure).collect();
            panel(area, name, pure, &here, axis)?;
        }
        Ok(())
    })
}

/// The library solid, everything else dashed; colours that every kind of eye tells apart, as far as there are enough.
fn style(system: System) -> (RGBColor, Stroke) {
    let colour = match system {
        System::AsapExact | System::AsapMalaPaper => RGBColor(0, 114, 178),
        System::AsapMala => RGBColor(86, 180, 233),
        System::OutputLaplace => RGBColor(230, 159, 0),
        System::OutputEuclidean | System::OutputGaussian | System::OutputPaper => RGBColor(213, 94, 0),
        System::Objective => RGBColor(0, 158, 115),
        System::NoisyGradient => RGBColor(204, 121, 167),
        System::Auto => RGBColor(190, 190, 190),
        System::AutomaticClipping => RGBColor(120, 60, 160),
        System::NoisySgd => RGBColor(140, 86, 40),
        System::Posterior => RGBColor(0, 130, 130),
        System::Exponential => RGBColor(170, 0, 60),
        System::Nothing => RGBColor(110, 110, 110),
        System::LowerBound => RGBColor(0, 0, 0),
    };
    (colour, if system.standing() == Standing::Library { Stroke::Solid } else { Stroke::Dashed })
}

fn panel(area: &Area<'_>, name: &str, pure: bool, rows: &[&Row], axis: &Axis) -> Result<(), Failure> {
    let positive = |x: &f64| *x > 0.0 && x.is_finite();
    let heights = || rows.iter().filter_map(|row| row.quartiles).flatten().filter(positive);
    let places = || rows.iter().map(|row| (axis.place)(row)).filter(positive);
    let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(0.0, f64::max));
    let (first, last) = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
    if low > high || first > last {
        return Ok(());
    }
    let (unit, budget) = if pure {
        ("ε", "budget ε (smaller: more private)")
    } else {
        ("μ", "budget μ (smaller: more private)")
    };
    let title = match (axis.name, pure) {
        ("", true) => format!("{name}, pure differential privacy"),
        ("", false) => format!("{name}, Gaussian differential privacy"),
        _ => format!("{name} loss, {unit} = 1"),
    };
    let ticks: Vec<f64> = [0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0]
        .into_iter()
        .filter(|tick| (first * 0.99..last * 1.01).contains(tick))
        .collect();
    let mut chart = ChartBuilder::on(area)
        .caption(title, caption())
        .margin(8)
        .margin_right(20)
        .x_label_area_size(54)
        .y_label_area_size(76)
        .build_cartesian_2d(
            (first / 1.12..last * 1.12).log_scale().with_key_points(ticks),
            (low / 1.5..high * 1.5).log_scale().with_key_points(decades(low / 1.5, high * 1.5)),
        )
        .map_err(failed)?;
    axes(&mut chart, if axis.name.is_empty() { budget } else { axis.name }, EXCESS, 8)?;
    // auto lies on one of the others: it is drawn first, and thick.
    let mut systems = System::ALL;
    systems.sort_by_key(|system| *system != System::Auto);
    for (k, system) in systems.into_iter().enumerate() {
        let (colour, stroke) = style(system);
        // Side by side, not on top of each other.
        let shift = 1.0 + 0.004 * (k as f64 - 8.0);
        let mut found: Vec<(f64, [f64; 3])> = rows
            .iter()
            .filter(|row| row.system == system)
            .filter_map(|row| Some(((axis.place)(row) * shift, row.quartiles?)))
            .filter(|(_, quartiles)| quartiles.iter().all(positive))
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let points = || found.iter().map(|(x, [_, median, _])| (*x, *median));
        let width = if system == System::Auto { 6 } else { 2 };
        let line = colour.stroke_width(width);
        match stroke {
            Stroke::Solid => chart.draw_series(LineSeries::new(points(), line)).map_err(failed)?,
            Stroke::Dashed => {
                chart.draw_series(DashedLineSeries::new(points(), 6, 4, line)).map_err(failed)?
            }
        };
        if system == System::Auto || system.standing() == Standing::Reference {
            continue;
        }
        let bars = found
            .iter()
            .map(|(x, [from, _, to])| PathElement::new(vec![(*x, *from), (*x, *to)], colour.mix(0.5)));
        chart.draw_series(bars).map_err(failed)?;
        let fill = if stroke == Stroke::Solid { colour } else { WHITE };
        chart.draw_series(points().map(|point| Circle::new(point, 3, fill.filled()))).map_err(failed)?;
        chart.draw_series(points().map(|point| Circle::new(point, 3, colour))).map_err(failed)?;
    }
    Ok(())
}

/// The rates of the summary table against δ, for the two n of the paper's figure.
fn rates() -> Result<String, Failure> {
    const COLOURS: [RGBColor; 6] = [
        RGBColor(204, 121, 167),
        RGBColor(140, 86, 40),
        RGBColor(0, 130, 130),
        RGBColor(170, 0, 60),
        RGBColor(0, 114, 178),
        RGBColor(213, 94, 0),
    ];
    let deltas: Vec<f64> = (4..=32).map(|half| 10.0_f64.powf(-0.5 * f64::from(half))).collect();
    let names: Vec<String> =
        Rate::ALL.iter().map(|row| format!("{}, {}", row.name(), row.guarantee())).collect();
    let styles = COLOURS.map(|colour| (colour, Stroke::Solid));
    let title = "Rates of the paper's table with unit constants: d\u{a0}=\u{a0}11, G\u{a0}=\u{a0}300, α\u{a0}=\u{a0}4, ε\u{a0}=\u{a0}1; under GDP at the μ that implies (ε, δ)";
    picture(title, names.iter().map(String::as_str).zip(styles), 2, |panels| {
        for (area, n) in panels.iter().zip([1e4, 1e6]) {
            let problem = RateProblem::of_the_figure(n);
            let all = || {
                Rate::ALL
                    .into_iter()
                    .flat_map(|row| deltas.iter().map(move |delta| row.rate(&problem, 1.0, *delta)))
            };
            let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
            let mut chart = ChartBuilder::on(area)
                .caption(if n < 1e5 { "n = 10⁴ rows" } else { "n = 10⁶ rows" }, caption())
                .margin(8)
                .margin_right(24)
                .x_label_area_size(54)
                .y_label_area_size(76)
                .build_cartesian_2d(
                    (1e-16..1e-2)
                        .log_scale()
                        .with_key_points(vec![1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]),
                    (low / 1.5..high * 1.5).log_scale().with_key_points(decades(low / 1.5, high * 1.5)),
                )
                .map_err(failed)?;
            axes(&mut chart, "δ (0 is pure differential privacy)", EXCESS, 8)?;
            for (k, (row, colour)) in Rate::ALL.into_iter().zip(COLOURS).enumerate() {
                let points = || deltas.iter().map(|delta| (*delta, row.rate(&problem, 1.0, *delta)));
                chart.draw_series(LineSeries::new(points(), colour.stroke_width(2))).map_err(failed)?;
                // Some rows have the same rate: their dots stand side by side on one line.
                let dots = points().skip(k).step_by(Rate::ALL.len());
                chart
                    .draw_series(dots.map(|point| Circle::new(point, 5, colour.filled())))
                    .map_err(failed)?;
            }
        }
        Ok(())
    })
}
