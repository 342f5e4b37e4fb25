//! The statements that create a resource's table and indexes.

use std::fmt::Write;

use rust_decimal::Decimal;

use super::definition::Definition;
use super::schema::{Among, Index, Unique};
use super::statement::quote;
use crate::descriptor::{ColumnDescriptor, Descriptor, Literal, OnDelete, Role, Rule};
use crate::value::{Kind, Value};

/// The name of the CHECK constraint of a column, by which its violation is recognized.
pub(super) fn check_name<D: Definition>(column: &ColumnDescriptor) -> String {
    D::short(format!("check_{}", column.column))
}

/// `CREATE TABLE`, with every constraint that the database can check as the service does.
pub(super) fn create_table<D: Definition>(resource: &Descriptor, uniques: &[Unique]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (index, column) in resource.columns.iter().enumerate().filter(|(_, column)| column.role != Role::IsDeleted) {
        lines.push(column_definition::<D>(column, index == resource.id));
    }
    for unique in uniques.iter().filter(|unique| is_in_table::<D>(unique)) {
        lines.push(format!("UNIQUE ({})", identifiers(resource, &unique.columns)));
    }
    format!("CREATE TABLE {} (\n  {}\n){}", identifier(resource.table), lines.join(",\n  "), D::TABLE_END)
}

/// Whether the table's own definition says that the values are unique.
pub(super) fn is_in_table<D: Definition>(unique: &Unique) -> bool {
    D::UNIQUE_IN_TABLE && unique.active.is_none()
}

/// `CREATE INDEX`.
pub(super) fn create_index<D: Definition>(resource: &Descriptor, index: &Index) -> String {
    index_definition::<D>("INDEX", index.name(resource), resource, &index.columns, index.among)
}

/// `CREATE UNIQUE INDEX`, of the records that are not deleted, where that is wanted.
pub(super) fn create_unique_index<D: Definition>(resource: &Descriptor, unique: &Unique) -> String {
    let among = unique.active.map_or(Among::All, Among::Active);
    index_definition::<D>("UNIQUE INDEX", unique.name(resource), resource, &unique.columns, among)
}

fn index_definition<D: Definition>(
    what: &str,
    name: String,
    resource: &Descriptor,
    columns: &[usize],
    among: Among,
) -> String {
    let columns = columns.iter().map(|column| {
        let column = &resource.columns[*column];
        format!("{}{}", identifier(column.column), D::index_column(column))
    });
    let columns: Vec<String> = columns.collect();
    let (name, table) = (identifier(&D::short(name)), identifier(resource.table));
    let mut text = format!("CREATE {what} {name} ON {table} ({})", columns.join(", "));
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

/// The clause of what happens to a record when the one that it refers to goes.
pub(super) const fn on_delete(action: OnDelete) -> &'static str {
    match action {
        OnDelete::Restrict => "RESTRICT",
        OnDelete::Cascade => "CASCADE",
        OnDelete::SetNull => "SET NULL",
    }
}

/// An identifier in quotes.
pub(super) fn identifier(name: &str) -> String {
    let mut text = String::new();
    quote(&mut text, '"', name);
    text
}

fn identifiers(resource: &Descriptor, columns: &[usize]) -> String {
    let names: Vec<String> = columns.iter().map(|column| identifier(resource.columns[*column].column)).collect();
    names.join(", ")
}

fn column_definition<D: Definition>(column: &ColumnDescriptor, key: bool) -> String {
    let mut text = format!("{} {}", identifier(column.column), D::column_type(column));
    if key {
        text.push_str(if column.kind.integer_range().is_some() { D::ASSIGNED_KEY } else { " PRIMARY KEY" });
    }
    if !column.nullable {
        text.push_str(" NOT NULL");
    }
    // Writing to a String cannot fail.
    if let Some(default) = default::<D>(column) {
        let _ = write!(text, " DEFAULT {default}");
    }
    if let Some(check) = check::<D>(column) {
        let _ = write!(text, " CONSTRAINT {} CHECK ({check})", identifier(&check_name::<D>(column)));
    }
    if let Some(reference) = &column.references {
        let target = (reference.target)();
        let (table, id) = (identifier(target.table), identifier(target.id_column().column));
        let _ = write!(text, " REFERENCES {table} ({id}) ON DELETE {}", on_delete(reference.on_delete));
    }
    text
}

