//! Validation: a value against its column's rules.

use std::cmp::Ordering;

use crud_shared::email::is_address;
use regex::Regex;
use rust_decimal::Decimal;

use super::column_error::ColumnError;
use super::descriptor::{ColumnDescriptor, Descriptor, Literal, Rule};
use super::list_text::item_column;
use super::problem::FieldError;
use super::scalar;
use super::value::{Value, is_same};

/// A resource's patterns, compiled once at start, and the length limit of its texts.
#[derive(Debug)]
pub struct Patterns {
    /// Each pattern with the index of its column and its position among the column's rules.
    compiled: Vec<(usize, usize, Regex)>,
    /// Maximum number of characters in a text whose field does not bound it.
    text_limit: usize,
}

/// Maximum number of characters in a text whose field does not bound it.
pub const TEXT_LIMIT: usize = 65_536;

impl Patterns {
    /// Compiles the patterns of a resource.
    ///
    /// # Errors
    /// When a pattern does not compile. The derive has checked those it emits.
    pub fn compile(resource: &Descriptor) -> Result<Self, regex::Error> {
        let mut compiled = Vec::new();
        for (index, column) in resource.columns.iter().enumerate() {
            for (position, rule) in column.rules.iter().enumerate() {
                if let Rule::Pattern(pattern) = rule {
                    compiled.push((index, position, Regex::new(pattern)?));
                }
            }
        }
        Ok(Self { compiled, text_limit: TEXT_LIMIT })
    }

    /// Sets the limit of texts whose field does not bound them.
    #[must_use]
    pub fn with_text_limit(self, text_limit: usize) -> Self {
        Self { text_limit, ..self }
    }

    fn get(&self, column: usize, rule: usize) -> Option<&Regex> {
        self.compiled.iter().find(|(c, r, _)| (*c, *r) == (column, rule)).map(|(_, _, regex)| regex)
    }
}

/// A rule that a value breaks.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The kind of mistake, such as `min`.
    pub code: &'static str,
    /// A phrase that continues the field's name, such as `must be at least 0`.
    pub detail: String,
    /// Rule of the column, whose bounds the error states as `params`; `None` for a check that is not a rule.
    pub rule: Option<Rule>,
    /// Unit of a length: `character`, `byte` or `item`.
    pub unit: Option<&'static str>,
}

impl Violation {
    /// A violation of a check that is not one of the column's rules.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), rule: None, unit: None }
    }

    fn of(rule: Rule, code: &'static str, detail: String) -> Self {
        Self { code, detail, rule: Some(rule), unit: None }
    }

    /// The error at a field of the body.
    pub fn at_field(self, name: &str) -> FieldError {
        let params = self.params();
        FieldError::field(name, self.code, self.detail).with_params(params)
    }

    /// The error at a parameter.
    pub fn at_parameter(self, name: &str) -> FieldError {
        let params = self.params();
        FieldError::parameter(name, self.code, self.detail).with_params(params)
    }

    fn params(&self) -> impl Iterator<Item = (&'static str, serde_json::Value)> + use<> {
        self.bound().into_iter().chain(self.unit.map(|unit| ("unit", unit.into())))
    }

    fn bound(&self) -> Option<(&'static str, serde_json::Value)> {
        match self.rule? {
            Rule::Min(least) => Some(("min", json_of(least))),
            Rule::Max(most) => Some(("max", json_of(most))),
            Rule::MinLength(least) => Some(("min", least.into())),
            Rule::MaxLength(most) => Some(("max", most.into())),
            Rule::Pattern(pattern) => Some(("pattern", pattern.into())),
            Rule::OneOf(choices) => Some(("values", choices.iter().copied().map(json_of).collect())),
            Rule::Email | Rule::Url | Rule::Custom(_) | Rule::AnyLength => None,
        }
    }
}

