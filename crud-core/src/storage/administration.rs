//! [`Administration`]: what a service needs of a database besides requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::adapter::Adapter;
use super::facts::TableFacts;
use super::future::{AdapterFuture, BoxFuture};
use super::index_use::IndexUse;
use super::migrate_error::MigrateError;
use super::migrations::Migrations;
use super::rights::Rights;
use super::schema::Difference;
use super::shards::Shards;
use super::status::StorageStatus;
use super::transfer::Transfer;
use super::unused_table::UnusedTable;
use crate::model::descriptor::Descriptor;

/// Tables, indexes, migrations and limits of storage: what a service asks for at its start, in the background and by its
/// commands. Requests ask an [`Adapter`] alone.
pub trait Administration: fmt::Debug + Send + Sync + 'static {
    /// Creates what is missing for these resources and refuses what contradicts them; never drops or alters anything.
    /// References between the resources point backwards in this order, cycles apart. Structs of one table come as one
    /// description, which has the columns of all; other calls name one struct each.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] lists every difference.
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>>;

    /// Plans [`migrate`](Self::migrate): the statements that it would run, without running them.
    ///
    /// # Errors
    /// Errors of [`migrate`](Self::migrate).
    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>>;

    /// The tables with records that are not among these, as far as storage can tell. None, by default.
    ///
    /// # Errors
    /// When the database fails.
    fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> AdapterFuture<'a, Vec<UnusedTable>> {
        let _ = used;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// The indexes of these tables, and how often each was read, as far as storage counts that. None by default.
    ///
    /// # Errors
    /// When the database fails.
    fn index_use<'a>(&'a self, tables: &'a [&'static str]) -> AdapterFuture<'a, IndexUse> {
        let _ = tables;
        Box::pin(std::future::ready(Ok(IndexUse::default())))
    }

    /// Differences between the database and what these resources need, CHECK conditions apart. None by default: storage whose
    /// tables nothing else changes.
    ///
    /// # Errors
    /// When the database fails.
    fn compare<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        let _ = resources;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// The existing tables of these resources whose keys the database does not keep unique: a change of one record
    /// would change others. None by default: storage that finds records by their keys alone.
    ///
    /// # Errors
    /// When the database fails.
    fn ambiguous_keys<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        let _ = resources;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Rights that the service's user lacks: to read the existing tables of these resources, and to change anything.
    /// None by default: storage without users.
    ///
    /// # Errors
    /// When the database fails.
    fn rights<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Rights> {
        let _ = resources;
        Box::pin(std::future::ready(Ok(Rights::default())))
    }

    /// Reads the facts of the existing tables of these resources again, for later writes to follow. A write to any
    /// other table reads the facts of that table first. None by default: storage whose tables have nothing beside what
    /// resources state.
    ///
    /// # Errors
    /// When the database fails.
    fn learn<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<TableFacts>> {
        let _ = resources;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Changes of tables by written migrations. `None` by default: storage without
    /// [`Capabilities::migrations`](super::capabilities::Capabilities::migrations).
    fn migrations(&self) -> Option<&dyn Migrations> {
        None
    }

    /// Transfer of records to or from another database, unchanged. `None` by default: storage that cannot.
    fn transfer(&self) -> Option<&dyn Transfer> {
        None
    }

    /// The databases among which the records of tenants are spread. `None` by default: storage in one database.
    fn shards(&self) -> Option<&dyn Shards> {
        None
    }

    /// Storage of each [shard](Self::shards) alone, for work on the rows of all tenants, which continues where one
    /// shard is down. None by default.
    fn each_shard(&self) -> Vec<Arc<dyn Adapter>> {
        Vec::new()
    }

    /// Prepares the files of the database for a copy, when a service has stopped. Later calls still work. Does nothing
    /// by default: storage on a server.
    ///
    /// # Errors
    /// When the files that a copy takes lack some of the writes.
    fn close(&self) -> AdapterFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Current status of storage, for metrics. `None` by default.
    fn status(&self) -> Option<StorageStatus> {
        None
    }

    /// Sets the statement timeout: no request waits longer than this for the database. Storage that answers at once
    /// ignores it.
    fn set_time_limit(&self, limit: Duration);

    /// Sets the duration from which a list is logged as slow. By default, storage logs none.
    fn set_slow_statement(&self, threshold: Duration) {
        let _ = threshold;
    }
}

/// Storage that a service runs on.
pub trait Storage: Adapter + Administration {}

impl<S: Adapter + Administration> Storage for S {}

/// The two halves of storage, as a service holds them.
pub fn halves(storage: Arc<dyn Storage>) -> (Arc<dyn Adapter>, Arc<dyn Administration>) {
    (storage.clone(), storage)
}
