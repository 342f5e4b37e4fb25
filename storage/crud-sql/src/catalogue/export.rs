//! The catalogue that `crud generate --from-database` writes structs from.

use std::error::Error as _;

use crud_shared::catalogue::{self as exported, Catalogue, Kind, LeftOut};
use crud_shared::table::{joined, split};

use super::driver::CatalogueDriver;
use super::table::{Column, ForeignKey, Index, Listed, Parts, Table};
use crate::driver::Connection;
use crate::model::adapter_error::AdapterError;

/// Describes the tables and views of a schema, or those of these names. One that cannot be read is left out.
pub(crate) async fn export<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    schema: Option<&str>,
    wanted: &[String],
) -> Result<Catalogue, AdapterError> {
    let mut catalogue = Catalogue::default();
    for mut listed in D::listed(connection, schema).await.map_err(D::general)? {
        if !wanted.is_empty() && !wanted.iter().any(|name| (D::TABLES.is_same_name)(name, &listed.name)) {
            continue;
        }
        let described = match listed.left_out.take() {
            Some(reason) => Err(reason),
            None => described::<D>(connection, &joined(schema, &listed.name)).await?,
        };
        match described {
            Ok(table) => catalogue.tables.push(of_table(listed, schema, table)),
            Err(reason) => catalogue.left_out.push(LeftOut { table: listed.name, reason }),
        }
    }
    Ok(catalogue)
}

/// A table, or the reason why it cannot be read, such as a view whose tables are gone.
async fn described<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    name: &str,
) -> Result<Result<Table, String>, AdapterError> {
    let unread = |reason: &str| format!("it cannot be read: {reason}");
    match D::described(connection, vec![name], Parts::Types).await {
        Ok(mut found) => Ok(found.pop().flatten().ok_or_else(|| unread("it is not there any more"))),
        Err(error) => match D::general(error) {
            error @ (AdapterError::Unavailable(_) | AdapterError::Timeout) => Err(error),
            error => Ok(Err(unread(&error.source().map_or_else(|| error.to_string(), ToString::to_string)))),
        },
    }
}

fn of_table(listed: Listed, schema: Option<&str>, table: Table) -> exported::Table {
    let key: Vec<String> = table.key().into_iter().map(|column| column.name.clone()).collect();
    let names = |index: &Index| index.columns.iter().map(|column| column.name.clone()).collect::<Option<Vec<_>>>();
    let uniques = table.indexes.iter().filter(|index| index.identifies).filter_map(names);
    exported::Table {
        name: listed.name,
        kind: if table.kind.contains("view") { Kind::View } else { Kind::Table },
        writable: listed.writable,
        uniques: uniques.filter(|columns| *columns != key).collect(),
        key,
        conditions: table.indexes.into_iter().filter_map(|index| index.partial).collect(),
        foreign_keys: table.foreign_keys.into_iter().map(|key| of_foreign_key(key, schema)).collect(),
        columns: table.columns.into_iter().map(of_column).collect(),
    }
}

fn of_column(column: Column) -> exported::Column {
    let is_null = |default: &String| {
        let text = default.to_ascii_lowercase();
        text == "null" || text.starts_with("null::")
    };
    exported::Column {
        has_default: column.filled && !column.fixed && !column.default.as_ref().is_some_and(is_null),
        name: column.name,
        ty: column.ty,
        not_null: column.not_null || column.assigned,
        assigned: column.assigned,
        generated: column.fixed,
        samples: Vec::new(),
    }
}

/// A foreign key. `schema`: the schema of the table that has it.
fn of_foreign_key(key: ForeignKey, schema: Option<&str>) -> exported::ForeignKey {
    let (columns, references): (Vec<_>, Vec<_>) = key.columns.into_iter().unzip();
    exported::ForeignKey {
        columns,
        schema: key.schema.filter(|other| schema != Some(other)),
        table: split(&key.table).1.to_owned(),
        references: references.into_iter().flatten().collect(),
        on_delete: key.on_delete,
    }
}
