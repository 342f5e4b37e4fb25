//! Table definitions of MySQL and MariaDB.

use std::borrow::Cow;

use super::argument::Argument;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role, Rule, StoredFormat};
use crate::model::value::Kind;
use crate::schema::ddl;
use crate::schema::ddl::{enum_check, hexadecimal, shortened};
use crate::storage::indexes::ActiveBy;
use crate::table_dialect::{InTable, TableDialect, ViewDialect};

/// Maximum length of a name.
pub(super) const MAX_NAME: usize = 64;

/// Number of characters that an index of several columns holds of each column: three such columns fit.
pub(super) const INDEXED: u32 = 255;

/// Maximum number of characters of a column that an index can hold as a whole.
const MAX_INDEXED: u32 = 768;

/// Table definitions of MySQL and MariaDB.
pub(super) const TABLES: TableDialect<Argument> = TableDialect {
    // Both collations compare text by code point, trailing spaces included; only their names differ.
    table_end: " ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 \
        /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */",
    table_end_of_database: " ENGINE = InnoDB",
    assigned: "AUTO_INCREMENT, so that the database assigns it",
    assigned_key: " AUTO_INCREMENT PRIMARY KEY",
    // Each statement is its own transaction: one statement is faster than several.
    in_table: InTable::Indexes,
    active_by: ActiveBy::Column,
    // MySQL ignores `REFERENCES` in a column, and MariaDB ignores the name of a column's CHECK.
    constraints_in_columns: false,
    checks_of_table: false,
    collation: "utf8mb4_nopad_bin (MariaDB) or utf8mb4_0900_bin (MySQL)",
    column_type,
    column_collation: |_, _| "",
    views: ViewDialect { create: "CREATE OR REPLACE VIEW", replaces: true, column: |_, name| name, can_read },
    search: |resource| super::search::index(resource, MAX_NAME),
    drop_search: super::search::drop,
    index_column,
    folded: None,
    // In parentheses, the default is an expression: MySQL allows no other default for long text.
    default_value: |literal| format!("({literal})"),
    shorten: |name| shortened(name, MAX_NAME),
    literal,
    kind_check,
    length,
    // `InnoDB` appends the primary key to every index.
    key_implied: |_, _| true,
    is_same_name: str::eq_ignore_ascii_case,
    can_store,
};

fn column_type(resource: &Descriptor, column: &ColumnDescriptor) -> Cow<'static, str> {
    if let Some(reference) = column.references.filter(|reference| reference.by.is_empty()) {
        let target = (reference.target)();
        return column_type(target, target.id_column());
    }
    // The referred column's own type, without following its references: such keys may lead back here.
    match resource.referred_together(column) {
        Some((target, referred)) => own_type(target, referred),
        None => own_type(resource, column),
    }
}

/// The type of a column by its field alone, without its references.
fn own_type(resource: &Descriptor, column: &ColumnDescriptor) -> Cow<'static, str> {
    match (column.sql_type, column.format) {
        (Some(sql_type), _) => return sql_type.into(),
        (_, Some(StoredFormat::Lowercase | StoredFormat::Uppercase)) => return "CHAR(36)".into(),
        (_, Some(StoredFormat::Simple)) => return "CHAR(32)".into(),
        (_, Some(StoredFormat::Unix | StoredFormat::UnixMillis)) => return "BIGINT".into(),
        _ => {}
    }
    match column.as_stored().kind {
        Kind::Bool => "BOOLEAN",
        Kind::I16 => "SMALLINT",
        Kind::I32 => "INT",
        Kind::I64 | Kind::U32 => "BIGINT",
        Kind::F32 => "FLOAT",
        Kind::F64 => "DOUBLE",
        Kind::Enum(variants) => {
            let longest = variants.iter().map(|variant| variant.chars().count()).max();
            return format!("VARCHAR({})", longest.unwrap_or_default()).into();
        }
        Kind::Text => match max_chars(resource, column) {
            Some(length) => return format!("VARCHAR({length})").into(),
            None => "LONGTEXT",
        },
        // Text keeps the JSON as it was written, in both databases.
        Kind::Json | Kind::TextList | Kind::List(_) => "LONGTEXT",
        Kind::DateTime | Kind::NaiveDateTime => "DATETIME(6)",
        Kind::Date => "DATE",
        Kind::Time => "TIME(6)",
        Kind::Uuid => "BINARY(16)",
        Kind::Decimal => return format!("DECIMAL({},{})", column.precision, column.scale).into(),
        Kind::Bytes => "LONGBLOB",
    }
    .into()
}

