//! Clients that leave while their lists are read or their changes made, and the others, which get what they asked for.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::fixtures::{batch, records};
use crud_tests::{
    Api, Backend, Client, RawConnection, amount, audit_log, free_address, on_each_backend, on_each_sql_server,
    on_each_transactional_backend, pause, wait_until, within,
};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// A record whose lists of two filters read the whole table.
#[derive(Debug, Clone, Resource)]
#[crud(table = "parcels", prefix = "/parcels", filter(label, weight), batch(mode(partial)), pagination)]
struct Parcel {
    id: i64,
    label: String,
    weight: i32,
}

const LIST: &str = "/parcels?label__contains=7&weight__gte=50";

const LEAVING: usize = 24;
const STAYING: usize = 8;

/// Number of lists that each of those that stay reads.
fn lists() -> usize {
    amount("limits", 40, 100)
}

/// Part of the clients and requests on a back end: MongoDB works on for those that left.
fn part_of(backend: Backend, number: usize) -> usize {
    if backend.speaks_sql() { number } else { number / 5 }
}

/// Limit of lists that each of those that leave sends: MongoDB reads them to their end.
fn lists_before_end(backend: Backend) -> usize {
    if backend.speaks_sql() { usize::MAX } else { 10 }
}

/// Sends at most so many lists and closes the connection before most of them are answered. Waits for each second answer:
/// requests that come faster than a busy machine answers them would be refused, also those of clients that stay.
async fn leave(client: &Client, address: SocketAddr, lists: usize, stop: &AtomicBool, mut random: fastrand::Rng) {
    for _ in (0..lists).take_while(|_| !stop.load(Ordering::Relaxed)) {
        let mut connection = RawConnection::connect(address).await;
        connection.send(format!("GET {LIST} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        pause("before the list is there, most often", Duration::from_micros(random.u64(0..10_000))).await;
        drop(connection);
        client.get(LIST).await;
    }
}

/// Sends so many lists and waits for each; those that were refused.
async fn stay(client: &Client, lists: usize) -> Vec<String> {
    let mut refused = Vec::new();
    for _ in 0..lists {
        let answer = client.get(LIST).await;
        if answer.status() != 200 {
            refused.push(answer.text());
        }
    }
    refused
}

#[test]
fn a_client_that_leaves_interrupts_no_list_of_another() {
    on_each_backend(async |database| {
        let metrics = free_address().to_string();
        let service = database.service().await.resource::<Parcel>().server(|server| server.metrics(&metrics));
        let api = Api::start(database, service.migrate().await.expect("the table")).await;
        for thousand in 0..part_of(api.backend(), 5) {
            let items =
                (0..1000).map(|number| json!({ "label": format!("{thousand} {number}"), "weight": number % 100 }));
            api.post("/parcels/batch", &batch(items)).await.ok();
        }
        let stop = AtomicBool::new(false);
        let (leaving, lists) = (part_of(api.backend(), LEAVING) as u64, part_of(api.backend(), lists()));
        let most = lists_before_end(api.backend());
        let leaving = (0..leaving).map(|seed| leave(&api, api.address(), most, &stop, fastrand::Rng::with_seed(seed)));
        let staying = async {
            let refused = join_all((0..STAYING).map(|_| stay(&api, lists))).await.concat();
            stop.store(true, Ordering::Relaxed);
            refused
        };
        let (refused, _) = tokio::join!(staying, join_all(leaving));
        assert_eq!(refused, [""; 0]);
        let text = Client::of_program(format!("http://{metrics}"), database.secrets())
            .get("/metrics")
            .await
            .expect(200)
            .text();
        let repeats: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("crud_database_repeats_total ")).collect();
        if !repeats.is_empty() || api.backend() == Backend::Sqlite {
            assert_eq!(repeats, ["0"], "no list is run again to hide that it was interrupted");
        }
        api.stop().await;
    });
}

/// A record that clients create and change, and leave before they have the answer.
#[derive(Debug, Clone, Resource)]
#[crud(table = "letters", prefix = "/letters", audit, pagination)]
struct Letter {
    id: i64,
    text: String,
}

/// Number of changes that each of those that stay makes.
fn changes() -> usize {
    amount("limits", 20, 40)
}

/// Creates a letter and closes the connection with the answer unread. Sends changes then and closes the connection
/// before most of them are answered; waits for each second one.
async fn change_and_leave(client: &Client, address: SocketAddr, stop: &AtomicBool, mut random: fastrand::Rng) {
    let mut connection = RawConnection::connect(address).await;
    let head = "POST /letters HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 15";
    connection.send(format!("{head}\r\n\r\n{}", json!({ "text": "left" }))).await;
    connection.read_byte().await;
    drop(connection);
    while !stop.load(Ordering::Relaxed) {
        let mut connection = RawConnection::connect(address).await;
        let body = json!({ "text": random.u32(..).to_string() }).to_string();
        // The first letters are those that many change.
        let (method, target) = match random.u8(0..3) {
            0 => ("POST", "/letters".to_owned()),
            _ => ("PATCH", format!("/letters/{}", random.u8(1..9))),
        };
        let head = format!("{method} {target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
        connection.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
        pause("before the change is acknowledged, most often", Duration::from_micros(random.u64(0..10_000))).await;
        drop(connection);
        client.patch(format!("/letters/{}", random.u8(1..9)), &json!({ "text": "waited for" })).await;
    }
}

/// Creates letters, changes them and counts all; the statuses that differ from those of a service of one client.
async fn change_and_stay(client: &Client, name: usize, changes: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    for number in 0..changes {
        let created = client.post("/letters", &json!({ "text": format!("{name} {number}") })).await;
        if created.status() != 201 {
            wrong.push(format!("a create: {created:?}"));
            continue;
        }
        let path = format!("/letters/{}", created.json()["id"]);
        let text = json!({ "text": format!("{name} {number}, changed") });
        let changed = client.patch(&path, &text).await;
        if (changed.status(), &changed.json()["text"]) != (200, &text["text"]) {
            wrong.push(format!("a change: {changed:?}"));
        }
        let list = client.get("/letters?limit=1").await;
        if list.status() != 200 {
            wrong.push(format!("a list: {list:?}"));
        }
    }
    wrong
}

/// The letters that are stored, by their keys.
async fn stored(client: &Client) -> BTreeMap<String, Option<Value>> {
    let mut stored = BTreeMap::new();
    loop {
        let list = client.get(format!("/letters?limit=100&skip={}", stored.len())).await.ok();
        let page = records(&list);
        stored.extend(page.iter().map(|letter| (letter["id"].to_string(), Some(letter.clone()))));
        if page.is_empty() {
            return stored;
        }
    }
}

#[test]
fn a_client_that_leaves_while_it_changes_leaves_no_half_of_a_change() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Letter>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let first =
            join_all((0..8).map(async |number| api.post("/letters", &json!({ "text": number.to_string() })).await));
        for letter in first.await {
            letter.created();
        }
        let stop = AtomicBool::new(false);
        let random = |seed| fastrand::Rng::with_seed(seed);
        let (number_of_leaving, changes) = (part_of(api.backend(), LEAVING), part_of(api.backend(), changes()));
        let leaving =
            (0..number_of_leaving as u64).map(|seed| change_and_leave(&api, api.address(), &stop, random(seed)));
        let staying = async {
            let wrong = join_all((0..STAYING).map(|name| change_and_stay(&api, name, changes))).await;
            stop.store(true, Ordering::Relaxed);
            wrong.concat()
        };
        let (wrong, _) = tokio::join!(staying, join_all(leaving));
        assert_eq!(wrong, [""; 0]);
        // Requests in flight end.
        wait_until("each letter is as its log says", async || {
            audit_log::replay(&audit_log::entries(&api, "Letter").await) == Ok(stored(&api).await)
        })
        .await;
        let all = stored(&api).await;
        println!("{} letters", all.len());
        assert_eq!(api.get("/letters?limit=1").await.ok()["total"], all.len());
        assert!(
            all.len() >= 8 + STAYING * changes + number_of_leaving,
            "whoever left with an answer has created a letter: {}",
            all.len()
        );
        // Connections, shared commits and totals serve others as before.
        let together = async || {
            let letters =
                join_all((0..STAYING).map(async |_| api.post("/letters", &json!({ "text": "after" })).await)).await;
            letters.iter().filter(|letter| letter.status() == 201).count()
        };
        let all = stored(&api).await;
        assert_eq!(together().await, STAYING);
        assert_eq!(api.get("/letters?limit=1").await.ok()["total"], all.len() + STAYING);
        api.stop().await;
    });
}

