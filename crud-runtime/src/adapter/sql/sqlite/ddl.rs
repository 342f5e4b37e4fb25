//! The statements that create a resource's table and indexes.

use std::fmt::Write;

use rust_decimal::Decimal;

use super::dialect::{Argument, Sqlite, operand};
use super::error::check_name;
use crate::adapter::sql::dialect::Dialect;
use crate::adapter::sql::schema::{Among, Index, Unique};
use crate::adapter::sql::statement::quote;
use crate::descriptor::{ColumnDescriptor, Descriptor, Literal, OnDelete, Role, Rule};
use crate::value::{Kind, Value};

/// `CREATE TABLE`, with every constraint that SQLite can check as the service does.
pub(super) fn create_table(resource: &Descriptor, uniques: &[Unique]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (index, column) in resource.columns.iter().enumerate().filter(|(_, column)| column.role != Role::IsDeleted) {
        lines.push(column_definition(column, index == resource.id));
    }
    for unique in uniques.iter().filter(|unique| unique.active.is_none()) {
        lines.push(format!("UNIQUE ({})", identifiers(resource, &unique.columns)));
    }
    format!("CREATE TABLE {} (\n  {}\n) STRICT", identifier(resource.table), lines.join(",\n  "))
}

/// `CREATE INDEX`.
pub(super) fn create_index(resource: &Descriptor, index: &Index) -> String {
    index_definition("INDEX", &index.name(resource), resource, &index.columns, index.among)
}

/// `CREATE UNIQUE INDEX`, of the records that are not deleted, where that is wanted.
pub(super) fn create_unique_index(resource: &Descriptor, unique: &Unique) -> String {
    let among = unique.active.map_or(Among::All, Among::Active);
    index_definition("UNIQUE INDEX", &unique.name(resource), resource, &unique.columns, among)
}

fn index_definition(what: &str, name: &str, resource: &Descriptor, columns: &[usize], among: Among) -> String {
    let (name, table, columns) = (identifier(name), identifier(resource.table), identifiers(resource, columns));
    let mut text = format!("CREATE {what} {name} ON {table} ({columns})");
    if let Some(condition) = condition(resource, among) {
        text.push_str(" WHERE ");
        text.push_str(&condition);
    }
    text
}

/// The condition of the records that an index has, if it is not all of them.
pub(super) fn condition(resource: &Descriptor, among: Among) -> Option<String> {
    let (deleted_at, state) = match among {
        Among::All => return None,
        Among::Active(deleted_at) => (deleted_at, "IS NULL"),
        Among::Deleted(deleted_at) => (deleted_at, "IS NOT NULL"),
    };
    Some(format!("{} {state}", identifier(resource.columns[deleted_at].column)))
}

/// The column type of a kind.
pub(super) const fn column_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool | Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::Decimal => "INTEGER",
        Kind::F32 | Kind::F64 => "REAL",
        Kind::Bytes => "BLOB",
        _ => "TEXT",
    }
}

/// The clause of what happens to a record when the one that it refers to goes.
pub(super) const fn on_delete(action: OnDelete) -> &'static str {
    match action {
        OnDelete::Restrict => "RESTRICT",
        OnDelete::Cascade => "CASCADE",
        OnDelete::SetNull => "SET NULL",
    }
}

fn identifier(name: &str) -> String {
    let mut text = String::new();
    quote(&mut text, Sqlite::QUOTE, name);
    text
}

fn identifiers(resource: &Descriptor, columns: &[usize]) -> String {
    let names: Vec<String> = columns.iter().map(|column| identifier(resource.columns[*column].column)).collect();
    names.join(", ")
}

fn column_definition(column: &ColumnDescriptor, key: bool) -> String {
    let mut text = format!("{} {}", identifier(column.column), column_type(column.kind));
    if key {
        // The key of a deleted record is not given out again.
        text.push_str(if column_type(column.kind) == "INTEGER" {
            " PRIMARY KEY AUTOINCREMENT"
        } else {
            " PRIMARY KEY"
        });
    }
    if !column.nullable {
        text.push_str(" NOT NULL");
    }
    // Writing to a String cannot fail.
    if let Some(default) = default(column) {
        let _ = write!(text, " DEFAULT {default}");
    }
    if let Some(check) = check(column) {
        let _ = write!(text, " CONSTRAINT {} CHECK ({check})", identifier(&check_name(column.column)));
    }
    if let Some(reference) = &column.references {
        let target = (reference.target)();
        let (table, id) = (identifier(target.table), identifier(target.id_column().column));
        let _ = write!(text, " REFERENCES {table} ({id}) ON DELETE {}", on_delete(reference.on_delete));
    }
    text
}

/// The column's default as a literal, if it is a constant one.
fn default(column: &ColumnDescriptor) -> Option<String> {
    // The default is an expression of the program's: the current time or a new UUID must not freeze here.
    if matches!(column.kind, Kind::DateTime | Kind::Date | Kind::Time | Kind::NaiveDateTime | Kind::Uuid) {
        return None;
    }
    let default = column.default?;
    let value = default();
    if value != default() || value.is_null() {
        return None;
    }
    stored(column, &value)
}

