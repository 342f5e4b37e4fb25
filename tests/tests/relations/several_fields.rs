//! References to records whose keys have several fields.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{batch, column, create_all};
use crud_tests::{Api, Backend, Database, on_each_backend, on_each_sql_backend, query};
use serde_json::{Value, json};

/// A line of an order, by the order and a code.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter(label),
    sort(label),
    has_many(shipments(Shipment::line_code, limit = 2, sort(id)), notes(Note::code), marks(Mark::code))
)]
struct Line {
    #[crud(id)]
    order_id: i64,
    #[crud(id)]
    code: String,
    label: String,
}

/// A shipment of a line.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(order_id, line::label), sort(line::label), batch)]
struct Shipment {
    id: i64,
    order_id: Option<i64>,
    #[crud(references(Line, by(order_id, line_code), expand, relation(line)))]
    line_code: Option<String>,
}

/// A note, which goes with its line.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(line::label))]
struct Note {
    id: i64,
    order_id: i64,
    #[crud(references(Line, by(order_id, code), relation(line), on_delete(cascade)))]
    code: String,
}

/// A mark, which outlives its line.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Mark {
    id: i64,
    order_id: Option<i64>,
    #[crud(references(Line, by(order_id, code), on_delete(set_null)))]
    code: Option<String>,
}

/// A room of a house, which can be closed for a while.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(soft_delete)]
struct Room {
    #[crud(id)]
    house: i32,
    #[crud(id)]
    number: i32,
    deleted_at: Option<DateTime<Utc>>,
}

/// A booking of a room.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(batch, audit)]
struct Booking {
    id: i64,
    house: i32,
    #[crud(references(Room, by(house, number), expand, relation(room)))]
    number: i32,
    guest: String,
}

fn service(service: Service) -> Service {
    let service = service.resource::<Line>().resource::<Shipment>().resource::<Note>().resource::<Mark>();
    service.resource::<Room>().resource::<Booking>()
}

async fn start(database: &Database) -> Api {
    let service = service(database.service().await).migrate().await.expect("the tables");
    let mut api = Api::start(database, service).await;
    api.check_against_document().await;
    let lines = [(1, "a", "lamp"), (1, "b,c", "desk"), (2, "a", "chair")];
    let lines = lines.map(|(order, code, label)| json!({ "order_id": order, "code": code, "label": label }));
    create_all(&api, "/lines", lines).await;
    api
}

fn shipment(order: impl Into<Value>, code: impl Into<Value>) -> Value {
    json!({ "order_id": order.into(), "line_code": code.into() })
}

#[test]
fn a_reference_leads_to_the_record_of_all_its_fields() {
    on_each_backend(async |database| {
        let api = start(database).await;
        let bodies = [shipment(1, "b,c"), shipment(2, "a"), shipment(1, Value::Null), shipment(Value::Null, "x")];
        create_all(&api, "/shipments", bodies).await;
        let shipments = api.get("/shipments?expand=line").await.ok();
        let lines = column(&shipments, "line");
        let labels: Vec<&Value> = lines.iter().map(|line| &line["label"]).collect();
        assert_eq!(labels, [&json!("desk"), &json!("chair"), &Value::Null, &Value::Null]);
        assert_eq!(column(&api.get("/shipments?line.label=chair").await.ok(), "id"), [2]);
        let others = query("/shipments", [("where", json!({ "not": { "line": { "label": "desk" } } }).to_string())]);
        assert_eq!(column(&api.get(others).await.ok(), "id"), [2], "no record satisfies no condition");
        api.stop().await;
    });
}

#[test]
fn a_record_without_the_other_is_refused() {
    on_each_backend(async |database| {
        let api = start(database).await;
        for missing in [shipment(2, "b,c"), shipment(9, "a")] {
            let problem = api.post("/shipments", &missing).await.problem("reference_not_found");
            assert_eq!(problem.pointers(), ["/line_code", "/order_id"]);
        }
        let shipment = api.post("/shipments", &shipment(1, "a")).await.created();
        let path = format!("/shipments/{}", shipment["id"]);
        // The other field stays: `2,b,c` is no line.
        let to_b = api.patch(&path, &json!({ "line_code": "b,c" })).await.ok();
        assert_eq!((&to_b["order_id"], &to_b["line_code"]), (&json!(1), &json!("b,c")));
        let problem = api.patch(&path, &json!({ "order_id": 2 })).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/line_code", "/order_id"]);
        assert_eq!(api.patch(&path, &json!({ "order_id": null })).await.ok()["line_code"], "b,c", "it refers to none");
        api.stop().await;
    });
}

#[test]
fn a_removal_applies_to_the_records_of_that_key_alone() {
    on_each_backend(async |database| {
        let api = start(database).await;
        api.post("/shipments", &shipment(1, "a")).await.created();
        for prefix in ["/notes", "/marks"] {
            let bodies = [(1, "b,c"), (2, "a")].map(|(order, code)| json!({ "order_id": order, "code": code }));
            create_all(&api, prefix, bodies).await;
        }
        api.delete("/lines/1,a").await.problem("referenced");
        api.delete("/lines/1,b%2Cc").await.ok();
        assert_eq!(column(&api.get("/notes").await.ok(), "order_id"), [2]);
        let marks = api.get("/marks").await.ok();
        assert_eq!(column(&marks, "order_id"), [Value::Null, json!(2)]);
        assert_eq!(column(&marks, "code"), [Value::Null, json!("a")]);
        api.delete("/shipments/1").await.ok();
        api.delete("/lines/1,a").await.ok();
        api.stop().await;
    });
}

