//! Every field type, required and optional.

use crud_runtime::prelude::*;

use super::Sku;
use super::names::Priority;

/// Every field type, each required.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/dense", filter, sort, pagination, export, import)]
pub struct Dense {
    /// The key.
    pub id: i64,
    /// True or false.
    pub flag: bool,
    /// 16 bits.
    pub small: i16,
    /// 32 bits.
    pub medium: i32,
    /// 64 bits.
    pub large: i64,
    /// 32 bits without a sign.
    pub unsigned: u32,
    /// A single float.
    pub single: f32,
    /// A double float.
    pub double: f64,
    /// Text.
    pub text: String,
    /// An instant.
    pub instant: DateTime<Utc>,
    /// A day.
    pub day: NaiveDate,
    /// A time of day.
    pub time: NaiveTime,
    /// A day and time without a zone.
    pub local: NaiveDateTime,
    /// A UUID.
    pub uuid: Uuid,
    /// A decimal.
    #[crud(decimal(12, 3))]
    pub decimal: Decimal,
    /// Any JSON.
    pub json: serde_json::Value,
    /// Bytes.
    pub bytes: Vec<u8>,
    /// A list of texts.
    pub texts: Vec<String>,
    /// An enum.
    pub priority: Priority,
    /// A type of our own.
    pub sku: Sku,
}

/// Every field type, each optional.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/sparse", filter, sort, pagination, export, import)]
pub struct Sparse {
    /// The key.
    pub id: i64,
    /// True or false.
    pub flag: Option<bool>,
    /// 16 bits.
    pub small: Option<i16>,
    /// 32 bits.
    pub medium: Option<i32>,
    /// 64 bits.
    pub large: Option<i64>,
    /// 32 bits without a sign.
    pub unsigned: Option<u32>,
    /// A single float.
    pub single: Option<f32>,
    /// A double float.
    pub double: Option<f64>,
    /// Text.
    pub text: Option<String>,
    /// An instant.
    pub instant: Option<DateTime<Utc>>,
    /// A day.
    pub day: Option<NaiveDate>,
    /// A time of day.
    pub time: Option<NaiveTime>,
    /// A day and time without a zone.
    pub local: Option<NaiveDateTime>,
    /// A UUID.
    pub uuid: Option<Uuid>,
    /// A decimal.
    pub decimal: Option<Decimal>,
    /// Any JSON.
    pub json: Option<serde_json::Value>,
    /// Bytes.
    pub bytes: Option<Vec<u8>>,
    /// A list of texts.
    pub texts: Option<Vec<String>>,
    /// An enum.
    pub priority: Option<Priority>,
    /// A type of our own.
    pub sku: Option<Sku>,
}
