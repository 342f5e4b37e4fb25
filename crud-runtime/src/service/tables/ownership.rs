//! Owners of tables: those of the program, of another one, and of the service itself.

use std::sync::PoisonError;

use crate::model::descriptor::{Descriptor, Ownership};
use crate::model::resource::Resource;
use crate::service::builder::Service;
use crate::service::tables::{internal_tables, is_internal};
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, DifferenceKind, Verdict};
use crate::store::tables::secret::{CursorSecret, Secret};

/// The greatest number of differences that a line of the log has.
const MAX_NAMED: usize = 10;

/// The line after the service's own tables that are missing.
const INTERNAL_MISSING: &str = "these are the service's own: `migrate` creates them, with `unmanaged` on the resources whose \
                                tables are another program's";

/// # Tables of other programs
///
/// Services on databases that are there.
impl Service {
    /// Uses the tables and views of all resources as they are, in place of [`migrate`](Self::migrate): creates and alters nothing,
    /// for which the right to `SELECT` is enough. `#[crud(table(unmanaged))]` means that for one resource.
    ///
    /// Refuses a missing table or column, a type that cannot be read as the field's, and a key that is not unique. Logs
    /// lesser differences in one line: an index that lists lack, a constraint that the struct promises, a collation
    /// that is not by code point. The command `check` lists all of them.
    ///
    /// The service's own tables, such as the audit log, must exist. A program that creates only its own tables marks
    /// its resources with `unmanaged` and calls [`migrate`](Self::migrate), with
    /// [`service_schema`](Self::service_schema) beside other programs' tables. Cursors need no table: without one, they
    /// are signed by `CRUD_SECRET`, or are valid until the process ends.
    ///
    /// ```no_run
    /// use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(table = "film", filter, sort)]
    /// struct Film {
    ///     #[crud(column = "film_id")]
    ///     id: i32,
    ///     title: String,
    /// }
    ///
    /// #[tokio::main]
    /// async fn main() -> crud_runtime::Result<()> {
    ///     let service = Service::connect("postgres://reader@localhost/pagila").await?.resource::<Film>();
    ///     service.check_schema().await?.serve("127.0.0.1:8000").await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] as [`into_router`](Self::into_router); [`Error::Migrate`](crate::Error::Migrate) with every difference
    /// that is refused.
    pub async fn check_schema(self) -> Result<Self> {
        self.with_checked_schema().await
    }

