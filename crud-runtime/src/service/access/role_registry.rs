//! The roles of a service, and the access of what its resources leave out.

use crate::model::access::{AccessRules, Role};
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

/// # Roles
///
/// Roles that imply others, and the default of access rules.
impl Service {
    /// Registers a role, with the roles that it implies: a principal of the role has those too, and what they imply, wherever
    /// it comes from. Rules, scopes, owners and the document name the implied one alone.
    ///
    /// A cycle of roles is an error at start. `crud routes` prints what each role implies.
    ///
    /// ```
    /// use crud_runtime::access::Role;
    /// # use crud_runtime::prelude::*;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(read(role("member")), write(role("staff"))))]
    /// struct Book { id: i64 }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>();
    /// let service = service.role(Role::new("admin").implies("staff")).role(Role::new("staff").implies("member"));
    /// # Ok(()) }
    /// ```
    pub fn role(mut self, role: Role) -> Self {
        self.roles.add(role);
        self
    }

    /// Sets the access of every operation that a resource leaves out; a valid token, if never called. An
    /// [`Access`](crate::access::Access) is the rule of each operation, [`AccessRules`] those of groups.
    ///
    /// A default never opens what a resource states. Restores, purges and batches of deletes have the rule that the resource
    /// states for deletes. Where it states a rule, what it leaves out is closed to strangers. And where it states one for lists,
    /// reads of one record or histories, the others and aggregates, which show the same records, have that rule too, unless it
    /// admits every principal of the default.
    ///
    /// ```
    /// use crud_runtime::access::{Access, AccessRules};
    /// # use crud_runtime::prelude::*;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(delete(role("admin"))))]
    /// struct Book { id: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>();
    /// let service = service.default_access(AccessRules::everything(Access::Role("staff")).read(Access::Authenticated));
    /// let table = service.access_table()?;
    /// let rule = |method: &str, path: &str| {
    ///     let route = table.routes().iter().find(|route| route.method == method && route.path == path).unwrap();
    ///     (route.access.clone(), route.stated_by.clone())
    /// };
    /// assert_eq!(rule("POST", "/books"), (r#"role("staff")"#.into(), "default_access".into()));
    /// assert_eq!(rule("DELETE", "/books/{id}"), (r#"role("admin")"#.into(), "Book: delete".into()));
    /// # Ok(()) }
    /// ```
    pub fn default_access(mut self, rules: impl Into<AccessRules>) -> Self {
        // A service has one, for as long as the program runs: rules are copied with every request.
        self.default_access = Some(Box::leak(Box::new(rules.into())));
        self
    }

    /// Checks that no role implies itself by others.
    ///
    /// # Errors
    /// [`Error::Setup`] with the roles of a cycle.
    pub(in crate::service) fn check_roles(&self) -> Result<()> {
        match self.roles.cycle().as_slice() {
            [] => Ok(()),
            roles => Err(Error::Setup(format!(
                "the roles `{}` imply each other: remove an `implies`, or make them one role",
                roles.join("`, `")
            ))),
        }
    }
}
