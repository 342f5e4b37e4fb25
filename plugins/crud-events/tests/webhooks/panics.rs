//! Records whose events cannot be made.

use crud_events::{Events, Webhooks};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::{on_each_sql_backend, on_sqlite};
use serde_json::json;

use crate::receiver::{Received, Receiver};
use crate::shop::{Product, admin, deliver, make, shop};

/// A poem, whose computed field panics for an empty one.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(public)))]
struct Poem {
    id: i64,
    text: String,
    #[crud(computed(Poem::title))]
    title: String,
}

impl Poem {
    fn title(&self, _: &RequestContext<'_>) -> String {
        self.text.lines().next().expect("a first line").to_owned()
    }
}

#[test]
fn record_that_cannot_be_rendered_is_a_reset_and_stops_no_other_event() {
    on_each_sql_backend(async |database| {
        let (poems, products) = (Receiver::start().await, Receiver::start().await);
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
        let webhooks = Webhooks::new().allow_http_to(poems.host()).allow_http_to(products.host());
        let events = Events::new().resource::<Poem>().resource::<Product>().webhooks(webhooks);
        let service = database.service().await.auth(auth).plugin(events).expect("one plugin");
        let test = service.resource::<Poem>().resource::<Product>().test().await.expect("the service");
        let test = admin(&test);
        for (receiver, types) in [(&poems, "poem.*"), (&products, "product.*")] {
            let body = json!({ "url": receiver.url(), "types": [types] });
            test.post("/webhooks", body).await.expect(201);
        }
        let store = test.app().store::<Poem>();
        let poem = store.create(NewPoem { text: String::new() }).await.expect("a poem");
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        deliver(&test).await;
        let kinds = |receiver: &Receiver| receiver.take().iter().map(Received::kind).collect::<Vec<_>>();
        assert_eq!((kinds(&products), kinds(&poems)), (vec!["product.created".to_owned()], vec!["reset".to_owned()]));
        store.update(poem.id, PoemPatch::default().text("Roses\nare red".to_owned())).await.expect("a change");
        deliver(&test).await;
        assert_eq!(kinds(&poems), ["poem.updated"]);
        // It is whole when its event is noted, and is not any more when that is sent.
        store.update(poem.id, PoemPatch::default().text("Violets".to_owned())).await.expect("a change");
        poems.answer(|_| axum::http::StatusCode::BAD_GATEWAY);
        deliver(&test).await;
        store.update(poem.id, PoemPatch::default().text(String::new())).await.expect("a change");
        poems.answer(|_| axum::http::StatusCode::OK);
        test.clock().set(test.app().now() + TimeDelta::minutes(5));
        deliver(&test).await;
        assert_eq!(kinds(&poems).last().map(String::as_str), Some("reset"));
        assert_eq!(test.get("/webhook-deliveries?status=pending").await.expect(200).json()["total"], 0);
    });
}

#[test]
fn webhook_whose_deliveries_cannot_be_stored_stops_no_other_one() {
    on_sqlite(async |database| {
        let receiver = Receiver::start().await;
        let test = admin(&shop(database, &receiver).await);
        let (_, second) = (make(&test, &receiver.url(), &[]).await, make(&test, &receiver.url(), &[]).await);
        let trigger = "CREATE TRIGGER locked BEFORE INSERT ON events_delivery WHEN new.webhook_id = 1 \
                       BEGIN SELECT RAISE(ABORT, 'locked'); END";
        database.execute(trigger).await;
        test.post("/products", json!({ "name": "lamp" })).await.expect(201);
        assert!(Webhooks::deliver(test.app()).await.is_err(), "the first one's are missing");
        let deliveries = test.get(format!("/webhooks/{}/deliveries", second["id"])).await.expect(200).json();
        assert_eq!(deliveries["total"], 1, "{deliveries}");
        database.execute("DROP TRIGGER locked").await;
        assert_eq!(deliver(&test).await, 2);
    });
}