/// A basket, which a body fills with its eggs.
#[derive(Debug, Clone, Resource)]
#[crud(
    table = "baskets",
    prefix = "/baskets",
    aggregate(group_by(wanted)),
    has_many(eggs(Egg::basket_id, nested)),
    many_to_many(marks(BasketMark))
)]
struct Basket {
    id: i64,
    /// Number of the eggs in its body.
    wanted: i64,
}

/// An egg of a basket.
#[derive(Debug, Clone, Resource)]
#[crud(table = "eggs", prefix = "/eggs", filter(basket_id))]
struct Egg {
    id: i64,
    #[crud(references(Basket, on_delete(cascade)))]
    basket_id: i64,
    number: i64,
}

/// A mark on baskets.
#[derive(Debug, Clone, Resource)]
#[crud(table = "marks", prefix = "/marks", filter(name))]
struct Mark {
    id: i64,
    name: String,
}

/// A mark on a basket.
#[derive(Debug, Clone, Resource)]
#[crud(table = "basket_marks", prefix = "/basket-marks")]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct BasketMark {
    #[crud(id, references(Basket, on_delete(cascade)))]
    basket_id: i64,
    #[crud(id, references(Mark, on_delete(cascade)))]
    mark_id: i64,
}

/// The sets of marks that clients put on the first basket.
const MARKS: [[i64; 3]; 2] = [[1, 2, 3], [4, 5, 6]];

