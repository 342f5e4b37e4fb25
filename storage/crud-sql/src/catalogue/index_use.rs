//! The indexes of tables with the counts of their reads.

use crud_shared::table::{joined, split};

use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::table::Parts;
use crate::driver::Connection;
use crate::identifier::table_identifier;
use crate::storage::index_use::{CountedIndex, IndexUse, TableIndexes};

/// The indexes of these tables, as far as the tables exist. An index of expressions or of words is left out.
pub(crate) async fn index_use<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    tables: &[&'static str],
) -> Result<IndexUse, D::Error> {
    let read = D::index_reads(connection).await?;
    let mut found = Vec::new();
    let described = D::described(connection, tables.to_vec(), Parts::Schema).await?;
    for (name, table) in tables.iter().zip(described) {
        let Some(table) = table.filter(|table| table.kind == "table") else { continue };
        let (schema, own) = split(name);
        let is_of_words = |name: &str| table.searches.iter().any(|search| search.name == name);
        let indexes = table.indexes.into_iter().filter(|index| !is_of_words(&index.name)).filter_map(|index| {
            let columns = index.columns.into_iter().map(|column| column.name).collect::<Option<Vec<_>>>()?;
            let counted = read.indexes.iter().find(|(table, other, _)| table == own && *other == index.name);
            let reads = counted.map_or(0, |(.., reads)| *reads);
            let drop = |index: &str| format!("DROP INDEX {}", table_identifier::<D>(index));
            let drop = if D::INDEXES_BELONG_TO_TABLES {
                format!("{} ON {}", drop(&index.name), table_identifier::<D>(name))
            } else {
                drop(&joined(schema, &index.name))
            };
            Some(CountedIndex { name: index.name, columns, is_unique: index.unique, reads, drop })
        });
        let references =
            table.foreign_keys.into_iter().map(|key| key.columns.into_iter().map(|(own, _)| own).collect());
        let reads = read.tables.iter().find(|(table, _)| table == own).map_or(0, |(_, reads)| *reads);
        found.push(TableIndexes {
            name: (*name).to_owned(),
            reads,
            references: references.collect(),
            indexes: indexes.collect(),
        });
    }
    Ok(IndexUse::new(found, read.counts))
}
