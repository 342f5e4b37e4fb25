//! [`DependantChanges`]: changes of the records that refer to one that is removed, with their audit entries.

use std::sync::Arc;

use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;
use crate::storage::write::{Guard, Outcome, Recorder, Target, Update, Work, Write};
use crate::store::app::App;
use crate::store::audit_record::Action;
use crate::store::each_row::each_row;
use crate::store::hooks::changed::ChangedData;
use crate::store::observer::call::{call, removal, update};
use crate::store::owned_record::OwnedRecord;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::writer::audit_recorder::AuditRecorder;
use crate::store::writer::kept_role::KeptRole;
use crate::store::writer::logged_dependants::Dependants;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::write_error::WriteError;

/// Limit of the records that change with one that is removed.
const MOST: u64 = 1_000;

/// Number of records in one write, which has all of them in memory.
const AT_A_TIME: usize = 100;

/// Changes of dependants in the transaction of a removal, before storage would make them without entries.
pub(in crate::store) struct DependantChanges<'a> {
    app: &'a App,
    transaction: &'a Arc<SharedTransaction>,
    /// Number of records that may still be changed.
    left: u64,
    /// The records that are being removed, each because of the one before it.
    removed: Vec<(&'static Descriptor, Key)>,
}

impl<'a> DependantChanges<'a> {
    pub(in crate::store) const fn new(app: &'a App, transaction: &'a Arc<SharedTransaction>) -> Self {
        Self { app, transaction, left: MOST, removed: Vec::new() }
    }

