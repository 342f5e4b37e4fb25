//! Statements of requests as text, with their values in it: vtgate asks a shard about each statement that it prepares, any shard,
//! which need not be the tenant's, and which becomes a part of the transaction.

use std::sync::Arc;

use tokio::task_local;

use crate::model::descriptor::Descriptor;
use crate::mysql::MySqlAdapter;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::transaction_layer::TransactionLayer;

task_local! {
    /// Set while a call of sharded storage runs: its statements are sent as text.
    static TEXT: ();
}

/// Calls whose statements are sent as text.
pub(in crate::mysql) struct AsText;

impl AsText {
    /// Runs a call whose statements are sent as text.
    fn around<'a, T: Send + 'a>(call: AdapterFuture<'a, T>) -> AdapterFuture<'a, T> {
        Box::pin(TEXT.scope((), call))
    }

    /// Whether the statement that is about to be sent is of such a call.
    pub(in crate::mysql) fn is_wanted() -> bool {
        TEXT.try_with(|()| ()).is_ok()
    }
}

/// Storage whose statements are sent as text.
#[derive(Debug, Clone)]
pub(super) struct TextStorage(pub(super) Arc<MySqlAdapter>);

impl AdapterLayer for TextStorage {
    fn inner(&self) -> &dyn Adapter {
        &*self.0
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Adapter::session(&*self.0, variables)
    }

    fn around<'a, T: Send + 'a>(
        &'a self,
        _: &'static str,
        _: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        AsText::around(call)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        TextTransaction::begun(Adapter::begin(&*self.0))
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        TextTransaction::begun(Adapter::begin_short(&*self.0))
    }
}

/// A transaction whose statements are sent as text.
struct TextTransaction(Box<dyn Transaction>);

impl TextTransaction {
    /// The transaction that a call begins.
    fn begun(begin: AdapterFuture<'_, Box<dyn Transaction>>) -> AdapterFuture<'_, Box<dyn Transaction>> {
        AsText::around(Box::pin(async move { Ok(Box::new(Self(begin.await?)) as Box<dyn Transaction>) }))
    }
}

impl TransactionLayer for TextTransaction {
    fn inner(&mut self) -> &mut dyn Transaction {
        &mut *self.0
    }

    fn inner_ref(&self) -> &dyn Transaction {
        &*self.0
    }

    fn around<'a, T: Send + 'a>(
        _: &'static str,
        _: Option<&'static Descriptor>,
        call: AdapterFuture<'a, T>,
    ) -> AdapterFuture<'a, T> {
        AsText::around(call)
    }
}
