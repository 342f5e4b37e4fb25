//! Storage whose statements are sent as text.

use std::sync::Arc;

use crate::model::descriptor::Descriptor;
use crate::mysql::MySqlAdapter;
use crate::mysql::as_text;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::transaction_layer::TransactionLayer;

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
        as_text::around(call)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        TextTransaction::begun(Adapter::begin(&*self.0))
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        TextTransaction::begun(Adapter::begin_short(&*self.0))
    }
}

/// A transaction whose statements are sent as text.
pub(super) struct TextTransaction(Box<dyn Transaction>);

impl TextTransaction {
    /// Wraps the transaction that a call begins.
    pub(super) fn begun(begin: AdapterFuture<'_, Box<dyn Transaction>>) -> AdapterFuture<'_, Box<dyn Transaction>> {
        as_text::around(Box::pin(async move { Ok(Box::new(Self(begin.await?)) as Box<dyn Transaction>) }))
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
        as_text::around(call)
    }
}
