//! [`ShadowDatabase`]: an empty database for the time of a verification.

use crud_sql::EmptyDatabase;

use crate::storage::backends;
use crate::storage::error::{Error, Result};

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
