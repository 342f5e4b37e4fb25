//! The statements of a migration about [generated columns](crate::schema::folded) of text in lower case.

use super::retyped_index;
use super::retyped_index::Retyped;
use crate::catalogue::table::{Column, Index, IndexedColumn};
use crate::dialect::Dialect;
use crate::identifier::{identifier, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::alteration::drop_column;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::table_diff::missing_unique;
use crate::schema::driver::SchemaDriver;
use crate::schema::folded::{columns, line, name_of, typed_line};
use crate::schema::renames::rename;
use crate::storage::indexes::{Unique, uniques};

/// The statements that add generated columns, each with a line break after it, and those that drop them, each with one
/// before it.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) add: String,
    pub(super) drop: String,
}

impl Statements {
    /// Statements about the generated columns of these columns.
    fn of<D: Dialect>(resource: &Descriptor, columns: &[&ColumnDescriptor]) -> Self {
        let table = table_identifier::<D>(resource.table);
        let add =
            |column: &ColumnDescriptor| format!("ALTER TABLE {table} ADD COLUMN {};\n", line::<D>(resource, column));
        let drop = |column: &ColumnDescriptor| format!("\n{}", drop_column::<D>(&table, &name_of::<D>(column.column)));
        Self { add: columns.iter().copied().map(add).collect(), drop: columns.iter().copied().map(drop).collect() }
    }
}

/// The generated columns that a missing unique needs and the table lacks, unless one before it needs them too.
pub(super) fn missing<D: Dialect>(compared: &Compared, unique: &Unique) -> Statements {
    let resource = compared.resource;
    let missing = compared.differences.iter().filter_map(|difference| missing_unique(resource, &difference.what));
    let before: Vec<Unique> = missing.take_while(|other| other != unique).collect();
    let added = columns::<D>(resource, &before);
    let mut columns = columns::<D>(resource, std::slice::from_ref(unique));
    columns.retain(|column| {
        let is_added = added.iter().any(|other| other.column == column.column);
        !is_added && compared.column::<D>(&name_of::<D>(column.column)).is_none()
    });
    Statements::of::<D>(resource, &columns)
}

/// The generated columns of the table that a unique alone needs, and no other index has.
pub(super) fn unused<D: Dialect>(compared: &Compared, unique: &Unique) -> Statements {
    let resource = compared.resource;
    let used = columns::<D>(resource, &uniques(resource));
    let own = (D::TABLES.shorten)(unique.name(resource));
    let is_in_other = |column: &ColumnDescriptor| {
        let has = |index: &Index| index.columns.iter().any(|key| key.ignores_case && key.is::<D>(column.column));
        compared.present_indexes().any(|index| index.name != own && has(index))
    };
    let mut columns = columns::<D>(resource, std::slice::from_ref(unique));
    columns.retain(|column| {
        let is_used = used.iter().any(|other| other.column == column.column) || is_in_other(column);
        !is_used && compared.column::<D>(&name_of::<D>(column.column)).is_some()
    });
    Statements::of::<D>(resource, &columns)
}

/// The statement after one that gives a column another type, with a line break before it: its generated column follows.
pub(super) fn retype<D: SchemaDriver>(compared: &Compared, column: &ColumnDescriptor, retyped: &Retyped<'_>) -> String {
    if D::TABLES.folded.is_some() || compared.column::<D>(&name_of::<D>(column.column)).is_none() {
        return String::new();
    }
    let table = table_identifier::<D>(compared.resource.table);
    let indexes = retyped_index::parts::<D>(compared, retyped, true);
    format!("\nALTER TABLE {table} MODIFY COLUMN {}{indexes};", typed_line::<D>(column, retyped.to))
}

