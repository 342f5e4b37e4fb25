//! [`KeptRole`]: a role that at least one member of each tenant keeps.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::problem::{Code, Problem};
use crate::model::row::Row;
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, ValueRef};
use crate::query::{Comparison, ListQuery, Predicate, Scope};
use crate::storage::decide::{RecordState, state};
use crate::store::app::App;
use crate::store::each_row::each_row;
use crate::store::transaction::shared::SharedTransaction;

/// The role of `members(user_id, role, keep = "owner")`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptRole {
    resource: &'static Descriptor,
    /// The column of the tenant.
    tenant: usize,
    /// The column of the role.
    role: usize,
    name: &'static str,
}

impl KeptRole {
    /// The role in the memberships of this resource, if they have one.
    pub(crate) fn of(resource: &'static Descriptor) -> Option<Self> {
        let tenant = resource.tenant?;
        let members = tenant.members?;
        Some(Self { resource, tenant: tenant.column, role: members.role?, name: members.keep? })
    }

    /// The column of the role.
    pub(crate) const fn column(&self) -> usize {
        self.role
    }

    /// The role.
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// The tenant of a membership with the role, unless it is deleted.
    pub(in crate::store) fn tenant_of_holder(&self, membership: &dyn Row) -> Result<Option<Value>, AdapterError> {
        let is_active = state(self.resource, membership)? == RecordState::Active;
        let has_role = matches!(membership.value(self.role)?, ValueRef::Text(role) if role == self.name);
        (is_active && has_role).then(|| stored_value(self.resource, self.tenant, membership)).transpose()
    }

    /// Whether a membership of a tenant has the role. That membership is locked: another transaction that takes the
    /// role from it waits for the end of this one. Of two transactions that each take it from the other's membership,
    /// one is undone, and then finds the other's change.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::store) async fn is_held(
        &self,
        app: &App,
        transaction: &SharedTransaction,
        tenant: Value,
    ) -> Result<bool, Problem> {
        let equals = |column, value| Predicate::Compare { column, operator: Comparison::Eq, value };
        let holders = equals(self.tenant, tenant).and(equals(self.role, Value::Text(self.name.to_owned())));
        let holders = Scope::Active.predicate(self.resource).and(holders);
        let query = ListQuery::all(self.resource).filter(holders);
        let query = query.sort(SortKey::of_key(self.resource, false)).limit(1);
        let mut is_held = false;
        let mut sink = each_row(|_| {
            is_held = true;
            Ok(())
        });
        let listed = transaction.list_locked(self.resource, &query, &mut sink).await;
        listed.map_err(|error| app.problem(self.resource, error))?;
        Ok(is_held)
    }

    /// The refusal of a change that takes the role from the last member who has it.
    pub(crate) fn refusal(&self) -> Problem {
        let detail = format!("this is the last member with the role `{}`: give it to another member first", self.name);
        Problem::new(Code::LastMember, detail)
    }
}
