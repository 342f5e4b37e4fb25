//! Bodies whose last byte is withheld: of nested records, of links, and of a program's routes. Meanwhile, others change the
//! same records, and have the memory that they need.

use std::time::Duration;

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::axum::response::Response;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Locked, Next, Record, Valid, handler, post};
use crud_tests::{Api, Database, RawConnection, holds_for_a_moment, on_each_transactional_backend, pause};
use serde_json::{Value, json};

/// A basket, which a body fills with its eggs.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency, has_many(eggs(Egg::basket_id, nested)), many_to_many(marks(BasketMark)))]
struct Basket {
    id: i64,
    note: String,
}

/// An egg of a basket.
#[derive(Debug, Clone, Resource)]
struct Egg {
    id: i64,
    #[crud(references(Basket, on_delete(cascade)))]
    basket_id: i64,
    number: i64,
}

/// A mark on baskets.
#[derive(Debug, Clone, Resource)]
struct Mark {
    id: i64,
    name: String,
}

/// A mark on a basket.
#[derive(Debug, Clone, Resource)]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct BasketMark {
    #[crud(id, references(Basket, on_delete(cascade)))]
    basket_id: i64,
    #[crud(id, references(Mark, on_delete(cascade)))]
    mark_id: i64,
}

/// A chest, whose update is a handler of the program.
#[derive(Debug, Clone, Resource)]
struct Chest {
    id: i64,
    note: String,
}

/// The note of a basket.
#[derive(Debug, Schema)]
struct Fill {
    note: String,
}

async fn fill(ctx: Context, basket: Locked<Basket>, body: Valid<Fill>) -> Result<Record<Basket>> {
    let note = BasketPatch::default().note(body.note.clone());
    Ok(Record(ctx.store::<Basket>().update(basket.id, note).await?))
}

/// Takes no body, although the client sends one.
async fn touch(ctx: Context, basket: Locked<Basket>) -> Result<Record<Basket>> {
    Ok(Record(ctx.store::<Basket>().update(basket.id, BasketPatch::default().note("touched")).await?))
}

async fn add(ctx: Context, body: Valid<Fill>) -> Result<Record<Basket>> {
    Ok(Record(ctx.store::<Basket>().create(NewBasket { note: body.note.clone() }).await?))
}

async fn update(_: Locked<Chest>, next: Next) -> Result<Response> {
    Ok(next.run().await?)
}

/// Bytes that requests hold together, and those of a body.
const MEMORY: usize = 1024 * 1024;
const BODY: usize = 60_000;

/// Number of clients for whose bodies there is not enough memory.
const CLIENTS: usize = 2 * MEMORY / BODY;

/// Longer than a body may stall where memory is short.
const STALL: Duration = Duration::from_millis(300);

/// A basket and a chest, each with the key 1, and three marks.
async fn start(database: &Database) -> Api {
    let service = database.service().await.resource::<Basket>().resource::<Egg>().resource::<Mark>();
    let service = service.resource::<BasketMark>().resource::<Chest>();
    let service = service
        .route("/baskets/{id}/fill", post(fill))
        .route("/baskets/{id}/touch", post(touch))
        .route("/add", post(add).access(Access::Public))
        .replace::<Chest>(Operation::Update, handler(update))
        .limits(|limits| limits.body(BODY + 4096).batch_body(MEMORY).request_memory(MEMORY));
    let api = Api::start(database, service.migrate().await.expect("the tables")).await;
    api.post("/baskets", &json!({ "note": "first" })).await.created();
    api.post("/chests", &json!({ "note": "first" })).await.created();
    for name in ["a", "b", "c"] {
        api.post("/marks", &json!({ "name": name })).await.created();
    }
    api
}

/// The requests, and whether a key makes their change a transaction too.
fn requests() -> [(&'static str, Value, bool); 8] {
    let eggs = json!([{ "number": 1 }, { "number": 2 }]);
    [
        ("POST /baskets", json!({ "note": "a", "eggs": eggs }), true),
        ("PATCH /baskets/1", json!({ "note": "b", "eggs": eggs }), true),
        ("PUT /baskets/1/marks", json!({ "ids": [1, 2] }), true),
        ("POST /baskets/1/marks", json!({ "ids": [3] }), true),
        ("POST /baskets/1/fill", json!({ "note": "c" }), false),
        ("POST /baskets/1/touch", json!({}), false),
        ("POST /add", json!({ "note": "d" }), false),
        ("PATCH /chests/1", json!({ "note": "e" }), false),
    ]
}

/// Sends a request without the last byte of its body.
async fn withhold(api: &Api, request: &str, headers: &str, body: &str) -> RawConnection {
    let mut connection = RawConnection::connect(api.address()).await;
    let head = format!("{request} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{headers}");
    connection.send(format!("{head}Content-Length: {}\r\n\r\n", body.len())).await;
    // One that is refused may be closed meanwhile.
    drop(connection.try_send(&body[..body.len() - 1]).await);
    connection
}

#[test]
fn body_without_its_last_byte_holds_no_lock() {
    on_each_transactional_backend(async |database| {
        let api = start(database).await;
        for (request, body, takes_key) in requests() {
            for has_key in [false, true] {
                if has_key && !takes_key {
                    continue;
                }
                let body = body.to_string();
                let mut withheld = Vec::new();
                for number in 0..2 {
                    let key = format!("Idempotency-Key: {number}-{}\r\n", request.replace([' ', '/'], "-"));
                    let key = if has_key { key } else { String::new() };
                    withheld.push(withhold(&api, request, &key, &body).await);
                }
                holds_for_a_moment("others change the records", async || {
                    let note = json!({ "note": "of others" });
                    let (basket, other) = (api.patch("/baskets/1", &note).await, api.patch("/chests/1", &note).await);
                    (basket.status(), other.status()) == (200, 200)
                })
                .await;
                for mut connection in withheld {
                    connection.send(&body[body.len() - 1..]).await;
                    let answer = connection.answer().await.expect("an answer");
                    let text = String::from_utf8_lossy(&answer.body);
                    assert!(matches!(answer.status, 200 | 201), "{request}: {} {text}", answer.status);
                }
            }
        }
        api.stop().await;
    });
}

#[test]
fn bodies_without_their_last_byte_leave_memory_to_others() {
    on_each_transactional_backend(async |database| {
        let api = start(database).await;
        let mark = json!({ "name": "y".repeat(BODY) });
        for (request, body, _) in requests() {
            // Spaces behind the value are part of the body.
            let body = format!("{body}{}", " ".repeat(BODY));
            let mut stalled = vec![withhold(&api, request, "", &body).await];
            pause("the first client stalls before there are others", STALL).await;
            for _ in 1..CLIENTS {
                stalled.push(withhold(&api, request, "", &body).await);
            }
            pause("the clients stall", STALL).await;
            for _ in 0..4 {
                api.get("/chests").await.ok();
                api.post("/marks", &mark).await.created();
            }
            // The one that has stalled longest went first.
            let answer = stalled[0].answer().await.expect("an answer");
            assert_eq!(answer.status, 503, "{request}");
        }
        api.stop().await;
    });
}
