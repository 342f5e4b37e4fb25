//! [`Storage`]: the objects of files, in a directory or a bucket.

#[cfg(feature = "s3")]
mod client;
mod local;
pub(crate) mod location;
#[cfg(feature = "s3")]
mod s3;
pub(crate) mod writer;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use crud_runtime::Result;
use crud_runtime::error::{Code, Problem};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};

use location::Location;
use writer::Writer;

/// The storage of files. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Storage(Arc<Opened>);

struct Opened {
    store: Arc<dyn ObjectStore>,
    /// Prefix of the paths of objects.
    prefix: Path,
    /// The directory, if files are in one. There, an interrupted write leaves a file beside the object.
    directory: Option<PathBuf>,
    /// The size of the parts in which large files are written.
    part: usize,
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage").field("store", &self.0.store.to_string()).finish_non_exhaustive()
    }
}

/// A stream of bytes of an object.
pub(crate) type Stream = BoxStream<'static, object_store::Result<Bytes>>;

impl Storage {
    /// Opens the storage at a location.
    ///
    /// # Errors
    /// `Error::Setup` for a location that cannot be used.
    pub(crate) fn open(location: &Location) -> Result<Self> {
        match location {
            Location::Directory(directory) => local::open(directory),
            Location::Store(store) => Ok(Self::of_store(store.clone(), Path::default(), None)),
            #[cfg(feature = "s3")]
            Location::Bucket(bucket) => s3::open(bucket),
            #[cfg(not(feature = "s3"))]
            Location::Bucket(_) => {
                let words = "files are in a bucket: add the feature `s3` of `crud-files` in `Cargo.toml`";
                Err(crud_runtime::Error::Setup(words.to_owned()))
            }
        }
    }

    fn of_store(store: Arc<dyn ObjectStore>, prefix: Path, directory: Option<PathBuf>) -> Self {
        // 5 MiB is the smallest part of S3, except for the last one. For a directory, a part is the memory of a
        // transfer.
        let part = if directory.is_some() { 256 << 10 } else { 5 << 20 };
        Self(Arc::new(Opened { store, prefix, directory, part }))
    }

    /// The path of an object, from its key. It contains no text from users.
    fn path(&self, key: &str) -> Path {
        self.0.prefix.clone().join(key.get(..2).unwrap_or("00").to_owned()).join(key.to_owned())
    }

    /// Begins to write an object.
    pub(crate) fn writer(&self, key: &str) -> Writer {
        Writer::new(self.0.store.clone(), self.path(key), self.0.part)
    }

    /// Reads a range of bytes of an object.
    ///
    /// # Errors
    /// Errors of the store; `NotFound` if there is no such object.
    pub(crate) async fn read(&self, key: &str, range: Range<u64>) -> object_store::Result<Stream> {
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        Ok(self.0.store.get_opts(&self.path(key), options).await?.into_stream())
    }

    /// Whether an object is there.
    pub(crate) async fn has(&self, key: &str) -> object_store::Result<bool> {
        match self.0.store.head(&self.path(key)).await {
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// Removes an object if it exists, and what an interrupted write of it left.
    pub(crate) async fn remove(&self, key: &str) -> object_store::Result<()> {
        let path = self.path(key);
        if let Some(directory) = self.0.directory.clone() {
            local::remove_unfinished(directory.join(path.as_ref())).await;
        }
        match self.0.store.delete(&path).await {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            removed => removed,
        }
    }

    /// Lists all objects.
    pub(crate) fn list(&self) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        let prefix = Some(&self.0.prefix).filter(|prefix| !prefix.as_ref().is_empty());
        self.0.store.list(prefix)
    }

    /// The store, and the path of an object that is not a file, such as the marker.
    pub(crate) fn beside(&self, name: &str) -> (&dyn ObjectStore, Path) {
        (&*self.0.store, self.0.prefix.clone().join(name.to_owned()))
    }
}

/// The problem of a store that fails: a full disk, a bucket that does not answer.
pub(crate) fn unavailable(error: object_store::Error) -> Problem {
    Problem::with_source(Code::Unavailable, "the storage of files does not work now; try again later", error)
}