/// Checks a value against the column's type and rules, and passes each violation to `report`. Null violates nothing.
pub fn check(
    resource: &Descriptor,
    patterns: &Patterns,
    index: usize,
    value: &Value,
    mut report: impl FnMut(Violation),
) {
    if value.is_null() {
        return;
    }
    let column: &ColumnDescriptor = &resource.columns[index];
    if let Err(violation) = check_type(column, value) {
        report(violation);
    }
    for (position, rule) in column.rules.iter().enumerate() {
        let result = match rule {
            Rule::Pattern(pattern) => match patterns.get(index, position) {
                Some(regex) => {
                    let violation = || Violation::of(*rule, "pattern", format!("must match `{pattern}`"));
                    check_text(value, violation, |v| regex.is_match(v))
                }
                None => Ok(()),
            },
            rule => check_rule(*rule, value),
        };
        if let Err(violation) = result {
            report(violation);
        }
    }
    if column.has_text_limit()
        && let Err(violation) = check_rule(Rule::MaxLength(patterns.text_limit), value)
    {
        report(violation);
    }
}

/// Checks a value by the column's type alone. Null violates nothing.
pub fn check_type(column: &ColumnDescriptor, value: &Value) -> Result<(), Violation> {
    match column.check {
        Some(check) if !value.is_null() => {
            check(value.borrow()).map_err(|error| Violation::new("type", error.message()))
        }
        _ => Ok(()),
    }
}

/// Checks a value of a new record that a client sends: a state must be the default.
pub fn check_new(column: &ColumnDescriptor, value: &Value) -> Result<(), Violation> {
    column.initial_state().map_or(Ok(()), |initial| check_initial(&[initial], value))
}

/// Checks a value of a new record that the program's own code sets, such as a hook: a state must be one of the initial
/// ones.
pub fn check_new_of_program(column: &ColumnDescriptor, value: &Value) -> Result<(), Violation> {
    match column.initial_states() {
        states if states.is_empty() => Ok(()),
        states => check_initial(&states, value),
    }
}

fn check_initial(states: &[Value], value: &Value) -> Result<(), Violation> {
    if states.iter().any(|state| is_same(state, value)) {
        return Ok(());
    }
    let texts: Vec<String> = states.iter().map(|state| format!("`{state}`")).collect();
    Err(Violation::new("transition", format!("must be {} in a new record", texts.join(" or "))))
}

fn check_rule(rule: Rule, value: &Value) -> Result<(), Violation> {
    match rule {
        Rule::Min(least) if compare(value, least).is_some_and(Ordering::is_lt) => {
            Err(Violation::of(rule, "min", format!("must be at least {}", text_of(least))))
        }
        Rule::Max(most) if compare(value, most).is_some_and(Ordering::is_gt) => {
            Err(Violation::of(rule, "max", format!("must be at most {}", text_of(most))))
        }
        Rule::MinLength(least) => match length(value) {
            Some((length, unit)) if length < least => {
                let detail = format!("must have at least {}", counted(least, unit));
                Err(Violation { unit: Some(unit), ..Violation::of(rule, "min_length", detail) })
            }
            _ => Ok(()),
        },
        Rule::MaxLength(most) => match length(value) {
            Some((length, unit)) if length > most => {
                let detail = format!("must have at most {}", counted(most, unit));
                Err(Violation { unit: Some(unit), ..Violation::of(rule, "max_length", detail) })
            }
            _ => Ok(()),
        },
        Rule::Email => check_text(value, || Violation::new("email", "must be an e-mail address"), is_address),
        Rule::Url => check_text(value, || Violation::new("url", "must be an absolute URL"), is_url),
        Rule::OneOf(choices) if !choices.iter().any(|choice| compare(value, *choice).is_some_and(Ordering::is_eq)) => {
            let texts: Vec<String> = choices.iter().map(|choice| text_of(*choice)).collect();
            let legal = scalar::listed(texts.iter().map(String::as_str));
            Err(Violation::of(rule, "one_of", format!("must be one of {legal}")))
        }
        Rule::Custom(check) => check(value.borrow()).map_err(|message| Violation::new("custom", message)),
        Rule::Min(_) | Rule::Max(_) | Rule::OneOf(_) | Rule::Pattern(_) | Rule::AnyLength => Ok(()),
    }
}

