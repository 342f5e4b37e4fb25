//! The data migrations of the program, and the files that name them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::data_file;
use super::directory::{Directory, unusable};
use super::status::{Migration, MigrationState, MigrationStatus};
use crate::Resource;
use crate::service::builder::Service;
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::administration::Administration;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, MigrationFile, Migrations};
use crate::store::data_migration::{DataMigration, ProgressRecord, Report, progress};

/// Time limit of a batch and of its statements: a killed process holds its locks no longer.
const BATCH_LIMIT: Duration = Duration::from_mins(10);

/// # Data migrations
///
/// Steps of the history of migrations that code of the program runs.
impl Service {
    /// Adds the code of a data migration, which a file of the directory of migrations names.
    ///
    /// [`apply`](crate::migrations::ServiceMigrations::apply) runs it in order with the other files. It is refused, as is a
    /// start with [`migrations_from`](Self::migrations_from), while no file names it; a pending file whose code the program
    /// lacks is refused too.
    pub fn data_migration(mut self, migration: DataMigration) -> Self {
        self.data_migrations.push(migration);
        self
    }

    /// The database of the service, and its data migrations.
    pub(super) fn own_database(&self) -> Result<Program<'_>, MigrateError> {
        self.database_to_migrate(self.adapter.clone(), &*self.administration)
    }

    /// A database, and the data migrations of the service, which run there.
    pub(super) fn database_to_migrate<'a>(
        &'a self,
        adapter: Arc<dyn Adapter>,
        administration: &'a dyn Administration,
    ) -> Result<Program<'a>, MigrateError> {
        self.learn_sharded_tables();
        let storage = administration.migrations().ok_or(MigrateError::Unsupported)?;
        Ok(Program { service: self, adapter, administration, storage, report: LOG })
    }

    /// Checks that the names of data migrations are names, and differ.
    pub(in crate::service) fn check_data_migrations(&self) -> Result<()> {
        for (index, migration) in self.data_migrations.iter().enumerate() {
            data_file::check_name(migration.name()).map_err(Error::Setup)?;
            if self.data_migrations[..index].iter().any(|other| other.name() == migration.name()) {
                return Err(Error::Setup(format!("two data migrations are named `{}`", migration.name())));
            }
        }
        Ok(())
    }

    fn data_migration_named(&self, name: &str) -> Option<&DataMigration> {
        self.data_migrations.iter().find(|migration| migration.name() == name)
    }

    /// Checks that a file names each data migration, and that there is one for each pending file that names one.
    pub(super) fn check_named(&self, directory: &Directory, status: &MigrationStatus) -> Result<(), MigrateError> {
        let unnamed = self.data_migrations.iter().find(|migration| directory.data_file(migration.name()).is_none());
        if let Some(name) = unnamed.map(DataMigration::name) {
            let reason = format!(
                "the program has the data migration `{name}`, and no file names it: `crud migrate data {name}` writes one"
            );
            return Err(unusable(directory.path(), &reason));
        }
        let is_left = |version| status.iter().any(|one| one.version == version && one.state != MigrationState::Applied);
        let mut named = directory.data_files().filter(|(file, _)| is_left(file.version));
        match named.find(|(_, name)| self.data_migration_named(name).is_none()) {
            Some((file, name)) => Err(unusable(directory.path(), &lacking(file, name))),
            None => Ok(()),
        }
    }

    /// The error of a data migration of the directory that is not at its end.
    pub(super) async fn unfinished(&self, directory: &Directory, status: &mut MigrationStatus) -> Option<MigrateError> {
        self.add_progress(directory, status).await;
        let is_begun = |one: &&Migration| one.state == MigrationState::Interrupted && one.lacking.is_empty();
        let one = status.iter().filter(is_begun).find(|one| directory.is_data(one.version))?;
        let progress = one.progress.as_ref().map_or_else(|| "no records yet".to_owned(), ToString::to_string);
        Some(MigrateError::Unfinished { name: one.name.clone(), progress })
    }

    /// Adds the progress of the data migrations that have begun.
    pub(super) async fn add_progress(&self, directory: &Directory, status: &mut MigrationStatus) {
        for migration in &mut status.0 {
            if migration.state == MigrationState::Interrupted && directory.is_data(migration.version) {
                // A program without data migrations may have begun it, as a file of statements.
                migration.progress = progress(&self.app(), migration.version).await.unwrap_or_default();
            }
        }
    }
}

/// A database, and the data migrations of a program that run there.
pub(super) struct Program<'a> {
    pub(super) service: &'a Service,
    adapter: Arc<dyn Adapter>,
    administration: &'a dyn Administration,
    pub(super) storage: &'a dyn Migrations,
    /// The receiver of progress.
    pub(super) report: Report,
}

/// Logs progress.
pub(super) const LOG: Report = |migration, progress, rate| {
    tracing::info!(migration, %progress, records_per_second = rate, "data migration");
};

impl Program<'_> {
    /// Runs the data migration of a file, in one direction.
    ///
    /// # Errors
    /// [`MigrateError::Failed`] when it fails, or is reverted and has no way back.
    pub(super) fn run<'a>(
        &'a self,
        directory: &'a Directory,
        file: &'a MigrationFile,
        direction: Direction,
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(async move {
            let name = file.data_migration.as_deref().unwrap_or_default();
            let migration = self.service.data_migration_named(name);
            let migration = migration.ok_or_else(|| unusable(directory.path(), &lacking(file, name)))?;
            if direction == Direction::Down && !migration.has_down() {
                let reason =
                    "the data migration has no way back: give it one by `down_each`, `down_batches` or `down_once`";
                return Err(MigrateError::Failed { name: file.name.clone(), reason: reason.to_owned() });
            }
            let start = Instant::now();
            self.administration.migrate(&[ProgressRecord::DESCRIPTOR]).await?;
            if !self.storage.begin_data(file, direction).await? {
                return Ok(());
            }
            self.administration.set_time_limit(BATCH_LIMIT);
            let app = self.service.app_on(self.adapter.clone(), BATCH_LIMIT);
            migration.run(&app, file, direction, self.report).await?;
            self.storage.end_data(file, direction, start).await
        })
    }
}

fn lacking(file: &MigrationFile, name: &str) -> String {
    format!(
        "`{}` is a data migration, and the program has none named `{name}`: add it by `Service::data_migration`",
        file.name
    )
}
