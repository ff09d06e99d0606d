//! Which targets are the positive class. spec: `own:ranges`

use super::fields::parse_number;
use crate::input::InvalidInput;
use asap_contracts::Positive;
use core::fmt;
use core::str::FromStr;

/// The rule of the positive class: a public statement about one target, which every other target fails. spec: `own:ranges`
///
/// `>=6`, `>6`, `<=6`, `<6` and `=6` (or `6`) compare numbers; anything else is the text of the positive class. A prediction
/// is the probability that the rule holds.
///
/// ```
/// use asap_dp::data::PositiveClass;
/// let good: PositiveClass = ">=6".parse()?;
/// assert_eq!([6.0, 5.9].map(|x| good.of_number(x)), [true, false]);
/// let ill: PositiveClass = "yes".parse()?;
/// assert_eq!((ill.to_string(), ill.other()), ("yes".to_owned(), "not yes".to_owned()));
/// assert!(">=six".parse::<PositiveClass>().is_err());
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PositiveClass(Positive);

impl PositiveClass {
    /// A rule as a release records it, if it is one.
    pub fn new(rule: Positive) -> Result<Self, InvalidInput> {
        let is_rule = match &rule {
            Positive::AtLeast(x)
            | Positive::Above(x)
            | Positive::AtMost(x)
            | Positive::Below(x)
            | Positive::Equals(x) => x.is_finite(),
            Positive::Text(text) => {
                !text.is_empty() && text.trim() == text && parse_number(text.as_bytes()).is_none()
            }
        };
        if is_rule { Ok(Self(rule)) } else { Err(REFUSED) }
    }

    /// As a release records it.
    pub fn recorded(&self) -> Positive {
        self.0.clone()
    }

    /// What is shown for the class that is not positive.
    pub fn other(&self) -> String {
        format!("not {self}")
    }

    /// Whether a number is of the positive class. A number is never the text of a class.
    #[allow(clippy::float_cmp, reason = "the rule names this very number")]
    pub fn of_number(&self, x: f64) -> bool {
        match self.0 {
            Positive::AtLeast(limit) => x >= limit,
            Positive::Above(limit) => x > limit,
            Positive::AtMost(limit) => x <= limit,
            Positive::Below(limit) => x < limit,
            Positive::Equals(value) => x == value,
            Positive::Text(_) => false,
        }
    }

    /// Whether a cell is of the positive class; `None` if it is empty, or no number where numbers are compared.
    pub(super) fn of_cell(&self, cell: &[u8]) -> Option<bool> {
        match &self.0 {
            Positive::Text(text) => {
                let cell = cell.trim_ascii();
                (!cell.is_empty()).then(|| cell == text.as_bytes())
            }
            _ => parse_number(cell).map(|x| self.of_number(x)),
        }
    }
}

const REFUSED: InvalidInput = InvalidInput {
    field: "positive class",
    allowed: "a comparison with a finite number such as >=6, >6, <=6, <6 or =6, or the text of one class such as yes",
};

impl FromStr for PositiveClass {
    type Err = InvalidInput;

    fn from_str(rule: &str) -> Result<Self, InvalidInput> {
        type Comparison = fn(f64) -> Positive;
        let rule = rule.trim();
        let number = |text: &str| parse_number(text.as_bytes());
        let comparisons: [(&str, Comparison); 5] = [
            (">=", Positive::AtLeast),
            ("<=", Positive::AtMost),
            (">", Positive::Above),
            ("<", Positive::Below),
            ("=", Positive::Equals),
        ];
        let comparison =
            comparisons.into_iter().find_map(|(sign, make)| Some((rule.strip_prefix(sign)?, make)));
        Self::new(match comparison {
            Some((limit, make)) => make(number(limit).ok_or(REFUSED)?),
            None => number(rule).map_or_else(|| Positive::Text(rule.to_owned()), Positive::Equals),
        })
    }
}

impl fmt::Display for PositiveClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Positive::AtLeast(x) => write!(f, ">={x}"),
            Positive::Above(x) => write!(f, ">{x}"),
            Positive::AtMost(x) => write!(f, "<={x}"),
            Positive::Below(x) => write!(f, "<{x}"),
            Positive::Equals(x) => write!(f, "={x}"),
            Positive::Text(text) => f.write_str(text),
        }
    }
}
