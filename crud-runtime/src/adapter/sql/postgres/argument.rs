//! Values as statements bind them, in the protocol's binary forms.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use sqlx::Postgres;
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};

use super::numeric;
use super::types::Type;
use crate::value::Value;

/// One value of a type, or a list of them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::adapter::sql) enum Argument {
    One(Type, Value),
    Many(Type, Vec<Value>),
}

impl Argument {
    /// A list of values of one type, each an argument by itself so far.
    pub(super) fn list(of: Type, arguments: impl IntoIterator<Item = Self>) -> Self {
        let values = arguments.into_iter().flat_map(|argument| match argument {
            Self::One(_, value) => vec![value],
            Self::Many(_, values) => values,
        });
        Self::Many(of, values.collect())
    }
}

impl sqlx::Type<Postgres> for Argument {
    fn type_info() -> PgTypeInfo {
        // Each argument tells its own.
        Type::Text.one()
    }
}

impl Encode<'_, Postgres> for Argument {
    fn encode_by_ref(&self, out: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match self {
            Self::One(_, Value::Null) => return Ok(IsNull::Yes),
            Self::One(of, value) => write(out, *of, value)?,
            Self::Many(of, values) => {
                // One dimension, perhaps with nulls, from index 1.
                let length = i32::try_from(values.len())?;
                for number in [1, 1, of.element().cast_signed(), length, 1] {
                    out.extend(number.to_be_bytes());
                }
                for value in values {
                    element(out, *of, value)?;
                }
            }
        }
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(match self {
            Self::One(of, _) => of.one(),
            Self::Many(of, _) => of.many(),
        })
    }
}

/// A value in a list, after its length.
fn element(out: &mut Vec<u8>, of: Type, value: &Value) -> Result<(), BoxDynError> {
    let start = out.len();
    out.extend((-1_i32).to_be_bytes());
    match value {
        Value::Null => return Ok(()),
        Value::TextList(texts) => out.extend(list_literal(texts).as_bytes()),
        value => write(out, of, value)?,
    }
    let length = i32::try_from(out.len() - start - 4)?;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

fn write(out: &mut Vec<u8>, of: Type, value: &Value) -> Result<(), BoxDynError> {
    match value {
        Value::Null => {}
        Value::Bool(v) => out.push((*v).into()),
        Value::Int(v) => out.extend(v.to_be_bytes()),
        Value::Float(v) => out.extend(v.to_be_bytes()),
        Value::Text(v) => out.extend(v.as_bytes()),
        Value::DateTime(v) => out.extend(microseconds(v.naive_utc()).to_be_bytes()),
        Value::NaiveDateTime(v) => out.extend(microseconds(*v).to_be_bytes()),
        Value::Date(v) => out.extend(i32::try_from((*v - EPOCH.date()).num_days())?.to_be_bytes()),
        Value::Time(v) => out.extend((microseconds(EPOCH.date().and_time(*v))).to_be_bytes()),
        Value::Uuid(v) => out.extend(v.as_bytes()),
        Value::Decimal(v) => numeric::write(out, *v),
        Value::Json(v) => {
            if of == Type::Json {
                out.push(JSONB_VERSION);
            }
            serde_json::to_writer(&mut *out, v)?;
        }
        Value::Bytes(v) => out.extend(v),
        Value::TextList(v) => {
            // A list without elements has no dimensions.
            let dimensions = i32::from(!v.is_empty());
            for number in [dimensions, 0, Type::Texts.element().cast_signed()] {
                out.extend(number.to_be_bytes());
            }
            if !v.is_empty() {
                out.extend(i32::try_from(v.len())?.to_be_bytes());
                out.extend(1_i32.to_be_bytes());
            }
            for text in v {
                out.extend(i32::try_from(text.len())?.to_be_bytes());
                out.extend(text.as_bytes());
            }
        }
    }
    Ok(())
}

/// What comes before the text of a `jsonb` value.
pub(super) const JSONB_VERSION: u8 = 1;

/// The time that timestamps count from.
pub(super) const EPOCH: NaiveDateTime =
    NaiveDateTime::new(NaiveDate::from_ymd_opt(2000, 1, 1).expect("a date"), NaiveTime::MIN);

/// Since the epoch, which for every year that is stored is far from the bounds. A leap second is the last
/// microsecond before it.
fn microseconds(value: NaiveDateTime) -> i64 {
    let nanoseconds = value.nanosecond().min(999_999_999);
    let value = value.with_nanosecond(nanoseconds).unwrap_or(value);
    (value - EPOCH).num_microseconds().unwrap_or_default()
}

/// A list as text: `{"one","two"}`.
pub(super) fn list_literal(texts: &[String]) -> String {
    let mut literal = String::from("{");
    for (position, text) in texts.iter().enumerate() {
        literal.push_str(if position == 0 { "\"" } else { ",\"" });
        for character in text.chars() {
            if matches!(character, '"' | '\\') {
                literal.push('\\');
            }
            literal.push(character);
        }
        literal.push('"');
    }
    literal.push('}');
    literal
}

#[cfg(test)]
mod tests {
    use super::list_literal;

    #[test]
    fn texts_in_a_list_are_quoted() {
        let texts = ["a, b", "\"\\", "", "null"].map(str::to_owned);
        assert_eq!(list_literal(&texts), r#"{"a, b","\"\\","","null"}"#);
        assert_eq!(list_literal(&[]), "{}");
    }
}
