//! [`Catalogue`]: the tables and views of a database, as its catalogue describes them.
//!
//! The program of a project reads it, by the driver that it has anyway, and prints it as JSON; the `crud` command writes
//! resources for it.

use serde::{Deserialize, Serialize};

/// The tables and views of one schema of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    /// The database: the name of a row of [`DATABASES`](crate::database::DATABASES).
    pub database: String,
    /// The schema; `None` where it is the connection's own, in which names without a schema are found.
    pub schema: Option<String>,
    /// Tables and views, in the order of their names.
    pub tables: Vec<Table>,
    /// Tables of the schema that are not among them, and why.
    pub left_out: Vec<LeftOut>,
}

/// A table that is not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub table: String,
    /// The reason, such as ``a partition of `payment` ``.
    pub reason: String,
}

/// A table or a view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its kind: a table has records, a view shows those of others.
    pub kind: Kind,
    /// Whether the connection's user may create, change or delete records of it.
    pub writable: bool,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// The columns of its primary key, in the key's order.
    pub key: Vec<String>,
    /// The columns of each other unique constraint or index, without those of a part of the records or of expressions.
    pub uniques: Vec<Vec<String>>,
    /// The conditions of its partial indexes.
    pub conditions: Vec<String>,
    /// Its foreign keys.
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
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ColumnType,
    /// Whether it is `NOT NULL`.
    pub not_null: bool,
    /// Whether a record that leaves it out gets a value that is not null.
    pub has_default: bool,
    /// Whether storage assigns it: a sequence, an identity, `AUTO_INCREMENT`, a row number.
    pub assigned: bool,
    /// Whether it is computed from others.
    pub generated: bool,
    /// Values that are there, of a database whose columns have values of any type; each once.
    pub samples: Vec<Sample>,
}

/// The type of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact for itself.
pub struct ColumnType {
    /// The type as a statement spells it, such as `character varying(160)`, `sales.mood` or `NVARCHAR(160)`.
    pub declared: String,
    /// The name of the type without its numbers, in lower case; of a domain, that of the type below it; of an array, that
    /// of its elements.
    pub base: String,
    /// Whether it is a domain.
    pub domain: bool,
    /// Whether it is an array.
    pub array: bool,
    /// Whether it is a number without a sign.
    pub unsigned: bool,
    /// Whether texts that differ are equal to it: a collation that is not deterministic.
    pub folded: bool,
    /// The greatest length of its texts, in characters.
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
    /// The class of its storage: `integer`, `real`, `text` or `blob`.
    pub class: String,
    /// Its text; the beginning of a long one.
    pub text: String,
}

/// A foreign key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// Its own columns.
    pub columns: Vec<String>,
    /// The schema of the other table; `None` where it is that of this one.
    pub schema: Option<String>,
    /// The other table.
    pub table: String,
    /// The columns there, in the same order; empty where they are those of its primary key.
    pub references: Vec<String>,
    /// The action when the other record is deleted: `NO ACTION`, `RESTRICT`, `CASCADE`, `SET NULL` or `SET DEFAULT`.
    pub on_delete: String,
}
