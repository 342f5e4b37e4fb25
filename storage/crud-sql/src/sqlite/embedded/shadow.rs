//! Empty databases in the directory for temporary files.

use std::{env, fs};

use super::SqliteAdapter;
use crate::model::adapter_error::AdapterError;
use crate::shadow::{EmptyDatabase, name, refused};

impl SqliteAdapter {
    /// An empty database, wherever that of a URL is.
    #[doc(hidden)]
    pub fn shadow(_: &str) -> Result<EmptyDatabase, AdapterError> {
        // Its directory has the files beside it too.
        let directory = env::temp_dir().join(name());
        fs::create_dir(&directory).map_err(|error| refused(&error))?;
        let url = format!("sqlite://{}", directory.join("shadow.db").display());
        Ok(EmptyDatabase::new(url, move || {
            Box::pin(async move { fs::remove_dir_all(directory).map_err(|error| refused(&error)) })
        }))
    }
}
