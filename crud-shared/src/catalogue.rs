//! [`Catalogue`]: the tables and views of a database, as its catalogue describes them.
//!
//! A project's program reads the catalogue with its own driver and prints it as JSON; the `crud` command writes
//! resources from it.

use serde::{Deserialize, Serialize};

/// The tables and views of one schema of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    /// The database: the name of a row of [`DATABASES`](crate::database::DATABASES).
    pub database: String,
    /// The schema; `None` for the connection's own schema, where names without a schema are found.
    pub schema: Option<String>,
    /// Tables and views, in the order of their names.
    pub tables: Vec<Table>,
    /// Tables of the schema that are left out, with the reasons.
    pub left_out: Vec<LeftOut>,
}

/// A table that is left out, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The table's name.
    pub table: String,
    /// The reason, such as ``a partition of `payment` ``.
    pub reason: String,
}

/// A table or a view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The table's name.
    pub name: String,
    /// The kind: a table has records, a view shows records of others.
    pub kind: Kind,
    /// Whether the connection's user may create, change or delete records of the table.
    pub writable: bool,
    /// The table's columns, in order.
    pub columns: Vec<Column>,
    /// The columns of the primary key, in the key's order.
    pub key: Vec<String>,
    /// The columns of each other unique constraint or index, except partial indexes and indexes on expressions.
    pub uniques: Vec<Vec<String>>,
    /// The conditions of the table's partial indexes.
    pub conditions: Vec<String>,
    /// The table's foreign keys.
    pub foreign_keys: Vec<ForeignKey>,
}

/// The kind of a [`Table`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A table.
    #[default]
    Table,
    /// A view, materialized or not.
    View,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact for itself.
pub struct Column {
    /// The column's name.
    pub name: String,
    /// The column's type.
    pub ty: ColumnType,
    /// Whether the column is `NOT NULL`.
    pub not_null: bool,
    /// Whether a record that leaves the column out gets a value that is not null.
    pub has_default: bool,
    /// Whether storage assigns the value: a sequence, an identity, `AUTO_INCREMENT`, a row number.
    pub assigned: bool,
    /// Whether the value is computed from other columns.
    pub generated: bool,
    /// Existing values, each once, in a database whose columns have values of any type.
    pub samples: Vec<Sample>,
}

/// The type of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact for itself.
pub struct ColumnType {
    /// The type as a statement spells it, such as `character varying(160)`, `sales.mood` or `NVARCHAR(160)`.
    pub declared: String,
    /// The name of the type without its numbers, in lower case; for a domain, of its base type; for an array, of its
    /// elements' type.
    pub base: String,
    /// Whether the type is a domain.
    pub domain: bool,
    /// Whether the type is an array.
    pub array: bool,
    /// Whether the type is a number without a sign.
    pub unsigned: bool,
    /// Whether different texts can be equal: the collation is not deterministic.
    pub folded: bool,
    /// The greatest length of texts, in characters.
    pub length: Option<u32>,
    /// The number of digits in all.
    pub precision: Option<u32>,
    /// The number of digits after the point.
    pub scale: Option<i32>,
    /// The texts of an enum, in order.
    pub labels: Vec<String>,
}

/// A value of a column, in a database whose columns have values of any type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The value's storage class: `integer`, `real`, `text` or `blob`.
    pub class: String,
    /// The value as text; of a long one, the beginning.
    pub text: String,
}

/// A foreign key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The schema of the other table; `None` where both are in one schema.
    pub schema: Option<String>,
    /// The other table.
    pub table: String,
    /// The columns of the other table, in the same order; empty where they are its primary key.
    pub references: Vec<String>,
    /// The action when the other record is deleted: `NO ACTION`, `RESTRICT`, `CASCADE`, `SET NULL` or `SET DEFAULT`.
    pub on_delete: String,
}
