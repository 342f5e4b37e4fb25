//! Verification of a directory on an empty database.

use std::path::Path;
use std::sync::Arc;

use crud_sql::EmptyDatabase;

use super::directory::Directory;
use super::{ServiceMigrations, apply, compose};
use crate::model::descriptor::Descriptor;
use crate::storage::administration::Storage;
use crate::storage::backends;
use crate::storage::error::{Error, Result};
use crate::storage::migrate_error::MigrateError;

impl ServiceMigrations<'_> {
    /// Applies every migration of a directory to the empty database of a URL, and returns the statements that the structs
    /// need beyond them, if any. See [`ShadowDatabase`](super::ShadowDatabase) for such a database.
    ///
    /// ```
    /// use crud_runtime::migrations::ShadowDatabase;
    /// use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Book { id: i64, title: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// let shadow = ShadowDatabase::create("sqlite://books.db").await?;
    /// let missing = service.migrations().verify("no-such-directory", shadow.url()).await;
    /// shadow.remove().await?;
    /// assert!(missing?.is_some_and(|statements| statements.contains("CREATE TABLE")));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Errors of [`apply`](Self::apply); [`Error::Setup`] when the database is not empty.
    pub async fn verify(self, directory: impl AsRef<Path>, shadow: &str) -> Result<Option<String>> {
        self.0.check()?;
        let directory = Directory::read(directory.as_ref()).await?;
        let tables = self.0.described_tables()?;
        let shadow = empty_database(shadow, &tables).await?;
        let program = self.0.database_to_migrate(shadow.clone(), &*shadow)?;
        apply::apply_own(&directory, &program).await?;
        Ok(compose::statements(compose::files(&directory, program.storage, &tables, Some(&[])).await?))
    }
}

/// An empty database beside the one of a URL, on which migrations are verified: a file for temporary data of `SQLite`, or a
/// database of the same server, whose user must be allowed to create one. It is there until it is
/// [removed](Self::remove), and called `crud_shadow_` and a number.
#[derive(Debug)]
pub struct ShadowDatabase(EmptyDatabase);

impl ShadowDatabase {
    /// Creates one beside the database of a URL.
    ///
    /// ```
    /// use crud_runtime::migrations::ShadowDatabase;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let shadow = ShadowDatabase::create("sqlite://books.db").await?;
    /// assert!(shadow.url().starts_with("sqlite://"));
    /// shadow.remove().await
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`MigrateError::Unsupported`](crate::storage::migrate_error::MigrateError::Unsupported) on storage without migrations;
    /// [`Error::Database`] when it cannot be created.
    pub async fn create(url: &str) -> Result<Self> {
        backends::shadow(url).await.map(Self)
    }

    /// The URL.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// Removes it with all that is in it.
    ///
    /// # Errors
    /// [`Error::Database`] when it cannot be removed.
    pub async fn remove(self) -> Result<()> {
        (self.0.remove)().await.map_err(Error::Database)
    }
}

/// Opens the empty database of a URL.
///
/// # Errors
/// [`Error::Setup`] when it has one of these tables, or migrations.
pub(super) async fn empty_database(url: &str, tables: &[&'static Descriptor]) -> Result<Arc<dyn Storage>> {
    let shadow = backends::connect(url).await?;
    let storage = shadow.migrations().ok_or(MigrateError::Unsupported)?;
    let is_empty = storage.applied(&[]).await?.is_empty() && storage.present(tables).await?.is_empty();
    if is_empty {
        return Ok(shadow);
    }
    Err(Error::Setup("the database for verifying migrations is not empty: give an empty one".to_owned()))
}
