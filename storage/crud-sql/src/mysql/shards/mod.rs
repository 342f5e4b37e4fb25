//! [`ShardedMySqlAdapter`]: a keyspace of Vitess with several shards, beside an unsharded one for tables outside of tenants.
//!
//! Requests go through connections without a keyspace: vtgate finds the shard of a statement by the tenant that it names, and
//! tables of both keyspaces by their names. Tables are created, compared and migrated on connections to one shard each.

mod administration;
mod away;
mod key_source;
mod key_steps;
mod keyspaces;
mod lookups;
#[cfg(feature = "migrations")]
mod migrations;
mod moves;
#[cfg(feature = "migrations")]
mod part_of_file;
mod places;
mod routes;
mod sequences;
mod text_storage;
mod turn;
mod unfinished;

use std::sync::Arc;

use self::key_steps::KeySteps;
use self::keyspaces::Keyspaces;
use self::places::{Place, Tables};
use self::text_storage::TextStorage;
use super::connect::{self, Opened};
use super::{MySqlAdapter, MySqlConnections};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::Adapter;
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::administration::Storage;
use crate::storage::capabilities::Capabilities;
use crate::storage::session_variables::SessionVariables;

/// Storage in a sharded keyspace of Vitess.
#[derive(Debug)]
pub(super) struct ShardedMySqlAdapter {
    /// Storage on connections without a keyspace.
    routed: TextStorage,
    /// The unsharded keyspace, and the shards after it.
    places: Vec<Place>,
    keyspaces: Keyspaces,
    tables: Tables,
    /// The steps in which the server of each shard assigns keys.
    steps: Vec<KeySteps>,
    /// Whether the servers of the shards assign keys, no two of them the same.
    keys_by_shards: bool,
}

impl MySqlAdapter {
    /// Opens the database of a URL like [`connect`](Self::connect), or a Vitess keyspace with several shards as sharded
    /// storage.
    ///
    /// # Errors
    /// Fails like [`connect`](Self::connect) does, and where a sharded keyspace has no unsharded one beside it.
    #[doc(hidden)]
    pub async fn open(url: &str) -> Result<Arc<dyn Storage>, AdapterError> {
        let opened = connect::connect(url).await?;
        match Keyspaces::of(&opened, url).await? {
            None => Ok(Arc::new(Self { connections: MySqlConnections::of_opened(opened) })),
            Some(keyspaces) => {
                opened.pool.close().await;
                Ok(Arc::new(ShardedMySqlAdapter::connect(url, keyspaces).await?))
            }
        }
    }
}

/// Refuses a keyspace of several shards, as a transaction over two of them may be committed on only one.
///
/// # Errors
/// [`AdapterError::Other`] for such a keyspace.
pub(super) async fn refuse(opened: &Opened, url: &str) -> Result<(), AdapterError> {
    match Keyspaces::of(opened, url).await? {
        None => Ok(()),
        Some(keyspaces) => {
            let shards = keyspaces.shards.join(", ");
            Err(AdapterError::Other(
                format!("the database has the shards {shards}: `Service::connect` opens them").into(),
            ))
        }
    }
}

impl ShardedMySqlAdapter {
    async fn connect(url: &str, keyspaces: Keyspaces) -> Result<Self, AdapterError> {
        let routed = MySqlAdapter { connections: MySqlConnections::of_opened(connect::routed(url).await?) };
        let facts = routed.connections.facts.clone();
        let names = std::iter::once((keyspaces.outside.clone(), false))
            .chain(keyspaces.shards.iter().cloned().map(|name| (name, true)));
        let open = |(name, is_shard): (String, bool)| Place::open(url, name, is_shard, &facts);
        let places = names.map(open).collect::<Result<Vec<_>, _>>()?;
        let mut steps = Vec::with_capacity(places.len());
        for place in &places {
            steps.push(place.check().await?);
        }
        // The unsharded keyspace has one server.
        steps.remove(0);
        let (routed, tables) = (TextStorage(Arc::new(routed)), Tables::default());
        let keys_by_shards = KeySteps::are_disjoint(&steps);
        let storage = Self { routed, places, keyspaces, tables, steps, keys_by_shards };
        if !keys_by_shards && storage.steps.iter().any(|steps| steps.increment > 1) {
            let servers = storage.steps_of_servers();
            tracing::warn!(
                servers,
                "the servers of the shards would assign the same keys, by `auto-increment-increment` and `auto-increment-offset`: \
                 keys are from sequences"
            );
        }
        Ok(storage)
    }

    /// The place of tables outside of tenants.
    fn main(&self) -> &Place {
        &self.places[0]
    }

    fn shards(&self) -> &[Place] {
        &self.places[1..]
    }

    /// The resources whose tables are in a place.
    fn resources_in(&self, place: &Place, resources: &[&'static Descriptor]) -> Vec<&'static Descriptor> {
        let is_in = |resource: &&&'static Descriptor| self.tables.are_in_shards(resource) == place.is_shard;
        resources.iter().filter(is_in).copied().collect()
    }
}

impl AdapterLayer for ShardedMySqlAdapter {
    fn inner(&self) -> &dyn Adapter {
        &self.routed
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        AdapterLayer::session(&self.routed, variables)
    }

    fn capabilities(&self) -> Capabilities {
        let capabilities = Adapter::capabilities(&self.routed);
        if self.keys_by_shards { capabilities.with_keys_by_shards() } else { capabilities }
    }
}
