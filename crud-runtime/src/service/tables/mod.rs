//! The tables of a service: their order, plan and creation.

pub(super) mod facts;
pub(super) mod ownership;
mod rights;
pub(super) mod shared;
pub(super) mod unused;

use std::collections::HashSet;

use super::builder::Service;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::model::descriptor::{Descriptor, RateLimit};
use crate::model::resource::Resource;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;
#[cfg(any(feature = "config", feature = "migrations"))]
use crate::storage::migrate_error::MigrateError;
#[cfg(any(feature = "config", feature = "migrations"))]
use crate::storage::schema::Difference;
use crate::store::audit_record::AuditRecord;
#[cfg(feature = "jobs")]
use crate::store::jobs::{record::JobRecord, schedule::ScheduleRecord};
use crate::store::tables::counter::Counter;
use crate::store::tables::idempotency::KeyedAnswer;
use crate::store::tables::owner::TableOwner;
use crate::store::tables::request_window::RequestWindow;
use crate::store::tables::secret::Secret;
use crate::store::tables::write_probe::Probe;
use crate::store::writer::present_spans;

/// # Tables
///
/// Tables of the resources in the database.
impl Service {
    /// Creates missing tables, indexes and views, and recreates views whose query changed. Never drops or alters a
    /// table. Views that no service has created, and tables of [other programs](Self::check_schema), stay as they are.
    ///
    /// A missing table is not created beside a table with records and no struct that has nearly the same name, or the
    /// same one in another schema: the name may be misspelt, or the schema missing from the search path.
    /// `#[crud(table(new))]` creates it.
    #[cfg_attr(
        feature = "migrations",
        doc = "\nWith [`migrations`](Self::migrations), creates nothing, and refuses a database that lacks something."
    )]
    ///
    /// # Errors
    /// [`Error::Setup`](crate::Error::Setup) as [`into_router`](Self::into_router);
    /// [`Error::Migrate`](crate::Error::Migrate) with every difference when a table contradicts its struct. Records that overlap
    /// where a struct has a new `exclusive` are an error that names them.
    pub async fn migrate(self) -> Result<Self> {
        self.with_tables().await
    }

    /// Boxed, so that this crate has its machine code: an `async fn` is compiled in each program that awaits it.
    fn with_tables(mut self) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            self.check()?;
            self.check_rights().await?;
            #[cfg(feature = "migrations")]
            if let Some(directory) = &self.migrations {
                self.check_migrated(directory).await?;
                self.migrated = self.tables();
                self.learn().await?;
                self.check_spans().await?;
                return Ok(self);
            }
            self.sign_cursors_where_unstored().await?;
            self.administration.migrate(&self.described_tables()?).await?;
            self.report_unmanaged().await?;
            self.migrated = self.tables();
            self.learn().await?;
            self.check_spans().await?;
            Ok(self)
        })
    }

    /// Refuses records that overlap where `exclusive` is new.
    async fn check_spans(&self) -> Result<()> {
        for resource in self.resources.iter().map(|options| options.descriptor) {
            if !resource.exclusives.is_empty() {
                present_spans::check(&self.app(), resource).await?;
            }
        }
        Ok(())
    }

    /// The statements that [`migrate`](Self::migrate) would run; empty when the database has everything.
    ///
    /// # Errors
    /// Errors of [`migrate`](Self::migrate).
    pub async fn plan(&self) -> Result<Vec<String>> {
        self.check()?;
        Ok(self.administration.plan(&self.described_tables()?).await?)
    }

    /// Whether a start creates what the database lacks.
    #[cfg(feature = "config")]
    pub(super) const fn creates_tables(&self) -> bool {
        #[cfg(feature = "migrations")]
        let creates = self.migrations.is_none();
        #[cfg(not(feature = "migrations"))]
        let creates = true;
        creates && !self.is_unmanaged
    }

    /// Differences between the database and the structs, CHECK conditions apart.
    #[cfg(any(feature = "config", feature = "migrations"))]
    pub(super) async fn differences(&self) -> Result<Vec<Difference>> {
        let mut found = self.administration.compare(&self.described_tables()?).await.map_err(MigrateError::from)?;
        for difference in self.fact_differences().await? {
            if !found.contains(&difference) {
                found.push(difference);
            }
        }
        Ok(found)
    }

    /// Whether the service has the tables of jobs: it handles some, or a hook could enqueue one.
    #[cfg(feature = "jobs")]
    pub(super) fn has_jobs(&self) -> bool {
        !self.jobs.is_empty() || self.resources.iter().any(|options| options.descriptor.hooks.is_some())
    }

    /// Whether servers count requests or logins together.
    fn has_shared_limits(&self) -> bool {
        let is_shared = |limit: Option<RateLimit>| limit.is_some_and(|limit| limit.is_shared);
        #[cfg(feature = "auth")]
        let of_logins = self.auth.as_ref().is_some_and(|auth| auth.shares_login_attempts());
        #[cfg(not(feature = "auth"))]
        let of_logins = false;
        // Errors of plugins' routes are ignored here: the start reports them.
        let of_routes =
            || self.mounted_routes().is_ok_and(|all| all.iter().any(|one| is_shared(one.route.options.rate_limit)));
        of_logins || self.resource_options().any(|options| is_shared(options.rate_limit)) || of_routes()
    }

    /// The tables of the resources and of their references, each after the tables that it refers to.
    pub(super) fn tables(&self) -> Vec<&'static Descriptor> {
        let mut visited = HashSet::new();
        let mut tables = Vec::new();
        for options in &self.resources {
            visit(options.descriptor, &mut visited, &mut tables);
        }
        if tables.iter().any(|resource| resource.audit.is_some()) {
            visit(AuditRecord::DESCRIPTOR, &mut visited, &mut tables);
        }
        let has_hooks = tables.iter().any(|resource| resource.hooks.is_some());
        #[cfg(feature = "jobs")]
        if has_hooks || !self.jobs.is_empty() {
            visit(JobRecord::DESCRIPTOR, &mut visited, &mut tables);
            visit(ScheduleRecord::DESCRIPTOR, &mut visited, &mut tables);
        }
        #[cfg(feature = "jobs")]
        let has_hooks = has_hooks || !self.jobs.is_empty();
        // `exclusive`: a change takes a number of the counter of its group.
        let has_spans = tables.iter().any(|resource| !resource.exclusives.is_empty());
        if has_hooks || self.extended.has_counters || has_spans {
            visit(Counter::DESCRIPTOR, &mut visited, &mut tables);
        }
        let has_cursors = self.resources.iter().any(|options| options.pagination.is_some_and(|pages| pages.cursor));
        if (has_cursors || self.extended.has_keys) && !self.server.cursors.is_given() {
            visit(Secret::DESCRIPTOR, &mut visited, &mut tables);
        }
        if tables.iter().any(|resource| resource.idempotency.is_some()) {
            visit(KeyedAnswer::DESCRIPTOR, &mut visited, &mut tables);
        }
        if self.has_shared_limits() {
            visit(RequestWindow::DESCRIPTOR, &mut visited, &mut tables);
        }
        if self.has_owned_tables() {
            visit(TableOwner::DESCRIPTOR, &mut visited, &mut tables);
        }
        if self.server.write_probe.is_some() {
            visit(Probe::DESCRIPTOR, &mut visited, &mut tables);
        }
        #[cfg(feature = "auth")]
        for table in self.auth.iter().flat_map(|auth| auth.tables()) {
            visit(table, &mut visited, &mut tables);
        }
        tables
    }
}

