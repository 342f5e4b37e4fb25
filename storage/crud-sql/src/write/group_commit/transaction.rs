//! The transaction of a batch.

use super::owned_change::OwnedChange;
use crate::change::Change;
use crate::driver::{Connection, Driver};
use crate::facts::Effects;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::scope::Scope;
use crate::storage::write::{Recorder, Target, Update};
use crate::write::bisect::Savepoints;
use crate::write::tenants::Tenants;
use crate::write::transactional_write::TransactionalWrite;
use crate::write::work_kind::WorkKind;

/// Reason why a batch is not known to be committed.
pub(super) enum NotCommitted {
    /// No change is applied.
    RolledBack,
    /// The answer to the commit was lost.
    Unknown(AdapterError),
}

/// Applies one change each of several requests in one transaction. All are of one kind, and to different records.
pub(super) async fn run<D: Driver>(
    connection: &mut Connection<D>,
    begin: &'static str,
    resource: &'static Descriptor,
    (kind, effects): (WorkKind, Effects),
    mut changes: Vec<&mut OwnedChange>,
) -> Result<Vec<Change<D>>, NotCommitted> {
    let transaction = Scope::<D>::begin(connection, begin).await;
    let mut transaction = transaction.map_err(|_| NotCommitted::RolledBack)?;
    let Ok(applied) = apply::<D>(&mut transaction, resource, (kind, effects), &mut changes).await else {
        // The changes are tried alone next: their locks are released first.
        let _ = transaction.rollback().await;
        return Err(NotCommitted::RolledBack);
    };
    match transaction.commit().await.map_err(|error| D::translate(resource, error)) {
        Ok(()) => Ok(applied),
        // The commit of a serializable transaction can conflict with another transaction.
        Err(error) if error.is_refusal() || D::is_conflict(&error) => Err(NotCommitted::RolledBack),
        Err(error) => Err(NotCommitted::Unknown(error)),
    }
}

/// Applies the changes, up to the commit.
async fn apply<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    (kind, effects): (WorkKind, Effects),
    changes: &mut [&mut OwnedChange],
) -> Result<Vec<Change<D>>, AdapterError> {
    let records: Vec<Vec<Value>> = changes.iter_mut().map(|change| change.take_record()).collect();
    let updates: Vec<Update<'_>> = changes.iter().map(|change| change.update()).collect();
    let targets: Vec<Target<'_>> = changes.iter().map(|change| change.target()).collect();
    // The changes come from one service, or from several with the system's clock.
    let clock = changes.first().map(|change| change.clock.clone()).unwrap_or_default();
    let mut locking = TransactionalWrite::<D>::new(connection, resource, Savepoints::None, changes.len(), &clock);
    locking.effects = effects;
    locking.tenants = Tenants::of_each(changes.iter().map(|change| change.tenant()).collect());
    locking.work(kind.work(&records, &updates, &targets)).await?;
    let recorders: Vec<&dyn Recorder> = changes.iter().filter_map(|change| change.recorder.as_deref()).collect();
    if let Some(first) = recorders.first() {
        locking.record(first.log(), |index| recorders[index]).await?;
    }
    Ok(locking.changes)
}
