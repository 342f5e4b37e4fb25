//! Collections with documents that no resource has.

use mongodb::bson::doc;

use super::counter::COUNTERS;
use super::database::Database;
use super::error::Failure;
use super::schema::{SCHEMA, Schema};
use crate::storage::unused_table::{MAX_COUNTED, UnusedTable};

/// The collections with documents that are not in `used`. Each says whether it is described, as the collections of
/// resources are.
pub(super) async fn unused_collections(database: &Database, used: &[&str]) -> Result<Vec<UnusedTable>, Failure> {
    let mut session = database.session();
    let schema = Schema::read(&mut session).await?;
    let names = database.collections().await.map_err(Failure::Adapter)?;
    let is_ours = |name: &str| [SCHEMA, COUNTERS].contains(&name) || used.contains(&name);
    let mut found = Vec::new();
    for name in names.into_iter().filter(|name| !is_ours(name) && !name.starts_with("system.")) {
        let is_known = schema.get(&name).is_some();
        let limit = if is_known { MAX_COUNTED + 1 } else { 1 };
        let records = session.count(&name, doc! {}, Some(limit)).await?;
        if records > 0 {
            found.push(UnusedTable::new(name, records, is_known));
        }
    }
    found.sort_by_key(|table| !table.is_known);
    Ok(found)
}