/// Sends changes of several records and aggregates, and closes the connection before most of them are answered; waits for each
/// second one.
async fn fill_and_leave(client: &Client, address: SocketAddr, stop: &AtomicBool, mut random: fastrand::Rng) {
    while !stop.load(Ordering::Relaxed) {
        let mut connection = RawConnection::connect(address).await;
        let wanted = random.i64(1..6);
        let eggs: Vec<Value> = (0..wanted).map(|number| json!({ "number": number })).collect();
        let (request, body) = match random.u8(0..6) {
            0 => ("PUT /baskets/1/marks", json!({ "ids": MARKS[random.usize(0..2)] })),
            1..=3 => ("POST /baskets", json!({ "wanted": wanted, "eggs": eggs })),
            _ => ("GET /baskets/aggregate?group_by=wanted", Value::Null),
        };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!("{request} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
        connection.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
        pause("before the change is acknowledged, most often", Duration::from_micros(random.u64(0..10_000))).await;
        drop(connection);
        client.post("/baskets", &json!({ "wanted": 1, "eggs": [{ "number": 0 }] })).await;
    }
}

/// Sends the same and waits for each; the answers that differ from those of a service of one client.
async fn fill_and_stay(client: &Client, changes: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    for number in 0..changes {
        let eggs = [json!({ "number": 1 }), json!({ "number": 2 })];
        let filled = client.post("/baskets", &json!({ "wanted": 2, "eggs": eggs })).await;
        let marked = client.put("/baskets/1/marks", &json!({ "ids": MARKS[number % 2] })).await;
        let grouped = client.get("/baskets/aggregate?group_by=wanted").await;
        if (filled.status(), marked.status(), grouped.status()) != (201, 200, 200) {
            wrong.push(format!("{filled:?} {marked:?} {grouped:?}"));
        }
    }
    wrong
}

#[test]
fn a_client_that_leaves_while_it_changes_several_records_changes_all_or_none() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Basket>().resource::<Egg>().resource::<Mark>();
        let service = service.resource::<BasketMark>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        for number in 0..6 {
            api.post("/marks", &json!({ "name": number.to_string() })).await.created();
        }
        api.post("/baskets", &json!({ "wanted": 0 })).await.created();
        let stop = AtomicBool::new(false);
        let random = |seed| fastrand::Rng::with_seed(seed);
        // All change the marks of one basket: with more clients, some wait for its lock longer than a request may.
        let (leaving, changes) = (part_of(api.backend(), LEAVING / 4) as u64, part_of(api.backend(), changes()));
        let leaving = (0..leaving).map(|seed| fill_and_leave(&api, api.address(), &stop, random(seed)));
        let staying = async {
            let wrong = join_all((0..STAYING).map(|_| fill_and_stay(&api, changes))).await;
            stop.store(true, Ordering::Relaxed);
            wrong.concat()
        };
        let (wrong, _) = tokio::join!(staying, join_all(leaving));
        assert_eq!(wrong, [""; 0]);
        // Requests in flight end.
        wait_until("each basket has the eggs of its body", async || {
            let (baskets, eggs) = (api.get("/baskets").await.ok(), api.get("/eggs").await.ok());
            let of = |basket: &Value| records(&eggs).iter().filter(|egg| egg["basket_id"] == basket["id"]).count();
            records(&baskets).iter().all(|basket| basket["wanted"] == of(basket))
        })
        .await;
        let marks = api.get("/baskets/1/marks").await.ok();
        let marks: Vec<i64> = records(&marks).iter().filter_map(|mark| mark["id"].as_i64()).collect();
        assert!(MARKS.iter().any(|set| *set == marks[..]), "{marks:?}");
        api.stop().await;
    });
}

