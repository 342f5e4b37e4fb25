//! Empty databases in the directory for temporary files.

use std::{env, fs};

use super::SqliteAdapter;
use crate::model::adapter_error::AdapterError;
use crate::shadow::{EmptyDatabase, name, refused};

impl SqliteAdapter {
    /// An empty database in a temporary file, whatever the URL.
    #[doc(hidden)]
    pub fn shadow(_: &str) -> Result<EmptyDatabase, AdapterError> {
        // A directory for the database also holds its journal files.
        let directory = env::temp_dir().join(name());
        fs::create_dir(&directory).map_err(|error| refused(&error))?;
        let url = format!("sqlite://{}", directory.join("shadow.db").display());
        Ok(EmptyDatabase::new(url, move || {
            Box::pin(async move { fs::remove_dir_all(directory).map_err(|error| refused(&error)) })
        }))
    }
}
