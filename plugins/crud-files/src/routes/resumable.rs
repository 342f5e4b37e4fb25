//! Resumable uploads by tus 1.0 (<https://tus.io/protocols/resumable-upload>), with its extensions `creation`, `termination` and
//! `expiration`: `POST {record}/{field}/uploads` begins one, `PATCH` adds bytes, `HEAD` says how many have arrived.
//!
//! The bytes of a request are stored as segments, each an object. The last request joins them to the file, as a `PUT`
//! stores its body.

use bytes::Bytes;
use crud_runtime::BoxError;
use crud_runtime::axum::body::Body;
use crud_runtime::axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::error::{Code, FieldError};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Undescribed};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};

use super::endpoint::Endpoint;
use super::put::{self, Changed, text};
use crate::disposition;
use crate::receive::{Head, Received, interrupted};
use crate::storage::writer::Writer;
use crate::storage::{Storage, unavailable};
use crate::table::object::Object;
use crate::table::upload::{Begin, Upload};

/// The size of a segment, in bytes. A killed server loses at most so much of an upload.
const SEGMENT: u64 = 16 << 20;

const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
const VERSION: HeaderName = HeaderName::from_static("tus-resumable");

/// Begins an upload.
pub(super) async fn begin(at: Endpoint, ctx: Context) -> Result<Undescribed<Response>, Problem> {
    let record = Changed::of(&at, &ctx).await?;
    let length = number(ctx.headers(), &LENGTH)?;
    at.check_size(Some(length))?;
    let metadata = text(ctx.headers(), METADATA).unwrap_or_default();
    let begin = Begin {
        subject: subject(&ctx),
        name: value(metadata, "filename").and_then(|name| disposition::clean(&name)),
        stated: value(metadata, "filetype").filter(|stated| stated.len() < 128),
        version: text(ctx.headers(), header::IF_MATCH).map(str::to_owned),
        length,
    };
    let upload = Upload::begin(&ctx.app().unscoped(), &record.place, begin).await?;
    let mut response = answer(StatusCode::CREATED, &upload);
    let location = format!("{}/uploads/{}", record.place.path(), upload.id);
    if length == 0 {
        // Clients send no request with bytes.
        finish(&at, &ctx, record, &upload).await?;
    }
    response.headers_mut().insert(header::LOCATION, HeaderValue::try_from(location).map_err(Problem::internal)?);
    Ok(Undescribed(response))
}

/// The state of an upload, from which the client continues. Finishes a complete upload first, if a server stopped
/// before it could.
pub(super) async fn state(at: Endpoint, ctx: Context) -> Result<Undescribed<Response>, Problem> {
    let _turn = at.files.turns.of(ctx.path("upload")?).await;
    let (record, upload) = find(&at, &ctx).await?;
    if upload.offset == upload.length && !upload.is_done {
        finish(&at, &ctx, record, &upload).await?;
    }
    Ok(Undescribed(answer(StatusCode::OK, &upload)))
}

/// Adds bytes. The last ones make the upload the record's file.
pub(super) async fn append(at: Endpoint, ctx: Context, body: Body) -> Result<Undescribed<Response>, Problem> {
    // A task is not dropped when the connection breaks, so bytes that have arrived are kept.
    tokio::spawn(append_all(at, ctx, body)).await.map_err(Problem::internal)?
}

async fn append_all(at: Endpoint, ctx: Context, body: Body) -> Result<Undescribed<Response>, Problem> {
    let _transfer = at.files.transfers.begin()?;
    let _turn = at.files.turns.of(ctx.path("upload")?).await;
    let (record, upload) = find(&at, &ctx).await?;
    if text(ctx.headers(), header::CONTENT_TYPE) != Some("application/offset+octet-stream") {
        return Err(Problem::new(Code::UnsupportedMediaType, "the body must be application/offset+octet-stream"));
    }
    let offset = number(ctx.headers(), &OFFSET)?;
    if i64::try_from(offset) != Ok(upload.offset) {
        let detail = format!("the upload goes on at the byte {}", upload.offset);
        return Err(Problem::new(Code::Conflict, detail));
    }
    let bytes = body.into_data_stream().map_err(BoxError::from);
    let upload = Segments { at: &at, app: ctx.app().unscoped(), record: &record, upload }.add(bytes).await?;
    if upload.offset == upload.length && !upload.is_done {
        finish(&at, &ctx, record, &upload).await?;
    }
    Ok(Undescribed(answer(StatusCode::NO_CONTENT, &upload)))
}

