//! Validation: the rules of a column, asked of a value.

use std::fmt::Display;

use regex::Regex;
use rust_decimal::Decimal;

use super::column_error::ColumnError;
use super::descriptor::{ColumnDescriptor, Descriptor, Literal, Rule};
use super::scalar;
use super::value::{Value, ValueRef};

/// A resource's patterns, compiled once when the service is put together.
#[derive(Debug)]
pub(crate) struct Patterns {
    /// By column and by the position of the rule among the column's.
    compiled: Vec<(usize, usize, Regex)>,
}

impl Patterns {
    /// Compiles the patterns of a resource.
    ///
    /// # Errors
    /// When one does not compile. The derive has checked those it emits.
    pub(crate) fn compile(resource: &Descriptor) -> Result<Self, regex::Error> {
        let mut compiled = Vec::new();
        for (index, column) in resource.columns.iter().enumerate() {
            for (position, rule) in column.rules.iter().enumerate() {
                if let Rule::Pattern(pattern) = rule {
                    compiled.push((index, position, Regex::new(pattern)?));
                }
            }
        }
        Ok(Self { compiled })
    }

    fn get(&self, column: usize, rule: usize) -> Option<&Regex> {
        self.compiled.iter().find(|(c, r, _)| (*c, *r) == (column, rule)).map(|(_, _, regex)| regex)
    }
}

/// What is wrong with a value: the kind of mistake and a phrase that goes on from the field's name.
pub(crate) type Violation = (&'static str, String);

/// Asks the column's type and rules of a value and hands each violation to `report`. Null violates nothing.
pub(crate) fn check(
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
    if let Some(Err(error)) = column.check.map(|check| check(value.borrow())) {
        report(("type", error.message().to_owned()));
    }
    for (position, rule) in column.rules.iter().enumerate() {
        let result = match rule {
            Rule::Pattern(pattern) => match patterns.get(index, position) {
                Some(regex) => matches(value, "pattern", || format!("must match `{pattern}`"), |v| regex.is_match(v)),
                None => Ok(()),
            },
            rule => satisfies(*rule, value),
        };
        if let Err(violation) = result {
            report(violation);
        }
    }
}

fn satisfies(rule: Rule, value: &Value) -> Result<(), Violation> {
    match rule {
        Rule::Min(least) if is_less(value, least) => Err(("min", format!("must be at least {}", shown(least)))),
        Rule::Max(most) if is_greater(value, most) => Err(("max", format!("must be at most {}", shown(most)))),
        Rule::MinLength(least) => match length(value) {
            Some((length, unit)) if length < least => {
                Err(("min_length", format!("must have at least {}", counted(least, unit))))
            }
            _ => Ok(()),
        },
        Rule::MaxLength(most) => match length(value) {
            Some((length, unit)) if length > most => {
                Err(("max_length", format!("must have at most {}", counted(most, unit))))
            }
            _ => Ok(()),
        },
        Rule::Email => matches(value, "email", || "must be an e-mail address".to_owned(), is_email),
        Rule::Url => matches(value, "url", || "must be an absolute URL".to_owned(), is_url),
        Rule::OneOf(choices) if !choices.iter().any(|choice| equals(value, *choice)) => {
            let texts: Vec<String> = choices.iter().map(|choice| shown(*choice)).collect();
            let legal = scalar::listed(texts.iter().map(String::as_str));
            Err(("one_of", format!("must be one of {legal}")))
        }
        Rule::Custom(check) => check(value.borrow()).map_err(|message| ("custom", message)),
        Rule::Min(_) | Rule::Max(_) | Rule::OneOf(_) | Rule::Pattern(_) => Ok(()),
    }
}

fn matches(
    value: &Value,
    code: &'static str,
    message: impl FnOnce() -> String,
    test: impl FnOnce(&str) -> bool,
) -> Result<(), Violation> {
    match value {
        Value::Text(text) if !test(text) => Err((code, message())),
        _ => Ok(()),
    }
}

fn is_email(text: &str) -> bool {
    let options = email_address::Options::default().without_display_text().without_domain_literal();
    email_address::EmailAddress::parse_with_options(text, options).is_ok()
}

/// Absolute, and written without white space or control characters, which URL parsers drop silently.
fn is_url(text: &str) -> bool {
    text.chars().all(|c| !c.is_whitespace() && !c.is_control()) && url::Url::parse(text).is_ok()
}

fn is_less(value: &Value, bound: Literal) -> bool {
    compare(value, bound) == Some(std::cmp::Ordering::Less)
}

fn is_greater(value: &Value, bound: Literal) -> bool {
    compare(value, bound) == Some(std::cmp::Ordering::Greater)
}

fn equals(value: &Value, choice: Literal) -> bool {
    compare(value, choice) == Some(std::cmp::Ordering::Equal)
}

/// Compares a value with a literal of its own type; integers with integers, so that no digit is lost.
fn compare(value: &Value, literal: Literal) -> Option<std::cmp::Ordering> {
    match (value, literal) {
        (Value::Int(value), Literal::Int(literal)) => Some(value.cmp(&literal)),
        #[allow(clippy::cast_precision_loss)] // A bound with a fraction is far from where that matters.
        (Value::Int(value), Literal::Float(literal)) => (*value as f64).partial_cmp(&literal),
        #[allow(clippy::cast_precision_loss)] // A float cannot be nearer to the bound than this.
        (Value::Float(value), Literal::Int(literal)) => value.partial_cmp(&(literal as f64)),
        (Value::Float(value), Literal::Float(literal)) => value.partial_cmp(&literal),
        (Value::Decimal(value), Literal::Int(literal)) => Some(value.cmp(&Decimal::from(literal))),
        // Through the text, which is what the attribute says: 0.1 means one tenth.
        (Value::Decimal(value), Literal::Float(literal)) => {
            literal.to_string().parse::<Decimal>().ok().map(|literal| value.cmp(&literal))
        }
        (Value::Text(value), Literal::Text(literal)) => Some(value.as_str().cmp(literal)),
        _ => None,
    }
}

/// The length that length rules mean, and its unit.
fn length(value: &Value) -> Option<(usize, &'static str)> {
    match value {
        Value::Text(text) => Some((text.chars().count(), "character")),
        Value::Bytes(bytes) => Some((bytes.len(), "byte")),
        Value::TextList(items) => Some((items.len(), "item")),
        _ => None,
    }
}

fn counted(count: usize, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

fn shown(literal: Literal) -> String {
    fn text(value: impl Display) -> String {
        value.to_string()
    }
    match literal {
        Literal::Int(value) => text(value),
        Literal::Float(value) => text(value),
        Literal::Text(value) => text(value),
    }
}

/// Asks a kind's own rules of a value that did not come through JSON: a typed one.
pub(crate) fn check_kind(column: &ColumnDescriptor, value: &Value) -> Result<(), ColumnError> {
    match value {
        Value::Text(text) => scalar::plain_text(text),
        Value::TextList(texts) => texts.iter().try_for_each(|text| scalar::plain_text(text)),
        Value::Float(number) => scalar::fit_float(column.kind, *number).map(drop),
        Value::Decimal(number) => scalar::decimal(column, &number.to_string()).map(drop),
        Value::Json(json) => plain_json(json),
        value => in_range(column, value.borrow()),
    }
}

fn in_range(column: &ColumnDescriptor, value: ValueRef<'_>) -> Result<(), ColumnError> {
    match (value, column.kind.integer_range()) {
        (ValueRef::Int(value), Some((least, most))) if !(least..=most).contains(&value) => {
            Err(scalar::out_of_range(column.kind))
        }
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
