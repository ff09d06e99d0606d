//! The picture of a score: the curve with its band, and the calibration.

use crate::failure::Failure;
use crate::plot::{Area, axes, failed, picture};
use asap_contracts::Answer;
use asap_dp::score::{ClassMeasures, Report};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

const LINE: RGBColor = RGBColor(0, 114, 178);
const PLAIN: RGBColor = RGBColor(150, 150, 150);

/// As SVG text.
pub(super) fn draw(answer: &Answer) -> Result<String, Failure> {
    let Some(Report::Classes(report)) = Report::new(&answer.statement) else { return Err(Failure::Internal) };
    let title = "Released score; bands and bars are 95 % intervals, sampling and noise included";
    picture(title, [], 2, |panels| {
        let [upper, lower] = panels else { return Err(Failure::Internal) };
        curve(upper, &report)?;
        calibration(lower, &report)
    })
}

type UnitSquare<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Two axes from 0 to 1.
fn unit_square<'a, 'b>(area: &'a Area<'b>, x: &str, y: &str) -> Result<UnitSquare<'a, 'b>, Failure> {
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(50)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)
        .map_err(failed)?;
    axes(&mut chart, x, y, 6)?;
    Ok(chart)
}

fn curve(area: &Area<'_>, report: &ClassMeasures) -> Result<(), Failure> {
    let mut chart = unit_square(area, "false positive rate", "true positive rate")?;
    // From the highest threshold, where nothing is said to be positive, to the lowest one.
    let points = || report.curve.iter().rev();
    let whole = |inner: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let (mut path, mut above) = (vec![(0.0, 0.0)], (0.0_f64, 0.0_f64));
        for (x, y) in inner.into_iter().chain([(1.0, 1.0)]) {
            // Rates only grow along the curve; noise does not know that.
            above = (above.0.max(x), above.1.max(y));
            path.push(above);
        }
        path
    };
    let upper = whole(points().map(|it| (it.false_positive.low, it.true_positive.high)).collect());
    let lower = whole(points().map(|it| (it.false_positive.high, it.true_positive.low)).collect());
    let band: Vec<(f64, f64)> = upper.into_iter().chain(lower.into_iter().rev()).collect();
    chart.draw_series([Polygon::new(band, LINE.mix(0.18).filled())]).map_err(failed)?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], PLAIN)).map_err(failed)?;
    let rate = |it: &asap_dp::score::Estimate| it.value.unwrap_or(f64::midpoint(it.low, it.high));
    let path = whole(points().map(|it| (rate(&it.false_positive), rate(&it.true_positive))).collect());
    chart.draw_series(LineSeries::new(path, LINE.stroke_width(2))).map_err(failed)?;
    Ok(())
}

fn calibration(area: &Area<'_>, report: &ClassMeasures) -> Result<(), Failure> {
    let mut chart = unit_square(area, "predicted probability", "share of the positive class")?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], PLAIN)).map_err(failed)?;
    for bin in &report.calibration {
        let x = f64::midpoint(bin.from, bin.to);
        let bar = vec![(x, bin.share.low), (x, bin.share.high)];
        chart.draw_series(LineSeries::new(bar, LINE.mix(0.5).stroke_width(2))).map_err(failed)?;
        let dot = bin.share.value.map(|share| Circle::new((x, share), 4, LINE.filled()));
        chart.draw_series(dot).map_err(failed)?;
    }
    Ok(())
}