#[test]
fn a_soft_deleted_record_takes_no_new_references() {
    on_each_backend(async |database| {
        let api = start(database).await;
        let rooms = [(1, 1), (1, 2)].map(|(house, number)| json!({ "house": house, "number": number }));
        create_all(&api, "/rooms", rooms).await;
        let body = |number: i32| json!({ "house": 1, "number": number, "guest": "Ann" });
        let booking = api.post("/bookings", &body(1)).await.created();
        let other = api.post("/bookings", &body(2)).await.created();
        api.delete("/rooms/1,1").await.ok();
        api.post("/bookings", &body(1)).await.problem("reference_not_found");
        if database.backend().has_transactions() {
            api.post("/bookings/batch", &batch([body(2), body(1)])).await.problem("reference_not_found");
        }
        // A referring record stays, and may be written back.
        let path = format!("/bookings/{}", booking["id"]);
        assert_eq!(api.patch(&path, &json!({ "guest": "Bob", "number": 1 })).await.ok()["guest"], "Bob");
        let path = format!("/bookings/{}", other["id"]);
        api.patch(&path, &json!({ "number": 1 })).await.problem("reference_not_found");
        assert_eq!(api.get(format!("{path}?expand=room")).await.ok()["room"]["number"], 2);
        api.stop().await;
    });
}

#[test]
fn records_that_refer_are_listed_beside_and_sorted_by_the_other() {
    on_each_sql_backend(async |database| {
        let api = start(database).await;
        let bodies = [shipment(1, "a"), shipment(1, "a"), shipment(1, "a"), shipment(2, "a"), shipment(1, Value::Null)];
        create_all(&api, "/shipments", bodies).await;
        let lines = api.get("/lines?expand=shipments").await.ok();
        let of = |index: usize| column(&lines[index]["shipments"], "id");
        assert_eq!((of(0), of(1), of(2)), (vec![json!(1), json!(2)], vec![], vec![json!(4)]));
        assert_eq!(lines[0]["shipments"]["more"], true);
        let with = query("/lines", [("where", json!({ "shipments": { "order_id": 2 } }).to_string())]);
        assert_eq!(column(&api.get(with).await.ok(), "label"), ["chair"]);
        let without =
            query("/lines", [("where", json!({ "not": { "shipments": { "order_id__gt": 0 } } }).to_string())]);
        assert_eq!(column(&api.get(without).await.ok(), "label"), ["desk"]);
        assert_eq!(column(&api.get("/shipments?sort=line.label,id").await.ok(), "id"), [5, 4, 1, 2, 3]);
        api.stop().await;
    });
}

#[test]
fn the_programs_own_queries_use_it() {
    on_each_backend(async |database| {
        let service = service(database.service().await).migrate().await.expect("the tables");
        let (lines, shipments) = (service.store::<Line>(), service.store::<Shipment>());
        for (order, code) in [(1, "a"), (2, "a")] {
            lines.create(NewLine::new(order, code, format!("{order}"))).await.expect("a line");
        }
        shipments.create(NewShipment::new().order_id(2).line_code("a".to_owned())).await.expect("a shipment");
        let line = Shipment::FIELDS.line;
        let found = shipments.list_with(line.is(Line::FIELDS.label.eq("2")), line).await.expect("a list");
        assert_eq!(found[0].1.as_ref().map(|line| line.order_id), Some(2));
        let shipped = Line::FIELDS.shipments.any(!Shipment::FIELDS.order_id.is_null());
        assert_eq!(lines.list(shipped).await.expect("a list")[0].order_id, 2);
    });
}

#[test]
fn a_created_table_is_what_the_structs_want() {
    on_each_backend(async |database| {
        let service = service(database.service().await).migrate().await.expect("the tables");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
        drop(service.migrate().await.expect("tables that are there"));
    });
}

#[test]
fn the_database_keeps_the_foreign_key() {
    on_each_sql_backend(async |database| {
        drop(service(database.service().await).migrate().await.expect("the tables"));
        // A word of MariaDB's.
        let lines = if database.backend() == Backend::MySql { "`lines`" } else { "lines" };
        database.execute(&format!("INSERT INTO {lines} (order_id, code, label) VALUES (1, 'a', 'x')")).await;
        database.execute("INSERT INTO shipments (order_id, line_code) VALUES (1, 'a')").await;
        assert!(!database.try_execute("INSERT INTO shipments (order_id, line_code) VALUES (2, 'a')").await);
    });
}

#[test]
fn a_foreign_key_that_is_missing_is_planned_and_named() {
    /// A shipment whose line is not known yet.
    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "shipments")]
    struct Before {
        id: i64,
        order_id: Option<i64>,
        #[crud(length(max = 255))]
        line_code: Option<String>,
    }
    on_each_sql_backend(async |database| {
        drop(database.service().await.resource::<Before>().migrate().await.expect("the table"));
        let error = service(database.service().await).migrate().await.expect_err("no foreign key").to_string();
        let missing =
            "must have a foreign key of `order_id`, `line_code` to `lines` (`order_id`, `code`) ON DELETE RESTRICT";
        assert!(error.contains(missing), "{error}");
    });
}
