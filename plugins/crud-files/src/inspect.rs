//! Inspection of files before their records get them: by a virus scanner, for example.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use crud_runtime::BoxError;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::error::{Code, FieldError, Problem};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};

use crate::file::File;
use crate::storage::Storage;

/// The verdict of an inspection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The file is stored.
    Accept,
    /// The upload is refused with 422, and this text for the client.
    Refuse(String),
}

/// A stored file that its record does not have yet, for [`Files::inspect`](crate::Files::inspect).
#[derive(Debug)]
pub struct Inspected {
    pub(crate) storage: Storage,
    pub(crate) key: String,
    pub(crate) file: File,
}

impl Inspected {
    /// The name, type, size and hash of the file.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// The bytes of the file, streamed from storage.
    ///
    /// # Errors
    /// Errors of the storage of files.
    pub async fn stream(&self) -> Result<BoxStream<'static, Result<Bytes, BoxError>>, BoxError> {
        let bytes = self.storage.read(&self.key, 0..self.file.size).await?;
        Ok(bytes.map_err(BoxError::from).boxed())
    }
}

/// A function of the program that inspects files.
type Inspect = dyn Fn(Inspected) -> BoxFuture<'static, Result<Verdict, BoxError>> + Send + Sync;

/// The inspections of a service, in the order of their calls.
#[derive(Clone, Default)]
pub(crate) struct Inspections(Vec<Arc<Inspect>>);

impl fmt::Debug for Inspections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Inspections").field(&self.0.len()).finish()
    }
}

impl Inspections {
    pub(crate) fn add<F, W>(&mut self, inspect: F)
    where
        F: Fn(Inspected) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Verdict, BoxError>> + Send + 'static,
    {
        self.0.push(Arc::new(move |file| Box::pin(inspect(file))));
    }

    /// Runs each inspection on a file.
    ///
    /// # Errors
    /// `validation_failed` for a refusal; `unavailable` if an inspection fails.
    pub(crate) async fn run(
        &self,
        storage: &Storage,
        key: &str,
        file: &File,
        field: &'static str,
    ) -> Result<(), Problem> {
        for inspect in &self.0 {
            let inspected = Inspected { storage: storage.clone(), key: key.to_owned(), file: file.clone() };
            let failed = |error| Problem::with_source(Code::Unavailable, "files cannot be inspected now", error);
            if let Verdict::Refuse(words) = inspect(inspected).await.map_err(failed)? {
                return Err(Problem::validation([FieldError::field(field, "refused", words)]));
            }
        }
        Ok(())
    }
}
