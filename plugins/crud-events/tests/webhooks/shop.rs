//! A shop with webhooks.

use crud_events::{Events, Webhooks};
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::Database;
use serde_json::{Value, json};

use crate::receiver::Receiver;

/// A product, which everyone reads, with a cost for staff.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, access(read(public), write(role("staff"))))]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) name: String,
    #[crud(visible(role("staff")))]
    pub(crate) cost: Option<i64>,
    #[crud(hidden)]
    pub(crate) note: Option<String>,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A memo of staff.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(role("staff"))))]
pub(crate) struct Memo {
    pub(crate) id: i64,
    pub(crate) text: String,
}

/// A ticket of a shop.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(role("staff"))))]
pub(crate) struct Ticket {
    pub(crate) id: i64,
    #[crud(tenant)]
    pub(crate) shop_id: i64,
    pub(crate) title: String,
}

/// The shop, whose webhooks may send to these hosts.
pub(crate) fn with_webhooks(service: Service, webhooks: Webhooks) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop").build();
    shop_of(service.auth(auth.expect("the authentication")), webhooks)
}

/// The shop in a service that has authentication.
pub(crate) fn shop_of(service: Service, webhooks: Webhooks) -> Service {
    let events = Events::new().resource::<Product>().resource::<Memo>().resource::<Ticket>();
    let service = service.resource::<Product>().resource::<Memo>().resource::<Ticket>();
    service.plugin(events.webhooks(webhooks)).expect("one plugin")
}

/// The shop with webhooks to a receiver.
pub(crate) async fn shop(database: &Database, receiver: &Receiver) -> Test {
    let webhooks = Webhooks::new().allow_http_to(receiver.host());
    with_webhooks(database.service().await, webhooks).test().await.expect("the service")
}

/// The requests of an administrator, who is staff too.
pub(crate) fn admin(test: &Test) -> Test {
    test.as_principal(Principal::new("1").with_roles(["admin", "staff"]))
}

/// A new webhook of an administrator with a URL, of events of all types.
pub(crate) async fn make(admin: &Test, url: &str, roles: &[&str]) -> Value {
    let body = json!({ "url": url, "types": ["*"], "roles": roles });
    admin.post("/webhooks", body).await.expect(201).json()
}

/// Makes and sends what is due.
pub(crate) async fn deliver(test: &Test) -> usize {
    Webhooks::deliver(test.app()).await.expect("deliveries")
}

/// Makes a delivery of a test, and attempts it; the delivery as it is then.
pub(crate) async fn try_out(admin: &Test, webhook: &Value) -> Value {
    let made = admin.post(format!("/webhooks/{}/test", webhook["id"]), json!({})).await.expect(202).json();
    deliver(admin).await;
    delivery(admin, &made).await
}

/// A delivery as it is now.
pub(crate) async fn delivery(admin: &Test, made: &Value) -> Value {
    admin.get(format!("/webhook-deliveries/{}", made["id"])).await.expect(200).json()
}

/// A webhook as it is now.
pub(crate) async fn webhook(admin: &Test, made: &Value) -> Value {
    admin.get(format!("/webhooks/{}", made["id"])).await.expect(200).json()
}
