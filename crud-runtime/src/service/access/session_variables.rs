//! Variables of callers, which policies of the database read.

use std::sync::Arc;

use super::options::AccessOptions;
use crate::model::principal::Principal;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::storage::session_variables::SessionVariables;

impl AccessOptions {
    /// Sets variables of the database for each request, by its sender: `None` for an anonymous one, which has variables too. A
    /// policy of row-level security reads them by `current_setting('app.user')`, and is what hides and refuses records.
    ///
    /// Everything that a request does in the database is under its sender's variables: lists, counts, single records,
    /// expanded ones, searches, exports, changes with hooks and audit entries, imports, own routes, the history and the
    /// log. The reads of a request are one transaction, and each change is another. Each begins with
    /// `set_config(name, value, true)`: the values end with it, and no connection keeps them for another request. Such
    /// calls share no statement and no commit with those of others; the reference *PostgreSQL* has what that costs.
    /// Without this method nothing changes.
    ///
    /// Jobs, schedules and other handles of the program ([`Service::app`](crate::Service::app)) have no variables,
    /// unless they name theirs: [`App::with_session_variables`](crate::App::with_session_variables). Users and sessions
    /// of the service are read before the sender is known, and so without variables.
    ///
    /// Errors at start: a database that is not PostgreSQL, and a pooler that gives each statement another connection.
    ///
    /// ```no_run
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::SessionVariables;
    /// use crud_runtime::auth::Principal;
    ///
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Note { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// // CREATE POLICY own ON notes USING (owner = current_setting('app.user'))
    /// let variables = |principal: Option<&Principal>| {
    ///     let user = principal.map_or("", |principal| principal.subject());
    ///     SessionVariables::new().set("app.user", user)
    /// };
    /// let service = Service::connect("postgres://notes@localhost/notes").await?.resource::<Note>();
    /// let service = service.access(|access| access.session_variables(variables));
    /// # Ok(()) }
    /// ```
    pub fn session_variables(
        mut self,
        variables: impl Fn(Option<&Principal>) -> SessionVariables + Send + Sync + 'static,
    ) -> Self {
        self.session_variables = Some(Arc::new(variables));
        self
    }
}

impl Service {
    /// Checks that storage has session variables, if the service sets some.
    ///
    /// # Errors
    /// [`Error::Setup`].
    pub(in crate::service) fn check_session_variables(&self) -> Result<()> {
        if self.access.session_variables.is_none() || self.adapter.capabilities().session_variables {
            return Ok(());
        }
        Err(Error::Setup(
            "`session_variables` needs PostgreSQL: SQLite and MongoDB have no variables of a transaction, and a variable of \
             MySQL or MariaDB (`@name`) stays on its connection, where the next request would have it; limit records by \
             `owner`, `tenant` or `scope` instead"
                .to_owned(),
        ))
    }
}
