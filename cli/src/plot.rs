//! What all pictures share: their width, letters that are readable at three quarters of it, axes, names and strokes. A picture
//! has one column, so that it is readable on a telephone, and a white ground of its own, so that it is readable on a dark page.

use crate::failure::Failure;
use asap_dp::MechanismKind;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;

const GRID: RGBColor = RGBColor(225, 225, 225);
const TEXT: RGBColor = RGBColor(40, 40, 40);
const WIDTH: u32 = 560;
/// Heights of a panel, of a line of the title and of a line of names.
const PANEL: u32 = 370;
const TITLE: i32 = 27;
const NAME: i32 = 25;
const MARGIN: i32 = 20;
/// Sizes of letters, and about how wide one is.
const LARGE: i32 = 19;
const SMALL: i32 = 16;
const LARGE_WIDTH: usize = 10;
const SMALL_WIDTH: usize = 9;
/// What the line before a name takes.
const SAMPLE: i32 = 36;

/// The axis of a mechanism's cost.
pub(crate) const EXCESS: &str = "what privacy costs: excess risk";

/// The colour of a mechanism in every picture. Every kind of eye tells these apart.
pub(crate) fn colour(kind: MechanismKind) -> RGBColor {
    match kind {
        MechanismKind::Objective => RGBColor(0, 158, 115),
        MechanismKind::NoisyGradient => RGBColor(204, 121, 167),
        MechanismKind::Posterior => RGBColor(0, 114, 178),
        MechanismKind::Output => RGBColor(213, 94, 0),
    }
}

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
        .label_style(("sans-serif", SMALL).into_font().color(&TEXT))
        .axis_desc_style(("sans-serif", SMALL).into_font().color(&TEXT))
        .x_label_formatter(&|x| tick(*x))
        .y_label_formatter(&|y| tick(*y))
        .draw()
        .map_err(failed)
}

/// A number at an axis: very small and very large ones as powers of ten. Places come from
/// logarithms, so they are rounded.
fn tick(x: f64) -> String {
    let x = format!("{x:.6e}").parse().unwrap_or(x);
    if x == 0.0 || (1e-2..1e4).contains(&x.abs()) {
        return format!("{x}");
    }
    let text = format!("{x:e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = power.chars().map(|it| if it == '-' { '⁻' } else { raised(it) });
    let raised = raised.collect::<String>();
    if digits == "1" { format!("10{raised}") } else { format!("{digits}·10{raised}") }
}

fn raised(digit: char) -> char {
    let place = digit.to_digit(10).and_then(|it| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(it as usize));
    place.unwrap_or(digit)
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

/// A picture as SVG text: a title, names, and below each other so many panels.
pub(crate) fn picture<'n>(
    title: &str,
    names: impl IntoIterator<Item = (&'n str, (RGBColor, Stroke))>,
    panels: usize,
    draw: impl FnOnce(&[Area<'_>]) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let names: Vec<_> = names.into_iter().collect();
    let room = WIDTH as usize - 2 * MARGIN as usize;
    let title = wrapped(title, room / LARGE_WIDTH);
    let longest = names.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let columns = (room / (SAMPLE as usize + SMALL_WIDTH * longest + 8)).clamp(1, 3);
    let at = |place: usize| i32::try_from(place).unwrap_or(0);
    let below_title = 14 + TITLE * at(title.len());
    let top = below_title + NAME * at(names.len().div_ceil(columns)) + 6;
    let height = u32::try_from(top).unwrap_or(0) + PANEL * u32::try_from(panels).unwrap_or(1);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        for (k, line) in title.iter().enumerate() {
            let line = Text::new(line.as_str(), (MARGIN, 24 + TITLE * at(k)), left(LARGE));
            root.draw(&line).map_err(failed)?;
        }
        let column = at(room / columns);
        for (k, (name, style)) in names.into_iter().enumerate() {
            let (down, right) = (at(k / columns), at(k % columns));
            entry(&root, (MARGIN + column * right, below_title + NAME * down + 10), name, style)?;
        }
        let (_, panels_area) = root.split_vertically(top);
        draw(&panels_area.split_evenly((panels, 1)))?;
        root.present().map_err(failed)?;
    }
    Ok(text)
}

/// Words in lines of about so many letters.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(last) if line == 0 => last.push_str(word),
            Some(last) if line + 1 + word.chars().count() <= letters => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The title of a panel among others.
pub(crate) fn caption() -> TextStyle<'static> {
    ("sans-serif", SMALL + 1).into_font().color(&TEXT)
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
fn entry(
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
    area.draw(&Text::new(name, (x + SAMPLE, y), left(SMALL))).map_err(failed)
}
