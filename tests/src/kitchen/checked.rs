//! Every validation attribute.

use crud_runtime::column::{ColumnError, ComparableColumn, Kind, OrderedColumn, TextColumn, Value, ValueRef};
use crud_runtime::prelude::*;

/// A field for every check; all but the key are optional, so that a body can try one alone.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/checked")]
pub struct Checked {
    /// The key.
    pub id: i64,
    /// An integer with bounds.
    #[crud(range(min = -5, max = 10))]
    pub integer: Option<i32>,
    /// A float with bounds.
    #[crud(range(min = 0, max = 0.5))]
    pub float: Option<f64>,
    /// A decimal with bounds.
    #[crud(range(min = 0, max = 100), decimal(6, 2))]
    pub decimal: Option<Decimal>,
    /// Text with a length, in characters.
    #[crud(length(min = 2, max = 4))]
    pub text: Option<String>,
    /// Bytes with a length.
    #[crud(length(min = 1, max = 3))]
    pub bytes: Option<Vec<u8>>,
    /// A list with a length.
    #[crud(length(min = 1, max = 2))]
    pub list: Option<Vec<String>>,
    /// Text with a pattern that matches the whole of it.
    #[crud(validate(pattern = "^[A-Z]{3}-[0-9]+$"))]
    pub code: Option<String>,
    /// Text with a pattern that matches anywhere.
    #[crud(validate(pattern = "b+"))]
    pub somewhere: Option<String>,
    /// An e-mail address.
    #[crud(validate(email))]
    pub email: Option<String>,
    /// A URL.
    #[crud(validate(url))]
    pub url: Option<String>,
    /// One of some texts.
    #[crud(validate(one_of("small", "large")))]
    pub size: Option<String>,
    /// One of some integers.
    #[crud(validate(one_of(1, 2, 4)))]
    pub factor: Option<i32>,
    /// Text with a check of our own.
    #[crud(validate(custom(no_shouting)))]
    pub quiet: Option<String>,
    /// A number with a check of our own.
    #[crud(validate(custom(even)))]
    pub even: Option<i64>,
    /// Text with several checks at once.
    #[crud(length(min = 3), validate(pattern = "^[a-z]*$"))]
    pub several: Option<String>,
    /// Unique text, which has a length without saying so.
    #[crud(unique)]
    pub handle: Option<String>,
    /// A type of our own.
    pub sku: Option<Sku>,
    /// A colour.
    pub shade: Option<Shade>,
}

fn no_shouting(text: &str) -> Result<(), String> {
    if text.chars().any(char::is_uppercase) { Err("must not shout".to_owned()) } else { Ok(()) }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "a check is given a reference, whatever the type")]
fn even(number: &i64) -> Result<(), &'static str> {
    if number % 2 == 0 { Ok(()) } else { Err("must be even") }
}

/// A stock-keeping unit: text that begins with `SKU-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sku(pub String);

impl Column for Sku {
    const KIND: Kind = Kind::Text;

    fn into_value(self) -> Value {
        Value::Text(self.0)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        let text = String::from_value(value)?;
        if text.starts_with("SKU-") { Ok(Self(text)) } else { Err(ColumnError::new("must start with SKU-")) }
    }
}

impl ComparableColumn for Sku {}
impl OrderedColumn for Sku {}
impl TextColumn for Sku {}

/// A level of grey, stored as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    /// 0
    Black,
    /// 255
    White,
}

impl Column for Shade {
    const KIND: Kind = Kind::I32;

    fn into_value(self) -> Value {
        Value::Int(match self {
            Self::Black => 0,
            Self::White => 255,
        })
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        match i32::from_value(value)? {
            0 => Ok(Self::Black),
            255 => Ok(Self::White),
            _ => Err(ColumnError::new("must be 0 or 255")),
        }
    }
}
