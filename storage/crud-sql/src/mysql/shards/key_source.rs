//! [`KeySource`]: the source of the keys that storage assigns to records in shards.
//!
//! A sequence of vtgate is in the unsharded keyspace, so that all tenants depend on that keyspace. No sequence is
//! needed if the servers of the shards count in equal steps from different offsets, so that no two assign the same key.
//!
//! ```text
//! app/-80   auto-increment-increment = 10, auto-increment-offset = 1     1, 11, 21, …
//! app/80-   auto-increment-increment = 10, auto-increment-offset = 2     2, 12, 22, …
//! ```

use super::ShardedMySqlAdapter;
use super::key_steps::KeySteps;
use super::lookups::Lookup;
use super::places::Place;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Kind;
use crate::storage::shards::PlacedTable;
use crate::storage::transfer::Transfer;

/// The source of the keys of a table in shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeySource {
    /// A sequence in the unsharded keyspace, from which vtgate takes the key for this column.
    Sequence(&'static str),
    /// The server of each shard assigns keys.
    Shards,
    /// The program or the client sets keys.
    Program,
}

impl KeySource {
    /// The key source of a table. `by_shards`: the shards' servers can assign keys. vtgate still needs a sequence where
    /// it must know the key before the insert: to find the shard by the key, or to write the key into a lookup.
    pub(super) fn of(placed: PlacedTable, by_shards: bool) -> Self {
        let PlacedTable { resource, tenant } = placed;
        let Some(column) = assigned_key(resource) else { return Self::Program };
        let is_known_before = tenant == Some(resource.id) || Lookup::of(resource).is_some();
        if by_shards && !is_known_before { Self::Shards } else { Self::Sequence(column) }
    }
}

/// The column of the key, if storage assigns the key.
fn assigned_key(resource: &Descriptor) -> Option<&'static str> {
    let [key] = resource.key() else { return None };
    let column = &resource.columns[*key];
    let is_number = matches!(column.kind, Kind::I16 | Kind::I32 | Kind::I64);
    (resource.view.is_none() && is_number && column.is_assigned() && column.references.is_none())
        .then_some(column.column)
}

impl ShardedMySqlAdapter {
    /// The source of the keys of a table.
    pub(super) fn key_source(&self, placed: PlacedTable) -> KeySource {
        KeySource::of(placed, self.keys_by_shards)
    }

    /// The last key that was assigned to a record of a resource in shards; 0 if there is none.
    pub(super) async fn last_assigned(&self, placed: PlacedTable) -> Result<i64, AdapterError> {
        match self.key_source(placed) {
            KeySource::Sequence(_) => self.last_of_sequence(placed.resource).await,
            KeySource::Shards => self.last_of_shards(placed.resource).await,
            KeySource::Program => Ok(0),
        }
    }

    /// Makes the source assign only keys above this one to records of a resource in shards.
    pub(super) async fn assign_above(&self, placed: PlacedTable, key: i64) -> Result<(), AdapterError> {
        match self.key_source(placed) {
            KeySource::Sequence(_) => self.set_sequence(placed.resource, key).await,
            KeySource::Shards => self.set_shards(placed.resource, key).await,
            KeySource::Program => Ok(()),
        }
    }

    /// The greatest key that the server of any shard has assigned or stored.
    pub(super) async fn last_of_shards(&self, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        let mut greatest = 0;
        for place in self.shards() {
            greatest = greatest.max(place.last_key(resource).await?);
        }
        Ok(greatest)
    }

    /// Makes the server of each shard assign only keys above this one.
    pub(super) async fn set_shards(&self, resource: &'static Descriptor, key: i64) -> Result<(), AdapterError> {
        for place in self.shards() {
            if place.last_key(resource).await? < key {
                let set = Transfer::set_last_key(&*place.storage, resource, key);
                set.await.map_err(|error| place.named(error))?;
            }
        }
        Ok(())
    }

    /// The steps of the shards' servers, for an error.
    pub(super) fn steps_of_servers(&self) -> String {
        let line = |(place, steps): (&Place, &KeySteps)| {
            format!("`{}` has {} and {}", place.name, steps.increment, steps.offset)
        };
        self.shards().iter().zip(&self.steps).map(line).collect::<Vec<_>>().join(", ")
    }
}

impl Place {
    async fn last_key(&self, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        match Transfer::last_key(&*self.storage, resource).await {
            // A later migration creates the table.
            Err(AdapterError::MissingTable(_)) => Ok(0),
            found => found.map_err(|error| self.named(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::KeySource;
    use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role, Tenant};
    use crate::storage::shards::PlacedTable;

    #[test]
    fn keys_that_vtgate_knows_before_the_record_are_from_sequences() {
        const COLUMNS: &[ColumnDescriptor] = &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id),
            ColumnDescriptor::new::<i64>("team_id", "team_id", "\"team_id\":", "team_id"),
            ColumnDescriptor::new::<i64>("user_id", "user_id", "\"user_id\":", "user_id"),
        ];
        const UUID: &[ColumnDescriptor] = &[ColumnDescriptor::new::<Uuid>("id", "id", "\"id\":", "id").role(Role::Id)];
        static TEAMS: Descriptor = Descriptor::new("Team", "core", "/teams", "teams", COLUMNS, 0);
        static ISSUES: Descriptor =
            Descriptor::new("Issue", "core", "/issues", "issues", COLUMNS, 0).tenant(Tenant::new(1, None));
        static MEMBERS: Descriptor = Descriptor::new("Member", "core", "/members", "members", COLUMNS, 0)
            .tenant(Tenant::new(1, None).members(2, None));
        static FILES: Descriptor = Descriptor::new("File", "core", "/files", "files", UUID, 0);
        let source =
            |resource, tenant, by_shards| KeySource::of(PlacedTable { resource, tenant: Some(tenant) }, by_shards);
        assert_eq!(source(&ISSUES, 1, true), KeySource::Shards);
        assert_eq!(source(&ISSUES, 1, false), KeySource::Sequence("id"));
        assert_eq!(source(&TEAMS, 0, true), KeySource::Sequence("id"), "the key is the tenant");
        assert_eq!(source(&MEMBERS, 1, true), KeySource::Sequence("id"), "the key is in the lookup");
        assert_eq!(source(&FILES, 0, true), KeySource::Program);
    }
}
