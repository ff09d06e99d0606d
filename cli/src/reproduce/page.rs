//! The page of the experiments: every figure, its parameters, and what the numbers say. It is self-contained.

use super::{PUBLIC_ONLY, picture};
use asap_experiments::baselines::mala::RHO;
use asap_experiments::baselines::sgd::DELTA;
use asap_experiments::data::public_ranges;
use asap_experiments::findings::{self, number};
use asap_experiments::rates::{Rate, RateProblem, mu_of};
use asap_experiments::setting::Setting;
use asap_experiments::study::{Part, Study};
use asap_experiments::summary::Row;
use asap_experiments::system::System;
use std::fmt::Write;

const STYLE: &str = "body{font:16px/1.5 sans-serif;color:#222;max-width:1200px;margin:2em auto;padding:0 1em}\
h1,h2,h3{line-height:1.2}h2{margin-top:2.5em;border-bottom:1px solid #ccc}svg{max-width:100%;height:auto}\
table{border-collapse:collapse;margin:1em 0;font-size:14px}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:left}\
td.n{text-align:right;font-variant-numeric:tabular-nums}.warning{background:#fff3cd;padding:.7em 1em;border-left:4px solid #d55e00}\
.baseline{color:#7a5200}.best{font-weight:bold}";

/// The whole page.
pub(super) fn html(study: &Study, rows: &[Row], figures: &[(String, String)]) -> String {
    let mut page = String::new();
    let synthetic = study.options().data.is_none();
    let title = if synthetic {
        "The paper's experiments on a synthetic stand-in"
    } else {
        "The paper's experiments on wine quality"
    };
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<p class=\"warning\"><b>Warning: {PUBLIC_ONLY}.</b>{}</p>\n",
        if synthetic {
            " The records of this page are <b>synthetic</b>: they have the shape of the wine data and nothing else of them."
        } else {
            ""
        }
    );
    let _ = writeln!(
        page,
        "<p>Excess risk is J(θ) − min J for J(θ) = Σ ℓ(θ; x, y) + (Λ/2)‖θ‖². Every system has the same total budget in a panel; \
         {} runs each, lines are medians, bars quartiles. Solid: of the library, δ = 0 as it runs (certified MALA in real arithmetic only). Dashed: <span class=\"baseline\">baselines</span>, which are \
         not δ = 0 or not rigorous, and references that are no mechanisms. All noise comes from fixed seeds.</p>",
        study.options().repetitions
    );
    systems(&mut page);
    rates(&mut page, figures);
    for (part, heading) in [(Part::Wine, "Excess risk against the budget"), (Part::TwoColumns, "Two columns")]
    {
        let _ = writeln!(page, "<h2>{heading}</h2>");
        if part == Part::TwoColumns {
            page.push_str("<p>Volatile acidity and alcohol only: in two dimensions the exponential mechanism can be drawn by quadrature.</p>\n");
        }
        for variant in ["standardised", "public-bounds"] {
            budget(&mut page, study, rows, figures, (part, variant));
        }
    }
    sweep(&mut page, rows, figures);
    page.push_str("</body></html>\n");
    page
}

fn systems(page: &mut String) {
    page.push_str(
        "<h2>Systems</h2>\n<table><tr><th>system</th><th>standing</th><th>what it promises</th></tr>\n",
    );
    for system in System::ALL {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(system.name()),
            system.standing().name(),
            escaped(system.remark())
        );
    }
    let _ = writeln!(
        page,
        "</table>\n<p>δ of NoisySGD is {DELTA:e}; ρ of the paper's localisation is {RHO}.</p>"
    );
}

fn rates(page: &mut String, figures: &[(String, String)]) {
    page.push_str("<h2>Theoretical rates</h2>\n");
    figure(page, figures, "rates.svg");
    page.push_str("<p>The O() of the summary table with unit constants and without its logarithms of n. Equal rates share a line.</p>\n<table><tr><th>row</th><th>guarantee</th><th>n = 10⁴, δ = 10⁻⁶</th><th>n = 10⁶, δ = 10⁻⁶</th></tr>\n");
    for row in Rate::ALL {
        let at = |n: f64| number(row.rate(&RateProblem::of_the_figure(n), 1.0, 1e-6));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            row.name(),
            row.guarantee(),
            at(1e4),
            at(1e6)
        );
    }
    let _ = writeln!(
        page,
        "</table>\n<p>Rows under GDP: μ = {:.4}, the largest that implies (1, 10⁻⁶).</p>",
        mu_of(1.0, 1e-6)
    );
    list(page, [1e4, 1e6].into_iter().flat_map(findings::rates));
}

