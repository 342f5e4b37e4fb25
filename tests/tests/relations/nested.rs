//! Records that refer to one, in its body.

use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, create_all};
use crud_tests::{Api, on_each_backend, on_each_sql_backend, on_each_transactional_backend};
use reqwest::Method;
use serde_json::{Value, json};

/// An order.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    pagination(default_limit = 10),
    batch,
    import,
    audit,
    idempotency,
    upsert(number),
    has_many(
        lines(OrderLine::order_id, limit = 20, nested),
        stops(Stop::order_id, nested),
        gifts(Gift::order_id, nested)
    )
)]
struct Order {
    id: i64,
    #[crud(unique, length(max = 20))]
    number: String,
    note: Option<String>,
}

/// A line of an order.
#[derive(Debug, Clone, Resource)]
#[crud(batch(max_size = 5), audit, soft_delete, hooks(before(no_lead)))]
struct OrderLine {
    id: i64,
    #[crud(references(Order))]
    order_id: i64,
    #[crud(length(max = 20))]
    product: String,
    #[crud(range(min = 1))]
    quantity: i32,
    deleted_at: Option<DateTime<Utc>>,
}

#[allow(clippy::unused_async, reason = "a hook is async")]
async fn no_lead(change: &mut Changeset<'_, OrderLine>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    match change.get(OrderLine::FIELDS.product).as_deref() {
        Some("lead") => Err(Problem::at(OrderLine::FIELDS.product, "heavy", "is too heavy")),
        _ => Ok(()),
    }
}

/// A stop on the way of an order, whose number the client gives.
#[derive(Debug, Clone, Resource)]
struct Stop {
    #[crud(id, references(Order, on_delete(cascade)))]
    order_id: i64,
    #[crud(id)]
    position: i32,
    town: String,
}

