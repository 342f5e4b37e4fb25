//! [`Key`]: the values of a record's key; [`RecordKey`]: their types in Rust.

use std::fmt;

use super::adapter_error::AdapterError;
use super::column::Column;
use super::column_error::ColumnError;
use super::descriptor::Descriptor;
use super::path_segment::{encoded, write_encoded};
use super::row::Row;
use super::scalar;
use super::stored_value::stored_value;
use super::value::Value;

/// The key of a record: a value, or one of each column of a composite key.
///
/// As text, a single value is written as it is. The values of a composite key are percent-encoded, with commas between
/// them, as in paths and in the audit log.
///
/// ```
/// use crud_runtime::adapter::Key;
/// use crud_runtime::column::Value;
///
/// let text = |text: &str| Value::Text(text.to_owned());
/// assert_eq!(Key::from(text("a/b")).to_string(), "a/b");
/// assert_eq!(Key::composite(vec![text("a/b,c"), Value::Int(3)]).to_string(), "a%2Fb%2Cc,3");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Key(Parts);

/// A single value is inline: a request for one record allocates nothing for its key.
#[derive(Debug, Clone, PartialEq)]
enum Parts {
    One(Value),
    Several(Box<[Value]>),
}

impl From<Value> for Key {
    fn from(value: Value) -> Self {
        Self(Parts::One(value))
    }
}

impl Key {
    /// The key of these values, in the order of the resource's [`Descriptor::key`].
    pub fn composite(mut values: Vec<Value>) -> Self {
        match values.len() {
            1 => Self(Parts::One(values.remove(0))),
            _ => Self(Parts::Several(values.into_boxed_slice())),
        }
    }

    /// The key of a record that has a value of each column.
    pub fn of(resource: &Descriptor, record: &[Value]) -> Self {
        match resource.key() {
            [column] => Self(Parts::One(record[*column].clone())),
            columns => Self(Parts::Several(columns.iter().map(|column| record[*column].clone()).collect())),
        }
    }

    /// The key of a stored record.
    ///
    /// # Errors
    /// Errors of reading the row.
    pub fn of_row(resource: &Descriptor, row: &dyn Row) -> Result<Self, AdapterError> {
        let value = |column: &usize| stored_value(resource, *column, row);
        Ok(match resource.key() {
            [column] => Self(Parts::One(value(column)?)),
            columns => Self(Parts::Several(columns.iter().map(value).collect::<Result<_, _>>()?)),
        })
    }

    /// Reads the key of a resource from its text, as [`Display`](fmt::Display) writes it.
    ///
    /// # Errors
    /// When the text is not a key of the resource; the message states the legal form.
    #[doc(hidden)]
    pub fn parse(resource: &Descriptor, text: &str) -> Result<Self, ColumnError> {
        Self::parse_by(resource, text, scalar::parse)
    }

    /// Reads the key of a stored record from its text: unlike in [`parse`](Self::parse), an enum may have a text that
    /// no variant has.
    ///
    /// # Errors
    /// Errors of [`parse`](Self::parse).
    #[doc(hidden)]
    pub fn parse_stored(resource: &Descriptor, text: &str) -> Result<Self, ColumnError> {
        Self::parse_by(resource, text, scalar::parse_stored)
    }

    fn parse_by(
        resource: &Descriptor,
        text: &str,
        parse: fn(&super::descriptor::ColumnDescriptor, &str) -> Result<Value, ColumnError>,
    ) -> Result<Self, ColumnError> {
        let columns = resource.key();
        if let [column] = columns {
            return parse(&resource.columns[*column], text).map(Self::from);
        }
        let mut values = Vec::with_capacity(columns.len());
        let mut parts = text.split(',');
        for column in columns {
            let column = &resource.columns[*column];
            let part = parts.next().ok_or_else(|| ColumnError::new(format!("must be `{}`", resource.key_names())))?;
            let part = decoded(part).ok_or_else(|| ColumnError::new("must be percent-encoded UTF-8"))?;
            let value = parse(column, &part)
                .map_err(|error| ColumnError::new(format!("{}: {}", column.json, error.message())))?;
            values.push(value);
        }
        if parts.next().is_some() {
            let legal = format!("must be `{}`, with a comma inside of a part as `%2C`", resource.key_names());
            return Err(ColumnError::new(legal));
        }
        Ok(Self::composite(values))
    }

    /// The values, in the order of [`Descriptor::key`].
    pub fn values(&self) -> &[Value] {
        match &self.0 {
            Parts::One(value) => std::slice::from_ref(value),
            Parts::Several(values) => values,
        }
    }

    /// The values, owned.
    pub fn into_values(self) -> Vec<Value> {
        match self.0 {
            Parts::One(value) => vec![value],
            Parts::Several(values) => values.into_vec(),
        }
    }

    /// The value of a key of one column.
    pub fn single(&self) -> Option<&Value> {
        match &self.0 {
            Parts::One(value) => Some(value),
            Parts::Several(_) => None,
        }
    }

    /// Text by which storage finds this key's record among several: equal decimals have the same text, whatever their
    /// digits.
    #[doc(hidden)]
    pub fn lookup(&self) -> String {
        let is_decimal = |value: &Value| matches!(value, Value::Decimal(_));
        if !self.values().iter().any(is_decimal) {
            return self.to_string();
        }
        let normal = |value: &Value| match value {
            Value::Decimal(decimal) => Value::Decimal(decimal.normalize()),
            other => other.clone(),
        };
        Self::composite(self.values().iter().map(normal).collect()).to_string()
    }