    /// Boxed, so that this crate has its machine code: an `async fn` is compiled in each program that awaits it.
    fn with_checked_schema(mut self) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            self.check()?;
            self.check_rights().await?;
            self.is_unmanaged = true;
            self.sign_cursors_where_unstored().await?;
            let tables = self.described_tables()?;
            // The plan also finds what does not fit in the database itself.
            self.administration.plan(&tables).await?;
            let differences = self.administration.compare(&tables).await.map_err(Error::Database)?;
            let missing = differences.iter().filter(|one| one.is_created() && one.verdict() == Verdict::Refuses);
            let mut missing: Vec<String> = missing.map(ToString::to_string).collect();
            if !missing.is_empty() {
                missing.push(INTERNAL_MISSING.to_owned());
                return Err(MigrateError::Mismatch(missing).into());
            }
            for resource in self.tables().into_iter().filter(|resource| !is_internal(resource)) {
                let lacks_search = |one: &Difference| {
                    one.table == resource.table && matches!(one.what, DifferenceKind::SearchMissing { .. })
                };
                // A search reads every record where no index has its words.
                if resource.search.is_none() || differences.iter().any(lacks_search) {
                    self.overrides.insert(resource, self.unmanaged(resource));
                }
            }
            report_costs(&differences);
            self.migrated = self.tables();
            self.learn().await?;
            Ok(self)
        })
    }

    /// Puts the service's own tables (the audit log, jobs, users, answers of idempotency keys, …) into a schema, which
    /// [`migrate`](Self::migrate) creates with them: beside the tables of other programs, whose names cannot collide
    /// with theirs then. It is a schema of PostgreSQL, or another database of MySQL's or `MariaDB`'s server. SQLite and
    /// MongoDB have no schemas, and the service does not start: there, its own tables are beside the others.
    ///
    /// The history of written migrations stays in the schema of the connection.
    ///
    /// ```no_run
    /// use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(table("invoice", unmanaged, schema = "sales"), audit)]
    /// struct Invoice {
    ///     id: i64,
    ///     customer: String,
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("postgres://localhost/books").await?.service_schema("crud").resource::<Invoice>();
    /// // Creates `crud.audit_logs`, and nothing in `sales`.
    /// let service = service.migrate().await?;
    /// # let _ = service;
    /// # Ok(()) }
    /// ```
    pub fn service_schema(mut self, schema: &str) -> Self {
        for table in internal_tables() {
            // A sharded service has replaced some descriptions already.
            self.overrides.insert(table, self.overrides.of(table).in_schema(schema));
        }
        self.own_schema = Some(schema.into());
        self
    }

    /// Checks that storage has the schemas that resources and the service name.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first one that is missing.
    pub(in crate::service) fn check_schemas(&self) -> Result<()> {
        if self.own_schema.as_ref().is_some_and(|schema| schema.is_empty() || schema.contains(['.', '\0'])) {
            return Err(Error::Setup("`service_schema` takes the name of a schema, such as \"crud\"".to_owned()));
        }
        #[cfg(feature = "auth")]
        if let Some(field) = self.reference_to_users().filter(|_| self.own_schema.is_some()) {
            return Err(Error::Setup(format!(
                "{field} has `references(users)`, and `service_schema` puts the users into another schema: remove one of them"
            )));
        }
        if self.adapter.capabilities().schemas {
            return Ok(());
        }
        if self.own_schema.is_some() {
            return Err(Error::Setup(
                "this storage has no schemas: remove `service_schema`, and the service's own tables are beside the others"
                    .to_owned(),
            ));
        }
        match self.tables().into_iter().find_map(|resource| Some((resource.name, resource.schema()?))) {
            Some((name, schema)) => Err(Error::Setup(format!(
                "{name} has `table(schema = \"{schema}\")`, and this storage has no schemas: remove it, or use another database"
            ))),
            None => Ok(()),
        }
    }

    /// The description by which a table is compared: an unmanaged one, where all tables are another program's.
    pub(in crate::service) fn compared_as(&self, table: &'static Descriptor) -> &'static Descriptor {
        let substitute = self.overrides.of(table);
        if self.is_unmanaged && !is_internal(table) { self.unmanaged(substitute) } else { substitute }
    }

    /// The description of a resource whose table is another program's; one for each resource.
    fn unmanaged(&self, resource: &'static Descriptor) -> &'static Descriptor {
        if !resource.is_managed() {
            return resource;
        }
        let mut known = self.shared_tables.lock().unwrap_or_else(PoisonError::into_inner);
        // A key of one address collides with no group of structs, which has several.
        let key = vec![std::ptr::from_ref(resource).addr()];
        known.entry(key).or_insert_with(|| resource.with_ownership(Ownership::Unmanaged))
    }

    /// Whether every table was compared with its struct.
    pub(in crate::service) fn is_compared(&self) -> bool {
        let tables = self.tables();
        tables.iter().all(|table| self.migrated.iter().any(|known| std::ptr::eq(*known, *table)))
    }

    /// Whether other programs can change the tables: SQL databases alone have views. It does not depend on the features that the
    /// program is built with.
    fn has_tables_of_others(&self) -> bool {
        self.adapter.capabilities().views
    }

    /// Compares the tables where the program has called neither [`migrate`](Self::migrate) nor
    /// [`check_schema`](Self::check_schema), on storage whose tables others can change.
    pub(in crate::service) async fn compared(self) -> Result<Self> {
        if self.is_compared() || !self.has_tables_of_others() {
            return Ok(self);
        }
        self.check_schema().await
    }

    /// Treats the tables as compared: a test suite that opens its own database again knows that they fit. The facts of
    /// each table are read at its first change.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub fn with_compared_tables(mut self) -> Self {
        self.migrated = self.tables();
        self.learned.clone_from(&self.migrated);
        self
    }

    /// Warns of tables that were not compared with their structs.
    pub(in crate::service) fn warn_of_unknown_tables(&self) {
        if self.has_tables_of_others() && !self.is_compared() {
            tracing::warn!(
                "the tables were not compared with the structs: call `Service::migrate`, or `Service::check_schema` where they \
                 are another program's, before the service starts"
            );
        }
    }

    /// Signs cursors by a secret of the process where the table of secrets may not be created, or would be the only new
    /// table in another program's database.
    pub(in crate::service) async fn sign_cursors_where_unstored(&mut self) -> Result<()> {
        let own: Vec<&'static Descriptor> =
            self.described_tables()?.into_iter().filter(|table| table.is_managed()).collect();
        let [only] = own.as_slice() else { return Ok(()) };
        if only.name != Secret::DESCRIPTOR.name || !is_internal(only) || self.own_schema.is_some() {
            return Ok(());
        }
        let differences = self.administration.compare(&own).await.map_err(Error::Database)?;
        if differences.iter().any(|one| one.what == DifferenceKind::TableMissing) {
            self.server.cursors = CursorSecret::random()?;
            tracing::info!(
                "cursors are valid until this process ends, and on this server alone: set CRUD_SECRET, 32 random bytes, for \
                 others"
            );
        }
        Ok(())
    }

    /// Logs what the tables of other programs cost.
    pub(in crate::service) async fn report_unmanaged(&self) -> Result<()> {
        let mut tables = self.described_tables()?;
        tables.retain(|table| !table.is_managed());
        if !tables.is_empty() {
            report_costs(&self.administration.compare(&tables).await.map_err(Error::Database)?);
        }
        Ok(())
    }
}

/// Logs the differences of other programs' tables that cost something, in one line.
fn report_costs(differences: &[Difference]) {
    let costs = differences.iter().filter(|one| !one.is_managed && one.verdict() == Verdict::Warning);
    let lines: Vec<String> = costs.map(ToString::to_string).collect();
    if lines.is_empty() {
        return;
    }
    let named = lines.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = match lines.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!("; and {more} more, which `check --all` lists"),
    };
    tracing::info!("tables of other programs are used as they are, at a cost: {named}{more}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::storage::recording::Recording;

    /// A note.
    #[derive(Resource)]
    struct Note {
        id: i64,
    }

    /// The case of a program that is built without the feature `migrations`.
    #[tokio::test]
    async fn tables_are_compared_on_storage_without_written_migrations() {
        let missing = || Ok(vec![Difference::new(Note::DESCRIPTOR.table, DifferenceKind::TableMissing)]);
        let adapter = Recording::comparing([missing(), missing()]);
        let service = Service::from_adapter(adapter).without_auth().resource::<Note>();
        let error = service.compared().await.map(drop).expect_err("the table is missing").to_string();
        assert!(error.contains("is missing"), "{error}");
    }
}
