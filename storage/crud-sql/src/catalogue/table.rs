//! [`Table`]: a table as the database describes it.

use crud_shared::catalogue::ColumnType;

use crate::catalogue::by_place::joined;
use crate::column_names::column_names;
use crate::dialect::Dialect;
use crate::search_index::SearchIndex;
use crate::storage::facts::TriggerFacts;

/// The parts of tables that a read is about, beside their columns and indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Foreign keys and indexes of words, which structs are compared with.
    Schema,
    /// As [`Schema`](Self::Schema), with CHECK constraints, which a migration changes.
    Migration,
    /// Triggers, which writes follow.
    Writes,
    /// Foreign keys and the parts of types, by which structs are written for a table.
    Types,
}

/// A table as the database describes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// `table` or `view`.
    pub(crate) kind: String,
    /// Whether its records are in partitions, so that the server neither makes an index of it concurrently nor adds a foreign
    /// key that is not valid yet.
    pub(crate) partitioned: bool,
    pub(crate) columns: Vec<Column>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) foreign_keys: Vec<ForeignKey>,
    /// The CHECK constraints that have names.
    pub(crate) checks: Vec<Check>,
    /// The statement that created it, where the database keeps that as it was written.
    pub(crate) written: String,
    /// The indexes of words.
    pub(crate) searches: Vec<SearchIndex>,
    /// The triggers that are on, without those of an index of words.
    pub(crate) triggers: Vec<TriggerFacts>,
    /// The unique indexes that are not valid: they refuse duplicates, and no read uses them.
    pub(crate) unfinished: Vec<Index>,
    /// Whether an insert returns a key that the database fills in, of any type.
    pub(crate) returns_keys: bool,
}

impl Table {
    /// The table whose columns are in these, in order; `None` without any.
    pub(crate) fn whole(parts: Vec<Self>) -> Option<Self> {
        joined(parts, |_, _| true, |one, next| one.columns.append(&mut next.columns)).pop()
    }

    /// The column of this name.
    pub(crate) fn column<D: Dialect>(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| (D::TABLES.is_same_name)(&column.name, name))
    }

    /// The columns of the primary key, in its order.
    pub(crate) fn key(&self) -> Vec<&Column> {
        let mut key: Vec<&Column> = self.columns.iter().filter(|column| column.key > 0).collect();
        key.sort_by_key(|column| column.key);
        key
    }

    /// The condition of the CHECK constraint of this name.
    pub(crate) fn check(&self, name: &str) -> Option<&str> {
        self.checks.iter().find(|check| check.name == name).map(|check| check.condition.as_str())
    }

    /// Whether an index or a constraint has this name.
    pub(crate) fn has_named(&self, name: &str) -> bool {
        let mut indexes = self.indexes.iter().chain(&self.unfinished);
        indexes.any(|index| index.name == name)
            || self.foreign_keys.iter().any(|key| key.name.as_deref() == Some(name))
            || self.check(name).is_some()
    }
}

/// Gives each table that is there its things of one kind, which are listed in the order of the tables.
pub(crate) fn fill<T>(tables: &mut [Option<Table>], things: impl IntoIterator<Item = T>, set: impl Fn(&mut Table, T)) {
    for (table, things) in tables.iter_mut().zip(things) {
        if let Some(table) = table {
            set(table, things);
        }
    }
}

/// A column of a table that is there.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact for itself.
pub(crate) struct Column {
    pub(crate) name: String,
    /// The declared type, as the database spells it.
    pub(crate) declared: String,
    /// The parts of the type, with [`Parts::Types`].
    pub(crate) ty: ColumnType,
    /// The collation, where it does not compare text by code point.
    pub(crate) collation: Option<String>,
    /// The collation, where it takes different texts for equal.
    pub(crate) equates: Option<String>,
    /// The scale of a decimal that is stored in units, where the table says it.
    pub(crate) scale: Option<u32>,
    pub(crate) not_null: bool,
    /// The expression after `DEFAULT`; that of a key counts where it assigns the key.
    pub(crate) default: Option<String>,
    /// Whether storage assigns a value when none is given, without an expression.
    pub(crate) assigned: bool,
    /// The place in the primary key, from 1; 0 outside of it.
    pub(crate) key: i64,
    /// Whether storage computes it.
    pub(crate) generated: bool,
    /// The expression that computes it, where the database shows that of an index through it.
    pub(crate) expression: Option<String>,
    /// Whether an insert may leave it out, because of any default.
    pub(crate) filled: bool,
    /// Whether no statement may set it: it is computed, or `GENERATED ALWAYS AS IDENTITY`.
    pub(crate) fixed: bool,
}