/// The tables of the service itself, whether this program uses them or not.
pub(super) fn internal_tables() -> Vec<&'static Descriptor> {
    [
        AuditRecord::DESCRIPTOR,
        #[cfg(feature = "jobs")]
        JobRecord::DESCRIPTOR,
        #[cfg(feature = "jobs")]
        ScheduleRecord::DESCRIPTOR,
        Counter::DESCRIPTOR,
        Secret::DESCRIPTOR,
        KeyedAnswer::DESCRIPTOR,
        RequestWindow::DESCRIPTOR,
        TableOwner::DESCRIPTOR,
        Probe::DESCRIPTOR,
        #[cfg(feature = "auth")]
        Auth::USERS_TABLE,
        #[cfg(feature = "auth")]
        Auth::REVOCATIONS_TABLE,
        #[cfg(feature = "auth-issuers")]
        Auth::ISSUERS_TABLE,
    ]
    .to_vec()
}

/// Whether a description is of a table of the service itself, in any schema.
pub(super) fn is_internal(table: &Descriptor) -> bool {
    internal_tables().iter().any(|own| own.name == table.name && own.own_table() == table.own_table())
}

/// Adds a table or view after those that it refers to or reads: a depth-first topological order.
fn visit(resource: &'static Descriptor, visited: &mut HashSet<usize>, tables: &mut Vec<&'static Descriptor>) {
    if !visited.insert(std::ptr::from_ref(resource).addr()) {
        return;
    }
    for reference in resource.columns.iter().filter_map(|column| column.references) {
        visit((reference.target)(), visited, tables);
    }
    for depends in resource.view.iter().flat_map(|view| view.depends) {
        visit(depends(), visited, tables);
    }
    tables.push(resource);
}