    /// The key as a segment of a path: `a%2Fb`.
    ///
    /// ```
    /// use crud_runtime::adapter::Key;
    /// use crud_runtime::column::Value;
    ///
    /// assert_eq!(Key::from(Value::Text("a/b".to_owned())).segment(), "a%2Fb");
    /// ```
    pub fn segment(&self) -> String {
        match self.single() {
            Some(Value::Int(number)) => number.to_string(),
            Some(value) => encoded(&value.to_string()),
            // The values of a composite key are encoded already.
            None => self.to_string(),
        }
    }

    /// Whether storage has to assign the key: a value is null.
    pub fn is_null(&self) -> bool {
        self.values().iter().any(Value::is_null)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Parts::One(value) => value.fmt(f),
            Parts::Several(values) => {
                for (position, value) in values.iter().enumerate() {
                    if position > 0 {
                        f.write_str(",")?;
                    }
                    match value {
                        Value::Int(number) => number.fmt(f)?,
                        value => write_encoded(f, &value.to_string())?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// Decodes a percent-encoded text; `None` where the result is not UTF-8, or a `%` does not begin an encoded byte.
fn decoded(text: &str) -> Option<std::borrow::Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digit = |digit: u8| char::from(digit).to_digit(16);
        bytes.push(u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok().map(Into::into)
}

/// A type of keys: the type of the key's field, or for a composite key, a tuple of its fields' types.
#[diagnostic::on_unimplemented(
    message = "expected the type of a key, found `{Self}`",
    note = "a key is one field, or a tuple of two to six"
)]
pub trait RecordKey: Sized + Clone + Send + Sync + 'static {
    /// Converts to the values of the key.
    fn into_key(self) -> Key;

    /// Converts from the values of a key.
    ///
    /// # Errors
    /// When a value does not fit its field's type.
    fn from_key(key: &Key) -> Result<Self, ColumnError>;
}

#[diagnostic::do_not_recommend]
impl<T: Column + Clone> RecordKey for T {
    fn into_key(self) -> Key {
        self.into_value().into()
    }

    fn from_key(key: &Key) -> Result<Self, ColumnError> {
        match key.values() {
            [value] => T::from_value(value.borrow()),
            _ => Err(ColumnError::new("must be one value")),
        }
    }
}

/// Key type of records that have no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoKey(());

impl NoKey {
    /// The key of every record without one; named by expansions.
    #[doc(hidden)]
    pub const NONE: Self = Self(());
}

impl RecordKey for NoKey {
    fn into_key(self) -> Key {
        Key::composite(Vec::new())
    }

    fn from_key(_: &Key) -> Result<Self, ColumnError> {
        Ok(Self(()))
    }
}

macro_rules! composite {
    ($($name:ident)+) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: Column + Clone),+> RecordKey for ($($name,)+) {
            #[allow(non_snake_case, reason = "a value is named as its type")]
            fn into_key(self) -> Key {
                let ($($name,)+) = self;
                Key::composite(vec![$($name.into_value()),+])
            }

            fn from_key(key: &Key) -> Result<Self, ColumnError> {
                let mut values = key.values().iter();
                let mut next = || values.next().ok_or_else(|| ColumnError::new("must have a value of each field"));
                Ok(($($name::from_value(next()?.borrow())?,)+))
            }
        }
    };
}

composite!(A B);
composite!(A B C);
composite!(A B C D);
composite!(A B C D E);
composite!(A B C D E F);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::descriptor::{ColumnDescriptor, Role};

    const LINE: Descriptor = Descriptor::new(
        "Line",
        "core",
        "/lines",
        "lines",
        &[
            ColumnDescriptor::new::<i64>("order_id", "order_id", "\"order_id\":", "order_id").role(Role::Id),
            ColumnDescriptor::new::<String>("code", "code", "\"code\":", "code").role(Role::Id),
        ],
        0,
    )
    .composite(&[0, 1]);

    fn key(order: i64, code: &str) -> Key {
        Key::composite(vec![Value::Int(order), Value::Text(code.to_owned())])
    }

    #[test]
    fn a_text_is_read_as_it_is_written() {
        for code in ["a", "a,b", "a/b", "%2C", "ä €", "", "2026-01-01T00:00:00Z", "a%", ".."] {
            let key = key(-7, code);
            assert_eq!(Key::parse(&LINE, &key.to_string()), Ok(key), "{code}");
        }
    }

    #[test]
    fn another_number_of_parts_is_refused() {
        assert_eq!(Key::parse(&LINE, "7").unwrap_err().message(), "must be `order_id,code`");
        assert!(Key::parse(&LINE, "7,a,b").unwrap_err().message().contains("%2C"));
        assert_eq!(Key::parse(&LINE, "x,a").unwrap_err().message(), "order_id: must be an integer");
        for malformed in ["7,%", "7,%2", "7,%zz", "7,%ff"] {
            assert!(Key::parse(&LINE, malformed).is_err(), "{malformed}");
        }
    }

    #[test]
    fn a_tuple_is_a_key() {
        let typed = (7_i64, "a,b".to_owned());
        assert_eq!(typed.clone().into_key(), key(7, "a,b"));
        assert_eq!(<(i64, String)>::from_key(&key(7, "a,b")), Ok(typed));
        assert!(i64::from_key(&key(7, "a")).is_err());
    }
}
