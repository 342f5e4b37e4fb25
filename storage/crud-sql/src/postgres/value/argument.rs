//! Values as statements bind them, in the protocol's binary forms.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use sqlx::Postgres;
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};

use crate::model::value::Value;
use crate::postgres::value::numeric;
use crate::postgres::value::types::{Type, oid};

/// One value of a type, or a list of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    One(Type, Value),
    Many(List),
}

/// Values of one type in the protocol's binary form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List {
    of: Type,
    length: usize,
    /// The elements, each after its length.
    elements: Vec<u8>,
}

impl List {
    /// An empty list with room for this number of values.
    pub(in crate::postgres) fn new(of: Type, values: usize) -> Self {
        Self { of, length: 0, elements: Vec::with_capacity(values * (size_of::<i32>() + size_of::<i64>())) }
    }

    /// Appends a value.
    pub(in crate::postgres) fn push(&mut self, value: &Value) {
        self.length += 1;
        element(&mut self.elements, self.of, value);
    }

    /// Appends the list in the protocol's form: one dimension that may contain nulls, with indexes from 1.
    fn write(&self, out: &mut Vec<u8>) {
        for number in [1, 1, self.of.element().cast_signed(), size(self.length), 1] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(&self.elements);
    }
}

impl Argument {
    /// See [`Dialect::cast`](crate::dialect::Dialect::cast). A list of lists needs no cast here: its elements are
    /// texts, which are cast where they are taken out.
    pub(in crate::postgres) const fn cast(&self) -> Option<(&'static str, bool)> {
        match self {
            Self::One(Type::Other(sql_type) | Type::OtherTexts(sql_type), _) => Some((sql_type, false)),
            Self::Many(List { of: Type::Other(sql_type), .. }) => Some((sql_type, true)),
            _ => None,
        }
    }

    /// The OID of the argument's type.
    const fn oid(&self) -> u32 {
        match self {
            Self::One(of, _) => of.oids().0,
            Self::Many(list) => list.of.oids().1,
        }
    }
}

impl sqlx::Type<Postgres> for Argument {
    fn type_info() -> PgTypeInfo {
        // Unused: each argument reports its own type.
        PgTypeInfo::with_oid(Oid(oid::TEXT))
    }
}

impl Encode<'_, Postgres> for Argument {
    fn encode_by_ref(&self, out: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match self {
            Self::One(_, Value::Null | Value::Default) => return Ok(IsNull::Yes),
            Self::One(of, value) => write(out, *of, value),
            Self::Many(list) => list.write(out),
        }
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(PgTypeInfo::with_oid(Oid(self.oid())))
    }

    fn size_hint(&self) -> usize {
        match self {
            Self::One(_, Value::Text(v) | Value::JsonText(v)) => v.len(),
            Self::One(..) => size_of::<i64>(),
            Self::Many(list) => list.elements.len(),
        }
    }
}

/// A size in the protocol's form. The driver refuses an argument that contains a larger one.
fn size(size: usize) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}

