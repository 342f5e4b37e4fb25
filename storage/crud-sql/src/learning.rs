//! Reads the facts of tables, on a connection that is acquired for that.

use super::connections::Connections;
use super::facts::{Effects, of_tables};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::facts::TableFacts;

/// The effects of a resource's table.
pub(super) async fn effects<C: Connections + ?Sized>(
    connections: &C,
    resource: &'static Descriptor,
) -> Result<Effects, AdapterError> {
    let facts = connections.facts();
    if let Some(effects) = facts.known(resource) {
        return Ok(effects);
    }
    let _reading = facts.reading.lock().await;
    if let Some(effects) = facts.known(resource) {
        return Ok(effects);
    }
    let mut lease = connections.reader().await?;
    let effects = facts.on::<C::Driver>(&mut lease, resource).await?;
    C::release(lease);
    Ok(effects)
}

/// See [`Administration::learn`](crate::storage::administration::Administration::learn).
pub(super) async fn learn<C: Connections>(
    connections: &C,
    resources: &[&'static Descriptor],
) -> Result<Vec<TableFacts>, AdapterError> {
    let mut lease = connections.reader().await?;
    let found = of_tables::<C::Driver>(&mut lease, resources).await?;
    C::release(lease);
    for (resource, facts) in &found {
        connections.facts().keep::<C::Driver>(resource, facts);
    }
    let mut all: Vec<TableFacts> = Vec::with_capacity(found.len());
    for (_, facts) in found {
        if !all.iter().any(|known| known.table == facts.table) {
            all.push(facts);
        }
    }
    Ok(all)
}