/// A figure of one part and scaling, with parameters, findings and the medians at 1.
fn budget(
    page: &mut String,
    study: &Study,
    rows: &[Row],
    figures: &[(String, String)],
    (part, variant): (Part, &str),
) {
    let standardised = variant == "standardised";
    let _ = writeln!(
        page,
        "<h3>{}</h3>",
        if standardised { "Standardised, as in the paper" } else { "Public bounds" }
    );
    if standardised {
        page.push_str(
            "<p class=\"warning\">Mean, deviation and bounds are computed from the records: <b>this standardisation is not private</b>, whatever the \
             mechanism behind it is. It is here because the paper does it.</p>\n",
        );
    } else {
        let _ = writeln!(
            page,
            "<p>Ranges from oenology, food law and the tasters' scale, each mapped onto [−1, 1], what lies outside moved to the edge: {}. The guarantee \
             holds for every file.</p>",
            escaped(&public_ranges())
        );
    }
    for name in picture::names(part, variant) {
        figure(page, figures, &format!("{name}.svg"));
    }
    let mut seen: Vec<&Setting> = Vec::new();
    for cell in study.cells().iter().filter(|cell| cell.part == part) {
        let setting = &study.settings()[cell.setting];
        if setting.variant == variant && !seen.iter().any(|other| other.name == setting.name) {
            seen.push(setting);
        }
    }
    parameters(page, &seen);
    for setting in seen {
        for pure in [true, false] {
            let here: Vec<&Row> = rows
                .iter()
                .filter(|row| {
                    row.part == part
                        && row.variant == variant
                        && row.name == setting.name
                        && row.pure() == pure
                })
                .collect();
            let _ = writeln!(page, "<h4>{}, {}</h4>", escaped(&setting.name), if pure { "ε" } else { "μ" });
            list(page, findings::panel(&here, setting).into_iter());
        }
    }
    medians(page, rows, (part, variant));
}

fn parameters(page: &mut String, settings: &[&Setting]) {
    page.push_str(
        "<table><tr><th></th><th>n</th><th>d</th><th>Λ = nα</th><th>R</th><th>Y</th><th>farthest minimiser</th><th>G</th><th>τ</th><th>κ</th><th>‖θ*‖</th></tr>\n",
    );
    for setting in settings {
        let constants = setting.constants();
        let numbers = [
            constants.row_norm,
            constants.target,
            constants.reach,
            constants.lipschitz,
            setting.curvature_ratio(),
            setting.condition(),
            setting.optimum().norm(),
        ];
        let cells: String = numbers.iter().map(|x| format!("<td class=\"n\">{x:.4}</td>")).collect();
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{cells}</tr>",
            escaped(&setting.name),
            setting.count(),
            setting.dimension(),
            setting.regulariser()
        );
    }
    page.push_str("</table>\n");
}

/// The medians at budget 1 with their quartiles.
fn medians(page: &mut String, rows: &[Row], (part, variant): (Part, &str)) {
    let here: Vec<&Row> = rows
        .iter()
        .filter(|row| {
            row.part == part && row.variant == variant && (row.total.parameter() - 1.0).abs() < 1e-9
        })
        .collect();
    let mut columns: Vec<(&str, bool)> = Vec::new();
    for row in &here {
        if !columns.contains(&(row.name.as_str(), row.pure())) {
            columns.push((row.name.as_str(), row.pure()));
        }
    }
    page.push_str("<table><tr><th>median (quartiles) at 1</th>");
    for (name, pure) in &columns {
        let _ = write!(page, "<th>{}, {} = 1</th>", escaped(name), if *pure { "ε" } else { "μ" });
    }
    page.push_str("</tr>\n");
    for system in System::ALL {
        if !here.iter().any(|row| row.system == system) {
            continue;
        }
        let _ = write!(page, "<tr><td>{}</td>", escaped(system.name()));
        for (name, pure) in &columns {
            let found =
                here.iter().find(|row| row.system == system && row.name == *name && row.pure() == *pure);
            let text = match found.map(|row| row.quartiles) {
                None => "–".to_owned(),
                Some(None) => "not run".to_owned(),
                Some(Some([first, median, third])) => {
                    format!("{} ({}–{})", number(median), number(first), number(third))
                }
            };
            let _ = write!(page, "<td class=\"n\">{text}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}

fn sweep(page: &mut String, rows: &[Row], figures: &[(String, String)]) {
    page.push_str(
        "<h2>Where each mechanism wins: the curvature ratio</h2>\n<p>τ = tr ∇²J(θ*)/(dΛ) says how much more the records bend J than the regulariser does. \
         Synthetic rows on the unit sphere, n = 5000, d = 5; the regulariser sets τ. The thick grey line is what the library chooses by public numbers (auto).</p>\n",
    );
    figure(page, figures, "sweep.svg");
    for loss in ["squared", "logistic"] {
        for pure in [true, false] {
            let here: Vec<&Row> = rows
                .iter()
                .filter(|row| row.part == Part::Sweep && row.variant == loss && row.pure() == pure)
                .collect();
            let _ = writeln!(page, "<h4>{loss} loss, {} = 1</h4>", if pure { "ε" } else { "μ" });
            list(page, findings::sweep(&here).into_iter());
        }
    }
}

fn figure(page: &mut String, figures: &[(String, String)], name: &str) {
    if let Some((_, svg)) = figures.iter().find(|(file, _)| file == name) {
        let _ = writeln!(page, "<figure>{svg}</figure>");
    }
}

fn list(page: &mut String, sentences: impl Iterator<Item = String>) {
    page.push_str("<ul>\n");
    for sentence in sentences {
        // **…** is the one mark that findings use.
        let mut text = String::new();
        for (k, piece) in escaped(&sentence).split("**").enumerate() {
            text.push_str(if k == 0 {
                ""
            } else if k % 2 == 1 {
                "<b>"
            } else {
                "</b>"
            });
            text.push_str(piece);
        }
        let _ = writeln!(page, "<li>{text}</li>");
    }
    page.push_str("</ul>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