/// A gift for an order, one at most.
#[derive(Debug, Clone, Resource)]
struct Gift {
    id: i64,
    #[crud(references(Order, on_delete(cascade)), unique)]
    order_id: i64,
    text: String,
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(&Api)) {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Order>().resource::<OrderLine>();
        let service = service.resource::<Stop>().resource::<Gift>().migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

fn line(product: &str, quantity: i64) -> Value {
    json!({ "product": product, "quantity": quantity })
}

/// An order with these lines, and its path.
async fn order(api: &Api, number: &str, lines: Value) -> (Value, String) {
    let created = api.post("/orders", &json!({ "number": number, "lines": lines })).await.created();
    let path = format!("/orders/{}", created["id"]);
    (created, path)
}

/// The lines of an order that are there.
async fn lines(api: &Api, order: &Value) -> Vec<(Value, Value)> {
    let all = api.get("/order_lines").await.ok();
    let all = all.as_array().expect("lines").iter().filter(|line| line["order_id"] == order["id"]);
    all.map(|line| (line["product"].clone(), line["quantity"].clone())).collect()
}

fn pairs<const N: usize>(lines: [(&str, i64); N]) -> Vec<(Value, Value)> {
    lines.map(|(product, quantity)| (json!(product), json!(quantity))).to_vec()
}

#[test]
fn record_is_created_with_those_that_refer_to_it() {
    on_each(async |api| {
        let body = json!({ "number": "A", "lines": [line("nail", 3), line("nut", 1)], "stops": [{ "position": 1, "town": "Ulm" }] });
        let answer = api.post("/orders", &body).await.expect(201);
        let location = answer.require("location").to_owned();
        let tag = answer.etag();
        let created = answer.into_json();
        assert_eq!(location, format!("/orders/{}", created["id"]));
        assert_eq!(column(&created["lines"], "product"), ["nail", "nut"]);
        assert_eq!((&created["lines"]["limit"], &created["lines"]["more"]), (&json!(20), &json!(false)));
        assert_eq!(created["stops"]["data"], json!([{ "order_id": created["id"], "position": 1, "town": "Ulm" }]));
        assert_eq!(created.get("gifts"), None, "the answer has what the body has");
        assert_eq!(lines(api, &created).await, pairs([("nail", 3), ("nut", 1)]));
        let read = api.get(&location).await;
        assert_eq!(read.etag(), tag, "the version is that of the record alone");
        assert_eq!(read.into_json()["number"], "A");
        let line = &created["lines"]["data"][0];
        let log = api.get(format!("/order_lines/{}/history", line["id"])).await.ok();
        assert_eq!(column(&log, "action"), ["create"]);
        // Without items it is as without them.
        let (plain, _) = order(api, "B", json!([])).await;
        assert_eq!(plain.get("lines"), None);
    });
}

#[test]
fn item_with_a_key_is_changed_and_one_without_is_created() {
    on_each(async |api| {
        let (created, path) = order(api, "A", json!([line("nail", 3), line("nut", 1), line("pin", 2)])).await;
        let id = |index: usize| created["lines"]["data"][index]["id"].clone();
        let body = json!({
            "note": "urgent",
            "lines": [{ "id": id(0), "quantity": 5 }, line("bolt", 7), { "id": id(1), "_delete": true }],
        });
        let changed = api.patch(&path, &body).await.ok();
        assert_eq!(changed["note"], "urgent");
        assert_eq!(column(&changed["lines"], "product"), ["nail", "pin", "bolt"]);
        assert_eq!(lines(api, &created).await, pairs([("nail", 5), ("pin", 2), ("bolt", 7)]), "others stay");
        let log =
            async |index: usize| column(&api.get(format!("/order_lines/{}/history", id(index))).await.ok(), "action");
        assert_eq!(log(0).await, ["create", "update"]);
        assert_eq!(log(1).await, ["create", "soft_delete"]);
        assert_eq!(log(2).await, ["create"]);
        // PUT is PATCH.
        api.put(&path, &json!({ "number": "A", "lines": [{ "id": id(2), "quantity": 9 }] })).await.ok();
        assert_eq!(lines(api, &created).await, pairs([("nail", 5), ("pin", 9), ("bolt", 7)]));
        // An expanded record can be written back, and changes nothing.
        let read = changed.clone();
        api.patch(&path, &read).await.ok();
        assert_eq!(lines(api, &created).await, pairs([("nail", 5), ("pin", 9), ("bolt", 7)]));
    });
}

#[test]
fn item_whose_key_the_client_gives_is_created_where_there_is_none() {
    on_each(async |api| {
        let stop = |position: i32, town: &str| json!({ "position": position, "town": town });
        let body = json!({ "number": "A", "stops": [stop(1, "Ulm"), stop(2, "Linz")] });
        let created = api.post("/orders", &body).await.created();
        let path = format!("/orders/{}", created["id"]);
        let body = json!({ "stops": [stop(2, "Wien"), stop(3, "Graz"), { "position": 1, "_delete": true }] });
        let changed = api.patch(&path, &body).await.ok();
        assert_eq!(column(&changed["stops"], "town"), ["Wien", "Graz"]);
        let refused = api.patch(&path, &json!({ "stops": [{ "position": 4 }] })).await.problem("validation_failed");
        assert_eq!(refused.pointers(), ["/stops/0/town"], "as a create of it would be");
        api.patch(&path, &json!({ "stops": [{ "position": 2, "town": "Brno" }] })).await.ok();
        assert_eq!(api.get(format!("/stops/{},2", created["id"])).await.ok()["town"], "Brno");
        let twice = json!({ "stops": [stop(2, "a"), stop(2, "b")] });
        let refused = api.patch(&path, &twice).await.problem("validation_failed");
        assert_eq!(refused.only().code, "duplicate");
    });
}

#[test]
fn errors_point_into_the_body_and_nothing_is_written() {
    on_each(async |api| {
        let (created, path) = order(api, "A", json!([line("nail", 3)])).await;
        let id = &created["lines"]["data"][0]["id"];
        let before = api.get(format!("/order_lines/{id}")).await.ok();
        let post = async |lines: Value| api.post("/orders", &json!({ "number": "B", "lines": lines })).await;
        let problem = post(json!([line("nail", 1), line("nut", 0), { "product": 7 }, 3])).await;
        let problem = problem.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/lines/1/quantity", "/lines/2/product", "/lines/2/quantity", "/lines/3"]);
        let problem = api.post("/orders", &json!({ "lines": [line("nail", 0)] })).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/lines/0/quantity", "/number"], "those of the record too");
        let problem = post(json!([line("nail", 1), line("lead", 1)])).await.problem("validation_failed");
        assert_eq!((problem.pointers(), problem.only().code.as_str()), (vec!["/lines/1/product"], "heavy"));
        let unknown = post(json!([{ "product": "nail", "quantity": 1, "colour": "red" }])).await;
        assert_eq!(unknown.problem("validation_failed").only().code, "unknown_field");
        post(json!([{ "product": "nail", "quantity": 1, "_delete": true }])).await.problem("validation_failed");
        for lines in [json!("a"), json!({ "product": "nail" }), Value::Null] {
            assert_eq!(post(lines).await.problem("validation_failed").pointers(), ["/lines"]);
        }
        let gifts = json!({ "number": "B", "gifts": [{ "text": "a" }, { "text": "b" }] });
        assert_eq!(api.post("/orders", &gifts).await.problem("conflict").pointers(), ["/gifts/1/order_id"]);
        assert_eq!(api.get("/orders").await.ok()["total"], 1);
        assert_eq!(api.get("/gifts").await.ok(), json!([]));

        let patch = async |lines: Value| api.patch(&path, &json!({ "note": "lost", "lines": lines })).await;
        for (lines, pointer) in [
            (json!([{ "id": id, "quantity": 0 }]), "/lines/0/quantity"),
            (json!([{ "id": id, "quantity": 4 }, line("lead", 1)]), "/lines/1/product"),
            (json!([{ "id": 99, "quantity": 4 }]), "/lines/0/id"),
            (json!([{ "id": 99, "_delete": true }]), "/lines/0/id"),
            (json!([{ "_delete": true }]), "/lines/0/id"),
            (json!([{ "id": id, "_delete": false }]), "/lines/0/_delete"),
            (json!([{ "id": id, "_delete": true, "quantity": 1 }]), "/lines/0/_delete"),
            (json!([{ "id": id, "quantity": 4 }, { "id": id, "_delete": true }]), "/lines/1/id"),
            (json!([{ "id": null, "quantity": 4 }]), "/lines/0/id"),
            (json!([{ "quantity": 4 }]), "/lines/0/product"),
        ] {
            let problem = patch(lines.clone()).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [pointer], "{lines}");
        }
        assert_eq!(api.get(format!("/order_lines/{id}")).await.ok(), before);
        assert_eq!(api.get(&path).await.ok()["note"], Value::Null);
        // A precondition is of the record, and holds for its items.
        let body = json!({ "lines": [line("nut", 1)] });
        api.patch(&path, &body).header("if-match", "\"other\"").await.problem("precondition_failed");
        api.patch("/orders/99", &body).await.problem("not_found");
        assert_eq!(lines(api, &created).await, pairs([("nail", 3)]));
    });
}

