//! `POST /webhooks`: the answer has the secret.

use crud_runtime::axum::body::to_bytes;
use crud_runtime::axum::http::{HeaderValue, header};
use crud_runtime::axum::response::Response;
use crud_runtime::error::Problem;
use crud_runtime::routing::{Context, Next};
use serde_json::Value as Json;

use crate::webhooks::sender::Sender;
use crate::webhooks::signature::SigningSecret;
use crate::webhooks::table::webhook::Webhook;

/// Creates a webhook. The answer has its secret, unless the client asks for an empty answer by `Prefer:
/// return=minimal`.
pub(super) async fn create(ctx: Context, next: Next) -> Result<Response, Problem> {
    // Reads the log first, as the new webhook is sent events from now on.
    ctx.extension::<Sender>()?.core().log.refresh().await?;
    let (mut head, body) = next.run().await?.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(Problem::internal)?;
    let Ok(mut json) = serde_json::from_slice::<Json>(&bytes) else {
        return Ok(Response::from_parts(head, bytes.into()));
    };
    let id = json["id"].as_i64().ok_or_else(|| Problem::internal("a new webhook has no id"))?;
    let webhook = ctx.store::<Webhook>().get(id).await?;
    let key = ctx.extension::<Sender>()?.key(ctx.app()).await?;
    json["secret"] = SigningSecret::derive(&key, &webhook.salt).text().into();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(Response::from_parts(head, json.to_string().into()))
}
