//! `POST /webhooks/{id}/test`.

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Record, Status};

use crate::webhooks::queue::add::{Added, Moved, add};
use crate::webhooks::queue::content::TEST;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::delivery::Delivery;
use crate::webhooks::table::webhook::Webhook;

/// Creates a delivery that tests a webhook.
pub(super) async fn test(ctx: Context, webhook: Record<Webhook>) -> Result<Status<202, Record<Delivery>>, Problem> {
    if !webhook.active {
        return Err(Problem::new(Code::Conflict, "the webhook is not active: set `active` to true first"));
    }
    let id = format!("test-{:012x}", Uuid::new_v4().as_u128() & 0xffff_ffff_ffff);
    let added = Added { event_id: id.clone(), kind: TEST.to_owned(), seq: 0, first_seq: None, subject: id.clone() };
    add(&ctx.app().unscoped(), &webhook, &[added], Moved::No).await?;
    ctx.extension::<Sender>()?.wake().notify_one();
    let own = Delivery::FIELDS.webhook_id.eq(webhook.id).and(Delivery::FIELDS.event_id.eq(id));
    Ok(Status(Record(ctx.store::<Delivery>().get_where(own).await?)))
}