/// The statements that drop the generated column of a column that no field has any more, with its indexes.
pub(super) fn removal<D: SchemaDriver>(compared: &Compared, column: &str) -> Vec<String> {
    let (table, generated) = (table_identifier::<D>(compared.resource.table), name_of::<D>(column));
    if D::TABLES.folded.is_some() || compared.column::<D>(&generated).is_none() {
        return Vec::new();
    }
    let has = |index: &&Index| index.columns.iter().any(|key| key.ignores_case && key.is::<D>(column));
    let indexes = compared.present_indexes().filter(has);
    let drops = indexes.map(|index| (D::ALTERATION.drop_index)(&table, &index.name));
    drops.chain([drop_column::<D>(&table, &generated)]).collect()
}

/// The statements around the rename of columns whose generated columns keep them from being renamed.
#[derive(Default)]
pub(crate) struct AroundRename {
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
    /// Statements around the rename back.
    pub(crate) before_back: Vec<String>,
    pub(crate) after_back: Vec<String>,
    /// The former names of the indexes that are created anew.
    pub(crate) indexes: Vec<String>,
}

/// Drops the generated columns of renamed columns with their indexes, and creates them as they are for the new names.
pub(crate) fn around_rename<D: SchemaDriver>(compared: &Compared) -> AroundRename {
    let mut around = AroundRename::default();
    if D::TABLES.folded.is_some() {
        return around;
    }
    let (resource, table) = (compared.resource, table_identifier::<D>(compared.resource.table));
    let generated = compared.renamed.iter().filter_map(|renamed| {
        let present = compared.column::<D>(&name_of::<D>(renamed.column.column))?;
        Some((renamed.column, present))
    });
    let generated: Vec<(&ColumnDescriptor, &Column)> = generated.collect();
    let mut names: Vec<(String, String)> = Vec::new();
    for renamed in &compared.renamed {
        let (new, old) = (renamed.column.column, renamed.from);
        names.push((new.to_owned(), old.to_owned()));
        names.push((name_of::<D>(new), name_of::<D>(old)));
    }
    let mut indexes = Vec::new();
    let has_one = |index: &&Index| {
        let is_one =
            |key: &IndexedColumn| key.ignores_case && generated.iter().any(|(column, _)| key.is::<D>(column.column));
        index.columns.iter().any(is_one)
    };
    for index in compared.present_indexes().filter(has_one) {
        let declared = |name: &str| compared.column::<D>(name).map(|column| column.declared.clone());
        let Some(keys) = retyped_index::keys::<D>(compared, index, declared) else { continue };
        let former = compared.renamed_indexes.iter().find(|(_, to)| *to == index.name);
        let from = former.map_or_else(|| index.name.clone(), |(from, _)| from.clone());
        around.before.push((D::ALTERATION.drop_index)(&table, &from));
        around.before_back.push((D::ALTERATION.drop_index)(&table, &index.name));
        let (unique, name) = (if index.unique { "UNIQUE " } else { "" }, identifier::<D>(&index.name));
        indexes.push(format!("CREATE {unique}INDEX {name} ON {table} ({keys});"));
        names.push((index.name.clone(), from.clone()));
        around.indexes.push(from);
    }
    let add = |(column, present): &(&ColumnDescriptor, &Column)| {
        let wanted = (D::TABLES.column_type)(resource, column);
        let is_wanted = wanted.eq_ignore_ascii_case(&present.declared);
        let declared = if is_wanted { &*wanted } else { present.declared.as_str() };
        format!("ALTER TABLE {table} ADD COLUMN {};", typed_line::<D>(column, declared))
    };
    around.after = generated.iter().map(add).chain(indexes).collect();
    let drops = generated.iter().map(|(column, _)| drop_column::<D>(&table, &name_of::<D>(column.column)));
    let drops: Vec<String> = drops.collect();
    let names: Vec<(&str, &str)> = names.iter().map(|(new, old)| (new.as_str(), old.as_str())).collect();
    around.before.extend(drops.iter().map(|drop| rename::text(drop, &names)));
    around.before_back.extend(drops);
    around.after_back = around.after.iter().map(|statement| rename::text(statement, &names)).collect();
    around
}
