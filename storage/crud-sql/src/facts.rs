//! [`Facts`]: the facts of an adapter's tables, and what writes make of them.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokio::sync::Mutex;

use super::driver::{Connection, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::facts::TableFacts;

/// Effects of a table's triggers on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Effects {
    /// Whether the stored record may differ from what a statement sets: the audit entry is made from what is stored.
    pub(crate) changes: bool,
    /// Whether the stored record may differ from what a statement returns: the record is read again in the transaction.
    pub(crate) rereads: bool,
    /// Whether an insert or a delete may leave records out: each record of an insert is a statement.
    pub(crate) leaves_out: bool,
}

impl Effects {
    fn of(facts: &TableFacts) -> Self {
        let has = |is: fn(&crate::storage::facts::TriggerFacts) -> bool| facts.triggers.iter().any(is);
        Self {
            changes: has(|trigger| trigger.changes),
            rereads: has(|trigger| trigger.changes_returned),
            leaves_out: has(|trigger| trigger.leaves_out),
        }
    }
}

/// The effects of the tables that are known, by the addresses of their resources.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    known: RwLock<HashMap<usize, Effects>>,
    /// Held by the one that reads those of a table: of many first writes, one takes a connection.
    pub(crate) reading: Mutex<()>,
}

impl Facts {
    /// The effects of a resource's table, where they are known.
    pub(crate) fn known(&self, resource: &'static Descriptor) -> Option<Effects> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(&address(resource)).copied()
    }

    pub(crate) fn keep(&self, resource: &'static Descriptor, facts: &TableFacts) -> Effects {
        let effects = Effects::of(facts);
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(address(resource), effects);
        effects
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
        Ok(found.first().map_or_else(Effects::default, |facts| self.keep(resource, facts)))
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
    let mut tables: Vec<&'static str> = Vec::with_capacity(resources.len());
    for resource in resources.iter().filter(|resource| resource.view.is_none()) {
        if !tables.contains(&resource.table) {
            tables.push(resource.table);
        }
    }
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let found = D::facts(connection, tables).await.map_err(D::general)?;
    let of = |resource: &&'static Descriptor| {
        let facts = found.iter().find(|facts| (D::TABLES.is_same_name)(&facts.table, resource.table));
        facts.map(|facts| (*resource, facts.clone()))
    };
    Ok(resources.iter().filter(|resource| resource.view.is_none()).filter_map(of).collect())
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
