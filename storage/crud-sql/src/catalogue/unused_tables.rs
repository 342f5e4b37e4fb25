//! Tables with records that no resource has.

use crud_shared::table::split;

use super::table::Listed;
use crate::catalogue::driver::CatalogueDriver;
use crate::driver::{Connection, first_number};
use crate::identifier::identifier;
use crate::statement::Statement;
use crate::storage::unused_table::{MAX_COUNTED, UnusedTable};

/// The greatest number of tables whose records are counted.
const MAX_TABLES: usize = 100;

/// The beginning of the statement that counts records: of the start, which says nothing about the use of indexes.
pub(crate) const COUNT: &str = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM ";

/// The tables with records that are none of these, known ones first. One that cannot be read is left out.
pub(crate) async fn unused<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    used: &[&str],
) -> Result<Vec<UnusedTable>, D::Error> {
    let is_used = |table: &Listed| used.iter().any(|used| (D::TABLES.is_same_name)(split(used).1, &table.name));
    let mut tables = D::tables(connection).await?;
    tables.retain(|table| !is_used(table));
    tables.sort_by_key(|table| !table.is_known);
    let mut found = Vec::new();
    for Listed { name, is_known, .. } in tables.into_iter().take(MAX_TABLES) {
        let most = if is_known { MAX_COUNTED + 1 } else { 1 };
        let Ok(Some(records)) = counted::<D>(connection, &identifier::<D>(&name), most).await else { continue };
        if let Ok(records @ 1..) = u64::try_from(records) {
            found.push(UnusedTable::new(name, records, is_known));
        }
    }
    Ok(found)
}

/// Number of the records of a table, by its quoted name, of which at most so many are counted.
pub(crate) async fn counted<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    table: &str,
    most: u64,
) -> Result<Option<i64>, D::Error> {
    let text = format!("{COUNT}{table} LIMIT {most}) AS counted");
    first_number::<D>(connection, Statement::assembled(text)).await
}
