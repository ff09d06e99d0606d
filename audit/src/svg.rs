//! Drawings as SVG text.

use super::report::{Finding, symbol};
use super::samples::{normal_cdf, normal_quantile};
use asap_dp::privacy::Guarantee;
use core::fmt::Write;

const SIDE: f64 = 280.0;
const MARGIN: f64 = 50.0;
const COLUMNS: usize = 3;

/// One panel for each row: the claimed lower bound of the trade-off curve, the empirical curve and its confidence band.
pub(crate) fn trade_off(rows: &[Finding]) -> String {
    let cell = SIDE + 2.0 * MARGIN;
    let columns = rows.len().clamp(1, COLUMNS);
    let (width, height) = (cell * columns as f64, cell * rows.len().div_ceil(columns).max(1) as f64);
    let mut svg = open(width, height);
    for (k, row) in rows.iter().enumerate() {
        let (left, top) = (cell * (k % columns) as f64 + MARGIN, cell * (k / columns) as f64 + MARGIN);
        let _ = writeln!(svg, r#"<g transform="translate({left} {top})">"#);
        panel(&mut svg, row);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, row: &Finding) {
    let _ = writeln!(svg, r##"<rect width="{SIDE}" height="{SIDE}" fill="none" stroke="#333"/>"##);
    let steps = 200;
    let claimed: Vec<[f64; 2]> =
        (0..=steps).map(|k| f64::from(k) / f64::from(steps)).map(|x| [x, claimed(row.claim, x)]).collect();
    line(svg, &claimed, "#c00", "6 3");
    line(svg, &row.curve, "#036", "none");
    line(svg, &row.curve_above, "#69c", "2 2");
    let [x, y] = row.bound.errors;
    let (x, y) = (SIDE * x, SIDE * (1.0 - y));
    let _ = writeln!(svg, r##"<circle cx="{x:.2}" cy="{y:.2}" r="4" fill="none" stroke="#036"/>"##);
    let shown = if row.bound.no_overlap { "∞".to_owned() } else { format!("{:.3}", row.bound.lower) };
    let (mechanism, pair) = (escaped(&row.mechanism), escaped(&row.pair));
    let (symbol, claim) = (symbol(row.claim), row.claim.parameter());
    let title = format!("{mechanism}, {pair}: {symbol} &#8805; {shown}, claimed {claim:.3}");
    let _ = writeln!(svg, r#"<text x="0" y="-12">{title}</text>"#);
    let (middle, below, right) = (0.5 * SIDE, SIDE + 34.0, SIDE - 6.0);
    numbers(svg);
    for (y, colour, text) in
        [(18, "#c00", "claimed: not below"), (34, "#036", "observed"), (50, "#69c", "true curve: not above")]
    {
        let _ = writeln!(svg, r#"<text x="{right}" y="{y}" fill="{colour}" text-anchor="end">{text}</text>"#);
    }
    let _ = writeln!(svg, r#"<text x="{middle}" y="{below}" text-anchor="middle">type I error</text>"#);
    let _ = writeln!(
        svg,
        r#"<text transform="translate(-32 {middle}) rotate(-90)" text-anchor="middle">type II error</text>"#
    );
}

/// Numbers at both axes.
fn numbers(svg: &mut String) {
    for k in 0..=4 {
        let share = 0.25 * f64::from(k);
        let (x, y) = (SIDE * share, SIDE * (1.0 - share));
        let (bottom, below) = (SIDE + 4.0, SIDE + 17.0);
        let _ = writeln!(svg, r##"<path d="M{x} {SIDE}V{bottom}M0 {y}H-4" stroke="#333"/>"##);
        let _ =
            writeln!(svg, r#"<text x="{x}" y="{below}" text-anchor="middle" font-size="11">{share}</text>"#);
        let _ = writeln!(
            svg,
            r#"<text x="-7" y="{y}" text-anchor="end" dominant-baseline="central" font-size="11">{share}</text>"#
        );
    }
}

/// The smallest type II error that the guarantee allows at a type I error.
pub(crate) fn claimed(guarantee: Guarantee, x: f64) -> f64 {
    match guarantee {
        Guarantee::Pure(epsilon) => {
            let e = epsilon.get();
            (1.0 - e.exp() * x).max((-e).exp() * (1.0 - x)).max(0.0)
        }
        Guarantee::Gaussian(mu) => normal_cdf(normal_quantile(1.0 - x) - mu.get()),
    }
}

fn open(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    )
}

fn line(svg: &mut String, points: &[[f64; 2]], colour: &str, dashes: &str) {
    let mut text = String::new();
    for [x, y] in points {
        let _ = write!(text, "{:.2},{:.2} ", SIDE * x, SIDE * (1.0 - y));
    }
    let text = text.trim_end();
    let _ = writeln!(
        svg,
        r#"<polyline fill="none" stroke="{colour}" stroke-dasharray="{dashes}" points="{text}"/>"#
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
