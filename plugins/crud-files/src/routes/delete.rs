//! `DELETE {record}/{field}`: removes the file of a record.

use crud_runtime::axum::http::StatusCode;
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;

use super::endpoint::Endpoint;
use super::put::Changed;
use crate::attach::detach;
use crate::refusal::missing;

pub(super) async fn delete(at: Endpoint, ctx: Context) -> Result<StatusCode, Problem> {
    let Changed { records, place, json } = Changed::of(&at, &ctx).await?;
    at.field.file(&json)?.ok_or_else(|| missing(at.field.name))?;
    detach(&ctx, records, &place).await?;
    Ok(StatusCode::NO_CONTENT)
}
