//! The axes, names and strokes that all pictures share.

use crate::failure::Failure;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;

const GRID: RGBColor = RGBColor(225, 225, 225);
const TEXT: RGBColor = RGBColor(40, 40, 40);

pub(crate) fn failed(_: impl Display) -> Failure {
    Failure::Internal
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

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
        .label_style(("sans-serif", 15).into_font().color(&TEXT))
        .axis_desc_style(("sans-serif", 16).into_font().color(&TEXT))
        .x_label_formatter(&|x| tick(*x))
        .y_label_formatter(&|y| tick(*y))
        .draw()
        .map_err(failed)
}

/// A number at an axis: very small and very large ones as powers of ten. Places come from
/// logarithms, so they are rounded.
fn tick(x: f64) -> String {
    let x = format!("{x:.6e}").parse().unwrap_or(x);
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
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
