//! Linked records whose keys have several fields: the record's, the linked one's, or both.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, create_all};
use crud_tests::{Api, on_each_sql_backend, on_each_transactional_backend, query};
use serde_json::{Value, json};

/// A line of an order, by the order and a code.
#[derive(Debug, Clone, Resource)]
#[crud(filter(label), audit, many_to_many(tags(LineTag, limit = 2), parts(LinePart::line_code, LinePart::part_code)))]
struct Line {
    #[crud(id)]
    order_id: i64,
    #[crud(id)]
    code: String,
    label: String,
}

/// A tag.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), audit, many_to_many(lines(LineTag)))]
struct Tag {
    id: i64,
    name: String,
}

/// A tag of a line.
#[derive(Debug, Clone, Resource)]
struct LineTag {
    #[crud(id)]
    order_id: i64,
    #[crud(id, references(Line, by(order_id, line_code), on_delete(cascade)))]
    line_code: String,
    #[crud(id, references(Tag))]
    tag_id: i64,
}

/// A line that is a part of another one of its order.
#[derive(Debug, Clone, Resource)]
struct LinePart {
    #[crud(id)]
    order_id: i64,
    #[crud(id, references(Line, by(order_id, line_code), on_delete(cascade)))]
    line_code: String,
    #[crud(id, references(Line, by(order_id, part_code), on_delete(cascade)))]
    part_code: String,
}

/// The text of the key of the line `b,c/d` of the first order.
const HOSTILE: &str = "1,b%2Cc%2Fd";

fn service(service: Service) -> Service {
    service.resource::<Line>().resource::<Tag>().resource::<LineTag>().resource::<LinePart>()
}

/// Lines `a` and `b,c/d` of an order and `a` of another one, and three tags.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(&Api)) {
    on_each_transactional_backend(async |database| {
        let service = service(database.service().await).migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let lines = [(1, "a", "lamp"), (1, "b,c/d", "desk"), (2, "a", "chair")];
        let lines = lines.map(|(order, code, label)| json!({ "order_id": order, "code": code, "label": label }));
        create_all(&api, "/lines", lines).await;
        create_all(&api, "/tags", ["new", "old", "red"].map(|name| json!({ "name": name }))).await;
        test(&api).await;
        api.stop().await;
    });
}

fn ids(ids: impl Into<Value>) -> Value {
    json!({ "ids": ids.into() })
}

#[test]
fn set_of_a_record_is_replaced_added_to_and_read() {
    on_each(async |api| {
        let path = format!("/lines/{HOSTILE}/tags");
        assert_eq!(column(&api.put(&path, &ids([2, 1])).await.ok(), "name"), ["new", "old"]);
        assert_eq!(column(&api.post("/lines/1,a/tags", &ids([3])).await.ok(), "name"), ["red"]);
        let none: [&str; 0] = [];
        assert_eq!(column(&api.get("/lines/2,a/tags").await.ok(), "name"), none, "its code alone is that of another");
        let set = api.put(&path, &ids([2, 3])).await.ok();
        assert_eq!(column(&set, "name"), ["old", "red"]);
        assert_eq!(api.get(&path).await.ok(), set);
        assert_eq!(column(&api.delete(format!("{path}/3")).await.ok(), "name"), ["old"]);
        api.delete(format!("{path}/3")).await.problem("not_found");
        assert_eq!(column(&api.get("/lines/1,a/tags").await.ok(), "name"), ["red"]);
        let read = api.get(&path).await.etag();
        api.post(&path, &ids([1])).header("if-match", &read).await.ok();
        api.post(&path, &ids([3])).header("if-match", &read).await.problem("precondition_failed");
        api.put("/lines/2,b/tags", &ids([1])).await.problem("not_found");
        api.put("/lines/2/tags", &ids([1])).await.problem("validation_failed");
        let log = api.get(format!("/lines/{HOSTILE}/history")).await.ok();
        assert_eq!(column(&log, "action"), ["create", "link", "unlink", "link", "unlink", "link"]);
        // The links go with the line.
        api.delete("/lines/1,a").await.ok();
        assert_eq!(column(&api.get("/tags/3/lines").await.ok(), "code"), none);
    });
}

#[test]
fn linked_record_is_named_by_the_text_of_its_key() {
    on_each(async |api| {
        let set = api.put("/tags/1/lines", &ids([HOSTILE, "2,a", "1,a"])).await.ok();
        assert_eq!(column(&set, "label"), ["lamp", "desk", "chair"], "in the order of their keys");
        assert_eq!(column(&api.put("/tags/1/lines", &ids(["1,a", HOSTILE])).await.ok(), "label"), ["lamp", "desk"]);
        let problem = api.post("/tags/1/lines", &ids(["2,a", "2,b"])).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/ids/1"]);
        api.post("/tags/1/lines", &ids(["2"])).await.problem("validation_failed");
        api.delete("/tags/1/lines/2").await.problem("validation_failed");
        api.delete("/tags/1/lines/2,a").await.problem("not_found");
        assert_eq!(column(&api.delete(format!("/tags/1/lines/{HOSTILE}")).await.ok(), "label"), ["lamp"]);
        let log = api.get("/tags/1/history").await.ok();
        assert_eq!(column(&log, "action"), ["create", "link", "unlink", "unlink"]);
        assert_eq!(column(&log, "previous")[2]["lines"], json!(["2,a"]));
        assert_eq!(column(&log, "previous")[3]["lines"], json!([HOSTILE]));
    });
}

