//! Files in a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crud_runtime::{Error, Result};
use object_store::local::LocalFileSystem;

use super::Storage;

/// Opens a directory, which is created if it is missing.
pub(super) fn open(directory: &Path) -> Result<Storage> {
    let failed = |error: String| Error::Setup(format!("the directory of files `{}`: {error}", directory.display()));
    make(directory).map_err(|error| failed(error.to_string()))?;
    // `fsync`, so that a file survives a power failure as its record does. Without it, the file could be empty.
    let store =
        LocalFileSystem::new_with_prefix(directory).map_err(|error| failed(error.to_string()))?.with_fsync(true);
    let directory = directory.canonicalize().map_err(|error| failed(error.to_string()))?;
    Ok(Storage::of_store(Arc::new(store), object_store::path::Path::default(), Some(directory)))
}

/// Creates a directory that other users of the machine cannot read.
fn make(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Removes `{object}#1`, `{object}#2` and so on: unfinished writes of a killed process.
pub(super) async fn remove_unfinished(object: PathBuf) {
    let remove = move || {
        let unfinished = (1..).map(|number| PathBuf::from(format!("{}#{number}", object.display())));
        unfinished.take_while(|path| std::fs::remove_file(path).is_ok()).count()
    };
    // `files check` lists files that could not be removed.
    let _ = tokio::task::spawn_blocking(remove).await;
}
