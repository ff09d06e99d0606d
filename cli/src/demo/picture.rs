//! The two pictures of `asap demo`: what privacy costs in accuracy, and the mechanisms side by side. A white ground,
//! few lines, and letters that are readable at half the size.

use super::comparison::{self, Series};
use crate::failure::Failure;
use crate::plot::{Area, Stroke, axes, decades, entry, failed, heading};
use asap_dp::MechanismKind;
use asap_dp::privacy::Guarantee;
use plotters::prelude::*;

const WIDTH: u32 = 640;
/// Colours that every kind of eye tells apart.
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];
const GREY: RGBColor = RGBColor(110, 110, 110);

/// Accuracies of models from so many rows, mean for each ε.
pub(crate) struct Accuracies {
    pub(crate) rows: usize,
    pub(crate) means: Vec<(f64, f64)>,
}

/// Accuracy against ε, a line for each number of rows; how good it is without privacy and without a model.
pub(crate) fn accuracy(lines: &[Accuracies], [not_private, majority]: [f64; 2]) -> Result<String, Failure> {
    let budgets: Vec<f64> =
        lines.first().map(|line| line.means.iter().map(|(it, _)| *it).collect()).unwrap_or_default();
    let (Some(least), Some(most)) = (budgets.first(), budgets.last()) else { return Err(Failure::Internal) };
    let (left, right) = (least / 1.3, most * 1.3);
    let lowest = lines.iter().flat_map(|line| &line.means).map(|(_, mean)| *mean).fold(majority, f64::min);
    svg(470, |root| {
        let (top, below) = root.split_vertically(112);
        heading(&top, "What privacy costs: accuracy on patients the model has not seen")?;
        let names = lines
            .iter()
            .zip(COLOURS)
            .map(|(line, colour)| (format!("{} rows", line.rows), (colour, Stroke::Solid)));
        let known = [
            ("not private".to_owned(), (GREY, Stroke::Dashed)),
            ("majority class".to_owned(), (BLACK, Stroke::Dashed)),
        ];
        for (k, (name, style)) in names.chain(known).enumerate() {
            let k = i32::try_from(k).unwrap_or(0);
            entry(&top, (24 + 200 * (k % 3), 52 + 30 * (k / 3)), &name, style)?;
        }
        let mut chart = ChartBuilder::on(&below)
            .margin(10)
            .margin_right(20)
            .x_label_area_size(52)
            .y_label_area_size(72)
            .build_cartesian_2d(
                (left..right).log_scale().with_key_points(budgets.clone()),
                lowest - 0.02..not_private.max(majority) + 0.02,
            )
            .map_err(failed)?;
        axes(&mut chart, "privacy budget ε (smaller: more private)", "accuracy", 6)?;
        for (level, colour) in [(not_private, GREY), (majority, BLACK)] {
            let pieces = (0..40).map(|k| left * (right / left).powf(f64::from(k) / 40.0));
            let piece = |from: f64| {
                PathElement::new(
                    vec![(from, level), (from * (right / left).powf(0.015), level)],
                    colour.stroke_width(2),
                )
            };
            chart.draw_series(pieces.map(piece)).map_err(failed)?;
        }
        for (line, colour) in lines.iter().zip(COLOURS) {
            chart
                .draw_series(LineSeries::new(line.means.iter().copied(), colour.stroke_width(2)))
                .map_err(failed)?;
            let dots = line.means.iter().map(|point| Circle::new(*point, 4, colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
        }
        Ok(())
    })
}

/// Excess risk against the budget, a line for each mechanism and a panel for each kind of guarantee.
pub(crate) fn mechanisms(series: &[Series]) -> Result<String, Failure> {
    let medians = || series.iter().map(Series::median).filter(|x| *x > 0.0);
    let (low, high) = (medians().fold(f64::INFINITY, f64::min) / 2.0, medians().fold(0.0, f64::max) * 2.0);
    if low >= high {
        return Err(Failure::Internal);
    }
    svg(800, |root| {
        let (top, below) = root.split_vertically(112);
        heading(&top, "What each mechanism costs, on 50,000 made-up rows")?;
        for (k, (mechanism, colour)) in MechanismKind::ALL.into_iter().zip(COLOURS).enumerate() {
            let k = i32::try_from(k).unwrap_or(0);
            entry(&top, (24 + 300 * (k % 2), 52 + 30 * (k / 2)), name(mechanism), (colour, Stroke::Solid))?;
        }
        let (upper, lower) = below.split_vertically((800 - 112) / 2);
        for (area, unit, is_pure) in [
            (upper, "budget ε, pure differential privacy", true),
            (lower, "budget μ, Gaussian differential privacy", false),
        ] {
            let of_kind = || series.iter().filter(|it| matches!(it.guarantee, Guarantee::Pure(_)) == is_pure);
            panel(&area, unit, &of_kind().collect::<Vec<_>>(), (low, high))?;
        }
        Ok(())
    })
}

fn panel(area: &Area<'_>, unit: &str, series: &[&Series], (low, high): (f64, f64)) -> Result<(), Failure> {
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .margin_right(20)
        .x_label_area_size(52)
        .y_label_area_size(84)
        .build_cartesian_2d(
            (0.2..5.0).log_scale().with_key_points(comparison::BUDGETS.to_vec()),
            (low..high).log_scale().with_key_points(decades(low, high)),
        )
        .map_err(failed)?;
    axes(&mut chart, unit, "excess risk", 6)?;
    for (mechanism, colour) in MechanismKind::ALL.into_iter().zip(COLOURS) {
        let points: Vec<(f64, f64)> = series
            .iter()
            .filter(|it| it.mechanism == mechanism)
            .map(|it| (it.guarantee.parameter(), it.median().max(low)))
            .collect();
        chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(2))).map_err(failed)?;
        chart
            .draw_series(points.into_iter().map(|point| Circle::new(point, 4, colour.filled())))
            .map_err(failed)?;
    }
    Ok(())
}

pub(crate) fn name(mechanism: MechanismKind) -> &'static str {
    match mechanism {
        MechanismKind::Posterior => "posterior sample (ASAP)",
        MechanismKind::Output => "output perturbation",
        MechanismKind::Objective => "objective perturbation",
        MechanismKind::NoisyGradient => "noisy gradient descent",
    }
}

/// A picture of this height.
fn svg(height: u32, draw: impl FnOnce(&Area<'_>) -> Result<(), Failure>) -> Result<String, Failure> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        draw(&root)?;
        root.present().map_err(failed)?;
    }
    Ok(text)
}