#[test]
fn body_has_as_many_items_as_a_batch() {
    on_each(async |api| {
        let many = |count: i64| (0..count).map(|quantity| line("nail", quantity + 1)).collect::<Value>();
        let (created, path) = order(api, "A", many(5)).await;
        assert_eq!(lines(api, &created).await.len(), 5);
        let body = json!({ "number": "B", "lines": many(6) });
        for answer in [api.post("/orders", &body).await, api.patch(&path, &body).await] {
            assert_eq!(answer.problem("batch_too_large").pointers(), ["/lines"]);
        }
        let stops = |count: i32| (0..count).map(|at| json!({ "position": at, "town": "Ulm" })).collect::<Value>();
        api.post("/orders", &json!({ "number": "C", "stops": stops(101) })).await.problem("batch_too_large");
        api.post("/orders", &json!({ "number": "C", "stops": stops(100) })).await.created();
    });
}

#[test]
fn batches_imports_and_upserts_have_no_items() {
    on_each(async |api| {
        let (_, path) = order(api, "A", json!([line("nail", 3)])).await;
        let body = json!({ "number": "B", "lines": [line("nail", 1)] });
        let batch = json!({ "items": [body] });
        for answer in [api.post("/orders/batch", &batch).await, api.post("/orders?on_conflict=number", &body).await] {
            let problem = answer.problem("validation_failed");
            assert_eq!(problem.only().code, "expanded");
            assert!(problem.only().detail.contains("is written with one record"), "{problem}");
        }
        let import = api.request(Method::POST, "/orders/import?mode=partial");
        let imported = import.body("application/x-ndjson", format!("{body}\n")).await.expect(207).into_json();
        assert_eq!(imported["errors"][0]["errors"][0]["code"], "expanded");
        // Bodies of what is nested nest nothing.
        let deep = json!({ "lines": [{ "product": "nail", "quantity": 1, "lines": [] }] });
        assert_eq!(api.patch(&path, &deep).await.problem("validation_failed").pointers(), ["/lines/0/lines"]);
        assert_eq!(api.get("/orders").await.ok()["total"], 1);
    });
}