fn index_column(resource: &Descriptor, column: &ColumnDescriptor) -> &'static str {
    let long = column.kind == Kind::Text && max_chars(resource, column).is_none_or(|length| length > INDEXED);
    // A unique value is indexed as a whole.
    if long && !is_unique(resource, column) { "(255)" } else { "" }
}

fn literal(argument: &Argument) -> Option<String> {
    Some(match argument {
        Argument::Null => "NULL".to_owned(),
        Argument::Int(v) => v.to_string(),
        // Without an exponent, the literal would be a decimal.
        Argument::Float(v) => format!("{v:e}"),
        Argument::Decimal(v) => v.to_string(),
        Argument::Text(v) => text_literal(v),
        Argument::Bytes(v) => format!("X'{}'", hexadecimal(v)),
        Argument::DateTime(_) | Argument::Date(_) | Argument::Time(_) => return None,
    })
}

fn kind_check(column: &ColumnDescriptor, name: &str) -> Option<String> {
    match column.kind {
        // The type that the program chose checks its values itself.
        _ if column.sql_type.is_some() => None,
        Kind::Bool => Some(format!("{name} IN (0, 1)")),
        Kind::U32 => Some(format!("{name} BETWEEN 0 AND {}", u32::MAX)),
        // JSON fields have no such CHECK: MariaDB rejects JSON that is nested more than 32 levels deep.
        Kind::TextList | Kind::List(_) => Some(format!("JSON_VALID({name}) AND JSON_TYPE({name}) = 'ARRAY'")),
        Kind::Enum(variants) => Some(enum_check(column, name, variants, text_literal)),
        _ => None,
    }
}

fn length(column: &ColumnDescriptor, name: &str) -> Option<String> {
    match column.kind {
        _ if column.sql_type.is_some() => None,
        Kind::Text | Kind::Enum(_) => Some(format!("CHAR_LENGTH({name})")),
        Kind::Bytes => Some(format!("OCTET_LENGTH({name})")),
        Kind::TextList | Kind::List(_) => Some(format!("JSON_LENGTH({name})")),
        _ => None,
    }
}

