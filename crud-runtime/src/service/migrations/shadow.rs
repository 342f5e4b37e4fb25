//! Creating a [`ShadowDatabase`].

use crate::storage::backends;
use crate::storage::error::Result;
use crate::storage::shadow::ShadowDatabase;

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
    /// [`Error::Database`](crate::Error::Database) when it cannot be created.
    pub async fn create(url: &str) -> Result<Self> {
        backends::shadow(url).await
    }
}
