//! The statements of a migration about [generated columns](super::folded) of text in lower case.

use super::compared::Compared;
use super::ddl::{self, identifier};
use super::folded::{columns, line, name_of, typed_line};
use super::rename;
use super::table_diff::named_unique;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::indexes::{Unique, uniques};
use crate::storage::schema::What;
use crate::storage::sql::dialect::Dialect;
use crate::storage::sql::driver::Driver;

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
        let table = identifier::<D>(resource.table);
        let add =
            |column: &ColumnDescriptor| format!("ALTER TABLE {table} ADD COLUMN {};\n", line::<D>(resource, column));
        let drop = |column: &ColumnDescriptor| {
            format!("\nALTER TABLE {table} DROP COLUMN {};", identifier::<D>(&name_of::<D>(column.column)))
        };
        Self { add: columns.iter().copied().map(add).collect(), drop: columns.iter().copied().map(drop).collect() }
    }
}

/// The generated columns that a missing unique needs and the table lacks, unless one before it needs them too.
pub(super) fn missing<D: Dialect>(compared: &Compared, unique: &Unique) -> Statements {
    let resource = compared.resource;
    let missing = compared.differences.iter().filter_map(|difference| match &difference.what {
        What::UniqueMissing { columns, active, case_insensitive } => {
            Some(named_unique(resource, columns, case_insensitive, *active))
        }
        _ => None,
    });
    let before: Vec<Unique> = missing.take_while(|other| other != unique).collect();
    let added = columns::<D>(resource, &before);
    let mut columns = columns::<D>(resource, std::slice::from_ref(unique));
    columns.retain(|column| {
        let is_added = added.iter().any(|other| other.column == column.column);
        !is_added && compared.column::<D>(&name_of::<D>(column.column)).is_none()
    });
    Statements::of::<D>(resource, &columns)
}

/// The generated columns of the table that a unique alone needs.
pub(super) fn unused<D: Dialect>(compared: &Compared, unique: &Unique) -> Statements {
    let resource = compared.resource;
    let used = columns::<D>(resource, &uniques(resource));
    let mut columns = columns::<D>(resource, std::slice::from_ref(unique));
    columns.retain(|column| {
        let is_used = used.iter().any(|other| other.column == column.column);
        !is_used && compared.column::<D>(&name_of::<D>(column.column)).is_some()
    });
    Statements::of::<D>(resource, &columns)
}

/// The statement after one that gives a column another type, with a line break before it: its generated column follows.
pub(super) fn retype<D: Dialect>(compared: &Compared, column: &ColumnDescriptor, declared: &str) -> String {
    if D::TABLES.folded.is_some() || compared.column::<D>(&name_of::<D>(column.column)).is_none() {
        return String::new();
    }
    let table = identifier::<D>(compared.resource.table);
    format!("\nALTER TABLE {table} MODIFY COLUMN {};", typed_line::<D>(column, declared))
}

/// The statements that drop the generated column of a column that no field has any more, with its indexes.
pub(super) fn removal<D: Driver>(compared: &Compared, column: &str) -> Vec<String> {
    let (table, generated) = (identifier::<D>(compared.resource.table), name_of::<D>(column));
    if D::TABLES.folded.is_some() || compared.column::<D>(&generated).is_none() {
        return Vec::new();
    }
    let is = |name: &Option<String>| name.as_deref().is_some_and(|name| (D::TABLES.is_same_name)(name, column));
    let indexes = compared.table.iter().flat_map(|table| &table.indexes);
    let indexes = indexes.filter(|index| index.columns.iter().any(|column| column.ignores_case && is(&column.name)));
    let drops = indexes.map(|index| (D::ALTERATION.drop_index)(&table, &index.name));
    let drop = format!("ALTER TABLE {table} DROP COLUMN {};", identifier::<D>(&generated));
    drops.chain([drop]).collect()
}

/// The statements around the rename of columns whose generated columns keep them from being renamed.
#[derive(Default)]
pub(super) struct AroundRename {
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    /// Statements around the rename back.
    pub(super) before_back: Vec<String>,
    pub(super) after_back: Vec<String>,
    /// The former names of the indexes that are created anew.
    pub(super) indexes: Vec<String>,
}

/// Drops the generated columns of renamed columns with their indexes, and creates them for the new names. `pairs`: the
/// former and the new names of the indexes; `present`: the names of the table.
pub(super) fn around_rename<D: Driver>(
    compared: &Compared,
    pairs: &[(String, String)],
    present: &[String],
) -> AroundRename {
    let resource = compared.resource;
    let table = identifier::<D>(resource.table);
    let uniques = uniques(resource);
    let mut generated = columns::<D>(resource, &uniques);
    generated.retain(|column| compared.renamed.iter().any(|renamed| renamed.column.column == column.column));
    let mut around = AroundRename::default();
    let mut names: Vec<(String, String)> = Vec::new();
    for unique in &uniques {
        let is_of = |column: &&ColumnDescriptor| {
            unique.case_insensitive.iter().any(|index| resource.columns[*index].column == column.column)
        };
        let name = (D::TABLES.shorten)(unique.name(resource));
        let pair = pairs.iter().find(|(from, to)| *to == name && present.contains(from));
        if let Some((from, to)) = pair.filter(|_| generated.iter().any(is_of)) {
            around.before.push((D::ALTERATION.drop_index)(&table, from));
            around.before_back.push((D::ALTERATION.drop_index)(&table, to));
            around.after.push(ddl::create_unique_index::<D>(resource, unique) + ";");
            around.indexes.push(from.clone());
            names.push((to.clone(), from.clone()));
        }
    }
    // Without an index, there is no such column either.
    generated.retain(|_| !around.indexes.is_empty());
    for column in &generated {
        let Some(renamed) = compared.renamed.iter().find(|renamed| renamed.column.column == column.column) else {
            continue;
        };
        names.push((column.column.to_owned(), renamed.from.to_owned()));
        names.push((name_of::<D>(column.column), name_of::<D>(renamed.from)));
    }
    let add = |column: &&ColumnDescriptor| format!("ALTER TABLE {table} ADD COLUMN {};", line::<D>(resource, column));
    let drop = |column: &&ColumnDescriptor| {
        format!("ALTER TABLE {table} DROP COLUMN {};", identifier::<D>(&name_of::<D>(column.column)))
    };
    around.after.splice(0..0, generated.iter().map(add));
    let drops: Vec<String> = generated.iter().map(drop).collect();
    let names: Vec<(&str, &str)> = names.iter().map(|(new, old)| (new.as_str(), old.as_str())).collect();
    around.before.extend(drops.iter().map(|drop| rename::text(drop, &names)));
    around.before_back.extend(drops);
    around.after_back = around.after.iter().map(|statement| rename::text(statement, &names)).collect();
    around
}