fn can_store(column: &ColumnDescriptor, declared: &str) -> bool {
    // Such as `decimal(18,4)` or `bigint(20) unsigned`.
    let (name, bounds, rest) = match declared.split_once('(') {
        Some((name, after)) => {
            let (bounds, rest) = after.split_once(')').unwrap_or((after, ""));
            (name, bounds, rest.trim())
        }
        None => match declared.split_once(' ') {
            Some((name, rest)) => (name, "", rest),
            None => (declared, "", ""),
        },
    };
    let is = |names: &[&str]| names.contains(&name) && rest.is_empty();
    let is_bounded = |names: &[&str], bound: &str| is(names) && bounds == bound;
    match (column.sql_type, column.format) {
        (Some(sql_type), _) => {
            let bare =
                |declared: &str| declared.split_once('(').map_or(declared, |(name, _)| name).trim().to_lowercase();
            return bare(sql_type) == bare(declared);
        }
        (_, Some(StoredFormat::Lowercase | StoredFormat::Uppercase)) => {
            return is_bounded(&["char", "varchar"], "36") || is(&["uuid"]);
        }
        (_, Some(StoredFormat::Simple)) => return is_bounded(&["char", "varchar"], "32"),
        (_, Some(StoredFormat::Unix | StoredFormat::UnixMillis)) => return is(&["bigint"]),
        _ => {}
    }
    let text = ["char", "varchar", "tinytext", "text", "mediumtext", "longtext"];
    match column.as_stored().kind {
        Kind::Bool => is(&["tinyint"]),
        Kind::I16 => is(&["smallint", "mediumint", "int", "bigint"]),
        Kind::I32 => is(&["int", "bigint"]),
        Kind::I64 | Kind::U32 => is(&["bigint"]),
        Kind::F32 => is(&["float", "double"]),
        Kind::F64 => is(&["double"]),
        // The column may be shorter than the field: a value that is too long is refused when it is written.
        Kind::Text => is(&text[1..]),
        Kind::Enum(_) => is(&text[1..]) || name == "enum",
        Kind::Json | Kind::TextList | Kind::List(_) => is(&["longtext", "mediumtext", "json"]),
        Kind::DateTime => is(&["datetime", "timestamp"]) && bounds == "6",
        Kind::NaiveDateTime => is(&["datetime"]) && bounds == "6",
        Kind::Time => is(&["time"]) && bounds == "6",
        Kind::Date => is(&["date"]),
        Kind::Uuid => is(&["binary"]) && bounds == "16",
        Kind::Decimal => is(&["decimal"]) && ddl::has_digits(column, bounds),
        Kind::Bytes => is(&["blob", "mediumblob", "longblob", "varbinary"]),
    }
}

/// The types that [`row`](super::row) reads. The `SUM` of integers is `DECIMAL`.
fn can_read(column: &ColumnDescriptor, declared: &str) -> bool {
    let name = declared.split_once(['(', ' ']).map_or(declared, |(name, _)| name);
    let is = |names: &[&str]| names.contains(&name);
    let integers = ["tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year", "decimal"];
    match column.as_stored().kind {
        _ if column.sql_type.is_some() => can_store(column, declared),
        Kind::DateTime | Kind::NaiveDateTime if column.format.is_some() => is(&integers[..5]),
        Kind::Uuid => match column.format {
            None | Some(StoredFormat::Bytes) => can_store(column, declared),
            Some(_) => is(&["char", "varchar", "uuid"]),
        },
        Kind::Bool => is(&integers[..6]),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => is(&integers),
        Kind::F32 | Kind::F64 => is(&["float", "double"]),
        Kind::Decimal => is(&["decimal"]),
        Kind::Text | Kind::Enum(_) => is(&["char", "enum", "set"]) || can_store(column, declared),
        Kind::DateTime | Kind::NaiveDateTime => is(&["datetime", "timestamp"]),
        Kind::Time => is(&["time"]),
        Kind::Bytes => is(&["binary", "tinyblob"]) || can_store(column, declared),
        _ => can_store(column, declared),
    }
}

/// Maximum number of characters in a text column, if a rule or a unique index limits it.
fn max_chars(resource: &Descriptor, column: &ColumnDescriptor) -> Option<u32> {
    let most = column.rules.iter().find_map(|rule| match rule {
        Rule::MaxLength(most) => u32::try_from(*most).ok(),
        _ => None,
    });
    match most {
        Some(most) if most <= MAX_INDEXED => Some(most),
        _ => is_unique(resource, column).then_some(INDEXED),
    }
}

fn is_unique(resource: &Descriptor, column: &ColumnDescriptor) -> bool {
    let grouped = resource.uniques.iter().flat_map(|group| group.columns.iter());
    let tenant = resource.tenant.map(|tenant| tenant.column);
    column.role == Role::Id
        || column.unique.is_some()
        || grouped.chain(tenant.as_ref()).any(|other| std::ptr::eq(&raw const resource.columns[*other], column))
}

/// The literal of a text. A text with backslashes is in hexadecimal: whether they escape depends on the session.
pub(super) fn text_literal(text: &str) -> String {
    if text.contains('\\') {
        return format!("_utf8mb4 X'{}'", hexadecimal(text.as_bytes()));
    }
    ddl::text_literal(text)
}