/// A value of the column as a literal, if the column can store it.
fn stored(column: &ColumnDescriptor, value: &Value) -> Option<String> {
    let operand = operand(column, value);
    if operand.exact { literal(&operand.argument) } else { None }
}

/// A literal that means this value to the last bit, if there is one.
fn literal(argument: &Argument) -> Option<String> {
    Some(match argument {
        Argument::Null => "NULL".to_owned(),
        Argument::Integer(v) => v.to_string(),
        Argument::Real(v) => {
            let text = format!("{v:?}");
            let digits = text.split('e').next()?.chars().filter(char::is_ascii_digit).count();
            // SQLite reads so many digits exactly, unless a large power of ten goes with them.
            let moderate = *v == 0.0 || (1e-20..1e20).contains(&v.abs());
            return (moderate && digits <= 15).then_some(text);
        }
        Argument::Text(v) => format!("'{}'", v.replace('\'', "''")),
        Argument::Blob(v) => {
            let mut text = "X'".to_owned();
            for byte in v {
                let _ = write!(text, "{byte:02X}");
            }
            text.push('\'');
            text
        }
    })
}

/// What the kind and the rules ask of the column's values, as far as SQLite can tell. Null passes.
fn check(column: &ColumnDescriptor) -> Option<String> {
    let mut conditions: Vec<String> = Vec::new();
    conditions.extend(kind_check(column));
    conditions.extend(column.rules.iter().filter_map(|rule| rule_check(column, rule)));
    (!conditions.is_empty()).then(|| conditions.join(" AND "))
}

fn kind_check(column: &ColumnDescriptor) -> Option<String> {
    let name = identifier(column.column);
    match column.kind {
        Kind::Bool => Some(format!("{name} IN (0, 1)")),
        kind @ (Kind::I16 | Kind::I32 | Kind::U32) => {
            kind.integer_range().map(|(min, max)| format!("{name} BETWEEN {min} AND {max}"))
        }
        Kind::Decimal => {
            let most = 10_i64.checked_pow(column.precision)? - 1;
            Some(format!("{name} BETWEEN -{most} AND {most}"))
        }
        Kind::Json => Some(json_check(column, format!("json_valid({name})"))),
        Kind::TextList => Some(json_check(column, format!("json_valid({name}) AND json_type({name}) = 'array'"))),
        Kind::Enum(variants) => {
            let variants = variants.iter().map(|variant| format!("'{}'", variant.replace('\'', "''")));
            Some(format!("{name} IN ({})", variants.collect::<Vec<_>>().join(", ")))
        }
        _ => None,
    }
}

/// To SQLite before 3.42, which may open the file too, null is JSON that is not valid.
fn json_check(column: &ColumnDescriptor, check: String) -> String {
    if column.nullable { format!("({} IS NULL OR {check})", identifier(column.column)) } else { check }
}

fn rule_check(column: &ColumnDescriptor, rule: &Rule) -> Option<String> {
    let name = identifier(column.column);
    let length = match column.kind {
        Kind::Text | Kind::Enum(_) | Kind::Bytes => Some(format!("length({name})")),
        Kind::TextList => Some(format!("json_array_length({name})")),
        _ => None,
    };
    match rule {
        Rule::Min(bound) => number(column, *bound).map(|bound| format!("{name} >= {bound}")),
        Rule::Max(bound) => number(column, *bound).map(|bound| format!("{name} <= {bound}")),
        Rule::MinLength(least) => length.map(|length| format!("{length} >= {least}")),
        Rule::MaxLength(most) => length.map(|length| format!("{length} <= {most}")),
        Rule::OneOf(values) => {
            let values: Option<Vec<String>> = values.iter().map(|value| one(column, *value)).collect();
            values.map(|values| format!("{name} IN ({})", values.join(", ")))
        }
        // Beyond SQLite: it knows no patterns, addresses or the program's own functions.
        _ => None,
    }
}

/// A number that the column's values can be compared with.
fn number(column: &ColumnDescriptor, bound: Literal) -> Option<String> {
    match (column.kind, bound) {
        (Kind::Decimal, bound) => stored(column, &Value::Decimal(decimal(bound)?)),
        (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64, Literal::Int(v)) => Some(v.to_string()),
        (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64, Literal::Float(v)) => {
            literal(&Argument::Real(v))
        }
        _ => None,
    }
}

fn one(column: &ColumnDescriptor, value: Literal) -> Option<String> {
    match (column.kind, value) {
        (Kind::Text | Kind::Enum(_), Literal::Text(v)) => literal(&Argument::Text(v.to_owned())),
        _ => number(column, value),
    }
}

fn decimal(value: Literal) -> Option<Decimal> {
    match value {
        Literal::Int(v) => Some(v.into()),
        Literal::Float(v) => format!("{v}").parse().ok(),
        Literal::Text(v) => v.parse().ok(),
    }
}
