//! [`CalledObservers`]: the observers of changes, as the steps of a change call them.

use std::any::Any;
use std::sync::Arc;

use super::interest::Interest;
use super::kind::ObservedKind;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;
use crate::store::app::App;
use crate::store::hooks::changed::ChangedData;
use crate::store::hooks::changeset::ChangeKind;
use crate::store::owned_record::OwnedRecord;
use crate::store::transaction::shared::SharedTransaction;

/// An observer of written changes.
pub(in crate::store) trait CalledObserver: Send + Sync {
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool;

    fn call<'a>(
        &'a self,
        app: &'a App,
        transaction: &'a Arc<SharedTransaction>,
        resource: &'static Descriptor,
        change: &'a ChangedData,
    ) -> BoxFuture<'a, Result<(), Problem>>;
}

/// The observers of a service.
pub(in crate::store) struct CalledObservers(pub(super) Vec<Box<dyn CalledObserver>>);

impl Interest for CalledObservers {
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool {
        self.0.iter().any(|observer| observer.observes(resource, kind))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Calls the observers of a change that is written and not yet committed, one after another.
///
/// # Errors
/// The problem of the first observer that fails.
pub(in crate::store) async fn call(
    app: &App,
    transaction: &Arc<SharedTransaction>,
    resource: &'static Descriptor,
    change: &ChangedData,
) -> Result<(), Problem> {
    let Some(CalledObservers(observers)) = app.observers().observers() else { return Ok(()) };
    let kind = kind(change);
    for observer in observers.iter().filter(|observer| observer.observes(resource, kind)) {
        observer.call(app, transaction, resource, change).await?;
    }
    Ok(())
}

/// The kind of a change.
pub(super) const fn kind(change: &ChangedData) -> ObservedKind {
    match change.kind {
        ChangeKind::Create => ObservedKind::Create,
        ChangeKind::Update => ObservedKind::Update,
        ChangeKind::SoftDelete => ObservedKind::SoftDelete,
        ChangeKind::Restore => ObservedKind::Restore,
        ChangeKind::Delete | ChangeKind::Purge => ObservedKind::Remove,
    }
}

/// The removal of a record that the runtime makes with that of another record.
pub(in crate::store) fn removal(record: OwnedRecord) -> ChangedData {
    ChangedData { kind: ChangeKind::Delete, old: Some(record.clone()), new: record }
}

/// The update of a record that the runtime makes with the removal of another record.
pub(in crate::store) const fn update(old: OwnedRecord, new: OwnedRecord) -> ChangedData {
    ChangedData { kind: ChangeKind::Update, old: Some(old), new }
}
