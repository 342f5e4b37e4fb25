//! [`Transfer`]: storage whose records can be moved to another database as they are.

use super::future::AdapterFuture;
use super::schema::Difference;
use super::transaction::Transaction;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::ListQuery;

/// Storage whose records can be moved to another database as they are: with their keys and times, the deleted ones too.
///
/// Resources have a table, and come after the resources that they refer to, cycles apart.
pub trait Transfer: Send + Sync {
    /// Differences between the database and these resources.
    fn differences<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>>;

    /// Begins a transaction whose reads are all of one snapshot. It changes nothing.
    fn snapshot(&self) -> AdapterFuture<'_, Box<dyn Transaction>>;

    /// The last key that storage has assigned, whether its record is still there or not; 0 before the first.
    fn last_key<'a>(&'a self, resource: &'static Descriptor) -> AdapterFuture<'a, i64>;

    /// Lets storage assign keys above this one. Storage may do so outside of any transaction.
    fn set_last_key<'a>(&'a self, resource: &'static Descriptor, key: i64) -> AdapterFuture<'a, ()>;

    /// Begins the transaction in which records of these resources are inserted.
    fn load<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Box<dyn Load>>;

    /// Removes what an uncommitted load has left. By default nothing: a load is one transaction.
    ///
    /// # Errors
    /// When the database fails.
    fn discard_unfinished<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, ()> {
        let _ = resources;
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A transaction that inserts records as they are. Dropping it rolls it back, or leaves what
/// [`discard_unfinished`](Transfer::discard_unfinished) removes.
pub trait Load: Send {
    /// Inserts records, each with a value for every column; returns those that are refused. References are not checked
    /// before [`dangling`](Self::dangling), because the other records may come later.
    ///
    /// # Errors
    /// When the database fails.
    fn insert<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        records: &'a [Vec<Value>],
    ) -> AdapterFuture<'a, Vec<Refused>>;

    /// Records that refer to a missing record: the first of them.
    ///
    /// # Errors
    /// When the database fails.
    fn dangling<'a>(&'a mut self, resource: &'static Descriptor) -> AdapterFuture<'a, Vec<Refused>>;

    /// Passes inserted records to `sink`, as [`Transaction::list`] does.
    ///
    /// # Errors
    /// When the database fails.
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()>;

    /// Makes everything durable.
    ///
    /// # Errors
    /// When the records were not committed, or when that is not known.
    fn commit(self: Box<Self>) -> AdapterFuture<'static, ()>;
}

/// A record that storage cannot hold, or that refers to a missing record.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The record's key.
    pub key: Key,
    /// The reason.
    pub error: AdapterError,
}

impl Refused {
    /// The record of this key, refused for this reason.
    pub const fn new(key: Key, error: AdapterError) -> Self {
        Self { key, error }
    }
}
