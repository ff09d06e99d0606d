//! The pictures of the experiments.

use crate::failure::Failure;
use crate::plot::{Area, Stroke, axes, decades, entry, failed, heading};
use asap_experiments::rates::{Rate, RateProblem};
use asap_experiments::study::Part;
use asap_experiments::summary::Row;
use asap_experiments::system::{Standing, System};
use plotters::prelude::*;

const WIDTH: u32 = 1180;
const HEADING: i32 = 44;
const PANEL: u32 = 400;
const LEGEND_LINE: i32 = 24;
const LEGEND_COLUMNS: usize = 4;

/// The file names of the pictures and their SVG text.
pub(super) fn figures(rows: &[Row], synthetic: bool) -> Result<Vec<(String, String)>, Failure> {
    let mut figures = vec![("rates.svg".to_owned(), rates()?)];
    let origin = if synthetic { "synthetic stand-in of wine quality" } else { "wine quality" };
    for (part, what) in [(Part::Wine, "11 columns"), (Part::TwoColumns, "2 columns")] {
        for variant in ["standardised", "public-bounds"] {
            let here: Vec<&Row> =
                rows.iter().filter(|row| row.part == part && row.variant == variant).collect();
            let scaled = if variant == "standardised" {
                "standardised by the records themselves, as in the paper (that is not private)"
            } else {
                "scaled by public ranges"
            };
            let title = format!("Excess risk against the budget, {origin}, {what}, {scaled}");
            let svg = grid(&title, &here, &Axis { name: "", place: |row| row.total.parameter() }, |row| {
                row.name.as_str()
            })?;
            figures.push((format!("{}-{variant}.svg", part.id()), svg));
        }
    }
    let here: Vec<&Row> = rows.iter().filter(|row| row.part == Part::Sweep).collect();
    let title = "Excess risk against the curvature ratio, synthetic rows on the sphere, n = 5000, d = 5";
    let axis = Axis { name: "τ − 1", place: |row| row.tau - 1.0 };
    figures.push(("sweep.svg".to_owned(), grid(title, &here, &axis, |row| row.variant.as_str())?));
    Ok(figures)
}

/// What the horizontal axis shows; its name is the budget's unless given.
struct Axis {
    name: &'static str,
    place: fn(&Row) -> f64,
}

/// Two rows of panels, ε on the left and μ on the right; below them the names.
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
    let legend_lines = i32::try_from(systems.len().div_ceil(LEGEND_COLUMNS)).unwrap_or(4);
    let below = u32::try_from(groups.len()).unwrap_or(2) * PANEL;
    let above = u32::try_from(HEADING).unwrap_or(0);
    let height = above + below + u32::try_from(LEGEND_LINE * legend_lines + 16).unwrap_or(0);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let (top, rest) = root.split_vertically(HEADING);
        heading(&top, title)?;
        let (panels, names) = rest.split_vertically(below);
        let areas = panels.split_evenly((groups.len(), 2));
        for (area, (name, pure)) in
            areas.iter().zip(groups.iter().flat_map(|group| [(group, true), (group, false)]))
        {
            let here: Vec<&Row> =
                rows.iter().copied().filter(|row| group(row) == *name && row.pure() == pure).collect();
            panel(area, name, pure, &here, axis)?;
        }
        for (k, system) in (0_i32..).zip(&systems) {
            let columns = i32::try_from(LEGEND_COLUMNS).unwrap_or(4);
            let place = (24 + 286 * (k % columns), 10 + LEGEND_LINE * (k / columns));
            entry(&names, place, system.name(), style(*system))?;
        }
        root.present().map_err(failed)?;
    }
    Ok(svg)
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
    let unit = if pure { "ε" } else { "μ" };
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
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(42)
        .y_label_area_size(70)
        .build_cartesian_2d(
            (first / 1.12..last * 1.12).log_scale().with_key_points(ticks),
            (low / 1.5..high * 1.5).log_scale().with_key_points(decades(low / 1.5, high * 1.5)),
        )
        .map_err(failed)?;
    axes(&mut chart, if axis.name.is_empty() { unit } else { axis.name }, "J(θ) − min J", 10)?;
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
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, 520)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let (top, rest) = root.split_vertically(HEADING);
        heading(
            &top,
            "Rates of the summary table with unit constants: d = 11, G = 300, α = 4, ε = 1; rows under GDP at the μ that implies (ε, δ); equal rates share a line",
        )?;
        let (panels, names) = rest.split_vertically(412);
        for (area, n) in panels.split_evenly((1, 2)).iter().zip([1e4, 1e6]) {
            let problem = RateProblem::of_the_figure(n);
            let all = || {
                Rate::ALL
                    .into_iter()
                    .flat_map(|row| deltas.iter().map(move |delta| row.rate(&problem, 1.0, *delta)))
            };
            let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
            let mut chart = ChartBuilder::on(area)
                .caption(if n < 1e5 { "n = 10⁴" } else { "n = 10⁶" }, ("sans-serif", 15))
                .margin(8)
                .margin_right(20)
                .x_label_area_size(42)
                .y_label_area_size(70)
                .build_cartesian_2d(
                    (1e-16..1e-2)
                        .log_scale()
                        .with_key_points(vec![1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]),
                    (low / 1.5..high * 1.5).log_scale().with_key_points(decades(low / 1.5, high * 1.5)),
                )
                .map_err(failed)?;
            axes(&mut chart, "δ", "excess risk", 8)?;
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
        for (k, (row, colour)) in (0_i32..).zip(Rate::ALL.into_iter().zip(COLOURS)) {
            let name = format!("{}, {}", row.name(), row.guarantee());
            entry(&names, (24 + 380 * (k % 3), 12 + LEGEND_LINE * (k / 3)), &name, (colour, Stroke::Solid))?;
        }
        root.present().map_err(failed)?;
    }
    Ok(svg)
}
