//! `GET /webhooks/{id}/deliveries`.

use crud_runtime::Page;
use crud_runtime::error::Problem;
use crud_runtime::routing::{Context, ListParameters, Record};

use crate::webhooks::table::delivery::Delivery;
use crate::webhooks::table::webhook::Webhook;

/// The deliveries of a webhook, with the parameters of their list.
pub(super) async fn deliveries(
    ctx: Context,
    webhook: Record<Webhook>,
    parameters: ListParameters<Delivery>,
) -> Result<Page<Delivery>, Problem> {
    let own = Delivery::FIELDS.webhook_id.eq(webhook.id);
    Ok(ctx.store::<Delivery>().page(parameters.select().filter(own)).await?)
}