#[test]
fn two_references_that_share_a_field_link_records_that_have_the_same() {
    on_each(async |api| {
        assert_eq!(column(&api.put("/lines/1,a/parts", &ids([HOSTILE])).await.ok(), "label"), ["desk"]);
        let problem = api.post("/lines/1,a/parts", &ids(["1,a", "2,a"])).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/ids/1"]);
        assert_eq!(problem.only().detail, "must have the `order_id` of the record that it is linked to");
        assert_eq!(column(&api.post("/lines/1,a/parts", &ids(["1,a"])).await.ok(), "label"), ["lamp", "desk"]);
        let set = api.delete(format!("/lines/1,a/parts/{HOSTILE}")).await.ok();
        assert_eq!(column(&set, "code"), ["a"]);
    });
}

#[test]
fn conditions_lead_over_the_junction() {
    on_each(async |api| {
        api.put("/lines/1,a/tags", &ids([1, 2])).await.ok();
        api.put("/lines/2,a/tags", &ids([2])).await.ok();
        api.put("/lines/1,a/parts", &ids([HOSTILE])).await.ok();
        let found = async |prefix: &str, field: &str, condition: Value| {
            column(&api.get(query(prefix, [("where", condition.to_string())])).await.ok(), field)
        };
        assert_eq!(found("/lines", "label", json!({ "tags": { "name": "new" } })).await, ["lamp"]);
        assert_eq!(found("/lines", "label", json!({ "tags": { "name": "old" } })).await, ["lamp", "chair"]);
        assert_eq!(found("/lines", "label", json!({ "not": { "tags": { "name": "old" } } })).await, ["desk"]);
        assert_eq!(found("/lines", "label", json!({ "parts": { "label": "desk" } })).await, ["lamp"]);
        assert_eq!(found("/tags", "name", json!({ "lines": { "label": "lamp" } })).await, ["new", "old"]);
        assert_eq!(found("/tags", "name", json!({ "lines": { "label": "chair" } })).await, ["old"]);
        assert_eq!(found("/tags", "name", json!({ "not": { "lines": { "label": "lamp" } } })).await, ["red"]);
    });
}

#[test]
fn expand_returns_the_first_linked_records_of_each() {
    on_each(async |api| {
        if !api.backend().speaks_sql() {
            return;
        }
        api.put("/lines/1,a/tags", &ids([1, 2, 3])).await.ok();
        api.put("/lines/2,a/tags", &ids([3])).await.ok();
        api.put("/lines/1,a/parts", &ids([HOSTILE])).await.ok();
        let lines = api.get("/lines?expand=tags,parts").await.ok();
        let of = |index: usize, name: &str, field: &str| column(&lines[index][name], field);
        assert_eq!(of(0, "tags", "name"), ["new", "old"]);
        assert_eq!((&lines[0]["tags"]["limit"], &lines[0]["tags"]["more"]), (&json!(2), &json!(true)));
        assert_eq!(of(0, "parts", "label"), ["desk"]);
        assert_eq!(lines[1]["tags"], json!({ "data": [], "limit": 2, "more": false }));
        assert_eq!(of(2, "tags", "name"), ["red"]);
        assert_eq!(api.get("/lines/1,a?expand=tags,parts").await.ok(), lines[0]);
        let tags = api.get("/tags?expand=lines").await.ok();
        assert_eq!(column(&tags[2]["lines"], "label"), ["lamp", "chair"]);
        assert_eq!(column(&tags[0]["lines"], "label"), ["lamp"]);
    });
}

/// A seat, by two texts.
#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(neighbours(Neighbour::seat_place, Neighbour::other_place)))]
struct Seat {
    #[crud(id, length(max = 20))]
    aisle: String,
    #[crud(id, length(max = 20))]
    place: String,
}

/// A seat beside another one.
#[derive(Debug, Clone, Resource)]
struct Neighbour {
    #[crud(id, length(max = 20))]
    seat_aisle: String,
    #[crud(id, length(max = 20), references(Seat, by(seat_aisle, seat_place)))]
    seat_place: String,
    #[crud(id, length(max = 20))]
    other_aisle: String,
    #[crud(id, length(max = 20), references(Seat, by(other_aisle, other_place)))]
    other_place: String,
}

#[test]
fn keys_whose_commas_are_elsewhere_are_two() {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Seat>().resource::<Neighbour>();
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let seats = [("a,b", "c"), ("a", "b,c")].map(|(aisle, place)| json!({ "aisle": aisle, "place": place }));
        create_all(&api, "/seats", seats).await;
        let set = api.put("/seats/a%2Cb,c/neighbours", &ids(["a,b%2Cc"])).await.ok();
        assert_eq!(column(&set, "place"), ["b,c"]);
        let left = api.delete("/seats/a%2Cb,c/neighbours/a,b%2Cc").await.ok();
        assert_eq!(left["data"], json!([]));
        api.stop().await;
    });
}

/// A shelf, whose links could be made twice.
#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(lines(ShelfLine)))]
struct Shelf {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct ShelfLine {
    id: i64,
    #[crud(references(Shelf))]
    shelf_id: i64,
    order_id: i64,
    #[crud(references(Line, by(order_id, code)))]
    code: String,
}

#[test]
fn two_records_are_linked_once() {
    on_each_sql_backend(async |database| {
        let service = service(database.service().await).resource::<Shelf>().resource::<ShelfLine>();
        let error = match service.migrate().await.and_then(Service::into_router) {
            Ok(_) => panic!("the service starts"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains("needs `unique(shelf_id, order_id, code)`"), "{error}");
    });
}