/// Appends an element of a list, after its length.
fn element(out: &mut Vec<u8>, of: Type, value: &Value) {
    let start = out.len();
    out.extend_from_slice(&(-1_i32).to_be_bytes());
    match value {
        Value::Null | Value::Default => return,
        Value::TextList(texts) => out.extend_from_slice(list_literal(texts).as_bytes()),
        Value::List(values) => out.extend_from_slice(list_literal(&texts(values)).as_bytes()),
        value => write(out, of, value),
    }
    let length = size(out.len() - start - 4);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Appends a value in the binary form of a type.
pub(in crate::postgres) fn write(out: &mut Vec<u8>, of: Type, value: &Value) {
    match value {
        Value::Null | Value::Default => {}
        Value::Bool(v) => out.push((*v).into()),
        Value::Int(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Float(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Text(v) => out.extend_from_slice(v.as_bytes()),
        Value::DateTime(v) => out.extend_from_slice(&microseconds(v.naive_utc()).to_be_bytes()),
        Value::NaiveDateTime(v) => out.extend_from_slice(&microseconds(*v).to_be_bytes()),
        Value::Date(v) => out.extend_from_slice(&days(*v).to_be_bytes()),
        Value::Time(v) => out.extend_from_slice(&microseconds(EPOCH.date().and_time(*v)).to_be_bytes()),
        Value::Uuid(v) => out.extend_from_slice(v.as_bytes()),
        Value::Decimal(v) => numeric::write(out, *v),
        Value::Json(v) => {
            json(out, of);
            // Neither writing to memory nor serializing a JSON value can fail.
            drop(serde_json::to_writer(out, v));
        }
        Value::JsonText(v) => {
            json(out, of);
            out.extend_from_slice(v.as_bytes());
        }
        Value::Bytes(v) => out.extend_from_slice(v),
        Value::List(v) => {
            let element_type = if let Type::List(item) = of { Type::of_kind(item) } else { Type::Text };
            array_head(out, element_type, v.len());
            for value in v {
                element(out, element_type, value);
            }
        }
        Value::TextList(v) => {
            array_head(out, Type::Text, v.len());
            for text in v {
                out.extend_from_slice(&size(text.len()).to_be_bytes());
                out.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// Appends the header of a list with this number of elements, none of them null. An empty list has no dimensions.
fn array_head(out: &mut Vec<u8>, of: Type, length: usize) {
    for number in [i32::from(length > 0), 0, of.element().cast_signed()] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    if length > 0 {
        out.extend_from_slice(&size(length).to_be_bytes());
        out.extend_from_slice(&1_i32.to_be_bytes());
    }
}

/// Appends the prefix of a JSON value's text.
fn json(out: &mut Vec<u8>, of: Type) {
    if of == Type::Json {
        out.push(JSONB_VERSION);
    }
}

/// The prefix of the text of a `jsonb` value: its version.
pub(in crate::postgres) const JSONB_VERSION: u8 = 1;

/// The time that timestamps count from.
pub(in crate::postgres) const EPOCH: NaiveDateTime =
    NaiveDateTime::new(NaiveDate::from_ymd_opt(2000, 1, 1).expect("a date"), NaiveTime::MIN);

/// Microseconds since the epoch, which cannot overflow for any storable year. A leap second becomes the last
/// microsecond before it.
fn microseconds(value: NaiveDateTime) -> i64 {
    let nanoseconds = value.nanosecond().min(999_999_999);
    let value = value.with_nanosecond(nanoseconds).unwrap_or(value);
    (value - EPOCH).num_microseconds().unwrap_or_default()
}

/// Days since the epoch, which cannot overflow for any date.
fn days(value: NaiveDate) -> i32 {
    i32::try_from((value - EPOCH.date()).num_days()).unwrap_or_default()
}

/// The texts of a list's values, as PostgreSQL reads them.
pub(in crate::postgres) fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(Value::to_string).collect()
}

/// A list as text: `{"one","two"}`.
pub(in crate::postgres) fn list_literal(texts: &[String]) -> String {
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
    use super::{List, Type, Value, list_literal};

    #[test]
    fn a_list_has_its_length_and_that_of_each_value() {
        let mut list = List::new(Type::Text, 0);
        for value in [Value::Null, Value::Text("ab".to_owned())] {
            list.push(&value);
        }
        let mut out = Vec::new();
        list.write(&mut out);
        // The numbers: dimensions, whether there are nulls, the element type, the length, the first index; then the
        // elements.
        let numbers: [i32; 7] = [1, 1, 25, 2, 1, -1, 2];
        let expected: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).chain(*b"ab").collect();
        assert_eq!(out, expected);
    }

    #[test]
    fn json_that_can_be_compared_says_its_version() {
        let written = |of| {
            let mut list = List::new(of, 0);
            list.push(&Value::JsonText("{}".to_owned()));
            list.elements
        };
        assert_eq!(written(Type::Json), b"\0\0\0\x03\x01{}");
        assert_eq!(written(Type::JsonText), b"\0\0\0\x02{}");
    }

    #[test]
    fn texts_in_a_list_are_quoted() {
        let texts = ["a, b", "\"\\", "", "null"].map(str::to_owned);
        assert_eq!(list_literal(&texts), r#"{"a, b","\"\\","","null"}"#);
        assert_eq!(list_literal(&[]), "{}");
    }
}