impl Column {
    /// Whether a record has a value when none is given.
    pub(crate) const fn has_default(&self) -> bool {
        self.assigned || self.default.is_some()
    }
}

/// An index of a table that is there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) unique: bool,
    /// The condition of the records that are in it, where that is not all of them.
    pub(crate) partial: Option<String>,
    /// Whether no two records have the same values in its columns, at any moment: it is unique, of all records, and of whole
    /// columns.
    pub(crate) identifies: bool,
    /// The columns, in order.
    pub(crate) columns: Vec<IndexedColumn>,
    /// The names of the columns, and in the place of an expression those of the columns that it reads.
    pub(crate) reads: Vec<String>,
    /// Whether lists can use it in both directions: every column ascending, by code point.
    pub(crate) plain: bool,
}

impl Index {
    /// Whether its condition reads the column of this name.
    pub(crate) fn is_filtered_by<D: Dialect>(&self, column: &str) -> bool {
        let names = self.partial.as_deref().map(column_names).unwrap_or_default();
        names.iter().any(|name| (D::TABLES.is_same_name)(name, column))
    }
}

/// A column of an index that is there.
#[derive(Debug, Clone)]
pub(crate) struct IndexedColumn {
    /// Its name; `None` for an expression, unless that is the column without regard to letter case.
    pub(crate) name: Option<String>,
    /// Whether the index compares its text without regard to letter case.
    pub(crate) ignores_case: bool,
    /// Whether nulls come first, where that is the index's own.
    pub(crate) nulls_first: Option<bool>,
}

impl IndexedColumn {
    /// Whether it is the column of this name.
    pub(crate) fn is<D: Dialect>(&self, name: &str) -> bool {
        self.name.as_deref().is_some_and(|own| (D::TABLES.is_same_name)(own, name))
    }
}

/// A foreign key: of a table that is there, or as a field wants it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ForeignKey {
    /// Its name, where it is there and has one by which it could be dropped.
    pub(crate) name: Option<String>,
    pub(crate) table: String,
    /// The schema of that table, where the database has schemas.
    pub(crate) schema: Option<String>,
    /// The referring columns and those referred to; `None` for the other table's primary key.
    pub(crate) columns: Vec<(String, Option<String>)>,
    /// Action on delete, such as `NO ACTION`.
    pub(crate) on_delete: String,
    /// Action when the key that it refers to is changed; empty where none is stated.
    pub(crate) on_update: String,
}

/// A CHECK constraint of a table that is there.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) name: String,
    /// The condition, as the database spells it.
    pub(crate) condition: String,
}

/// The tables and views that a view reads.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// Their names; other names may be among them.
    pub(crate) names: Vec<String>,
    /// A part of it that may read any table.
    pub(crate) opaque: Option<String>,
}

/// The table or view that has the name of a view.
#[derive(Debug)]
pub(crate) struct Named {
    /// Kind of the object, such as `view` or `table`.
    pub(crate) kind: String,
    /// The statement that creates the view, after `CREATE VIEW`, as the database spells it.
    pub(crate) view: String,
}

/// A table or view in the list of a schema.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// Whether the connection's user may create, change or delete records of it.
    pub(crate) writable: bool,
    /// Reason why it is not described.
    pub(crate) left_out: Option<String>,
    /// Whether it is a table that the user may read.
    pub(crate) is_table: bool,
    /// Whether it has what only tables of resources have.
    pub(crate) is_known: bool,
}
