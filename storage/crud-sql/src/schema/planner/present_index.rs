//! Definitions of indexes that are there: for statements that drop one, or create it again.

use crate::catalogue::table::{Index, IndexedColumn, Table};
use crate::identifier::identifier;
use crate::model::descriptor::Descriptor;
use crate::schema::comparison::table_diff::among;
use crate::schema::ddl::{self, ACTIVE, IndexDefinition};
use crate::schema::folded::name_of;
use crate::schema::migration_driver::MigrationDriver;

/// The definition of an index of the table. `None` for one of expressions. `column`: the name that a column has then.
pub(super) fn definition<D: MigrationDriver>(
    resource: &Descriptor,
    table: &Table,
    index: &Index,
    column: impl Fn(&str) -> String,
) -> Option<IndexDefinition> {
    let declared = |name: &str| table.column::<D>(name).map(|column| column.declared.clone());
    let columns = keys::<D>(table, index, declared, column)?;
    // The server spells a condition in another way.
    let condition = among::<D>(resource, index).and_then(|among| ddl::condition::<D>(resource, among));
    let condition = condition.or_else(|| index.partial.clone()).filter(|_| D::TABLES.partial_indexes());
    Some(IndexDefinition { name: index.name.clone(), unique: index.unique, columns, condition })
}

/// The keys of an index as its definition has them; `None` where one is an expression. `declared`: the type of a column, `name`
/// the name that it has there.
pub(super) fn keys<D: MigrationDriver>(
    table: &Table,
    index: &Index,
    declared: impl Fn(&str) -> Option<String>,
    name: impl Fn(&str) -> String,
) -> Option<String> {
    let key = |column: &IndexedColumn| {
        let own = column.name.as_deref()?;
        let nulls_first = if column.nulls_first == Some(true) { " NULLS FIRST" } else { "" };
        let suffix = D::index_suffix(index, &declared(own)?);
        let named = name(own);
        let key = match D::TABLES.folded {
            Some(folded) if column.ignores_case => folded(&identifier::<D>(&named)),
            _ if is_generated::<D>(table, column, own) => identifier::<D>(&name_of::<D>(&named)),
            _ => identifier::<D>(&named),
        };
        Some(key + suffix + nulls_first)
    };
    let mut keys: Vec<String> = index.columns.iter().map(key).collect::<Option<_>>()?;
    let is_marked = index.partial.is_some() && !D::TABLES.partial_indexes();
    keys.extend(is_marked.then(|| identifier::<D>(ACTIVE)));
    Some(keys.join(", "))
}

/// Whether a key of an index is the generated column of this column.
pub(super) fn is_generated<D: MigrationDriver>(table: &Table, key: &IndexedColumn, column: &str) -> bool {
    key.ignores_case && D::TABLES.folded.is_none() && table.column::<D>(&name_of::<D>(column)).is_some()
}
