//! The picture of `asap demo`: excess risk against budget, one panel for each kind of guarantee; and the axes, names and strokes
//! that the other pictures share with it.

use crate::demo::{BUDGETS, Series};
use crate::failure::Failure;
use asap_dp::MechanismKind;
use asap_dp::privacy::Guarantee;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;

const SIZE: (u32, u32) = (960, 460);
/// Blue and vermilion, told apart by every kind of eye.
const ASAP: RGBColor = RGBColor(0, 114, 178);
const PLAIN: RGBColor = RGBColor(213, 94, 0);
const GRID: RGBColor = RGBColor(225, 225, 225);
const TEXT: RGBColor = RGBColor(40, 40, 40);

/// The picture as SVG text.
pub(crate) fn draw(series: &[Series]) -> Result<String, Failure> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let (heading, panels) = root.split_vertically(64);
        let title = "Excess risk on public synthetic records: dots are runs, lines are medians";
        let names = [(24, "asap", ASAP), (120, "output perturbation, same budget", PLAIN)];
        legend(&heading, title, names.into_iter())?;
        let extent = extent(series);
        let (left, right) = panels.split_horizontally(SIZE.0 / 2);
        let pure: Vec<&Series> =
            series.iter().filter(|s| matches!(s.guarantee, Guarantee::Pure(_))).collect();
        let gaussian: Vec<&Series> =
            series.iter().filter(|s| matches!(s.guarantee, Guarantee::Gaussian(_))).collect();
        panel(&left, "pure differential privacy", "ε", &pure, extent)?;
        panel(&right, "Gaussian differential privacy", "μ", &gaussian, extent)?;
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

pub(crate) fn failed(_: impl Display) -> Failure {
    Failure::Internal
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The smallest and the largest excess risk, with room around them.
fn extent(series: &[Series]) -> (f64, f64) {
    let all = || series.iter().flat_map(|series| series.excess.iter().copied()).filter(|x| *x > 0.0);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if low < high { (low / 1.6, high * 1.6) } else { (0.1, 10.0) }
}

fn panel(
    area: &Area<'_>,
    title: &str,
    unit: &str,
    series: &[&Series],
    (low, high): (f64, f64),
) -> Result<(), Failure> {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15).into_font().color(&TEXT))
        .margin(10)
        .margin_right(20)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d((0.2..5.0).log_scale().with_key_points(BUDGETS.to_vec()), (low..high).log_scale())
        .map_err(failed)?;
    axes(&mut chart, unit, "J(θ) − min J", 6)?;
    for (mechanism, colour, shift) in
        [(MechanismKind::Output, PLAIN, 1.03), (MechanismKind::Posterior, ASAP, 0.97)]
    {
        let of_method = || series.iter().filter(|series| series.mechanism == mechanism);
        // The two methods stand side by side, not on top of each other.
        let dots = of_method().flat_map(|series| {
            series.excess.iter().map(move |excess| (series.guarantee.parameter() * shift, excess.max(low)))
        });
        chart
            .draw_series(dots.map(|point| Circle::new(point, 3, colour.mix(0.3).filled())))
            .map_err(failed)?;
        let medians =
            of_method().map(|series| (series.guarantee.parameter() * shift, series.median().max(low)));
        chart.draw_series(LineSeries::new(medians, colour.stroke_width(2))).map_err(failed)?;
    }
    Ok(())
}

/// Plain axes with names.
pub(crate) fn axes<X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    x: &str,
    y: &str,
    labels: usize,
) -> Result<(), Failure>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(TEXT)
        .x_desc(x)
        .y_desc(y)
        .x_labels(labels)
        .label_style(("sans-serif", 13).into_font().color(&TEXT))
        .axis_desc_style(("sans-serif", 14).into_font().color(&TEXT))
        .x_label_formatter(&|x| tick(*x))
        .y_label_formatter(&|y| tick(*y))
        .draw()
        .map_err(failed)
}

/// A number at an axis: very small and very large ones as powers of ten. Places come from logarithms, so they are rounded.
fn tick(x: f64) -> String {
    let x = format!("{x:.6e}").parse().unwrap_or(x);
    if (1e-3..1e5).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// Places for labels of a logarithmic axis: powers of ten, with their double and fivefold where there are few of them.
pub(crate) fn decades(low: f64, high: f64) -> Vec<f64> {
    let within = |x: &f64| (low..=high).contains(x);
    let powers = |factors: &'static [f64]| {
        (-30..30).flat_map(move |power| factors.iter().map(move |factor| factor * 10.0_f64.powi(power)))
    };
    if high / low < 300.0 {
        powers(&[1.0, 2.0, 5.0]).filter(within).collect()
    } else {
        powers(&[1.0]).filter(within).collect()
    }
}

/// A title, and below it a line and a name for each colour, at these places.
pub(crate) fn legend<'a>(
    area: &Area<'_>,
    title: &str,
    lines: impl Iterator<Item = (i32, &'a str, RGBColor)>,
) -> Result<(), Failure> {
    heading(area, title)?;
    lines.into_iter().try_for_each(|(x, name, colour)| entry(area, (x, 46), name, (colour, Stroke::Solid)))
}

/// A title.
pub(crate) fn heading(area: &Area<'_>, title: &str) -> Result<(), Failure> {
    area.draw(&Text::new(title, (24, 20), left(17))).map_err(failed)
}

fn left(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center))
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// Without gaps, its points filled.
    Solid,
    /// With gaps, its points hollow.
    Dashed,
}

/// A line and its name, from this place on.
pub(crate) fn entry(
    area: &Area<'_>,
    (x, y): (i32, i32),
    name: &str,
    (colour, stroke): (RGBColor, Stroke),
) -> Result<(), Failure> {
    let pieces: &[(i32, i32)] = match stroke {
        Stroke::Solid => &[(0, 26)],
        Stroke::Dashed => &[(0, 6), (10, 16), (20, 26)],
    };
    for (from, to) in pieces {
        let piece = vec![(x + from, y), (x + to, y)];
        area.draw(&PathElement::new(piece, colour.stroke_width(2))).map_err(failed)?;
    }
    let fill = if stroke == Stroke::Solid { colour } else { WHITE };
    area.draw(&Circle::new((x + 13, y), 3, fill.filled())).map_err(failed)?;
    area.draw(&Circle::new((x + 13, y), 3, colour)).map_err(failed)?;
    area.draw(&Text::new(name, (x + 34, y), left(14))).map_err(failed)
}
