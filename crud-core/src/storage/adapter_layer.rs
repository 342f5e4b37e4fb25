//! [`AdapterLayer`]: storage around other storage, such as one that counts calls.

use std::fmt;
use std::sync::Arc;

use super::adapter::Adapter;
use super::capabilities::Capabilities;
use super::future::AdapterFuture;
use super::position::Position;
use super::session_variables::SessionVariables;
use super::transaction::Transaction;
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};

/// Storage around other storage: each call that a layer leaves out is passed on to [`inner`](Self::inner).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use crud_core::{SessionVariables, Value};
/// use crud_core::adapter::{Adapter, AdapterFuture, AdapterLayer, Key, RowSink};
/// use crud_core::descriptor::Descriptor;
///
/// #[derive(Debug)]
/// struct CountedGets {
///     inner: Arc<dyn Adapter>,
///     gets: Arc<AtomicU64>,
/// }
///
/// impl AdapterLayer for CountedGets {
///     fn inner(&self) -> &dyn Adapter {
///         &*self.inner
///     }
///
///     fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
///         let inner = self.inner.session(variables)?;
///         Some(Arc::new(Self { inner, gets: self.gets.clone() }))
///     }
///
///     fn get<'a>(
///         &'a self,
///         resource: &'static Descriptor,
///         id: &'a Key,
///         tenant: Option<&'a Value>,
///         sink: &'a mut dyn RowSink,
///     ) -> AdapterFuture<'a, bool> {
///         self.gets.fetch_add(1, Ordering::Relaxed);
///         self.inner.get(resource, id, tenant, sink)
///     }
/// }
/// ```
pub trait AdapterLayer: fmt::Debug + Send + Sync + 'static {
    /// The inner storage, which this layer is around.
    fn inner(&self) -> &dyn Adapter;

    /// [`Adapter::session`] of the inner storage, with this layer around it.
    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>>;

    /// The description of a resource that the inner storage gets. Unchanged by default.
    fn described(&self, resource: &'static Descriptor) -> &'static Descriptor {
        resource
    }

    /// Runs a call that the layer leaves out, by its name: `ping`, `list`, `count`, `page`, `aggregate`, `get`,
    /// `write`, `write_where` or `begin`. By default, adds nothing to the call.
    fn around<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        resource: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        let _ = (name, resource);
        call
    }

    /// Passes on [`Adapter::capabilities`] by default.
    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    /// Passes on [`Adapter::ping`] by default.
    fn ping(&self) -> AdapterFuture<'_, ()> {
        self.around("ping", None, self.inner().ping())
    }

    /// Passes on [`Adapter::list`] by default.
    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        self.around("list", Some(resource), self.inner().list(self.described(resource), query, sink))
    }

    /// Passes on [`Adapter::count`] by default.
    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        self.around("count", Some(resource), self.inner().count(self.described(resource), filter))
    }

    /// Passes on [`Adapter::count_up_to`] by default.
    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        self.around("count", Some(resource), self.inner().count_up_to(self.described(resource), filter, limit))
    }

    /// Passes on [`Adapter::page`] by default.
    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        self.around("page", Some(resource), self.inner().page(self.described(resource), query, count, sink))
    }

    /// Passes on [`Adapter::aggregate`] by default.
    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        self.around("aggregate", Some(resource), self.inner().aggregate(self.described(resource), query))
    }

    /// Passes on [`Adapter::get`] by default.
    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        self.around("get", Some(resource), self.inner().get(self.described(resource), id, tenant, sink))
    }

    /// Passes on [`Adapter::write`] by default.
    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        self.around("write", Some(resource), self.inner().write(self.described(resource), write, sink))
    }

    /// Passes on [`Adapter::write_where`] by default.
    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        self.around("write_where", Some(resource), self.inner().write_where(self.described(resource), write))
    }

    /// Passes on [`Adapter::begin`] by default.
    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.around("begin", None, self.inner().begin())
    }

    /// Passes on [`Adapter::begin_short`] by default.
    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.around("begin", None, self.inner().begin_short())
    }

    /// Passes on [`Adapter::position`] by default.
    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        self.inner().position()
    }
}

// Every method is written here: a default body is meant for storage without the capability.
#[deny(clippy::missing_trait_methods)]
impl<L: AdapterLayer> Adapter for L {
    fn capabilities(&self) -> Capabilities {
        AdapterLayer::capabilities(self)
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        AdapterLayer::ping(self)
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        AdapterLayer::list(self, resource, query, sink)
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        AdapterLayer::count(self, resource, filter)
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        AdapterLayer::count_up_to(self, resource, filter, limit)
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        AdapterLayer::page(self, resource, query, count, sink)
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        AdapterLayer::aggregate(self, resource, query)
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        AdapterLayer::get(self, resource, id, tenant, sink)
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        AdapterLayer::write(self, resource, write, sink)
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        AdapterLayer::write_where(self, resource, write)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        AdapterLayer::begin(self)
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        AdapterLayer::begin_short(self)
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        AdapterLayer::session(self, variables)
    }

    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        AdapterLayer::position(self)
    }
}
