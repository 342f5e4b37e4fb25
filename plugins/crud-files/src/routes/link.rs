//! `POST {record}/{field}/link`: a URL for `<img>` and other clients that send no token.

use std::time::Duration;

use crud_runtime::axum::Json;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;
use crud_runtime::utoipa::{self, ToSchema};
use serde::Serialize;

use super::endpoint::Endpoint;
use crate::field::FilePlace;
use crate::file::File;
use crate::link::{Link, Rights};
use crate::refusal::missing;

/// The query parameter with a link.
pub(super) const PARAMETER: &str = "link";

/// The time for which a link is valid.
const LIFETIME: Duration = Duration::from_mins(5);

/// A URL of a file that needs no token.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FileLink {
    /// The URL, below the service's.
    url: String,
    /// The time after which it is refused.
    expires_at: DateTime<Utc>,
}

/// Creates a link to a file that the sender sees.
pub(super) async fn make(at: Endpoint, ctx: Context) -> Result<Json<FileLink>, Problem> {
    let (records, id) = (ctx.records(&at.field.prefix)?, ctx.key()?);
    let record = records.get(&id).await?.json();
    at.field.check_visible(&ctx)?;
    let file = at.field.file(&record)?.ok_or_else(|| missing(at.field.name))?;
    let place = at.field.of_record(id, &record);
    let expires = (ctx.now() + LIFETIME).timestamp();
    let expires_at = DateTime::from_timestamp(expires, 0).ok_or_else(|| Problem::internal("a time beyond all"))?;
    let url = match ctx.principal() {
        // Without a token, the sender could read the file, so everyone can.
        None => place.path(),
        Some(principal) => {
            let link = Link { expires, ..link_of(&ctx, principal).await? };
            format!("{}?{PARAMETER}={}", place.path(), link.sign(&key(&ctx).await?, &place.path(), &file.sha256))
        }
    };
    Ok(Json(FileLink { url, expires_at }))
}

/// The link of a user. It contains the user's rights if the user is not the service's own.
async fn link_of(ctx: &Context, principal: &Principal) -> Result<Link, Problem> {
    let subject = principal.subject().to_owned();
    let is_known = match ctx.auth() {
        Ok(auth) => matches!(auth.current_principal(&subject).await, Ok(Some(_))),
        // Without authentication of the service's own, principals come from the program.
        Err(_) => false,
    };
    let tenant = principal.tenant().filter(|_| is_known).cloned();
    Ok(Link { subject, expires: 0, rights: (!is_known).then(|| Rights::of(principal)), tenant })
}

/// The file of a link, if its user may still read the record, and the record still has the file.
///
/// # Errors
/// `not_found` for an invalid link, as for a record without a file; `token_expired`; problems of reading the record.
pub(super) async fn follow(at: &Endpoint, ctx: &Context, text: &str) -> Result<(FilePlace, File), Problem> {
    let unchecked = Link::parse(text).ok_or_else(|| missing(at.field.name))?;
    if unchecked.link.expires <= ctx.now().timestamp() {
        return Err(Problem::new(Code::TokenExpired, "the link has expired"));
    }
    let principal = user(ctx, &unchecked.link).await?.ok_or_else(|| missing(at.field.name))?;
    let id = ctx.key()?;
    let is_shown = at.field.served(ctx)?.shows(at.field.index, Some(&principal));
    let records = ctx.records(&at.field.prefix)?.on_behalf_of(principal);
    let read = records.get(&id).await.map_err(|_| missing(at.field.name))?;
    let record = read.json();
    let file = at.field.file(&record)?.filter(|_| is_shown).ok_or_else(|| missing(at.field.name))?;
    let place = at.field.of_record(id, &record);
    if !unchecked.is_of(&key(ctx).await?, &place.path(), &file.sha256) {
        return Err(missing(at.field.name));
    }
    Ok((place, file))
}

/// The user of a link: with current roles and membership for the service's own users, otherwise with the rights in the
/// link.
async fn user(ctx: &Context, link: &Link) -> Result<Option<Principal>, Problem> {
    match &link.rights {
        Some(rights) => Ok(Some(rights.clone().principal(&link.subject))),
        None => ctx.current_principal(&link.subject, link.tenant.as_ref()).await,
    }
}

/// The key that links are signed with.
async fn key(ctx: &Context) -> Result<[u8; 32], Problem> {
    ctx.app().unscoped().secret_key("files").await
}
