//! The two pictures of `asap demo`: what privacy costs in accuracy, and the mechanisms side by side. A white ground,
//! and few lines.

use super::comparison::{self, Series};
use crate::failure::Failure;
use crate::plot::{Area, EXCESS, Stroke, axes, caption, colour, decades, failed, picture};
use asap_dp::MechanismKind;
use asap_dp::privacy::Guarantee;
use plotters::prelude::*;

/// Colours that every kind of eye tells apart.
const COLOURS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115)];
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
    let names: Vec<String> = lines.iter().map(|line| format!("{} rows", grouped(line.rows))).collect();
    let solid = COLOURS.map(|colour| (colour, Stroke::Solid));
    let known = [("not private", (GREY, Stroke::Dashed)), ("majority class", (BLACK, Stroke::Dashed))];
    let names = names.iter().map(String::as_str).zip(solid).chain(known);
    picture("What privacy costs: accuracy on patients the model has not seen", names, 1, |panels| {
        let [below] = panels else { return Err(Failure::Internal) };
        let mut chart = ChartBuilder::on(below)
            .margin(10)
            .margin_right(20)
            .x_label_area_size(54)
            .y_label_area_size(76)
            .build_cartesian_2d(
                (left..right).log_scale().with_key_points(budgets.clone()),
                lowest - 0.02..not_private.max(majority) + 0.02,
            )
            .map_err(failed)?;
        axes(&mut chart, "privacy budget ε (smaller: more private)", "accuracy on other patients", 6)?;
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

/// Digits in groups of three.
fn grouped(number: usize) -> String {
    if number < 1_000 {
        number.to_string()
    } else {
        format!("{},{:03}", grouped(number / 1_000), number % 1_000)
    }
}

/// Excess risk against the budget, a line for each mechanism and a panel for each kind of guarantee.
pub(crate) fn mechanisms(series: &[Series]) -> Result<String, Failure> {
    let medians = || series.iter().map(Series::median).filter(|x| *x > 0.0);
    let (low, high) = (medians().fold(f64::INFINITY, f64::min) / 2.0, medians().fold(0.0, f64::max) * 2.0);
    if low >= high {
        return Err(Failure::Internal);
    }
    let names = MechanismKind::ALL.map(|kind| (name(kind), (colour(kind), Stroke::Solid)));
    picture("What each mechanism costs, on 50,000 made-up rows", names, 2, |panels| {
        let kinds = [
            ("pure differential privacy", "budget ε (smaller: more private)", true),
            ("Gaussian differential privacy", "budget μ (smaller: more private)", false),
        ];
        for (area, (title, unit, is_pure)) in panels.iter().zip(kinds) {
            let of_kind = || series.iter().filter(|it| matches!(it.guarantee, Guarantee::Pure(_)) == is_pure);
            panel(area, [title, unit], &of_kind().collect::<Vec<_>>(), (low, high))?;
        }
        Ok(())
    })
}

fn panel(
    area: &Area<'_>,
    [title, unit]: [&str; 2],
    series: &[&Series],
    (low, high): (f64, f64),
) -> Result<(), Failure> {
    let mut chart = ChartBuilder::on(area)
        .caption(title, caption())
        .margin(8)
        .margin_right(20)
        .x_label_area_size(54)
        .y_label_area_size(76)
        .build_cartesian_2d(
            (0.2..5.0).log_scale().with_key_points(comparison::BUDGETS.to_vec()),
            (low..high).log_scale().with_key_points(decades(low, high)),
        )
        .map_err(failed)?;
    axes(&mut chart, unit, EXCESS, 6)?;
    for mechanism in MechanismKind::ALL {
        let colour = colour(mechanism);
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
