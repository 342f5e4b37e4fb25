//! [`ChangeObserver`]: an observer of changes of any resource, in their transactions.

pub(in crate::store) mod call;
pub(in crate::store) mod interest;
pub(crate) mod kind;

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use self::call::{CalledObserver, CalledObservers, kind};
pub(crate) use self::interest::Interests;
pub use self::kind::ObservedKind;
use super::app::App;
use super::hooks::changed::ChangedData;
use super::owned_record::OwnedRecord;
use super::transaction::Tx;
use super::transaction::shared::SharedTransaction;
use crate::model::descriptor::Descriptor;
use crate::model::json::json_value;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// An observer of the changes of any resource, such as a plugin's that keeps something for each record:
/// [`ExtensionOptions::observe`](crate::ExtensionOptions::observe).
///
/// It is called in the transaction of the change, whatever makes it: a request, a batch, an import, a store of the
/// program, the removal of a record that this one refers to with `on_delete(cascade)`. Changes by SQL and by other
/// programs are not observed, nor are those on storage without transactions of several calls; code that must know of
/// them compares records, by [`App::stored_records`].
///
/// Changes that an observer asks for have the steps of changes with hooks: a transaction of several calls. Others cost
/// nothing. A removal with which more than 1,000 observed records would change is refused, as with an audit log.
///
/// ```
/// use crud_runtime::adapter::BoxFuture;
/// use crud_runtime::error::Problem;
/// use crud_runtime::prelude::*;
/// use crud_runtime::{ChangeObserver, ObservedChange, ObservedKind, Tx};
///
/// /// A scan of a record, which goes with it.
/// #[derive(Debug, Clone, Resource)]
/// #[crud(internal, table = "scans_scan")]
/// struct Scan { id: i64, #[crud(length(max = 100))] record: String }
///
/// struct Scans;
///
/// impl ChangeObserver for Scans {
///     fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool {
///         kind == ObservedKind::Remove && resource.columns.iter().any(|column| column.attribute == Some("scan"))
///     }
///
///     fn changed<'a>(&'a self, change: &'a ObservedChange<'a>, tx: &'a Tx<'_>) -> BoxFuture<'a, Result<(), Problem>> {
///         Box::pin(async move {
///             let record = format!("{} {}", change.resource().name, change.key());
///             Ok(tx.store::<Scan>().delete_where(Scan::FIELDS.record.eq(record)).await.map(drop)?)
///         })
///     }
/// }
/// # use crud_runtime::descriptor::Descriptor;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.table::<Scan>().extend(|options| options.observe(Scans));
/// # let _ = service; Ok(()) }
/// ```
pub trait ChangeObserver: Send + Sync + 'static {
    /// Whether the observer asks for changes of this kind of a resource's records. The answer must always be the same.
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool;

    /// Observes a change that is written and not yet committed. The stores of the transaction see all records, of every
    /// tenant.
    ///
    /// # Errors
    /// The reason why the change cannot be made: it is rolled back.
    fn changed<'a>(&'a self, change: &'a ObservedChange<'a>, tx: &'a Tx<'_>) -> BoxFuture<'a, Result<(), Problem>>;

    /// Observes that the values of a record were erased from the audit log ([`AuditLog::erase`](crate::audit::AuditLog::erase)).
    /// It may be called again for one record.
    ///
    /// # Errors
    /// The reason why the observer could not follow: the erasure fails, and must be repeated.
    fn history_erased<'a>(
        &'a self,
        _resource: &'static Descriptor,
        _key: &'a str,
        _app: &'a App,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A change for which an observer is called.
pub struct ObservedChange<'c> {
    resource: &'static Descriptor,
    data: &'c ChangedData,
}

impl fmt::Debug for ObservedChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (resource, kind) = (self.resource.name, self.kind());
        f.debug_struct("ObservedChange").field("resource", &resource).field("kind", &kind).finish_non_exhaustive()
    }
}

impl ObservedChange<'_> {
    /// The description of the record's resource.
    #[must_use]
    pub const fn resource(&self) -> &'static Descriptor {
        self.resource
    }

    /// The kind of the change.
    #[must_use]
    pub fn kind(&self) -> ObservedKind {
        kind(self.data)
    }

    /// The record's key as a text, as in paths and in the audit log.
    #[must_use]
    pub fn key(&self) -> String {
        let key = |column: &usize| self.data.new.get(*column).clone();
        Key::composite(self.resource.key().iter().map(key).collect()).to_string()
    }

    /// The tenant of the record, where it has one.
    #[must_use]
    pub fn tenant(&self) -> Option<String> {
        self.data.tenant(self.resource).map(ToString::to_string)
    }

    /// The stored value of a field after the change, by its name in JSON; of a removed record, before it.
    #[must_use]
    pub fn value(&self, field: &str) -> Option<Json> {
        self.value_in(&self.data.new, field)
    }

    /// The stored value of a field before the change; `None` of a new record.
    #[must_use]
    pub fn previous(&self, field: &str) -> Option<Json> {
        self.value_in(self.data.old.as_ref()?, field)
    }

    fn value_in(&self, record: &OwnedRecord, field: &str) -> Option<Json> {
        let (index, column) = self.resource.columns.iter().enumerate().find(|(_, column)| column.json == field)?;
        Some(json_value(column, record.get(index).borrow()))
    }
}

/// The observers of a service.
#[derive(Clone, Default)]
pub(crate) struct Observers(Option<Arc<[Arc<dyn ChangeObserver>]>>);

impl Observers {
    /// Adds an observer.
    pub(crate) fn push(&mut self, observer: Arc<dyn ChangeObserver>) {
        self.0 = Some(self.all().iter().cloned().chain([observer]).collect());
    }

    fn all(&self) -> &[Arc<dyn ChangeObserver>] {
        self.0.as_deref().unwrap_or_default()
    }

    /// The changes that the observers ask for.
    pub(crate) fn interests(&self) -> Interests {
        if self.0.is_none() {
            return Interests::default();
        }
        let called =
            |observer: &Arc<dyn ChangeObserver>| Box::new(Adapted(observer.clone())) as Box<dyn CalledObserver>;
        Interests::of(CalledObservers(self.all().iter().map(called).collect()))
    }

    /// Calls all observers for a record whose history was erased.
    ///
    /// # Errors
    /// The problem of the first observer that fails.
    pub(crate) async fn history_erased(
        &self,
        resource: &'static Descriptor,
        key: &str,
        app: &App,
    ) -> Result<(), Problem> {
        for observer in self.all() {
            observer.history_erased(resource, key, app).await?;
        }
        Ok(())
    }
}

/// An observer of the program, as the steps of a change call it.
struct Adapted(Arc<dyn ChangeObserver>);

impl CalledObserver for Adapted {
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool {
        self.0.observes(resource, kind)
    }

    fn call<'a>(
        &'a self,
        app: &'a App,
        transaction: &'a Arc<SharedTransaction>,
        resource: &'static Descriptor,
        data: &'a ChangedData,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let tx = Tx::of_observer(app, transaction.clone());
            self.0.changed(&ObservedChange { resource, data }, &tx).await
        })
    }
}
