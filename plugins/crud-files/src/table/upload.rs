//! [`Upload`]: a row for each resumable upload.

use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::object::or_missing;
use super::{PAGE, UNFINISHED};
use crate::field::FilePlace;

/// A resumable upload, in the table `files_upload`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "files_upload", internal)]
pub(crate) struct Upload {
    /// The tenant of the record, in JSON; empty where records have none.
    #[crud(length(max = 100))]
    pub(crate) tenant: String,
    #[crud(length(max = 36))]
    pub(crate) id: String,
    #[crud(length(max = 100))]
    pub(crate) resource: String,
    #[crud(length(max = 255))]
    pub(crate) record: String,
    #[crud(length(max = 100))]
    pub(crate) field: String,
    /// The user that began it; empty for one without a token.
    #[crud(length(max = 255))]
    pub(crate) subject: String,
    #[crud(length(max = 255))]
    pub(crate) name: Option<String>,
    /// The type that the sender states.
    #[crud(length(max = 127))]
    pub(crate) stated: Option<String>,
    /// The version that the record must have at its end.
    #[crud(length(max = 255))]
    pub(crate) version: Option<String>,
    pub(crate) length: i64,
    /// The number of bytes that have arrived.
    pub(crate) offset: i64,
    /// The keys of its segments: those that count, of which two requests may have written two for one place.
    pub(crate) segments: Vec<String>,
    /// The number of its segments.
    pub(crate) parts: i64,
    /// Whether its file is the record's.
    pub(crate) is_done: bool,
    #[crud(index)]
    pub(crate) expires_at: DateTime<Utc>,
}

/// The facts of a new upload.
#[derive(Debug, Default)]
pub(crate) struct Begin {
    pub(crate) subject: String,
    pub(crate) name: Option<String>,
    pub(crate) stated: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) length: u64,
}

impl Upload {
    pub(crate) async fn begin(app: &App, place: &FilePlace, begin: Begin) -> Result<Self> {
        let Begin { subject, name, stated, version, length } = begin;
        let new = NewUpload {
            tenant: place.tenant.clone(),
            id: Uuid::new_v4().to_string(),
            resource: place.field.table.to_owned(),
            record: place.record.clone(),
            field: place.field.column.to_owned(),
            subject,
            name,
            stated,
            version,
            length: i64::try_from(length).unwrap_or(i64::MAX),
            offset: 0,
            segments: Vec::new(),
            parts: 0,
            is_done: false,
            expires_at: app.now() + UNFINISHED,
        };
        app.store::<Self>().create(new).await
    }

    /// Finds the upload of a user to a record's field, unless it has expired.
    pub(crate) async fn find(app: &App, place: &FilePlace, subject: &str, id: &str) -> Result<Option<Self>> {
        let found = app.store::<Self>().find(id).await?;
        Ok(found.filter(|upload| {
            let record =
                (upload.resource.as_str(), upload.record.as_str(), upload.field.as_str(), upload.subject.as_str());
            record == (place.field.table, &place.record, place.field.column, subject) && upload.expires_at > app.now()
        }))
    }

    /// Adds a segment, and returns the changed upload; `None` if another request has added one meanwhile.
    pub(crate) async fn add(&self, app: &App, segment: String, bytes: u64) -> Result<Option<Self>> {
        let offset = self.offset.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
        let same = Self::FIELDS.parts.eq(self.parts).and(Self::FIELDS.is_done.eq(false));
        let segments: Vec<_> = self.segments.iter().cloned().chain([segment]).collect();
        let patch = UploadPatch::default().offset(offset).segments(segments).parts(self.parts + 1);
        app.store::<Self>().update_if(self.id.as_str(), same, patch.expires_at(app.now() + UNFINISHED)).await
    }

    /// Stores that the file is now the record's.
    pub(crate) async fn done(&self, app: &App) -> Result<()> {
        app.store::<Self>().update(self.id.as_str(), UploadPatch::default().is_done(true)).await.map(drop)
    }

    /// Removes an upload, if it exists.
    pub(crate) async fn remove(app: &App, id: &str) -> Result<()> {
        or_missing(app.store::<Self>().delete(id).await).map(drop)
    }

    /// A page of expired uploads.
    pub(crate) async fn expired(app: &App) -> Result<Vec<Self>> {
        app.store::<Self>().list(Self::FIELDS.expires_at.lte(app.now()).limit(PAGE)).await
    }
}
