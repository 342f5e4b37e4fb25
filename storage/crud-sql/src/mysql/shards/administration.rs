//! [`Administration`] of sharded storage, which administers each place with the tables in it.

use std::sync::Arc;
use std::time::Duration;

use super::ShardedMySqlAdapter;
use super::places::Place;
use super::text_storage::TextStorage;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::mysql::MySqlAdapter;
use crate::storage::adapter::{Adapter, AdapterFuture, BoxFuture};
use crate::storage::administration::Administration;
use crate::storage::facts::TableFacts;
use crate::storage::index_use::IndexUse;
use crate::storage::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::rights::Rights;
use crate::storage::schema::Difference;
use crate::storage::shards::Shards;
use crate::storage::status::StorageStatus;
use crate::storage::transfer::Transfer;
use crate::storage::unused_table::UnusedTable;

/// Maximum time that a start waits for its turn.
const TURN: Duration = Duration::from_mins(1);

impl Administration for ShardedMySqlAdapter {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(self.in_turn(TURN, async move {
            for place in &self.places {
                let own = self.resources_in(place, resources);
                place.storage.migrate(&own).await.map_err(|error| place.explained(error))?;
            }
            Ok(self.write_routes().await?)
        }))
    }

    /// The statements of all places; statements that several shards need are listed once.
    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(async move {
            let mut all = Vec::new();
            for place in &self.places {
                let own = self.resources_in(place, resources);
                let statements = place.storage.plan(&own).await.map_err(|error| place.explained(error))?;
                let new: Vec<String> = statements.into_iter().filter(|one| !all.contains(one)).collect();
                all.extend(new);
            }
            Ok(all)
        })
    }

    fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> AdapterFuture<'a, Vec<UnusedTable>> {
        Box::pin(async move {
            let mut all: Vec<UnusedTable> = Vec::new();
            for place in &self.places {
                for found in place.storage.unused_tables(used).await.map_err(|error| place.named(error))? {
                    match all.iter_mut().find(|known| known.name == found.name) {
                        Some(known) => known.records += found.records,
                        None if self.is_of_route(&found.name) => {}
                        None => all.push(found),
                    }
                }
            }
            Ok(all)
        })
    }

    fn index_use<'a>(&'a self, tables: &'a [&'static str]) -> AdapterFuture<'a, IndexUse> {
        Box::pin(async move {
            let mut all = self.main().storage.index_use(tables).await?;
            let mut of_shards: Option<IndexUse> = None;
            for place in self.shards() {
                let found = place.storage.index_use(tables).await.map_err(|error| place.named(error))?;
                match &mut of_shards {
                    Some(known) => known.add(&found),
                    None => of_shards = Some(found),
                }
            }
            all.tables.extend(of_shards.into_iter().flat_map(|found| found.tables));
            Ok(all)
        })
    }

    fn compare<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        Box::pin(self.differences(resources, Administration::compare))
    }

    fn ambiguous_keys<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        Box::pin(self.differences(resources, Administration::ambiguous_keys))
    }

    fn rights<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Rights> {
        Box::pin(async move {
            let mut all = self.main().storage.rights(&self.resources_in(self.main(), resources)).await?;
            for place in self.shards() {
                let own = self.resources_in(place, resources);
                let found = place.storage.rights(&own).await.map_err(|error| place.named(error))?;
                all.grants
                    .extend(found.grants.into_iter().map(|grant| format!("{grant} -- in the shard `{}`", place.name)));
                all.read_only = all.read_only.or(found.read_only);
            }
            Ok(all)
        })
    }

    /// The facts of tables in shards are read from the first shard.
    fn learn<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<TableFacts>> {
        Box::pin(async move {
            self.check_finished().await?;
            self.check_keys().await?;
            let mut all = Vec::new();
            for place in self.places.iter().take(2) {
                let own = self.resources_in(place, resources);
                all.extend(place.storage.learn(&own).await.map_err(|error| place.named(error))?);
            }
            Ok(all)
        })
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        Some(self)
    }

    fn transfer(&self) -> Option<&dyn Transfer> {
        Some(self)
    }

    fn shards(&self) -> Option<&dyn Shards> {
        Some(self)
    }

    fn each_shard(&self) -> Vec<Arc<dyn Adapter>> {
        let storage = |place: &Place| Arc::new(TextStorage(place.storage.clone())) as Arc<dyn Adapter>;
        self.shards().iter().map(storage).collect()
    }

    fn status(&self) -> Option<StorageStatus> {
        Administration::status(&*self.routed.0)
    }

    fn set_time_limit(&self, limit: Duration) {
        Administration::set_time_limit(&*self.routed.0, limit);
    }

    fn set_slow_statement(&self, threshold: Duration) {
        self.routed.0.set_slow_statement(threshold);
    }
}

/// Finds the differences of resources in one place.
pub(super) type Compare<E> =
    for<'c> fn(&'c MySqlAdapter, &'c [&'static Descriptor]) -> BoxFuture<'c, Result<Vec<Difference>, E>>;

impl ShardedMySqlAdapter {
    /// The differences in all places. A difference that only some shards have names its shard.
    pub(super) async fn differences<E: OfPlace>(
        &self,
        resources: &[&'static Descriptor],
        compare: Compare<E>,
    ) -> Result<Vec<Difference>, E> {
        let mut found = Vec::with_capacity(self.places.len());
        for place in &self.places {
            let own = self.resources_in(place, resources);
            found.push(compare(&place.storage, &own).await.map_err(|error| error.of_place(place))?);
        }
        let of_shards = found.split_off(1);
        let mut all = found.pop().unwrap_or_default();
        for (place, differences) in self.shards().iter().zip(&of_shards) {
            for one in differences {
                let is_everywhere = of_shards.iter().all(|other| other.contains(one));
                let difference = one.clone().in_shard((!is_everywhere).then(|| place.name.clone()));
                if !all.contains(&difference) {
                    all.push(difference);
                }
            }
        }
        Ok(all)
    }
}

/// Adds the name of a place to the error of one that does not answer.
pub(super) trait OfPlace {
    /// The error, with the place's name.
    fn of_place(self, place: &Place) -> Self;
}

impl OfPlace for AdapterError {
    fn of_place(self, place: &Place) -> Self {
        place.named(self)
    }
}

impl OfPlace for MigrateError {
    fn of_place(self, place: &Place) -> Self {
        place.explained(self)
    }
}

impl Place {
    /// An error about the tables of this place, with the place's name.
    pub(super) fn explained(&self, error: MigrateError) -> MigrateError {
        match error {
            MigrateError::Mismatch(lines) if self.is_shard => {
                let line = |line: String| format!("shard `{}`, {line}", self.name);
                MigrateError::Mismatch(lines.into_iter().map(line).collect())
            }
            MigrateError::Failed { name, reason } if self.is_shard => {
                MigrateError::Failed { name, reason: format!("{reason} (in the shard `{}`)", self.name) }
            }
            MigrateError::Adapter(error) => MigrateError::Adapter(self.named(error)),
            error => error,
        }
    }
}