#[test]
fn repeated_create_is_answered_as_the_first() {
    on_each(async |api| {
        let body = json!({ "number": "A", "lines": [line("nail", 1), line("nut", 1)] });
        let post = async || api.post("/orders", &body).header("idempotency-key", "a").await;
        let first = post().await.created();
        let second = post().await;
        assert_eq!(second.require("idempotency-replayed"), "true");
        assert_eq!(second.created(), first);
        assert_eq!(lines(api, &first).await.len(), 2);
        // The records of a large answer are read again, those of the body with them.
        let (note, gift) = ("n".repeat(60_000), "g".repeat(60_000));
        let large = json!({ "number": "L", "note": note, "lines": [line("nail", 1)], "gifts": [{ "text": gift }] });
        let post = async || api.post("/orders", &large).header("idempotency-key", "l").await;
        let first = post().await.created();
        assert_eq!(post().await.created(), first);
        let refused = json!({ "number": "B", "lines": [line("lead", 1)] });
        let refuse = async || api.post("/orders", &refused).header("idempotency-key", "b").await;
        for _ in 0..2 {
            assert_eq!(refuse().await.problem("validation_failed").pointers(), ["/lines/0/product"]);
        }
        assert_eq!(api.get("/orders").await.ok()["total"], 2);
    });
}

#[test]
fn two_clients_that_change_items_of_one_record_both_succeed() {
    on_each(async |api| {
        let (created, path) = order(api, "A", json!([line("nail", 1), line("nut", 1)])).await;
        let change = async |index: usize, quantity: i64| {
            let id = &created["lines"]["data"][index]["id"];
            api.patch(&path, &json!({ "lines": [{ "id": id, "quantity": quantity }] })).await
        };
        let (one, other) = tokio::join!(change(0, 5), change(1, 6));
        one.ok();
        other.ok();
        assert_eq!(lines(api, &created).await, pairs([("nail", 5), ("nut", 6)]));
    });
}

#[test]
fn expand_leads_on_beside_what_the_body_has() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Order>().resource::<OrderLine>();
        let service = service.resource::<Stop>().resource::<Gift>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let body = json!({ "number": "A", "lines": [line("nail", 1)] });
        let created = api.post("/orders?expand=gifts,lines", &body).await.created();
        assert_eq!(column(&created["lines"], "product"), ["nail"]);
        assert_eq!(created["gifts"]["data"], json!([]));
        create_all(&api, "/gifts", [json!({ "order_id": created["id"], "text": "a" })]).await;
        let path = format!("/orders/{}?expand=gifts", created["id"]);
        let changed = api.patch(path, &json!({ "lines": [line("nut", 1)] })).await.ok();
        assert_eq!((column(&changed["lines"], "product").len(), column(&changed["gifts"], "text").len()), (2, 1));
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(lines(PlainLine::order_id, nested)))]
struct PlainOrder {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct PlainLine {
    id: i64,
    #[crud(references(PlainOrder))]
    order_id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(lines(OddLine::order_id, nested)))]
struct OddOrder {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct OddLine {
    id: i64,
    #[crud(references(OddOrder))]
    order_id: i64,
    #[crud(rename = "_delete")]
    delete: bool,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(lines(KeptLine::order_id, nested)))]
struct KeptOrder {
    id: i64,
}

/// HTTP creates no line alone, so the hidden field compiles without a default.
#[derive(Debug, Clone, Resource)]
#[crud(operations(list, get))]
struct KeptLine {
    id: i64,
    #[crud(references(KeptOrder))]
    order_id: i64,
    #[crud(hidden)]
    cost: i64,
}

/// The error with which a service does not start.
async fn start_error(service: Service) -> String {
    match service.migrate().await.and_then(Service::into_router) {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn service_whose_bodies_cannot_be_written_does_not_start() {
    on_each_backend(async |database| {
        let service = async || database.service().await;
        let error = start_error(service().await.resource::<OddOrder>().resource::<OddLine>()).await;
        assert!(error.contains("OddLine has a field `_delete`"), "{error}");
        let error = start_error(service().await.resource::<KeptOrder>().resource::<KeptLine>()).await;
        assert!(error.contains("KeptLine.cost is required, and no request sets it"), "{error}");
        if database.backend().is_interactive() {
            return;
        }
        let error = start_error(service().await.resource::<PlainOrder>().resource::<PlainLine>()).await;
        assert!(error.contains("transactions of several calls") && error.contains("another database"), "{error}");
    });
}

#[test]
fn hook_of_the_nested_records_is_one_of_their_own_requests() {
    on_each(async |api| {
        let (_, path) = order(api, "A", json!([line("nail", 1)])).await;
        let problem = api.patch(&path, &json!({ "lines": [line("lead", 2)] })).await.problem("validation_failed");
        let own = json!({ "order_id": 1, "product": "lead", "quantity": 2 });
        let own = api.post("/order_lines", &own).await.problem("validation_failed");
        assert_eq!(problem.only().detail, own.only().detail);
    });
}