/// Ends an upload, and removes its bytes.
pub(super) async fn end(at: Endpoint, ctx: Context) -> Result<Undescribed<Response>, Problem> {
    let (_, upload) = find(&at, &ctx).await?;
    remove(&ctx.app().unscoped(), &upload).await?;
    Ok(Undescribed(answer(StatusCode::NO_CONTENT, &upload)))
}

async fn remove(app: &App, upload: &Upload) -> crud_runtime::Result<()> {
    Object::end_segments(app, &upload.id).await?;
    Upload::remove(app, &upload.id).await
}

/// The upload in the path, if the sender has begun it.
async fn find(at: &Endpoint, ctx: &Context) -> Result<(Changed, Upload), Problem> {
    let record = Changed::of(at, ctx).await?;
    let found = Upload::find(&ctx.app().unscoped(), &record.place, &subject(ctx), ctx.path("upload")?).await?;
    Ok((record, found.ok_or_else(over)?))
}

fn over() -> Problem {
    Problem::new(Code::NotFound, "the upload is not found, or its time is over: begin another")
}

/// Writer of a request's bytes to segments.
struct Segments<'a> {
    at: &'a Endpoint,
    app: App,
    record: &'a Changed,
    upload: Upload,
}

/// A segment that is being written.
struct Open {
    object: Object,
    writer: Writer,
    size: u64,
}

impl Segments<'_> {
    /// Adds the bytes, including those that arrive before the connection breaks.
    async fn add(mut self, bytes: impl Stream<Item = Result<Bytes, BoxError>> + Send) -> Result<Upload, Problem> {
        let mut bytes = std::pin::pin!(bytes);
        let mut head = (self.upload.parts == 0).then(Head::default);
        let mut segment = None;
        let mut broken = None;
        while let Some(next) = bytes.next().await {
            let next = match next {
                Ok(next) => next,
                Err(error) => {
                    broken = Some(interrupted(error));
                    break;
                }
            };
            if let Some(head) = &mut head {
                head.add(&next, self.at.rules(self.upload.stated.as_deref()))?;
            }
            segment = self.write(segment, next).await?;
        }
        if let Some(segment) = segment {
            self.close(segment).await?;
        }
        broken.map_or(Ok(self.upload), Err)
    }

    /// Writes bytes to the open segment or a new one. Returns the segment, or `None` if it is full and closed.
    async fn write(&mut self, segment: Option<Open>, bytes: Bytes) -> Result<Option<Open>, Problem> {
        let mut open = match segment {
            Some(open) => open,
            None => self.open().await?,
        };
        open.size += bytes.len() as u64;
        if i64::try_from(open.size).unwrap_or(i64::MAX) > self.upload.length - self.upload.offset {
            return Err(Problem::new(Code::BodyTooLarge, "the body has more bytes than the upload lacks"));
        }
        open.writer.write(bytes).await.map_err(unavailable)?;
        if open.size < SEGMENT {
            return Ok(Some(open));
        }
        self.close(open).await.map(|()| None)
    }

    async fn open(&self) -> Result<Open, Problem> {
        let object = Object::begin_segment(&self.app, &self.record.place, &self.upload.id).await?;
        let writer = self.at.files.storage()?.writer(&object.id);
        Ok(Open { object, writer, size: 0 })
    }

    /// Closes a segment, and adds it to the upload.
    async fn close(&mut self, Open { object, writer, size }: Open) -> Result<(), Problem> {
        writer.finish().await.map_err(unavailable)?;
        let received = Received { media_type: "", size, sha256: String::new() };
        object.whole(&self.app, &received).await?;
        let changed = || Problem::new(Code::Conflict, "another request adds to the upload");
        self.upload = self.upload.add(&self.app, object.id, size).await?.ok_or_else(changed)?;
        Ok(())
    }
}

