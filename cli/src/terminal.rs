//! Standard output and standard error: quiet when a pipe closes, plain when they are not a terminal.

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::Output { path: PathBuf::from("standard output"), error }),
    }
}

/// Writes a value as JSON to standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Says on standard error why a command stops. If even that fails, there is no one to tell.
pub(crate) fn complain(failure: &Failure) {
    if !matches!(failure, Failure::Closed) {
        let label = styled("error", "1;31", is_plain(io::stderr().is_terminal()));
        let _ = writeln!(io::stderr(), "{label}: {failure}");
    }
}

/// Says something on standard error that the user must know.
pub(crate) fn warn(text: &str) {
    let label = styled("warning", "1;33", is_plain(io::stderr().is_terminal()));
    let _ = writeln!(io::stderr(), "{label}: {text}");
}

/// A heading or a verdict on standard output.
pub(crate) fn bold(text: &str) -> String {
    styled(text, "1", is_plain(io::stdout().is_terminal()))
}

fn styled(text: &str, code: &str, plain: bool) -> String {
    if plain { text.to_owned() } else { format!("\x1b[{code}m{text}\x1b[0m") }
}

/// <https://no-color.org>: any value but the empty one.
fn is_plain(terminal: bool) -> bool {
    !terminal
        || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// A spinner on standard error while something runs; nothing if that is no terminal.
///
/// It has no length and no count: those of a fit depend on the records.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    pub(crate) fn start(message: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(message.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A stage of a command: a spinner on a terminal, one line on standard error otherwise.
///
/// Which stages there are, and their order, is the same for all records. How long one takes is not protected.
pub(crate) struct Stage(Option<Spinner>);

impl Stage {
    pub(crate) fn begin(what: &str) -> Self {
        if io::stderr().is_terminal() {
            return Self(Some(Spinner::start(what)));
        }
        let _ = writeln!(io::stderr(), "asap: {what}");
        Self(None)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Cleared before whatever is said next.
        drop(self.0.take());
    }
}

/// A table of left-aligned columns, two spaces apart.
pub(crate) fn table(rows: &[impl AsRef<[String]>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.as_ref().iter().enumerate() {
            let padding = width(column).saturating_sub(cell.chars().count()) + 2;
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', padding));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number with about six significant digits.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&x.abs()) {
        let digits = (5 - exponent(x)).clamp(0, 8);
        let fixed = format!("{x:.digits$}", digits = usize::try_from(digits).unwrap_or(0));
        if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() } else { fixed }
    } else {
        format!("{x:.4e}")
    }
}

/// ⌊log₁₀|x|⌋ of a number of ordinary size.
#[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite f64 is below 309")]
fn exponent(x: f64) -> i32 {
    x.abs().log10().floor() as i32
}

/// Lines of at most 140 characters.
pub(crate) fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let long = word.chars().count();
        let between = if length == 0 {
            ""
        } else if length + long > 140 {
            length = 0;
            "\n"
        } else {
            " "
        };
        lines += between;
        lines += word;
        length += long + 1;
    }
    lines + "\n"
}
