//! [`UntypedStore`]: the part of a store that is not generic over the record's type, compiled once.

use std::sync::Arc;

use crud_core::retry;

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::model::row::RowSink;
#[cfg(feature = "auth")]
use crate::model::value::Value;
use crate::query::record_scope::RecordScope;
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::mounted::resource::MountedResource;
use crate::store::transaction::shared::{End, SharedTransaction};
use crate::store::writer::RecordWriter;
use crate::store::writer::reference_rule::ReferenceRule;

/// A resource's records, by descriptor; [`Store`](crate::store::typed::store::Store) adds the record's type.
#[derive(Clone)]
pub(crate) struct UntypedStore {
    /// The handle to storage: its scope says whose records the store reads and writes.
    pub(crate) app: App,
    pub(crate) mounted: Arc<MountedResource>,
    /// The transaction to work in; without one, in storage itself, unless the task has a transaction open.
    pub(crate) transaction: Option<Arc<SharedTransaction>>,
}

#[cfg(feature = "auth")]
impl App {
    /// The program's store of a resource in a tenant, by its descriptor.
    pub(crate) fn untyped_store(
        &self,
        resource: &'static Descriptor,
        tenant: &Value,
        transaction: Option<Arc<SharedTransaction>>,
    ) -> UntypedStore {
        UntypedStore { app: self.of_program(Some(tenant)), mounted: self.mounted_of(resource), transaction }
    }
}

impl UntypedStore {
    pub(crate) fn problem(&self, error: AdapterError) -> Problem {
        self.app.problem(self.mounted.resource(), error)
    }

    pub(crate) fn adapter(&self) -> Result<&dyn Adapter, Problem> {
        match &self.transaction {
            Some(transaction) => Ok(&**transaction),
            None => self.app.refuse_inside_transaction().map(|()| &**self.app.adapter()),
        }
    }

    pub(crate) fn writer(&self) -> Result<RecordWriter<'_>, Problem> {
        self.adapter()?;
        let references = ReferenceRule::Store { scope: self.app.scope(), actor: self.app.actor() };
        let writer = RecordWriter::of_program(&self.app, &self.mounted, references);
        Ok(RecordWriter { transaction: self.transaction.as_ref(), ..writer })
    }

    pub(crate) fn require_soft_delete(&self) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        match resource.soft_delete {
            Some(_) => Ok(()),
            None => Err(Problem::new(Code::ValidationFailed, format!("{} has no soft delete", resource.name))),
        }
    }

    /// The records of the store's scope.
    pub(crate) fn records(&self) -> Result<RecordScope, Problem> {
        self.records_of(self.mounted.resource())
    }

    pub(super) fn records_of(&self, resource: &'static Descriptor) -> Result<RecordScope, Problem> {
        Ok(self.app.scope().records(resource, self.app.actor())?.by_clock(self.app.clock()))
    }

    /// The transaction that the store works in.
    pub(super) fn transaction(&self) -> Result<&SharedTransaction, Problem> {
        let transaction = self.transaction.as_deref();
        let missing =
            "the store is in no transaction: take that of one, `tx.store()` within `app.transaction(async |tx| …)`";
        transaction.ok_or_else(|| Problem::internal(missing))
    }

    /// Runs work in the store's transaction, or in one for this work alone.
    pub(super) async fn in_transaction<T>(
        &self,
        sink: &mut dyn RowSink,
        work: impl for<'s> Fn(Self, &'s mut dyn RowSink) -> BoxFuture<'s, Result<T, Problem>> + Send,
    ) -> Result<T, Problem> {
        if self.transaction.is_some() {
            return work(self.clone(), sink).await;
        }
        self.app.refuse_inside_transaction()?;
        let (_, result) = retry!(
            async {
                let begun = self.app.start_transaction().await;
                let transaction = begun.map_err(|error| self.problem(error))?;
                let store = Self { transaction: Some(transaction.clone()), ..self.clone() };
                let result = work(store, &mut *sink).await;
                let ended = match &result {
                    Ok(_) => transaction.commit().await.map_err(|error| self.problem(error)),
                    Err(_) => {
                        transaction.abandon();
                        Ok(())
                    }
                };
                Ok::<_, Problem>((transaction.end().await, ended.and(result)))
            },
            End::is_conflict
        )?;
        result
    }
}
