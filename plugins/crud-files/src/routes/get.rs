//! `GET` and `HEAD {record}/{field}`: a download.

use std::ops::Range;

use bytes::Bytes;
use crud_runtime::BoxError;
use crud_runtime::axum::body::Body;
use crud_runtime::axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Undescribed};
use futures_util::{StreamExt, stream};

use super::endpoint::Endpoint;
use super::link;
use super::put::text;
use crate::disposition;
use crate::field::FilePlace;
use crate::file::File;
use crate::media_type;
use crate::range::{Part, part};
use crate::refusal::missing;
use crate::storage::unavailable;
use crate::table::object::{Object, State};

/// The parameters of a record that choose its version.
const PARAMETERS: [&str; 2] = ["as_of", "include_deleted"];

/// Policy by which scripts in a shown file do not run, and the file loads nothing.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

pub(super) async fn get(
    at: Endpoint,
    ctx: Context,
    method: Method,
    headers: HeaderMap,
) -> Result<Undescribed<Response>, Problem> {
    let (place, file) = find(&at, &ctx).await?;
    let tag = format!("\"{}\"", file.sha256);
    if text(&headers, header::IF_NONE_MATCH).is_some_and(|tags| is_among(&tag, tags)) {
        return Ok(Undescribed(at.head(&file, StatusCode::NOT_MODIFIED)));
    }
    let object = object(&at, &ctx, &place, &file).await?;
    let is_same = text(&headers, header::IF_RANGE).is_none_or(|condition| condition == tag);
    let part = text(&headers, header::RANGE).filter(|_| is_same).map_or(Part::Whole, |range| part(range, file.size));
    let body = |range| at.body(&object, range, method == Method::HEAD);
    Ok(Undescribed(match part {
        Part::Whole => at.answer(&file, StatusCode::OK, 0..file.size, body(0..file.size).await?),
        Part::Bytes(range) => {
            let mut response = at.answer(&file, StatusCode::PARTIAL_CONTENT, range.clone(), body(range.clone()).await?);
            let content = format!("bytes {}-{}/{}", range.start, range.end - 1, file.size);
            insert(&mut response, header::CONTENT_RANGE, content);
            response
        }
        Part::Outside => outside(&at, &file),
    }))
}

/// The record's file, for the sender or for the user of a link.
async fn find(at: &Endpoint, ctx: &Context) -> Result<(FilePlace, File), Problem> {
    if let Some(link) = ctx.query(link::PARAMETER) {
        return link::follow(at, ctx, &link).await;
    }
    let (records, id) = (ctx.records(&at.field.prefix)?, ctx.key()?);
    let parameters = PARAMETERS.into_iter().filter_map(|name| Some((name, ctx.query(name)?)));
    let record = records.parameters(parameters).get(&id).await?.json();
    at.field.check_visible(ctx)?;
    let file = at.field.file(&record)?.ok_or_else(|| missing(at.field.name))?;
    Ok((at.field.of_record(id, &record), file))
}

/// The object with the bytes of a file.
async fn object(at: &Endpoint, ctx: &Context, place: &FilePlace, file: &File) -> Result<Object, Problem> {
    let found = Object::find(&ctx.app().unscoped(), place, &file.sha256).await?;
    match found {
        Some(object) if object.is_held => Err(Problem::new(
            Code::Conflict,
            format!("the file in {} is held for a check; try again later", at.field.name),
        )),
        Some(object) if object.state != State::Dead || ctx.query("as_of").is_some() => Ok(object),
        _ if ctx.query("as_of").is_some() => Err(Problem::of(Code::HistoryGone)),
        _ => {
            tracing::error!(path = place.path(), "the bytes of a file are missing: run `files check`");
            Err(missing(at.field.name))
        }
    }
}

impl Endpoint {
    /// The bytes of a range. The body holds a transfer's permit until it is sent.
    async fn body(&self, object: &Object, range: Range<u64>, is_head: bool) -> Result<Body, Problem> {
        if is_head {
            // A stream states no size, so `Content-Length` stays the length of the file.
            return Ok(Body::from_stream(stream::empty::<Result<Bytes, BoxError>>()));
        }
        let transfer = self.files.transfers.begin()?;
        let bytes = self.files.storage()?.read(&object.id, range).await.map_err(unavailable)?;
        Ok(Body::from_stream(bytes.inspect(move |_| {
            let _ = &transfer;
        })))
    }

    /// The head of an answer about a file.
    fn head(&self, file: &File, status: StatusCode) -> Response {
        let mut response = status.into_response();
        insert(&mut response, header::ETAG, format!("\"{}\"", file.sha256));
        let kind = if self.field.is_public { "public" } else { "private" };
        insert(&mut response, header::CACHE_CONTROL, format!("{kind}, no-cache, no-transform"));
        response
    }

    /// An answer with bytes of a file.
    fn answer(&self, file: &File, status: StatusCode, range: Range<u64>, body: Body) -> Response {
        let mut response = self.head(file, status);
        *response.body_mut() = body;
        insert(&mut response, header::CONTENT_TYPE, file.media_type.clone());
        insert(&mut response, header::CONTENT_LENGTH, (range.end - range.start).to_string());
        let headers = response.headers_mut();
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        let is_shown = media_type::is_shown(&file.media_type);
        headers.insert(header::CONTENT_DISPOSITION, disposition::header(&file.name, is_shown));
        response
    }
}

/// The answer 416 for a range outside of the file.
fn outside(at: &Endpoint, file: &File) -> Response {
    let detail = format!("the file in {} has {} bytes, and none in this range", at.field.name, file.size);
    let mut response = Problem::new(Code::RangeNotSatisfiable, detail).into_response();
    insert(&mut response, header::CONTENT_RANGE, format!("bytes */{}", file.size));
    response
}

fn insert(response: &mut Response, name: header::HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Whether a tag is among those of `If-None-Match`, which compares weakly.
fn is_among(tag: &str, tags: &str) -> bool {
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}
