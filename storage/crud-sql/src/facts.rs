//! [`Facts`]: the facts of an adapter's tables, and what writes make of them.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokio::sync::Mutex;

use super::distinct::distinct;
use super::driver::{Connection, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::facts::{TableFacts, TriggerFacts, UniqueFacts};

/// Effects of a table's triggers and column types on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Effects {
    /// Whether the stored record may differ from what a statement sets: the audit entry is made from what is stored.
    pub(crate) changes: bool,
    /// Whether the stored record may differ from what a statement returns: the record is read again in the transaction.
    pub(crate) rereads: bool,
    /// Whether an insert or a delete may leave records out: each record of an insert is a statement.
    pub(crate) leaves_out: bool,
}

/// Facts of a resource's table that changes follow.
#[derive(Debug)]
struct Known {
    effects: Effects,
    has_triggers: bool,
    /// The unique indexes, each with those of its columns that are fields, by index.
    uniques: Vec<(String, Vec<usize>)>,
}

impl Known {
    fn of<D: Driver>(resource: &'static Descriptor, facts: &TableFacts) -> Self {
        let is_same = D::TABLES.is_same_name;
        let column = |name: &String| resource.columns.iter().position(|column| is_same(name, column.column));
        let unique = |unique: &UniqueFacts| (unique.name.clone(), distinct(unique.columns.iter().filter_map(column)));
        let has = |is: fn(&TriggerFacts) -> bool| facts.triggers.iter().any(is);
        let effects = Effects {
            changes: has(|trigger| trigger.changes) || keeps_less::<D>(resource, facts),
            rereads: has(|trigger| trigger.changes_returned),
            leaves_out: has(|trigger| trigger.leaves_out),
        };
        let has_triggers = !facts.triggers.is_empty();
        Self { effects, has_triggers, uniques: facts.uniques.iter().map(unique).collect() }
    }
}

/// Whether a column may store another value than a statement sets, as `timestamp(0)` and `real` round. A column of fewer
/// integers refuses the others.
fn keeps_less<D: Driver>(resource: &Descriptor, facts: &TableFacts) -> bool {
    let is_same = D::TABLES.is_same_name;
    resource.columns.iter().filter(|column| column.is_stored() && column.kind.integer_range().is_none()).any(|column| {
        let known = facts.columns.iter().find(|known| is_same(&known.name, column.column));
        let declared = known.and_then(|known| known.declared.as_deref());
        declared.is_some_and(|declared| !(D::TABLES.can_store)(column, declared))
    })
}

/// The facts of the tables that are known, by the addresses of their resources.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    known: RwLock<HashMap<usize, Known>>,
    /// Held by the one that reads those of a table: of many first writes, one takes a connection.
    pub(crate) reading: Mutex<()>,
}

impl Facts {
    /// The effects of a resource's table, where they are known.
    pub(crate) fn known(&self, resource: &'static Descriptor) -> Option<Effects> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&address(resource)).map(|known| known.effects)
    }

    /// Whether a resource's table has triggers, as far as is known.
    pub(crate) fn have_triggers(&self, resource: &'static Descriptor) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&address(resource)).is_some_and(|known| known.has_triggers)
    }

    pub(crate) fn keep<D: Driver>(&self, resource: &'static Descriptor, facts: &TableFacts) -> Effects {
        let known = Known::of::<D>(resource, facts);
        let effects = known.effects;
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(address(resource), known);
        effects
    }

    /// The error of a change of the resource's records, with the columns of the unique index that it names. Those of an index
    /// that was made since are not known.
    pub(crate) fn with_columns(&self, resource: &'static Descriptor, error: AdapterError) -> AdapterError {
        let AdapterError::UniqueIndex { index } = error else { return error };
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let uniques = known.get(&address(resource)).map(|known| known.uniques.as_slice()).unwrap_or_default();
        let found = uniques.iter().find(|(name, _)| name.eq_ignore_ascii_case(&index));
        AdapterError::Unique { columns: found.map_or_else(Vec::new, |(_, columns)| columns.clone()) }
    }

    /// The effects of a resource's table, read on this connection where they are not known.
    pub(crate) async fn on<D: Driver>(
        &self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
    ) -> Result<Effects, AdapterError> {
        if let Some(effects) = self.known(resource) {
            return Ok(effects);
        }
        let found = D::facts(connection, vec![resource.table]).await.map_err(D::general)?;
        // A table that is missing may be there at the next write.
        Ok(found.first().map_or_else(Effects::default, |facts| self.keep::<D>(resource, facts)))
    }
}

fn address(resource: &'static Descriptor) -> usize {
    std::ptr::from_ref(resource).addr()
}

/// The facts of the table of each resource that has one.
pub(super) async fn of_tables<D: Driver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<(&'static Descriptor, TableFacts)>, AdapterError> {
    let with_table = || resources.iter().filter(|resource| resource.view.is_none());
    let tables = distinct(with_table().map(|resource| resource.table));
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let found = D::facts(connection, tables).await.map_err(D::general)?;
    let of = |resource: &&'static Descriptor| {
        let facts = found.iter().find(|facts| (D::TABLES.is_same_name)(&facts.table, resource.table));
        facts.map(|facts| (*resource, facts.clone()))
    };
    Ok(with_table().filter_map(of).collect())
}

/// The unique index of this name among those of a table; a new one where it is not there.
pub(crate) fn unique<'t>(table: &'t mut TableFacts, name: &str) -> &'t mut UniqueFacts {
    let position = table.uniques.iter().position(|unique| unique.name == name).unwrap_or_else(|| {
        table.uniques.push(UniqueFacts::new(name));
        table.uniques.len() - 1
    });
    &mut table.uniques[position]
}

/// Collects facts, table by table.
#[derive(Debug, Default)]
pub(crate) struct Collected(Vec<TableFacts>);

impl Collected {
    /// The facts of a table so far.
    pub(crate) fn table(&mut self, name: &str) -> &mut TableFacts {
        let position = self.0.iter().position(|facts| facts.table == name).unwrap_or_else(|| {
            self.0.push(TableFacts::new(name));
            self.0.len() - 1
        });
        &mut self.0[position]
    }

    /// The facts of each table.
    pub(crate) fn finish(self) -> Vec<TableFacts> {
        self.0
    }
}
