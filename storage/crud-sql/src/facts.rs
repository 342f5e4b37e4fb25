//! [`Facts`]: the facts of an adapter's tables, and their effects on writes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use tokio::sync::Mutex;

use super::distinct::distinct;
use super::driver::Connection;
use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::table::{Column, Index, Parts, Table};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::facts::{ColumnFacts, TableFacts, TriggerFacts, UniqueFacts};

/// Effects of a table's triggers and column types on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Effects {
    /// Whether the stored record may differ from what a statement sets. If so, the audit entry is made from the stored
    /// record.
    pub(crate) changes: bool,
    /// Whether the stored record may differ from what a statement returns. If so, the record is read again in the
    /// transaction.
    pub(crate) rereads: bool,
    /// Whether an insert or a delete may leave records out. If so, each record of an insert has its own statement.
    pub(crate) leaves_out: bool,
    /// Whether records have versions that a statement can compare.
    pub(crate) versions: Versions,
    /// The form of the new values in an update of several records.
    pub(crate) new_values: NewValues,
}

/// The form of the new values in an update of several records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NewValues {
    /// A table of new values, which the update joins.
    #[default]
    Joined,
    /// A `CASE` for each column, on a database whose updates cannot join a table.
    ByCase,
}

/// Versions of records, which each change replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Versions {
    /// A statement can compare versions.
    #[default]
    Comparable,
    /// Records have no versions: a change locks its record.
    Absent,
}

/// Facts of a resource's table that changes depend on.
#[derive(Debug)]
struct Known {
    effects: Effects,
    has_triggers: bool,
    /// The unique indexes: name, and the indexes of those columns that are fields.
    uniques: Vec<(String, Vec<usize>)>,
}

impl Known {
    fn of<D: CatalogueDriver>(resource: &'static Descriptor, facts: &TableFacts) -> Self {
        let is_same = D::TABLES.is_same_name;
        let column = |name: &String| resource.columns.iter().position(|column| is_same(name, column.column));
        let unique = |unique: &UniqueFacts| (unique.name.clone(), distinct(unique.columns.iter().filter_map(column)));
        let has = |is: fn(&TriggerFacts) -> bool| facts.triggers.iter().any(is);
        let effects = Effects {
            changes: has(|trigger| trigger.changes) || keeps_less::<D>(resource, facts),
            rereads: has(|trigger| trigger.changes_returned),
            leaves_out: has(|trigger| trigger.leaves_out),
            versions: Versions::default(),
            new_values: NewValues::default(),
        };
        let has_triggers = !facts.triggers.is_empty();
        Self { effects, has_triggers, uniques: facts.uniques.iter().map(unique).collect() }
    }
}

/// Whether a column may store another value than a statement sets, as `timestamp(0)` and `real` round. Integer columns
/// are left out: a narrower one refuses the value.
fn keeps_less<D: CatalogueDriver>(resource: &Descriptor, facts: &TableFacts) -> bool {
    let is_same = D::TABLES.is_same_name;
    resource.columns.iter().filter(|column| column.is_stored() && column.kind.integer_range().is_none()).any(|column| {
        let known = facts.columns.iter().find(|known| is_same(&known.name, column.column));
        let declared = known.and_then(|known| known.declared.as_deref());
        declared.is_some_and(|declared| !(D::TABLES.can_store)(column, declared))
    })
}

/// The known facts of tables, by the addresses of their resources' descriptors.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    known: RwLock<HashMap<usize, Known>>,
    /// Whether records of the database have no versions.
    unversioned: AtomicBool,
    /// Whether updates of the database cannot join tables.
    joinless: AtomicBool,
    /// Whether the database refuses to return many records by one statement.
    limited: AtomicBool,
    /// Held while the facts of a table are read: of many first writes, one takes a connection.
    pub(crate) reading: Mutex<()>,
}

impl Facts {
    /// Notes that records of the database have no versions.
    #[cfg(feature = "postgres")]
    pub(crate) fn lack_versions(&self) {
        self.unversioned.store(true, Ordering::Relaxed);
    }

    /// Notes that updates of the database cannot join tables.
    #[cfg(feature = "mysql")]
    pub(crate) fn lack_joins(&self) {
        self.joinless.store(true, Ordering::Relaxed);
    }

    /// Notes that the database refuses to return many records by one statement.
    #[cfg(feature = "mysql")]
    pub(crate) fn limit_reads(&self) {
        self.limited.store(true, Ordering::Relaxed);
    }

    /// Whether the database refuses to return many records by one statement.
    pub(crate) fn has_limited_reads(&self) -> bool {
        self.limited.load(Ordering::Relaxed)
    }

