//! Lists of numbers, dates and the like as JSON: in bodies, and in storage that keeps them as text.

use serde_json::Value as Json;

use super::column::Column as _;
use super::column_error::ColumnError;
use super::descriptor::ColumnDescriptor;
use super::json::write_value;
use super::scalar;
use super::text;
use super::value::{Kind, Value, ValueRef};

/// The descriptor of a list's items: the column's, with their kind.
pub fn item_column(column: &ColumnDescriptor) -> ColumnDescriptor {
    let kind = if let Kind::List(kind) = column.kind { *kind } else { column.kind };
    ColumnDescriptor { kind, nullable: false, ..*column }
}

/// An item of a list from its JSON.
///
/// # Errors
/// When the JSON is not a value of the item's kind; the message states the legal form.
pub fn item(item: &ColumnDescriptor, json: &Json) -> Result<Value, ColumnError> {
    let wrong = || ColumnError::new(scalar::json_form(item.kind));
    match (item.kind, json) {
        (Kind::Bool, Json::Bool(value)) => Ok(Value::Bool(*value)),
        (kind @ (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32), Json::Number(number)) => {
            let whole = number.as_i64().or_else(|| number.as_f64().and_then(whole));
            match whole {
                Some(value) if kind.has_integer(value) => Ok(Value::Int(value)),
                None if number.as_f64().is_some_and(|value| value.fract() != 0.0) => Err(wrong()),
                _ => Err(scalar::out_of_range(kind)),
            }
        }
        (kind @ (Kind::F32 | Kind::F64), Json::Number(number)) => {
            scalar::fit_float(kind, number.as_f64().ok_or_else(wrong)?).map(Value::Float)
        }
        (Kind::DateTime, Json::String(text)) => text::parse_date_time(text).map(Value::DateTime),
        (Kind::Date, Json::String(text)) => text::parse_date(text).map(Value::Date),
        (Kind::Time, Json::String(text)) => text::parse_time(text).map(Value::Time),
        (Kind::NaiveDateTime, Json::String(text)) => text::parse_naive_date_time(text).map(Value::NaiveDateTime),
        (Kind::Uuid, Json::String(text)) => text::parse_uuid(text).map(Value::Uuid),
        (Kind::Decimal, Json::String(text)) => scalar::decimal(item, text).map(Value::Decimal),
        _ => Err(wrong()),
    }
}

/// A whole number below 2^53: from there on a double is no longer exact.
#[allow(clippy::cast_possible_truncation)] // It is whole, and small enough.
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0).then_some(value as i64)
}

/// The items of a stored list from its JSON text; decimals have the digits of the text.
///
/// # Errors
/// When the text is not a list of values of the kind.
pub fn owned(kind: Kind, text: &str) -> Result<Vec<Value>, ColumnError> {
    let of = ColumnDescriptor { kind, ..i64::TYPE.column("", "") };
    let read = |json: &Json| match (kind, json) {
        (Kind::Decimal, Json::String(text)) => {
            text.parse().map(Value::Decimal).map_err(|_| ColumnError::new("must be a decimal number"))
        }
        _ => item(&of, json),
    };
    array(text)?.iter().map(read).collect()
}

fn array(text: &str) -> Result<Vec<Json>, ColumnError> {
    serde_json::from_str(text).map_err(|error| ColumnError::new(format!("must be a JSON array: {error}")))
}

/// A stored list as its JSON text, which answers contain unchanged.
///
/// # Errors
/// When the text is not a list of the column's items, or an item is not spelled as in answers.
pub fn stored<'r>(column: &ColumnDescriptor, text: &'r str) -> Result<ValueRef<'r>, ColumnError> {
    let of = item_column(column);
    for json in &array(text)? {
        let value = item(&of, json)?;
        if let Json::String(text) = json
            && value.to_string() != *text
        {
            return Err(ColumnError::new(format!("must not have the item {text:?}")));
        }
    }
    Ok(ValueRef::JsonText(text))
}

/// The JSON text of a list.
pub fn text_of(column: &ColumnDescriptor, values: &[Value]) -> String {
    let mut out = Vec::new();
    write_value(&mut out, column, ValueRef::List(values));
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_items_have_the_spelling_of_answers() {
        let days = Vec::<chrono::NaiveDate>::TYPE.column("days", "\"days\":");
        assert!(stored(&days, r#"["2021-01-31"]"#).is_ok());
        assert!(stored(&days, r#"["2021-1-31"]"#).is_err());
        let numbers = Vec::<i16>::TYPE.column("numbers", "\"numbers\":");
        assert!(stored(&numbers, "[1, 2]").is_ok());
        for text in ["[32768]", "[null]", "[1.5]", "1", "[", "[\"1\"]"] {
            assert!(stored(&numbers, text).is_err(), "{text}");
        }
        assert_eq!(owned(Kind::I16, "[1, 2.0]"), Ok(vec![Value::Int(1), Value::Int(2)]));
        assert_eq!(text_of(&numbers, &[Value::Int(1), Value::Int(2)]), "[1,2]");
    }
}
