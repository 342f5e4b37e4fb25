//! `POST /webhooks/{id}/rotate`.

use crud_runtime::axum::Json;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Locked};
use crud_runtime::utoipa::{self, ToSchema};
use serde::Serialize;

use crate::webhooks::sender::Sender;
use crate::webhooks::signature::SigningSecret;
use crate::webhooks::table::webhook::{ROTATION, Webhook, WebhookPatch, check_rights};

/// A new secret, which no further answer has.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookSecret {
    /// The secret that signs messages, such as `whsec_MfKQ9r8G…`.
    secret: String,
    /// The time until which the former secret signs too.
    rotating_until: DateTime<Utc>,
}

/// Creates a new secret. For a day, the former one signs too; older ones no longer do.
pub(super) async fn rotate(ctx: Context, webhook: Locked<Webhook>) -> Result<Json<WebhookSecret>, Problem> {
    check_rights(&webhook, ctx.principal())?;
    let key = ctx.extension::<Sender>()?.key(ctx.app()).await?;
    let (salt, rotating_until) = (Uuid::new_v4().to_string(), ctx.now() + ROTATION);
    let secret = SigningSecret::derive(&key, &salt).text();
    let patch = WebhookPatch::default().salt(salt).former_salt(webhook.salt.clone()).rotating_until(rotating_until);
    ctx.unscoped_store::<Webhook>().update(webhook.id, patch).await?;
    Ok(Json(WebhookSecret { secret, rotating_until }))
}
