//! [`Writer`]: writes an object of unknown size.

use std::fmt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutMode, PutOptions, Result};

/// Writer of an object: a small one by one request, others in parts. The object exists only after
/// [`finish`](Self::finish): a writer that is dropped before removes its parts.
pub(crate) struct Writer {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// The size of each part but the last.
    part: usize,
    buffer: BytesMut,
    upload: Option<Box<dyn MultipartUpload>>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Writer {
    pub(super) fn new(store: Arc<dyn ObjectStore>, path: Path, part: usize) -> Self {
        Self { store, path, part, buffer: BytesMut::new(), upload: None }
    }

    /// Adds bytes.
    pub(crate) async fn write(&mut self, mut bytes: Bytes) -> Result<()> {
        while !bytes.is_empty() {
            let free = self.part - self.buffer.len();
            self.buffer.extend_from_slice(&bytes.split_to(free.min(bytes.len())));
            if self.buffer.len() == self.part {
                self.put_part().await?;
            }
        }
        Ok(())
    }

    async fn put_part(&mut self) -> Result<()> {
        let part = self.buffer.split().freeze();
        let upload = match &mut self.upload {
            Some(upload) => upload,
            none => none.insert(self.store.put_multipart(&self.path).await?),
        };
        upload.put_part(part.into()).await
    }

    /// Completes the object, which is then durable.
    pub(crate) async fn finish(mut self) -> Result<()> {
        if self.upload.is_some() && !self.buffer.is_empty() {
            self.put_part().await?;
        }
        if let Some(upload) = &mut self.upload {
            upload.complete().await?;
            self.upload = None;
            return Ok(());
        }
        let create = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        self.store.put_opts(&self.path, self.buffer.split().freeze().into(), create).await.map(drop)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let Some(mut upload) = self.upload.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = upload.abort().await {
                    tracing::warn!(%error, "the parts of an interrupted upload could not be removed");
                }
            });
        }
    }
}
