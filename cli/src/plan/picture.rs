//! The picture of a sweep: what every mechanism is predicted to miss, both axes logarithmic.

use super::compared::Compared;
use super::sweep::SweepPoint;
use crate::failure::Failure;
use crate::plot::{Stroke, axes, colour, failed, picture};
use asap_dp::MechanismKind;
use plotters::prelude::*;

/// The trivial model, and the circle around what is chosen.
const NOTHING: RGBColor = RGBColor(120, 120, 120);
const CHOSEN: RGBColor = RGBColor(0, 0, 0);

/// A name, a colour and where it goes.
struct PictureLine {
    name: &'static str,
    colour: RGBColor,
    points: Vec<(f64, f64)>,
}

/// The picture as SVG text.
pub(super) fn draw(points: &[SweepPoint], axis: &str, regulariser: Option<f64>) -> Result<String, Failure> {
    let lines = lines(points);
    let heights = || lines.iter().flat_map(|line| line.points.iter().map(|(_, y)| *y));
    let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(0.0, f64::max));
    let (first, last) = (points.first().map_or(1.0, |it| it.value), points.last().map_or(2.0, |it| it.value));
    let title = match regulariser {
        Some(_) => "What every mechanism is predicted to miss; circle: the regulariser that is chosen",
        None => "What every mechanism is predicted to miss",
    };
    let names = lines.iter().map(|line| (line.name, (line.colour, Stroke::Solid)));
    picture(title, names, 1, |panels| {
        let [below] = panels else { return Err(Failure::Internal) };
        let mut chart = ChartBuilder::on(below)
            .margin(10)
            .margin_right(24)
            .x_label_area_size(54)
            .y_label_area_size(76)
            .build_cartesian_2d((first..last).log_scale(), (low / 1.5..high * 1.5).log_scale())
            .map_err(failed)?;
        axes(&mut chart, axis, "part of the gain that is missed", 6)?;
        for PictureLine { colour, points, .. } in &lines {
            let dots = points.iter().map(|point| Circle::new(*point, 3, colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))
                .map_err(failed)?;
        }
        let marked =
            points.iter().find(|it| regulariser.is_some_and(|chosen| chosen.total_cmp(&it.value).is_eq()));
        if let Some((value, missed)) = marked.and_then(|it| Some((it.value, it.compared.chosen()?.missed())))
        {
            chart.draw_series([Circle::new((value, missed), 9, CHOSEN.stroke_width(2))]).map_err(failed)?;
        }
        Ok(())
    })
}

/// One line for each mechanism that is possible somewhere, and one for the trivial model.
fn lines(points: &[SweepPoint]) -> Vec<PictureLine> {
    let line = |name, colour, height: &dyn Fn(&Compared) -> Option<f64>| {
        let point = |point: &SweepPoint| Some((point.value, height(&point.compared)?));
        let points = points.iter().filter_map(point).filter(|(_, y)| y.is_finite() && *y > 0.0).collect();
        PictureLine { name, colour, points }
    };
    let of = |kind: MechanismKind| {
        line(kind.name(), colour(kind), &|compared| {
            let row = compared.rows.iter().find(|row| row.kind == kind)?;
            Some(row.outcome.as_ref().ok()?.0.missed())
        })
    };
    let trivial = line("trivial model", NOTHING, &|_| Some(1.0));
    let lines = MechanismKind::ALL.into_iter().map(of).chain([trivial]);
    lines.filter(|line| !line.points.is_empty()).collect()
}