/// Joins the segments to the record's file. A refusal ends the upload.
async fn finish(at: &Endpoint, ctx: &Context, record: Changed, upload: &Upload) -> Result<(), Problem> {
    let app = ctx.app().unscoped();
    let record = match &upload.version {
        Some(version) => Changed { records: record.records.clone().if_match(version), ..record },
        None => record,
    };
    let segments = Object::by_keys(&app, &upload.segments).await?;
    if segments.iter().map(|segment| segment.size).sum::<i64>() != upload.length {
        // An interrupted removal has left the upload without its segments.
        remove(&app, upload).await?;
        return Err(over());
    }
    let bytes = joined(at.files.storage()?.clone(), segments);
    let words = put::Upload { name: upload.name.clone(), stated: upload.stated.as_deref() };
    match at.store(ctx, record, words, bytes).await {
        Ok(_) => {
            upload.done(&app).await?;
            Ok(Object::end_segments(&app, &upload.id).await?)
        }
        Err(problem) => {
            if problem.code().status().is_client_error() {
                remove(&app, upload).await?;
            }
            Err(problem)
        }
    }
}

/// The bytes of segments, one after another.
fn joined(storage: Storage, segments: Vec<Object>) -> impl Stream<Item = Result<Bytes, BoxError>> + Send {
    let each = stream::iter(segments).then(move |segment| {
        let storage = storage.clone();
        async move { storage.read(&segment.id, 0..u64::try_from(segment.size).unwrap_or_default()).await }
    });
    each.try_flatten().map_err(BoxError::from)
}

/// The answer with the state of an upload.
fn answer(status: StatusCode, upload: &Upload) -> Response {
    let mut response = status.into_response();
    let headers = response.headers_mut();
    headers.insert(VERSION, HeaderValue::from_static("1.0.0"));
    headers.insert(OFFSET, upload.offset.into());
    headers.insert(LENGTH, upload.length.into());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let expires = upload.expires_at.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    if let Ok(expires) = HeaderValue::try_from(expires) {
        headers.insert(EXPIRES, expires);
    }
    response
}

fn subject(ctx: &Context) -> String {
    ctx.principal().map(|principal| principal.subject().to_owned()).unwrap_or_default()
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Result<u64, Problem> {
    let found = text(headers, name).and_then(|text| text.parse().ok());
    let expected = || {
        let error = FieldError::whole("header", format!("the header {name} must be a number of bytes"));
        Problem::with_errors(Code::ValidationFailed, [error])
    };
    found.ok_or_else(expected)
}

/// A value in `Upload-Metadata`, such as `filename d29ybGQ=,filetype aW1hZ2U=`.
fn value(metadata: &str, name: &str) -> Option<String> {
    use base64::Engine as _;
    let pairs = metadata.split(',').filter_map(|pair| pair.trim().split_once(' '));
    let encoded = pairs.into_iter().find(|(key, _)| *key == name)?.1.trim();
    String::from_utf8(base64::engine::general_purpose::STANDARD.decode(encoded).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn metadata_has_values_in_base64() {
        let metadata = "filename bmHDr3ZlLmpwZw==, filetype aW1hZ2UvanBlZw==,empty";
        assert_eq!(value(metadata, "filename").as_deref(), Some("naïve.jpg"));
        assert_eq!(value(metadata, "filetype").as_deref(), Some("image/jpeg"));
        assert_eq!((value(metadata, "empty"), value("filename !", "filename")), (None, None));
    }
}
