//! [`FileService`]: state of the plugin that routes and tasks share.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crud_runtime::prelude::*;
use crud_runtime::{Model, Result};

use crate::field::{self, FileField};
use crate::inspect::Inspections;
use crate::storage::Storage;
use crate::storage::location::Location;
use crate::table::object::Object;
use crate::transfers::Transfers;
use crate::turns::Turns;

/// The time for which a former file is kept.
const KEEP: Duration = Duration::from_hours(24 * 30);

/// Default limit of concurrent transfers.
const TRANSFERS: usize = 64;

/// State of the plugin that its routes and tasks share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct FileService {
    pub(crate) location: Location,
    storage: Arc<OnceLock<Storage>>,
    /// The fields of the service that hold files, once its routes are known.
    fields: Arc<OnceLock<Vec<Arc<FileField>>>>,
    pub(crate) transfers: Transfers,
    pub(crate) turns: Turns,
    pub(crate) inspections: Inspections,
    /// The time for which a former file is kept.
    pub(crate) keep: Duration,
}

impl fmt::Debug for FileService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileService")
            .field("location", &self.location)
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

impl FileService {
    pub(crate) fn new(location: Location) -> Self {
        Self {
            location,
            storage: Arc::default(),
            fields: Arc::default(),
            transfers: Transfers::new(TRANSFERS),
            turns: Turns::default(),
            inspections: Inspections::default(),
            keep: KEEP,
        }
    }

    /// The storage. The first call opens it.
    pub(crate) fn storage(&self) -> Result<&Storage> {
        if let Some(storage) = self.storage.get() {
            return Ok(storage);
        }
        let storage = Storage::open(&self.location)?;
        Ok(self.storage.get_or_init(|| storage))
    }

    /// The fields of the service that hold files; empty before its routes are known.
    pub(crate) fn known_fields(&self) -> &[Arc<FileField>] {
        self.fields.get().map_or(&[], Vec::as_slice)
    }

    /// Reads the fields of a service that hold files.
    pub(crate) fn learn(&self, model: &Model) -> Result<&[Arc<FileField>]> {
        let fields = field::fields_of(model, self.keep)?;
        Ok(self.fields.get_or_init(|| fields))
    }

    /// Removes the object of a refused upload, unless it has become a record's file all the same.
    pub(crate) async fn discard(&self, app: &App, object: &Object) {
        let discarded = async {
            if object.give_up(app).await? {
                self.storage()?.remove(&object.id).await.map_err(crate::storage::unavailable)?;
            }
            Ok::<_, crud_runtime::Error>(())
        };
        if let Err(error) = discarded.await {
            tracing::warn!(%error, "what a refused upload left is removed by a later sweep");
        }
    }
}
