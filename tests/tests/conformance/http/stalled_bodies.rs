//! Bodies that stall, from any client: what they hold is given up for the requests of others.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use crud_tests::http::{on_each_backend, on_shop};
use crud_tests::{Api, Database, RawConnection, pause};
use serde_json::json;

/// The bytes that requests hold together, and those of a body.
const MEMORY: usize = 1024 * 1024;
const BODY: usize = 60_000;

/// More clients than there is memory for.
const CLIENTS: usize = 2 * MEMORY / BODY;

/// Address of other clients than the test's.
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// Longer than a body may stall where memory is short.
const STALL: Duration = Duration::from_millis(300);

/// A shop whose first page of products has some hundred kilobytes.
async fn start(database: &Database) -> Api {
    let service = shop::open_shop(database.service().await);
    let service = service.limits(|limits| limits.body(BODY + 4096).batch_body(BODY + 4096).request_memory(MEMORY));
    let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
    shop.post("/categories", &json!({ "name": "lamps" })).await.created();
    let product = json!({ "name": "x", "description": "d".repeat(4000), "price": 1, "stock": 1, "category_id": 1 });
    for _ in 0..96 {
        shop.post("/products", &product).await.created();
    }
    shop
}

/// Sends a request without the last bytes of its body.
async fn withhold(shop: &Api, target: &str, media_type: &str, body: &str) -> RawConnection {
    withhold_on(RawConnection::connect(shop.address()).await, target, media_type, body).await
}

async fn withhold_on(mut connection: RawConnection, target: &str, media_type: &str, body: &str) -> RawConnection {
    let length = body.len() + 1_000;
    let head =
        format!("POST {target} HTTP/1.1\r\nHost: x\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n");
    connection.send(head).await;
    // One that is refused may be closed meanwhile.
    drop(connection.try_send(body).await);
    connection
}

#[test]
fn bodies_that_stall_leave_memory_to_others() {
    let record = format!("{{\"name\":\"{}", "x".repeat(BODY));
    // Its records take several times the memory of their text.
    let mut file = String::new();
    while file.len() < BODY / 4 {
        writeln!(file, "{{\"name\":\"{}\",\"price\":1,\"stock\":1,\"category_id\":1}}", "x".repeat(150)).expect("text");
    }
    on_each_backend(async |database| {
        let shop = start(database).await;
        let product = json!({ "name": "y", "description": "d".repeat(BODY), "price": 1, "stock": 1, "category_id": 1 });
        for (target, media_type, body) in [
            ("/categories", "application/json", &record),
            ("/products/search", "application/json", &record),
            ("/products/import", "application/x-ndjson", &file),
        ] {
            let mut stalled = vec![withhold(&shop, target, media_type, body).await];
            pause("the first client stalls before there are others", STALL).await;
            for _ in 1..CLIENTS {
                stalled.push(withhold(&shop, target, media_type, body).await);
            }
            pause("the clients stall", STALL).await;
            for _ in 0..4 {
                // They go on, a byte at a time.
                for connection in &mut stalled {
                    drop(connection.try_send(" ").await);
                }
                shop.get("/products?limit=100&sort=created_at").await.ok();
                shop.post("/products", &product).await.created();
            }
            // The one that has stalled longest went first.
            let answer = stalled[0].answer().await.expect("an answer");
            assert_eq!(
                (answer.status, &answer.headers["retry-after"]),
                (503, &"1".parse().expect("a value")),
                "{target}"
            );
            let body = String::from_utf8_lossy(&answer.body);
            assert!(body.contains("\"code\":\"unavailable\"") && body.contains("arrives slowest"), "{target}: {body}");
        }
        shop.stop().await;
    });
}

#[test]
fn address_that_holds_most_gives_up_its_bodies_for_others() {
    let record = format!("{{\"name\":\"{}", "x".repeat(BODY));
    on_each_backend(async |database| {
        let shop = start(database).await;
        let product = json!({ "name": "y", "description": "d".repeat(BODY), "price": 1, "stock": 1, "category_id": 1 });
        // One that is slow, and holds little.
        let mut slow = withhold(&shop, "/categories", "application/json", "{\"name\":\"slow\"").await;
        drop(slow.try_send(" ".repeat(900)).await);
        let large = format!("{{\"name\":\"large\",\"x\":\"{}", "x".repeat(BODY / 2));
        let mut large = withhold(&shop, "/categories", "application/json", &large).await;
        pause("the slow clients stall", STALL).await;
        for _ in 0..3 {
            let mut greedy = Vec::new();
            for _ in 0..CLIENTS {
                let connection = RawConnection::connect_from(OTHER, shop.address()).await;
                greedy.push(withhold_on(connection, "/categories", "application/json", &record).await);
            }
            // None of them has stalled for long.
            shop.get("/products?limit=100&sort=created_at").await.ok();
            shop.post("/products", &product).await.created();
        }
        slow.send(format!("}}{}", " ".repeat(99))).await;
        assert_eq!(slow.answer().await.expect("an answer").status, 201);
        large.send(format!("\"}}{}", " ".repeat(998))).await;
        let answer = large.answer().await.expect("an answer");
        assert_eq!(answer.status, 422, "{}", String::from_utf8_lossy(&answer.body));
        shop.stop().await;
    });
}

#[test]
fn body_of_a_search_has_at_most_64_kib() {
    on_shop(async |shop| {
        let search = |bytes: usize| {
            let mut body = json!({ "where": { "name": "x" } }).to_string();
            body.push_str(&" ".repeat(bytes - body.len()));
            body.into_bytes()
        };
        shop.post_bytes("/products/search", search(64 * 1024)).await.ok();
        let problem = shop.post_bytes("/products/search", search(64 * 1024 + 1)).await.problem("body_too_large");
        assert_eq!(problem.detail, "the body must have at most 65536 bytes");
    });
}
