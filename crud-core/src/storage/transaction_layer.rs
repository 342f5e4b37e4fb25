//! [`TransactionLayer`]: a transaction around another one.

use std::any::Any;

use super::future::AdapterFuture;
use super::transaction::{RawStatement, Transaction};
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};

/// A transaction around another one: each call that a layer leaves out is passed on.
pub trait TransactionLayer: Send {
    /// The inner transaction, which this layer is around.
    fn inner(&mut self) -> &mut dyn Transaction;

    /// The inner transaction, shared.
    fn inner_ref(&self) -> &dyn Transaction;

    /// The description of a resource that the inner transaction gets. Unchanged by default.
    fn described(&self, resource: &'static Descriptor) -> &'static Descriptor {
        resource
    }

    /// Runs a call that the layer leaves out, by its name: `list`, `count`, `page`, `aggregate`, `get`, `write`,
    /// `write_where`, `execute`, `fetch`, `commit` or `rollback`. By default, adds nothing to the call.
    fn around<'a, T: Send + 'a>(
        name: &'static str,
        resource: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        let _ = (name, resource);
        call
    }

    /// Passes on [`Transaction::list`] by default.
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        let described = self.described(resource);
        Self::around("list", Some(resource), self.inner().list(described, query, lock, sink))
    }

    /// Passes on [`Transaction::count`] by default.
    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        let described = self.described(resource);
        Self::around("count", Some(resource), self.inner().count(described, filter))
    }

    /// Passes on [`Transaction::count_up_to`] by default.
    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        let described = self.described(resource);
        Self::around("count", Some(resource), self.inner().count_up_to(described, filter, limit))
    }

    /// Passes on [`Transaction::page`] by default.
    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        let described = self.described(resource);
        Self::around("page", Some(resource), self.inner().page(described, query, count, sink))
    }

    /// Passes on [`Transaction::aggregate`] by default.
    fn aggregate<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        let described = self.described(resource);
        Self::around("aggregate", Some(resource), self.inner().aggregate(described, query))
    }

    /// Passes on [`Transaction::get`] by default.
    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        let described = self.described(resource);
        Self::around("get", Some(resource), self.inner().get(described, id, tenant, lock, sink))
    }

    /// Passes on [`Transaction::write`] by default.
    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        let described = self.described(resource);
        Self::around("write", Some(resource), self.inner().write(described, write, sink))
    }

    /// Passes on [`Transaction::write_where`] by default.
    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        let described = self.described(resource);
        Self::around("write_where", Some(resource), self.inner().write_where(described, write))
    }

    /// Passes on [`Transaction::has_triggers`] by default.
    fn has_triggers(&self, resource: &'static Descriptor) -> bool {
        self.inner_ref().has_triggers(self.described(resource))
    }

    /// Passes on [`Transaction::tenant`] by default.
    fn tenant(&self) -> Option<String> {
        self.inner_ref().tenant()
    }

    /// Passes on [`Transaction::bind`] by default.
    ///
    /// # Errors
    /// Errors of [`Transaction::bind`].
    fn bind(&mut self, tenant: &Value) -> Result<(), AdapterError> {
        self.inner().bind(tenant)
    }

    /// Passes on [`Transaction::savepoint`] by default.
    fn savepoint(&mut self) -> AdapterFuture<'_, ()> {
        self.inner().savepoint()
    }

    /// Passes on [`Transaction::release`] by default.
    fn release(&mut self) -> AdapterFuture<'_, ()> {
        self.inner().release()
    }

    /// Passes on [`Transaction::rollback_to`] by default.
    fn rollback_to(&mut self) -> AdapterFuture<'_, ()> {
        self.inner().rollback_to()
    }

    /// Passes on [`Transaction::execute`] by default.
    fn execute(&mut self, statement: RawStatement) -> AdapterFuture<'_, u64> {
        Self::around("execute", None, self.inner().execute(statement))
    }

    /// Passes on [`Transaction::fetch`] by default.
    fn fetch<'a>(
        &'a mut self,
        statement: RawStatement,
        columns: &'a [ColumnType],
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Self::around("fetch", None, self.inner().fetch(statement, columns, sink))
    }

    /// Passes on [`Transaction::connection`] by default.
    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        self.inner().connection()
    }

    /// Passes on [`Transaction::is_conflict`] by default.
    fn is_conflict(&self, error: &AdapterError) -> bool {
        self.inner_ref().is_conflict(error)
    }

    /// Passes on [`Transaction::commit`] by default.
    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        Self::around("commit", None, self.inner().commit())
    }

    /// Passes on [`Transaction::rollback`] by default.
    fn rollback(&mut self) -> AdapterFuture<'_, ()> {
        Self::around("rollback", None, self.inner().rollback())
    }
}

// Every method is written here: a default body is meant for storage without the capability.
#[deny(clippy::missing_trait_methods)]
impl<L: TransactionLayer> Transaction for L {
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        TransactionLayer::list(self, resource, query, lock, sink)
    }

    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        TransactionLayer::count(self, resource, filter)
    }

    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        TransactionLayer::count_up_to(self, resource, filter, limit)
    }

    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        TransactionLayer::page(self, resource, query, count, sink)
    }

    fn aggregate<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        TransactionLayer::aggregate(self, resource, query)
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        TransactionLayer::get(self, resource, id, tenant, lock, sink)
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        TransactionLayer::write(self, resource, write, sink)
    }

    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        TransactionLayer::write_where(self, resource, write)
    }

    fn has_triggers(&self, resource: &'static Descriptor) -> bool {
        TransactionLayer::has_triggers(self, resource)
    }

    fn tenant(&self) -> Option<String> {
        TransactionLayer::tenant(self)
    }

    fn bind(&mut self, tenant: &Value) -> Result<(), AdapterError> {
        TransactionLayer::bind(self, tenant)
    }

    fn savepoint(&mut self) -> AdapterFuture<'_, ()> {
        TransactionLayer::savepoint(self)
    }

    fn release(&mut self) -> AdapterFuture<'_, ()> {
        TransactionLayer::release(self)
    }

    fn rollback_to(&mut self) -> AdapterFuture<'_, ()> {
        TransactionLayer::rollback_to(self)
    }

    fn execute(&mut self, statement: RawStatement) -> AdapterFuture<'_, u64> {
        TransactionLayer::execute(self, statement)
    }

    fn fetch<'a>(
        &'a mut self,
        statement: RawStatement,
        columns: &'a [ColumnType],
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        TransactionLayer::fetch(self, statement, columns, sink)
    }

    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        TransactionLayer::connection(self)
    }

    fn is_conflict(&self, error: &AdapterError) -> bool {
        TransactionLayer::is_conflict(self, error)
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        TransactionLayer::commit(self)
    }

    fn rollback(&mut self) -> AdapterFuture<'_, ()> {
        TransactionLayer::rollback(self)
    }
}