/// A record that clients create in batches: a connection prepares a statement for each size of a batch.
#[derive(Debug, Clone, Resource)]
#[crud(table = "cards", prefix = "/cards", batch, audit)]
struct Card {
    id: i64,
    text: String,
}

/// Number of batches that each of those that leave sends.
const BATCHES: usize = 20;

/// Sends batches of many sizes and closes the connection while most of their statements are prepared.
async fn prepare_and_leave(address: SocketAddr, mut random: fastrand::Rng) {
    for _ in 0..BATCHES {
        let body = batch((0..random.usize(1..200)).map(|number| json!({ "text": number.to_string() }))).to_string();
        let mut connection = RawConnection::connect(address).await;
        let head = "POST /cards/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
        connection.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
        pause("while a statement is prepared, most often", Duration::from_micros(random.u64(0..2_000))).await;
    }
}

/// Longest time until the connections of clients that left serve others.
const WHOLE: Duration = Duration::from_secs(1);

#[test]
fn connections_whose_statements_are_given_up_while_they_are_prepared_soon_serve_others() {
    on_each_sql_server(async |database| {
        let metrics = free_address().to_string();
        let service = database.service().await.resource::<Card>().server(|server| server.metrics(&metrics));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let metrics = Client::of_program(format!("http://{metrics}"), database.secrets());
        let leaving = (0..LEAVING as u64).map(|seed| prepare_and_leave(api.address(), fastrand::Rng::with_seed(seed)));
        join_all(leaving).await;
        let whole = wait_until("no connection is in use", async || {
            let text = metrics.get("/metrics").await.expect(200).text();
            text.lines().any(|line| line == "crud_database_connections_busy 0")
        });
        within(WHOLE, "the pool is whole", whole).await;
        let together =
            join_all((0..STAYING).map(async |_| api.post("/cards", &json!({ "text": "after" })).await)).await;
        assert!(together.iter().all(|answer| answer.status() == 201), "{together:?}");
        api.stop().await;
    });
}
