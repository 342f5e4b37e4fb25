//! [`Memberships`]: the tenants that users belong to, as the records of a resource say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value as Json;

use crate::model::adapter_error::AdapterError;
#[cfg(feature = "auth")]
use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Members, SortKey, Tenant};
use crate::model::json::json_value;
#[cfg(feature = "auth")]
use crate::model::problem::FieldError;
use crate::model::problem::Problem;
use crate::model::row::{Row, RowSink};
use crate::model::scalar;
use crate::model::stored_value::stored_value;
#[cfg(feature = "auth")]
use crate::model::value::Kind;
use crate::model::value::Value;
use crate::query::claims::tenant_value;
use crate::query::{Comparison, ListQuery, Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::layers::write_epoch::WriteEpoch;

/// Lifetime of a membership in the cache: another server may have removed it meanwhile.
const FRESH: Duration = Duration::from_secs(1);

/// Size of the cache from which on memberships that are not fresh are dropped.
const MANY: usize = 10_000;

/// The memberships of users in tenants.
///
/// A membership that was read is cached for [`FRESH`], or until this process writes to its table. A missing membership
/// is not cached: a new member is admitted at once.
pub(crate) struct Memberships {
    resource: &'static Descriptor,
    tenant: Tenant,
    members: Members,
    adapter: Arc<dyn Adapter>,
    writes: Arc<WriteEpoch>,
    cache: Mutex<HashMap<String, Arc<Slot>>>,
}

/// A membership of a user in a tenant, from [`Users::memberships`](crate::auth::Users::memberships).
///
/// ```
/// use crud_runtime::auth::Membership;
///
/// fn is_owner(membership: &Membership) -> bool {
///     membership.roles.iter().any(|role| role == "owner")
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Membership {
    /// The tenant, as claims have it.
    pub tenant: Json,
    /// The roles of the user in the tenant, in addition to its own.
    pub roles: Vec<String>,
}

/// The roles of a membership.
pub(crate) type Roles = Arc<[String]>;

/// A cache entry: a user's membership of one tenant.
#[derive(Default)]
struct Slot {
    read: Mutex<Option<Read>>,
    /// Held by the request that reads the membership; others wait for its answer.
    turn: tokio::sync::Mutex<()>,
}

/// A membership that was read.
struct Read {
    roles: Roles,
    /// Time before the membership was read.
    at: Instant,
    /// Generation of the table before the membership was read.
    generation: u64,
}

impl Memberships {
    /// The fields of a membership, if the resource's records are memberships.
    pub(crate) fn fields(resource: &Descriptor) -> Option<(Tenant, Members)> {
        let tenant = resource.tenant?;
        Some((tenant, tenant.members?))
    }

    /// The memberships in a resource; `None` if its records are not memberships.
    pub(crate) fn new(
        resource: &'static Descriptor,
        adapter: Arc<dyn Adapter>,
        writes: Arc<WriteEpoch>,
    ) -> Option<Self> {
        let (tenant, members) = Self::fields(resource)?;
        writes.watch(resource);
        Some(Self { resource, tenant, members, adapter, writes, cache: Mutex::default() })
    }

    /// The resource whose records are the memberships.
    #[cfg(feature = "auth")]
    pub(crate) const fn resource(&self) -> &'static Descriptor {
        self.resource
    }

    /// The column of the tenant.
    pub(crate) fn column(&self) -> &'static ColumnDescriptor {
        &self.resource.columns[self.tenant.column]
    }

    /// The tenant that a text names, as claims have it; `None` for a text that cannot name a tenant.
    pub(crate) fn named(&self, text: &str) -> Option<Json> {
        let value = scalar::parse(self.column(), text).ok()?;
        Some(json_value(self.column(), value.borrow()))
    }

    /// The roles of a user in a tenant; `None` if the user is not a member.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn roles(&self, subject: &str, tenant: &Json) -> Result<Option<Roles>, Problem> {
        let Some(value) = tenant_value(self.resource, self.tenant, Some(tenant)) else { return Ok(None) };
        // A subject has no NUL, so that no other pair has this key.
        let key = format!("{subject}\0{value}");
        let slot = self.slot(&key);
        if let Some(roles) = slot.fresh(&self.writes) {
            return Ok(Some(roles));
        }
        let _turn = slot.turn.lock().await;
        if let Some(roles) = slot.fresh(&self.writes) {
            return Ok(Some(roles));
        }
        let (at, generation) = (Instant::now(), self.writes.generation());
        let found = self.read(subject, Some(value), Some(1)).await?.pop();
        let roles = found.map(|membership| Roles::from(membership.roles));
        match &roles {
            Some(roles) => slot.put(Read { roles: roles.clone(), at, generation }),
            None => drop(self.locked().remove(&key)),
        }
        Ok(roles)
    }

    /// The memberships of a user, in the order of their keys.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg(feature = "auth")]
    pub(crate) async fn of(&self, subject: &str) -> Result<Vec<Membership>, Problem> {
        self.read(subject, None, None).await
    }

    /// The membership of a user with the lowest key; `None` if the user is a member of no tenant.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg(feature = "auth")]
    pub(crate) async fn first(&self, subject: &str) -> Result<Option<Membership>, Problem> {
        Ok(self.read(subject, None, Some(1)).await?.pop())
    }

    /// The membership of a user in a tenant, read from the database; `None` if the user is not a member.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg(feature = "auth")]
    pub(crate) async fn find(&self, subject: &str, tenant: &Json) -> Result<Option<Membership>, Problem> {
        let Some(value) = tenant_value(self.resource, self.tenant, Some(tenant)) else { return Ok(None) };
        Ok(self.read(subject, Some(value), Some(1)).await?.pop())
    }

    /// The tenant, and the values of a new membership in it.
    ///
    /// # Errors
    /// `validation_failed` for a tenant, a user or roles that the resource does not take.
    #[cfg(feature = "auth")]
    pub(crate) fn new_member(
        &self,
        subject: &str,
        tenant: &Json,
        mut roles: Vec<String>,
    ) -> Result<(Value, Changes), Problem> {
        let refused = |what: &str| Problem::validation([FieldError::field(what, "type", format!("is no {what} here"))]);
        let tenant = tenant_value(self.resource, self.tenant, Some(tenant)).ok_or_else(|| refused("tenant"))?;
        let user = scalar::parse(&self.resource.columns[self.members.user], subject).map_err(|_| refused("user"))?;
        let mut changes = Changes::default();
        changes.set(self.tenant.column, tenant.clone());
        changes.set(self.members.user, user);
        match self.members.role {
            Some(role) if self.resource.columns[role].kind == Kind::TextList => {
                changes.set(role, Value::TextList(roles));
            }
            Some(role) if roles.len() == 1 => {
                changes.set(role, Value::Text(roles.pop().unwrap_or_default()));
            }
            None if roles.is_empty() => {}
            _ => {
                let expected = if self.members.role.is_some() { "one role" } else { "no roles" };
                let refused = FieldError::field("roles", "length", format!("a membership here has {expected}"));
                return Err(Problem::validation([refused]));
            }
        }
        Ok((tenant, changes))
    }

    async fn read(&self, subject: &str, tenant: Option<Value>, limit: Option<u64>) -> Result<Vec<Membership>, Problem> {
        let resource = self.resource;
        let Some(of_user) = self.of_user(subject) else { return Ok(Vec::new()) };
        let filter = match tenant {
            Some(tenant) => of_user.and(equals(self.tenant.column, tenant)),
            None => of_user,
        };
        let mut query = ListQuery::all(resource).filter(filter).sort(SortKey::of_key(resource, false));
        query.limit = limit;
        let mut found = Found { memberships: self, rows: Vec::new() };
        let listed = self.adapter.list(resource, &query, &mut found).await;
        listed.map_err(|error| Problem::from_adapter(resource, error))?;
        Ok(found.rows)
    }

    /// The condition on the memberships of a user; `None` for a subject that is not a valid key of a user, such as that of
    /// another issuer's token.
    pub(crate) fn of_user(&self, subject: &str) -> Option<Predicate> {
        let user = scalar::parse(&self.resource.columns[self.members.user], subject).ok()?;
        Some(Scope::Active.predicate(self.resource).and(equals(self.members.user, user)))
    }

    fn slot(&self, key: &str) -> Arc<Slot> {
        let mut cache = self.locked();
        if let Some(slot) = cache.get(key) {
            return slot.clone();
        }
        if cache.len() >= MANY {
            cache.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.fresh(&self.writes).is_some());
        }
        cache.entry(key.to_owned()).or_default().clone()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Slot>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The condition that a column has a value.
fn equals(column: usize, value: Value) -> Predicate {
    Predicate::Compare { column, operator: Comparison::Eq, value }
}

impl Slot {
    /// The roles, if the cached membership is still fresh.
    fn fresh(&self, writes: &WriteEpoch) -> Option<Roles> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |read: &&Read| read.generation == writes.generation() && read.at.elapsed() < FRESH;
        read.as_ref().filter(is_fresh).map(|read| read.roles.clone())
    }

    fn put(&self, read: Read) {
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
    }
}

/// Collects memberships.
struct Found<'m> {
    memberships: &'m Memberships,
    rows: Vec<Membership>,
}

impl RowSink for Found<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let Memberships { resource, tenant, members, .. } = self.memberships;
        let value = stored_value(resource, tenant.column, row)?;
        let tenant = json_value(self.memberships.column(), value.borrow());
        let roles = match members.role.map(|role| stored_value(resource, role, row)).transpose()? {
            Some(Value::Text(role)) => vec![role],
            Some(Value::TextList(roles)) => roles,
            _ => Vec::new(),
        };
        self.rows.push(Membership { tenant, roles });
        Ok(())
    }
}