/// The column's default as a literal, if it is a constant one.
fn default<D: Definition>(column: &ColumnDescriptor) -> Option<String> {
    // The default is an expression of the program's: the current time or a new UUID must not freeze here.
    if matches!(column.kind, Kind::DateTime | Kind::Date | Kind::Time | Kind::NaiveDateTime | Kind::Uuid) {
        return None;
    }
    let default = column.default?;
    let value = default();
    if value != default() || value.is_null() {
        return None;
    }
    stored::<D>(column, &value)
}

/// A value of the column as a literal, if the column can store it.
fn stored<D: Definition>(column: &ColumnDescriptor, value: &Value) -> Option<String> {
    let operand = D::operand(column, value);
    if operand.exact { D::literal(&operand.argument) } else { None }
}

/// What the kind and the rules ask of the column's values, as far as the database can tell. Null passes.
fn check<D: Definition>(column: &ColumnDescriptor) -> Option<String> {
    let mut conditions: Vec<String> = Vec::new();
    let name = identifier(column.column);
    conditions.extend(D::kind_check(column, &name));
    conditions.extend(column.rules.iter().filter_map(|rule| rule_check::<D>(column, &name, rule)));
    (!conditions.is_empty()).then(|| conditions.join(" AND "))
}

fn rule_check<D: Definition>(column: &ColumnDescriptor, name: &str, rule: &Rule) -> Option<String> {
    let length = D::length(column, name);
    match rule {
        Rule::Min(bound) => number::<D>(column, *bound).map(|bound| format!("{name} >= {bound}")),
        Rule::Max(bound) => number::<D>(column, *bound).map(|bound| format!("{name} <= {bound}")),
        Rule::MinLength(least) => length.map(|length| format!("{length} >= {least}")),
        Rule::MaxLength(most) => length.map(|length| format!("{length} <= {most}")),
        Rule::OneOf(values) => {
            let values: Option<Vec<String>> = values.iter().map(|value| one::<D>(column, *value)).collect();
            values.map(|values| format!("{name} IN ({})", values.join(", ")))
        }
        // Beyond a database: it knows no patterns, addresses or the program's own functions.
        _ => None,
    }
}

/// `IN` with the variants of an enum.
pub(super) fn variants_check(name: &str, variants: &[&str]) -> String {
    let variants = variants.iter().map(|variant| text_literal(variant));
    format!("{name} IN ({})", variants.collect::<Vec<_>>().join(", "))
}

/// Text in quotes.
pub(super) fn text_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Bytes as digits of base 16.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text
}

/// A number that the column's values can be compared with.
fn number<D: Definition>(column: &ColumnDescriptor, bound: Literal) -> Option<String> {
    match (column.kind, bound) {
        (Kind::Decimal, bound) => stored::<D>(column, &Value::Decimal(decimal(bound)?)),
        (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64, Literal::Int(v)) => Some(v.to_string()),
        (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::F32 | Kind::F64, Literal::Float(v)) => {
            stored::<D>(column, &Value::Float(v))
        }
        _ => None,
    }
}

fn one<D: Definition>(column: &ColumnDescriptor, value: Literal) -> Option<String> {
    match (column.kind, value) {
        (Kind::Text | Kind::Enum(_), Literal::Text(v)) => stored::<D>(column, &Value::Text(v.to_owned())),
        _ => number::<D>(column, value),
    }
}

fn decimal(value: Literal) -> Option<Decimal> {
    match value {
        Literal::Int(v) => Some(v.into()),
        Literal::Float(v) => format!("{v}").parse().ok(),
        Literal::Text(v) => v.parse().ok(),
    }
}
