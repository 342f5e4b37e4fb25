//! Functions for the fuzz targets, which decode the protocol's binary forms. A request cannot provide these bytes
//! itself.

use super::value::argument::write;
use super::value::row::{binary, items, texts};
use super::value::types::{Type, oid};
use crate::model::column::owned_value;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::{Kind, Value, ValueRef, is_same};

/// The type numbers (OIDs) that values are decoded from.
pub const TYPES: [u32; 19] = [
    oid::BOOL,
    oid::BYTEA,
    oid::INT8,
    oid::INT2,
    oid::INT4,
    oid::TEXT,
    oid::JSON,
    oid::FLOAT4,
    oid::FLOAT8,
    oid::TEXT_ARRAY,
    oid::VARCHAR_ARRAY,
    oid::VARCHAR,
    oid::DATE,
    oid::TIME,
    oid::TIMESTAMP,
    oid::TIMESTAMPTZ,
    oid::NUMERIC,
    oid::UUID,
    oid::JSONB,
];

/// Decodes bytes of a type as a value of a column; `None` where they are refused.
pub fn decode(column: &ColumnDescriptor, of: u32, bytes: &[u8]) -> Option<Value> {
    if column.kind == Kind::TextList {
        return texts(of, bytes).ok().map(Value::TextList);
    }
    if let Kind::List(_) = column.kind {
        return items(column, bytes).ok().map(Value::List);
    }
    match binary(column, of, bytes).ok()? {
        // The JSON text as the server sent it, even if it is not valid.
        ValueRef::JsonText(text) => Some(Value::JsonText(text.to_owned())),
        value => owned_value(column.kind, value).ok(),
    }
}

/// Whether encoding and decoding a decoded value gives the same value.
pub fn is_kept(column: &ColumnDescriptor, value: &Value) -> bool {
    let of = Type::of_column(column);
    let mut bytes = Vec::new();
    write(&mut bytes, of, value);
    let of = if of == Type::Texts { oid::TEXT_ARRAY } else { of.element() };
    decode(column, of, &bytes).is_some_and(|read| is_same(&read, value))
}
