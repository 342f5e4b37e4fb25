//! Lookups of memberships: the shards of a user's tenants, so that a login asks only these shards.
//!
//! ```sql
//! CREATE TABLE `main`.`members_lookup` (`user_id` BIGINT NOT NULL, `id` BIGINT NOT NULL, keyspace_id VARBINARY(64), …)
//! ALTER VSCHEMA ON `app`.`members` ADD VINDEX `members_lookup` (`user_id`, `id`) USING consistent_lookup WITH …
//! ```
//!
//! vtgate writes a row of the lookup before it commits the membership, and finds the membership by that row. If the
//! shard does not commit, the row stays and finds no membership.

use super::ShardedMySqlAdapter;
use super::routes::named;
use crate::identifier::identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::mysql::definition::TABLES;
use crate::mysql::dialect::MySql;

/// Suffix of the name of a lookup's table and vindex.
const LOOKUP: &str = "_lookup";

/// The lookup of a resource whose records are memberships.
pub(super) struct Lookup {
    /// The name of the lookup's table and of its vindex.
    pub(super) name: String,
    columns: Vec<usize>,
    resource: &'static Descriptor,
}

impl Lookup {
    /// The lookup of a resource; `None` where its records are not memberships.
    pub(super) fn of(resource: &'static Descriptor) -> Option<Self> {
        let members = resource.tenant?.members?;
        let key = resource.key().iter().copied().filter(|column| *column != members.user);
        let columns = std::iter::once(members.user).chain(key).collect();
        Some(Self { name: named(resource.table, LOOKUP), columns, resource })
    }

    /// The statements that create the lookup, on a connection to the unsharded keyspace.
    pub(super) fn statements(&self, sharded: &str, unsharded: &str) -> Vec<String> {
        let name = identifier::<MySql>;
        let (own, table) = (name(&self.name), format!("{}.{}", name(sharded), name(self.resource.table)));
        let column = |index: &usize| &self.resource.columns[*index];
        let columns = self.columns.iter().map(column).map(|column| name(column.column)).collect::<Vec<_>>().join(", ");
        let definition = |column: &ColumnDescriptor| {
            format!("{} {} NOT NULL", name(column.column), (TABLES.column_type)(self.resource, column))
        };
        let definitions: Vec<String> = self.columns.iter().map(column).map(definition).collect();
        let from = self.columns.iter().map(column).map(|column| column.column).collect::<Vec<_>>().join(",");
        let of_table = identifier::<MySql>(&format!("{unsharded}.{}", self.name));
        vec![
            format!(
                "CREATE TABLE IF NOT EXISTS {own} ({}, keyspace_id VARBINARY(64), PRIMARY KEY ({columns})){}",
                definitions.join(", "),
                TABLES.table_end
            ),
            format!(
                "ALTER VSCHEMA ON {table} ADD VINDEX {own} ({columns}) USING consistent_lookup WITH owner={}, table={of_table}, \
                 from={}, to=keyspace_id",
                name(self.resource.table),
                name(&from)
            ),
        ]
    }
}

impl ShardedMySqlAdapter {
    /// The quoted names of the lookups' tables.
    pub(super) fn lookup_tables(&self) -> Vec<String> {
        self.lookups().map(|lookup| identifier::<MySql>(&lookup.name)).collect()
    }

    /// The lookups of the service's memberships.
    pub(super) fn lookups(&self) -> impl Iterator<Item = Lookup> {
        self.tables.in_shards().into_iter().filter_map(|(placed, _)| Lookup::of(placed.resource))
    }
}

#[cfg(test)]
mod tests {
    use super::Lookup;
    use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role, Tenant};

    #[test]
    fn memberships_have_a_lookup_by_their_user_and_key() {
        const COLUMNS: &[ColumnDescriptor] = &[
            ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id),
            ColumnDescriptor::new::<i64>("team_id", "team_id", "\"team_id\":", "team_id"),
            ColumnDescriptor::new::<i64>("user_id", "user_id", "\"user_id\":", "user_id"),
        ];
        static TEAMS: Descriptor = Descriptor::new("Team", "core", "/teams", "teams", COLUMNS, 0);
        static MEMBERS: Descriptor = Descriptor::new("Member", "core", "/members", "members", COLUMNS, 0)
            .tenant(Tenant::new(1, None).members(2, None));
        assert!(Lookup::of(&TEAMS).is_none());
        let [table, vindex] = &Lookup::of(&MEMBERS).expect("a lookup").statements("app", "main")[..] else {
            panic!("two statements")
        };
        assert!(table.starts_with(
            "CREATE TABLE IF NOT EXISTS `members_lookup` (`user_id` BIGINT NOT NULL, `id` BIGINT NOT NULL, keyspace_id \
             VARBINARY(64), PRIMARY KEY (`user_id`, `id`))"
        ));
        assert_eq!(
            vindex,
            "ALTER VSCHEMA ON `app`.`members` ADD VINDEX `members_lookup` (`user_id`, `id`) USING consistent_lookup WITH \
             owner=`members`, table=`main.members_lookup`, from=`user_id,id`, to=keyspace_id"
        );
    }
}