fn check_text(
    value: &Value,
    violation: impl FnOnce() -> Violation,
    test: impl FnOnce(&str) -> bool,
) -> Result<(), Violation> {
    match value {
        Value::Text(text) if !test(text) => Err(violation()),
        _ => Ok(()),
    }
}

/// An absolute URL without white space or control characters, which URL parsers drop silently.
fn is_url(text: &str) -> bool {
    text.chars().all(|c| !c.is_whitespace() && !c.is_control()) && url::Url::parse(text).is_ok()
}

/// Compares a value with a literal of the same type. Integers are compared as integers, so that no digit is lost.
fn compare(value: &Value, literal: Literal) -> Option<Ordering> {
    match (value, literal) {
        (Value::Int(value), Literal::Int(literal)) => Some(value.cmp(&literal)),
        #[allow(clippy::cast_precision_loss)] // A bound with a fraction is below 2^53.
        (Value::Int(value), Literal::Float(literal)) => (*value as f64).partial_cmp(&literal),
        #[allow(clippy::cast_precision_loss)] // A float is as coarse as the cast.
        (Value::Float(value), Literal::Int(literal)) => value.partial_cmp(&(literal as f64)),
        (Value::Float(value), Literal::Float(literal)) => value.partial_cmp(&literal),
        (Value::Decimal(value), Literal::Int(literal)) => Some(value.cmp(&Decimal::from(literal))),
        // Compared by the text of the attribute: 0.1 means one tenth.
        (Value::Decimal(value), Literal::Float(literal)) => {
            literal.to_string().parse::<Decimal>().ok().map(|literal| value.cmp(&literal))
        }
        (Value::Text(value), Literal::Text(literal)) => Some(value.as_str().cmp(literal)),
        _ => None,
    }
}

/// The length that length rules compare, and its unit.
fn length(value: &Value) -> Option<(usize, &'static str)> {
    match value {
        Value::Text(text) => Some((text.chars().count(), "character")),
        Value::Bytes(bytes) => Some((bytes.len(), "byte")),
        Value::TextList(items) => Some((items.len(), "item")),
        Value::List(items) => Some((items.len(), "item")),
        _ => None,
    }
}

fn counted(count: usize, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

fn text_of(literal: Literal) -> String {
    match literal {
        Literal::Int(value) => value.to_string(),
        Literal::Float(value) => value.to_string(),
        Literal::Text(value) => value.to_owned(),
    }
}

fn json_of(literal: Literal) -> serde_json::Value {
    match literal {
        Literal::Int(value) => value.into(),
        Literal::Float(value) => value.into(),
        Literal::Text(value) => value.into(),
    }
}

/// Checks a typed value, which was not parsed from JSON, against the rules of its kind.
pub fn check_kind(column: &ColumnDescriptor, value: &Value) -> Result<(), ColumnError> {
    match value {
        Value::Text(text) => scalar::plain_text(text),
        Value::TextList(texts) => texts.iter().try_for_each(|text| scalar::plain_text(text)),
        Value::List(items) => items.iter().try_for_each(|item| check_kind(&item_column(column), item)),
        Value::Float(number) => scalar::fit_float(column.kind, *number).map(drop),
        Value::Decimal(number) => scalar::decimal(column, &number.to_string()).map(drop),
        Value::Json(json) => plain_json(json),
        Value::Int(number) => match column.kind.integer_range() {
            Some((least, most)) if !(least..=most).contains(number) => Err(scalar::out_of_range(column.kind)),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn plain_json(value: &serde_json::Value) -> Result<(), ColumnError> {
    match value {
        serde_json::Value::String(text) => scalar::plain_text(text),
        serde_json::Value::Array(items) => items.iter().try_for_each(plain_json),
        serde_json::Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            scalar::json_name(name)?;
            plain_json(value)
        }),
        _ => Ok(()),
    }
}
