//! Table definitions of SQLite.

use super::argument::Argument;
use super::scale;
use crate::catalogue::table::Table;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, StoredFormat};
use crate::model::value::Kind;
use crate::schema::ddl::{enum_check, hexadecimal, text_literal};
use crate::storage::indexes::ActiveBy;
use crate::table_dialect::{InTable, TableDialect, ViewDialect};

/// Table definitions of SQLite.
pub(super) const TABLES: TableDialect<Argument> = TableDialect {
    table_end: " STRICT",
    table_end_of_database: " STRICT",
    assigned: "INTEGER PRIMARY KEY, so that SQLite assigns it",
    assigned_key: " PRIMARY KEY AUTOINCREMENT",
    in_table: InTable::Uniques,
    active_by: ActiveBy::ConditionAndColumn,
    constraints_in_columns: true,
    checks_of_table: true,
    collation: "BINARY",
    column_type: |_, column| column_type(column).into(),
    column_collation: |_, _| "",
    views: ViewDialect { create: "CREATE VIEW IF NOT EXISTS", replaces: false, column: |_, name| name, can_read },
    search: super::search::index,
    drop_search: super::search::drop,
    index_column: |_, _| "",
    // `NOCASE` ignores the case of ASCII letters only.
    folded: Some(|name| format!("{name} COLLATE NOCASE")),
    default_value: |literal| literal,
    shorten: |name| name,
    literal,
    kind_check,
    length,
    key_implied,
    is_same_name: str::eq_ignore_ascii_case,
    can_store,
};

fn length(column: &ColumnDescriptor, name: &str) -> Option<String> {
    match column.kind {
        Kind::Text | Kind::Enum(_) | Kind::Bytes => Some(format!("length({name})")),
        Kind::TextList | Kind::List(_) => Some(format!("json_array_length({name})")),
        _ => None,
    }
}

/// SQLite appends the row number to every index; an integer key is the row number.
fn key_implied(resource: &Descriptor, table: Option<&Table>) -> bool {
    let is_row_number = |table: &Table| table.columns.iter().any(|column| column.key > 0 && column.assigned);
    let is_number = |column: &usize| type_of(resource.columns[*column].kind) == "INTEGER";
    matches!(resource.key(), [column] if is_number(column)) && table.is_none_or(is_row_number)
}

/// The type of a column.
const fn column_type(column: &ColumnDescriptor) -> &'static str {
    match column.format {
        Some(StoredFormat::Unix | StoredFormat::UnixMillis) => "INTEGER",
        Some(StoredFormat::Bytes) => "BLOB",
        Some(StoredFormat::Number) => "REAL",
        _ => type_of(column.as_stored().kind),
    }
}

/// The column type of a kind.
const fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool | Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::Decimal => "INTEGER",
        Kind::F32 | Kind::F64 => "REAL",
        Kind::Bytes => "BLOB",
        _ => "TEXT",
    }
}

fn literal(argument: &Argument) -> Option<String> {
    Some(match argument {
        Argument::Null => "NULL".to_owned(),
        Argument::Integer(v) => v.to_string(),
        Argument::Real(v) => {
            let text = format!("{v:?}");
            let digits = text.split('e').next()?.chars().filter(char::is_ascii_digit).count();
            // SQLite reads up to 15 digits exactly, unless the power of ten is large.
            let moderate = *v == 0.0 || (1e-20..1e20).contains(&v.abs());
            return (moderate && digits <= 15).then_some(text);
        }
        Argument::Text(v) => text_literal(v),
        Argument::Blob(v) => format!("X'{}'", hexadecimal(v)),
    })
}

fn kind_check(column: &ColumnDescriptor, name: &str) -> Option<String> {
    // SQLite before 3.42, which may open the file too, does not accept null as valid JSON.
    let json = |check: String| if column.nullable { format!("({name} IS NULL OR {check})") } else { check };
    match column.kind {
        Kind::Bool => Some(format!("{name} IN (0, 1)")),
        kind @ (Kind::I16 | Kind::I32 | Kind::U32) => {
            kind.integer_range().map(|(min, max)| format!("{name} BETWEEN {min} AND {max}"))
        }
        Kind::Decimal if column.format.is_some() => None,
        Kind::Decimal => {
            let most = 10_i64.checked_pow(column.precision)? - 1;
            Some(scale::condition(name, most, column.scale))
        }
        Kind::Json => Some(json(format!("json_valid({name})"))),
        Kind::TextList | Kind::List(_) => Some(json(format!("json_valid({name}) AND json_type({name}) = 'array'"))),
        Kind::Enum(variants) => Some(enum_check(column, name, variants, text_literal)),
        _ => None,
    }
}

/// The affinity of a column: how SQLite converts its values
/// (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

pub(super) fn affinity(declared: &str) -> Affinity {
    let has = |part: &str| declared.to_ascii_uppercase().contains(part);
    if has("INT") {
        Affinity::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        Affinity::Text
    } else if has("BLOB") || declared.is_empty() {
        Affinity::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

fn can_store(column: &ColumnDescriptor, declared: &str) -> bool {
    let affinity = affinity(declared);
    let is = |names: &[&str]| names.iter().any(|name| declared.eq_ignore_ascii_case(name));
    let is_of_time = is(&["DATETIME", "TIMESTAMP", "DATE", "TIME"]);
    match (column.format, column.sql_type) {
        (Some(StoredFormat::Unix | StoredFormat::UnixMillis), _) => return affinity == Affinity::Integer || is_of_time,
        (Some(StoredFormat::Pattern(_)), _) => return affinity == Affinity::Text || is_of_time,
        // Blobs and texts are kept as they are, whatever the affinity.
        (Some(StoredFormat::Bytes), _) => return affinity != Affinity::Text,
        (Some(StoredFormat::Lowercase | StoredFormat::Uppercase | StoredFormat::Simple), _) => {
            return affinity == Affinity::Text || is(&["UUID"]);
        }
        (Some(StoredFormat::Number), _) => return matches!(affinity, Affinity::Real | Affinity::Numeric),
        (None, Some(sql_type)) if is(&[sql_type]) => return true,
        _ => {}
    }
    match column.as_stored().kind {
        Kind::Bool => affinity == Affinity::Integer || is(&["BOOLEAN", "BOOL"]),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 | Kind::Decimal => affinity == Affinity::Integer,
        Kind::F32 | Kind::F64 => matches!(affinity, Affinity::Real | Affinity::Numeric) && !is(&["ANY"]),
        Kind::Bytes => affinity == Affinity::Blob,
        // Texts of dates and times do not look like numbers, so that numeric affinity leaves them unchanged.
        Kind::DateTime | Kind::NaiveDateTime => affinity == Affinity::Text || is(&["DATETIME", "TIMESTAMP"]),
        Kind::Date => affinity == Affinity::Text || is(&["DATE"]),
        Kind::Time => affinity == Affinity::Text || is(&["TIME"]),
        Kind::Uuid => affinity == Affinity::Text || is(&["UUID"]),
        Kind::Text | Kind::Enum(_) | Kind::Json | Kind::TextList | Kind::List(_) => affinity == Affinity::Text,
    }
}

/// SQLite knows the types of expressions only in part, so that each value is checked when it is read.
fn can_read(column: &ColumnDescriptor, declared: &str) -> bool {
    let is_float = matches!(column.kind, Kind::F32 | Kind::F64);
    match affinity(declared) {
        Affinity::Blob | Affinity::Numeric => true,
        Affinity::Integer => is_float || can_store(column, declared),
        Affinity::Real => is_float,
        Affinity::Text => can_store(column, declared),
    }
}
