//! `PUT {record}/{field}`: an upload.

use bytes::Bytes;
use crud_runtime::BoxError;
use crud_runtime::axum::body::Body;
use crud_runtime::axum::http::{HeaderMap, header};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Records, RecordsAnswer};
use futures_util::{Stream, TryStreamExt};
use serde_json::Value as Json;

use super::endpoint::Endpoint;
use crate::attach::attach;
use crate::disposition;
use crate::field::FilePlace;
use crate::file::File;
use crate::receive::{Received, Rules, receive};
use crate::refusal::too_large;
use crate::table::object::Object;

/// Uploads a file, and answers with the record.
pub(super) async fn put(at: Endpoint, ctx: Context, body: Body) -> Result<RecordsAnswer, Problem> {
    let _transfer = at.files.transfers.begin()?;
    let record = Changed::of(&at, &ctx).await?;
    at.check_size(length(ctx.headers()))?;
    let (name, stated) = (name(ctx.headers()), text(ctx.headers(), header::CONTENT_TYPE));
    let upload = Upload { name, stated };
    at.store(&ctx, record, upload, body.into_data_stream().map_err(BoxError::from)).await
}

/// A record whose file the sender may change.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) records: Records,
    pub(super) place: FilePlace,
    pub(super) json: Json,
}

impl Changed {
    /// The record in the path. Checks that the sender sees the record and the field and may update it, and checks
    /// `If-Match`.
    pub(super) async fn of(at: &Endpoint, ctx: &Context) -> Result<Self, Problem> {
        let (mut records, id) = (ctx.records(&at.field.prefix)?, ctx.key()?);
        let found = records.get(&id).await?;
        at.field.check_visible(ctx)?;
        if !at.field.served(ctx)?.admits(Operation::Update, ctx.principal()) {
            return Err(Problem::denied(ctx.principal().is_none()));
        }
        if let Some(versions) = ctx.headers().get(header::IF_MATCH) {
            // A header that is not text is still a condition, which no version meets.
            let versions = versions.to_str().unwrap_or_default();
            let is_among = |etag| versions.split(',').map(str::trim).any(|version| version == "*" || version == etag);
            if !found.etag().is_none_or(is_among) {
                return Err(Problem::of(Code::PreconditionFailed));
            }
            records = records.if_match(versions);
        }
        let json = found.json();
        let place = at.field.of_record(id, &json);
        Ok(Self { records, place, json })
    }
}

/// The name and the type of a file, as its sender states them.
#[derive(Debug)]
pub(super) struct Upload<'u> {
    pub(super) name: Option<String>,
    pub(super) stated: Option<&'u str>,
}

impl Endpoint {
    /// Refuses a file by its size, before its bytes are read.
    pub(super) fn check_size(&self, size: Option<u64>) -> Result<(), Problem> {
        match size {
            Some(size) if size > self.field.options.max => Err(too_large(self.field.name, self.field.options)),
            _ => Ok(()),
        }
    }

    pub(super) fn rules<'r>(&self, stated: Option<&'r str>) -> Rules<'r> {
        Rules { field: self.field.name, options: self.field.options, stated }
    }

    /// Stores bytes, and makes them the record's file. A refused upload leaves nothing. After an error of the service,
    /// which may come after the commit, the sweep decides.
    pub(super) async fn store(
        &self,
        ctx: &Context,
        record: Changed,
        upload: Upload<'_>,
        bytes: impl Stream<Item = Result<Bytes, BoxError>> + Send,
    ) -> Result<RecordsAnswer, Problem> {
        let app = ctx.app().unscoped();
        let object = Object::begin(&app, &record.place).await?;
        let stored = self.write(ctx, record, upload, bytes, &object).await;
        if stored.as_ref().is_err_and(|problem| problem.code().status().is_client_error()) {
            self.files.discard(&app, &object).await;
        }
        stored
    }

    async fn write(
        &self,
        ctx: &Context,
        record: Changed,
        upload: Upload<'_>,
        bytes: impl Stream<Item = Result<Bytes, BoxError>> + Send,
        object: &Object,
    ) -> Result<RecordsAnswer, Problem> {
        let Changed { records, place, .. } = record;
        let storage = self.files.storage()?;
        let received = receive(bytes, storage.writer(&object.id), self.rules(upload.stated)).await?;
        object.whole(&ctx.app().unscoped(), &received).await?;
        let file = self.file(upload.name, received);
        self.files.inspections.run(storage, &object.id, &file, self.field.name).await?;
        attach(ctx, records, &place, object, &file).await
    }

    fn file(&self, name: Option<String>, received: Received) -> File {
        let Received { media_type, size, sha256 } = received;
        let name = name.unwrap_or_else(|| {
            let ending = media_type.rsplit('/').next().unwrap_or_default();
            format!("{}.{}", self.field.name, ending.rsplit(['.', '+', '-']).next().unwrap_or(ending))
        });
        File { name, media_type: media_type.to_owned(), size, sha256 }
    }
}

/// A header as text.
pub(super) fn text(headers: &HeaderMap, name: impl crud_runtime::axum::http::header::AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// The name of a file in `Content-Disposition`.
fn name(headers: &HeaderMap) -> Option<String> {
    let header = headers.get(header::CONTENT_DISPOSITION)?;
    disposition::name(std::str::from_utf8(header.as_bytes()).ok()?)
}

fn length(headers: &HeaderMap) -> Option<u64> {
    text(headers, header::CONTENT_LENGTH)?.parse().ok()
}