    /// Changes the records that depend on a record, before that is removed. `tenant`: the record's, where it is known.
    ///
    /// # Errors
    /// `referenced` beyond the limit, or for the reason why a record could not be changed.
    pub(in crate::store) fn apply<'s>(
        &'s mut self,
        resource: &'static Descriptor,
        id: &'s Key,
        tenant: Option<&'s Value>,
    ) -> BoxFuture<'s, Result<(), Problem>> {
        // Boxed, since it recurses: removed dependants have dependants too.
        Box::pin(async move {
            let all: Vec<Dependants> = self.app.logged_dependants(resource).collect();
            if all.is_empty() {
                return Ok(());
            }
            self.hold(resource, id, tenant).await?;
            self.removed.push((resource, id.clone()));
            for dependants in all {
                let tenant = tenant_of(dependants, (resource, id), tenant);
                let Found { ids, tenants, observed } = self.find(dependants, id, tenant).await?;
                if dependants.are_removed() {
                    self.remove(dependants.resource, &ids, tenant).await?;
                    for record in observed {
                        self.observe(dependants.resource, &removal(record)).await?;
                    }
                } else {
                    self.clear(dependants, &ids, &observed, tenant).await?;
                }
                self.require_kept_role(dependants.resource, tenants).await?;
            }
            self.removed.pop();
            Ok(())
        })
    }

    /// Locks a record as its removal does: no other record can begin to refer to it. A weaker lock, against changes
    /// alone, would admit new references.
    async fn hold(&self, resource: &'static Descriptor, id: &Key, tenant: Option<&Value>) -> Result<(), Problem> {
        let target = [Target::new(id, Some(Arc::new(Held)))];
        let write = Write::partial(Work::Delete(&target), None).of_tenant(tenant);
        let held = self.transaction.write(resource, write, &mut NoSink).await;
        held.map(drop).map_err(|error| self.app.problem(resource, error))
    }

    /// Requires each of these tenants to have a member with the kept role, unless the tenant is removed too.
    async fn require_kept_role(&self, resource: &'static Descriptor, tenants: Vec<Value>) -> Result<(), Problem> {
        let Some((kept, tenant)) = KeptRole::of(resource).zip(resource.tenant) else { return Ok(()) };
        let reference = resource.columns[tenant.column].references.map(|reference| (reference.target)());
        let is_removed = |tenant: &Value| {
            let key = Key::from(tenant.clone());
            let is_tenants = |of: &Descriptor| reference.is_some_and(|tenants| tenants.table == of.table);
            self.removed.iter().any(|(of, removed)| is_tenants(of) && *removed == key)
        };
        for tenant in tenants.into_iter().filter(|tenant| !is_removed(tenant)) {
            if !kept.is_held(self.app, self.transaction, tenant).await? {
                let detail = format!(
                    "{} of the last member with the role `{}` would change with it: give the role to another member first",
                    resource.name,
                    kept.name()
                );
                return Err(Problem::new(Code::Referenced, detail));
            }
        }
        Ok(())
    }

    async fn find(&mut self, dependants: Dependants, id: &Key, tenant: Option<&Value>) -> Result<Found, Problem> {
        let Dependants { resource, column, reference } = dependants;
        let refers = Predicate::of_values(reference.columns(&column), [id]).and(Predicate::of_tenant(resource, tenant));
        // Locked in the order of keys, against deadlocks.
        let order = SortKey::of_key(resource, false);
        let query = ListQuery::all(resource).filter(refers).sort(order).limit(self.left + 1);
        let (mut ids, mut tenants, kept) = (Vec::new(), Vec::new(), KeptRole::of(resource));
        let (mut observed, is_observed) =
            (Vec::new(), self.app.observers().observe(resource, dependants.observed_kind()));
        let mut sink = each_row(|row| {
            ids.push(Key::of_row(resource, row)?);
            if is_observed {
                observed.push(OwnedRecord::read(resource, row)?);
            }
            let tenant = kept.map(|kept| kept.tenant_of_holder(row)).transpose()?.flatten();
            tenants.extend(tenant.filter(|tenant| !tenants.contains(tenant)));
            Ok(())
        });
        let listed = self.transaction.list_locked(resource, &query, &mut sink).await;
        listed.map_err(|error| self.app.problem(resource, error))?;
        let Some(left) = self.left.checked_sub(ids.len() as u64) else {
            let detail = format!("more than {MOST} records would change with it: remove these first");
            return Err(Problem::new(Code::Referenced, detail));
        };
        self.left = left;
        Ok(Found { ids, tenants, observed })
    }

    async fn remove(
        &mut self,
        resource: &'static Descriptor,
        ids: &[Key],
        tenant: Option<&Value>,
    ) -> Result<(), Problem> {
        for id in ids {
            self.apply(resource, id, tenant).await?;
        }
        // A record that refers to another one of the same resource is most often newer.
        for ids in ids.rchunks(AT_A_TIME) {
            let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
            self.write(resource, (Work::Delete(&targets), tenant), Action::Delete).await?;
        }
        Ok(())
    }

    /// Sets references to null, but not those of records that are about to be removed.
    async fn clear(
        &self,
        dependants: Dependants,
        ids: &[Key],
        observed: &[OwnedRecord],
        tenant: Option<&Value>,
    ) -> Result<(), Problem> {
        let Dependants { resource, column, reference } = dependants;
        let is_removed = |id: &Key| self.removed.iter().any(|(of, key)| of.table == resource.table && key == id);
        let mut changes = Changes::new();
        for column in reference.columns(&column) {
            changes.set(*column, Value::Null);
        }
        let kept: Vec<&Key> = ids.iter().filter(|id| !is_removed(id)).collect();
        for ids in kept.chunks(AT_A_TIME) {
            let updates: Vec<Update<'_>> = ids.iter().map(|id| Update::new(id, &changes, None)).collect();
            self.write(resource, (Work::Update(&updates), tenant), Action::Update).await?;
        }
        for old in observed {
            let is_kept = Key::of_row(resource, old).is_ok_and(|key| !is_removed(&key));
            let mut new = old.clone();
            changes.iter().for_each(|(column, value)| new.set(column, value.clone()));
            if is_kept {
                self.observe(resource, &update(old.clone(), new)).await?;
            }
        }
        Ok(())
    }

    /// Calls the observers of a change.
    async fn observe(&self, resource: &'static Descriptor, change: &ChangedData) -> Result<(), Problem> {
        call(self.app, self.transaction, resource, change).await
    }

    async fn write(
        &self,
        resource: &'static Descriptor,
        (work, tenant): (Work<'_>, Option<&Value>),
        action: Action,
    ) -> Result<(), Problem> {
        let recorder = AuditRecorder::new(resource, action, self.app.shared_actor().cloned());
        let recorder = recorder.map(|recorder| -> Arc<dyn Recorder> { Arc::new(recorder) });
        let write = Write::atomic(work, recorder).with_clock(self.app.clock()).of_tenant(tenant);
        let outcomes = self.transaction.write(resource, write, &mut NoSink).await;
        let outcomes = outcomes.map_err(|error| self.app.problem(resource, error))?;
        match outcomes.into_iter().enumerate().find(|(_, outcome)| !matches!(outcome, Outcome::Done)) {
            Some((index, outcome)) => Err(WriteError::of_outcome(resource, work, index, outcome).unguarded()),
            None => Ok(()),
        }
    }
}

/// The tenant of the records that refer to one: they have that of the record, or the record is their tenant.
fn tenant_of<'t>(
    dependants: Dependants,
    (resource, id): (&Descriptor, &'t Key),
    tenant: Option<&'t Value>,
) -> Option<&'t Value> {
    let of = dependants.resource.tenant?;
    if dependants.reference.columns(&dependants.column) == [of.column] {
        return id.single();
    }
    let kind = |resource: &Descriptor| resource.tenant.map(|tenant| resource.columns[tenant.column].kind);
    tenant.filter(|_| kind(resource) == kind(dependants.resource))
}

/// The records that refer to one.
struct Found {
    ids: Vec<Key>,
    /// The tenants of the memberships with a kept role among them.
    tenants: Vec<Value>,
    /// The records themselves, if their changes are observed.
    observed: Vec<OwnedRecord>,
}

/// A guard that refuses every removal: storage has locked the record.
#[derive(Debug)]
struct Held;

impl Guard for Held {
    fn admits(&self, _: &dyn Row) -> Result<bool, AdapterError> {
        Ok(false)
    }
}