    /// The effects of a resource's table, where they are known.
    pub(crate) fn known(&self, resource: &'static Descriptor) -> Option<Effects> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&address(resource)).map(|known| self.on_database(known.effects))
    }

    /// The effects of a table, with the limits of its database.
    fn on_database(&self, effects: Effects) -> Effects {
        let is_unversioned = self.unversioned.load(Ordering::Relaxed);
        let versions = if is_unversioned { Versions::Absent } else { effects.versions };
        let is_joinless = self.joinless.load(Ordering::Relaxed);
        let new_values = if is_joinless { NewValues::ByCase } else { effects.new_values };
        Effects { versions, new_values, ..effects }
    }

    /// Whether a resource's table has triggers, as far as is known.
    pub(crate) fn have_triggers(&self, resource: &'static Descriptor) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&address(resource)).is_some_and(|known| known.has_triggers)
    }

    pub(crate) fn keep<D: CatalogueDriver>(&self, resource: &'static Descriptor, facts: &TableFacts) -> Effects {
        let known = Known::of::<D>(resource, facts);
        let effects = known.effects;
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(address(resource), known);
        self.on_database(effects)
    }

    /// Replaces the index that an error names by its columns. An index that was created after the facts were read has
    /// no known columns.
    pub(crate) fn with_columns(&self, resource: &'static Descriptor, error: AdapterError) -> AdapterError {
        let AdapterError::UniqueIndex { index } = error else { return error };
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let uniques = known.get(&address(resource)).map(|known| known.uniques.as_slice()).unwrap_or_default();
        let found = uniques.iter().find(|(name, _)| name.eq_ignore_ascii_case(&index));
        AdapterError::Unique { columns: found.map_or_else(Vec::new, |(_, columns)| columns.clone()) }
    }

    /// The effects of a resource's table. If they are not known yet, they are read on this connection.
    pub(crate) async fn on<D: CatalogueDriver>(
        &self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
    ) -> Result<Effects, AdapterError> {
        if let Some(effects) = self.known(resource) {
            return Ok(effects);
        }
        let found = read::<D>(connection, vec![resource.table]).await?;
        // A missing table may exist at the next write.
        let missing = || self.on_database(Effects::default());
        Ok(found.first().map_or_else(missing, |facts| self.keep::<D>(resource, facts)))
    }
}

fn address(resource: &'static Descriptor) -> usize {
    std::ptr::from_ref(resource).addr()
}

/// The facts of the table of each resource that has one.
pub(super) async fn of_tables<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<(&'static Descriptor, TableFacts)>, AdapterError> {
    let with_table = || resources.iter().filter(|resource| resource.view.is_none());
    let tables = distinct(with_table().map(|resource| resource.table));
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let found = read::<D>(connection, tables).await?;
    let of = |resource: &&'static Descriptor| {
        let facts = found.iter().find(|facts| (D::TABLES.is_same_name)(&facts.table, resource.table));
        facts.map(|facts| (*resource, facts.clone()))
    };
    Ok(with_table().filter_map(of).collect())
}

/// Reads the facts of those of these tables that exist.
async fn read<D: CatalogueDriver>(
    connection: &mut Connection<D>,
    tables: Vec<&'static str>,
) -> Result<Vec<TableFacts>, AdapterError> {
    let found = D::described(connection, tables.clone(), Parts::Writes).await.map_err(D::general)?;
    Ok(tables.into_iter().zip(found).filter_map(|(name, table)| Some(of_table::<D>(name, table?))).collect())
}

fn of_table<D: CatalogueDriver>(name: &str, table: Table) -> TableFacts {
    let mut facts = TableFacts::new(name);
    facts.columns = table.columns.into_iter().map(of_column::<D>).collect();
    facts.uniques =
        table.indexes.into_iter().chain(table.unfinished).filter(|index| index.unique).map(of_unique).collect();
    (facts.triggers, facts.returns_keys) = (table.triggers, table.returns_keys);
    facts
}

fn of_column<D: CatalogueDriver>(column: Column) -> ColumnFacts {
    let mut facts = ColumnFacts::new(column.name);
    facts.declared = D::OPTIMISTIC.then_some(column.declared);
    facts.collation = column.collation;
    (facts.nullable, facts.has_default, facts.is_generated) = (!column.not_null, column.filled, column.fixed);
    facts
}

fn of_unique(index: Index) -> UniqueFacts {
    let mut facts = UniqueFacts::new(index.name);
    facts.columns = index.reads;
    facts
}
