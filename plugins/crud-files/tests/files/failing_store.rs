//! A store whose writes fail as long as a test says so.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crud_files::object_store::memory::InMemory;
use crud_files::object_store::path::Path;
use crud_files::object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::BoxStream;

/// A store in memory, such as a bucket that has become read-only.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailingStore {
    store: Arc<InMemory>,
    fails: Arc<AtomicBool>,
}

impl FailingStore {
    /// Lets writes fail, or succeed again.
    pub(crate) fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }
}

impl fmt::Display for FailingStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FailingStore")
    }
}

impl ObjectStore for FailingStore {
    fn put_opts<'s, 'p, 'f>(
        &'s self,
        path: &'p Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> BoxFuture<'f, Result<PutResult>>
    where
        's: 'f,
        'p: 'f,
    {
        if self.fails.load(Ordering::SeqCst) {
            let source = "the store is read-only".into();
            return Box::pin(ready(Err(Error::Generic { store: "FailingStore", source })));
        }
        self.store.put_opts(path, payload, options)
    }

    fn put_multipart_opts<'s, 'p, 'f>(
        &'s self,
        path: &'p Path,
        options: PutMultipartOptions,
    ) -> BoxFuture<'f, Result<Box<dyn MultipartUpload>>>
    where
        's: 'f,
        'p: 'f,
    {
        self.store.put_multipart_opts(path, options)
    }

    fn get_opts<'s, 'p, 'f>(&'s self, path: &'p Path, options: GetOptions) -> BoxFuture<'f, Result<GetResult>>
    where
        's: 'f,
        'p: 'f,
    {
        self.store.get_opts(path, options)
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.store.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    fn list_with_delimiter<'s, 'p, 'f>(&'s self, prefix: Option<&'p Path>) -> BoxFuture<'f, Result<ListResult>>
    where
        's: 'f,
        'p: 'f,
    {
        self.store.list_with_delimiter(prefix)
    }

    fn copy_opts<'s, 'p, 't, 'f>(
        &'s self,
        from: &'p Path,
        to: &'t Path,
        options: CopyOptions,
    ) -> BoxFuture<'f, Result<()>>
    where
        's: 'f,
        'p: 'f,
        't: 'f,
    {
        self.store.copy_opts(from, to, options)
    }
}
