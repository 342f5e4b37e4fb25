//! [`CallSpans`]: a span of `tracing` for each call of storage.

use std::sync::Arc;

use tracing::Instrument;

use crate::model::descriptor::Descriptor;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::transaction_layer::TransactionLayer;

/// Runs calls, also those of transactions, in spans named `storage`, at the level `DEBUG`, with `call` and `resource`.
/// Without a subscriber for them, a call costs only the check for one.
#[derive(Debug)]
pub(crate) struct CallSpans(Arc<dyn Adapter>);

impl CallSpans {
    pub(crate) fn new(inner: Arc<dyn Adapter>) -> Self {
        Self(inner)
    }
}

impl AdapterLayer for CallSpans {
    fn inner(&self) -> &dyn Adapter {
        &*self.0
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self(self.0.session(variables)?)))
    }

    fn around<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        resource: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        in_span(name, resource, call)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        begun(self.0.begin())
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        begun(self.0.begin_short())
    }
}

/// Runs the begin of a transaction in a span, and later each of its calls.
fn begun(begin: AdapterFuture<'_, Box<dyn Transaction>>) -> AdapterFuture<'_, Box<dyn Transaction>> {
    let begun = in_span("begin", None, begin);
    Box::pin(async move { Ok(Box::new(TransactionSpans(begun.await?)) as Box<dyn Transaction>) })
}

/// A transaction whose calls are spans.
struct TransactionSpans(Box<dyn Transaction>);

impl TransactionLayer for TransactionSpans {
    fn inner(&mut self) -> &mut dyn Transaction {
        &mut *self.0
    }

    fn inner_ref(&self) -> &dyn Transaction {
        &*self.0
    }

    fn around<'a, T: Send + 'a>(
        name: &'static str,
        resource: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        in_span(name, resource, call)
    }
}

/// Runs a call in its span.
fn in_span<'a, T: Send + 'a>(
    call: &'static str,
    resource: Option<&'static Descriptor>,
    future: AdapterFuture<'a, T>,
) -> AdapterFuture<'a, T> {
    let span = tracing::debug_span!(
        target: "crud_runtime::storage",
        "storage",
        call,
        resource = resource.map(|resource| resource.name),
    );
    if span.is_disabled() { future } else { Box::pin(future.instrument(span)) }
}
