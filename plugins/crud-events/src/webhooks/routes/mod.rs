//! The routes of webhooks besides those of their resources.

mod create;
mod deliveries;
mod retry;
mod rotate;
mod test;

use crud_runtime::error::Code;
use crud_runtime::routing::{Handler, Routes, get, handler, post};

/// The handler that replaces the generated one of `POST /webhooks`.
pub(crate) fn create() -> Handler {
    handler(create::create)
}

/// The routes below the paths of webhooks and of deliveries.
pub(crate) fn all(webhooks: &str, deliveries: &str) -> Routes {
    let rotate = post(rotate::rotate)
        .operation_id("rotateWebhookSecret")
        .button("Rotate secret")
        .summary("Rotate the secret")
        .description("Makes a new secret, which is in this answer alone. The former one signs too for 24 hours.")
        .problems([Code::NotFound])
        .no_store();
    let test = post(test::test)
        .operation_id("testWebhook")
        .button("Send test")
        .summary("Send a test")
        .description("Sends a message of the type `webhook.test`, whatever `types` has. The delivery has the outcome.")
        .problems([Code::NotFound, Code::Conflict]);
    let retry = post(retry::retry)
        .operation_id("retryWebhookDelivery")
        .button("Send again")
        .summary("Send a delivery again")
        .description("Sends a delivery that is finished again, with the record as it is now.")
        .problems([Code::NotFound, Code::Conflict]);
    let list = get(deliveries::deliveries)
        .operation_id("listDeliveriesOfWebhook")
        .summary("List the deliveries of a webhook")
        .problems([Code::NotFound]);
    Routes::new()
        .route(format!("{webhooks}/{{id}}/deliveries"), list)
        .route(format!("{webhooks}/{{id}}/rotate"), rotate)
        .route(format!("{webhooks}/{{id}}/test"), test)
        .route(format!("{deliveries}/{{id}}/retry"), retry)
}
