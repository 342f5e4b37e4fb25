//! Records that refer to others: what conditions on them and lists of them would tell of records, fields and resources
//! that the caller does not reach.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, records};
use crud_tests::{Api, Backend, on_each_backend, query};
use serde_json::{Value, json};

use crate::caller::{Caller, SECRET, caller, caller_of};

/// A place that every user sees.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter(name),
    pagination,
    access(all(authenticated)),
    has_many(diaries(Diary::place_id), alarms(Alarm::place_id), rooms(Room::place_id), traces(Trace::place_id))
)]
struct Place {
    id: i64,
    name: String,
}

/// Records of owners, with fields that not every caller sees.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(text, mood), soft_delete, access(all(authenticated)))]
struct Diary {
    id: i64,
    text: String,
    #[crud(visible(role("doctor")))]
    mood: Option<i64>,
    #[crud(write_only)]
    pin: Option<String>,
    #[crud(hidden, default = 0)]
    secret: i64,
    #[crud(references(Place))]
    place_id: i64,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// Records that admins alone may list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(code), access(list(role("admin")), get(public), create(public)))]
struct Alarm {
    id: i64,
    code: String,
    #[crud(references(Place))]
    place_id: i64,
}

/// Records of tenants.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(name), audit, access(all(authenticated)))]
struct Room {
    id: i64,
    name: String,
    #[crud(references(Place))]
    place_id: i64,
    #[crud(tenant(except(role("admin"))))]
    house_id: i64,
}

/// Records whose place doctors alone see.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(kind), access(all(authenticated)))]
struct Trace {
    id: i64,
    kind: String,
    #[crud(references(Place, expand), visible(role("doctor")))]
    place_id: Option<i64>,
}

/// The attic with a diary of Ada's and one of Bob's, and rooms of two houses; the cellar with a deleted diary of Ada's;
/// the roof with nothing.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_places(test: impl AsyncFn(&Api, &Caller<'_>, &Caller<'_>)) {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("house").build().expect("the authentication");
        let service = database.service().await.auth(auth);
        let service =
            service.resource::<Place>().resource::<Diary>().resource::<Alarm>().resource::<Room>().resource::<Trace>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let (ada, bob) = (caller(&api, "1", &["doctor"], 1), caller(&api, "2", &[], 2));
        let mut places = Vec::new();
        for name in ["attic", "cellar", "roof"] {
            places.push(ada.create("/places", json!({ "name": name })).await["id"].clone());
        }
        ada.create("/diaries", json!({ "text": "of ada", "mood": 3, "place_id": places[0], "pin": "1234" })).await;
        bob.create("/diaries", json!({ "text": "of bob", "place_id": places[0] })).await;
        let gone = ada.create("/diaries", json!({ "text": "gone", "place_id": places[1] })).await;
        ada.delete(format!("/diaries/{}", gone["id"])).await.ok();
        ada.create("/alarms", json!({ "code": "0000", "place_id": places[0] })).await;
        ada.create("/rooms", json!({ "name": "red", "place_id": places[0] })).await;
        bob.create("/rooms", json!({ "name": "blue", "place_id": places[0] })).await;
        ada.create("/traces", json!({ "kind": "foot", "place_id": places[0] })).await;
        test(&api, &ada, &bob).await;
        api.stop().await;
    });
}

/// The names of the places that satisfy a condition.
async fn places(caller: &Caller<'_>, condition: Value) -> Vec<Value> {
    let list = caller.get(query("/places", [("where", condition.to_string())])).await.ok();
    assert_eq!(list["total"], list["data"].as_array().map_or(0, Vec::len));
    column(&list, "name")
}

#[test]
fn a_condition_is_on_records_that_the_caller_reaches() {
    on_places(async |api, ada, bob| {
        let of = |text: &str| json!({ "diaries": { "text": text } });
        assert_eq!(places(ada, of("of ada")).await, ["attic"]);
        assert_eq!(places(bob, of("of ada")).await, [""; 0]);
        assert_eq!(places(ada, of("gone")).await, [""; 0], "a deleted record is none, for its owner too");
        // Right and wrong guesses about another owner's record get the same answer.
        for text in ["of ada", "of eve"] {
            let all = ["attic", "cellar", "roof"];
            assert_eq!(places(bob, json!({ "not": of(text) })).await, all, "{text}");
            assert_eq!(places(bob, json!({ "diaries": { "not": { "text": text } } })).await, ["attic"], "{text}");
            assert_eq!(places(bob, json!({ "diaries": { "text__ne": text } })).await, ["attic"], "{text}");
        }
        let none = caller(api, "3", &[], 3);
        assert_eq!(places(&none, json!({ "diaries": { "text__contains": "" } })).await, [""; 0]);
        let admin = caller(api, "4", &["admin"], 1);
        assert_eq!(places(&admin, of("of ada")).await, ["attic"]);
        // Tenants.
        assert_eq!(places(ada, json!({ "rooms": { "name": "red" } })).await, ["attic"]);
        assert_eq!(places(ada, json!({ "rooms": { "name": "blue" } })).await, [""; 0]);
        assert_eq!(places(&none, json!({ "not": { "rooms": { "name": "red" } } })).await.len(), 3);
    });
}

#[test]
fn condition_of_a_caller_without_a_tenant_is_on_no_record_of_tenants() {
    on_places(async |api, _, _| {
        // A claim of another type than the column is none.
        for house in [Value::Null, json!("2"), json!([2]), json!({ "id": 2 }), json!(true), json!(2.5)] {
            let none = caller_of(api, "7", &[], &house);
            for name in ["blue", "green"] {
                let of = json!({ "rooms": { "name": name } });
                assert_eq!(places(&none, of.clone()).await, [""; 0], "{house} {name}");
                let all = ["attic", "cellar", "roof"];
                assert_eq!(places(&none, json!({ "not": of })).await, all, "{house} {name}");
                let other = json!({ "rooms": { "not": { "name": name } } });
                assert_eq!(places(&none, other).await, [""; 0], "{house} {name}");
            }
            none.get("/rooms").await.problem("tenant_required");
        }
    });
}

/// The operations of the reads of a resource that the log of a house has.
async fn reads(api: &Api, house: i64, resource: &str) -> Vec<Value> {
    // This one reads the log of every house, which its entries say too.
    let admin = caller(api, "9", &["admin"], house);
    let log = admin.get(format!("/audit-logs?action=read&entity_type={resource}&limit=100")).await.ok();
    let tenant = house.to_string();
    let of_house = records(&log).iter().filter(|entry| entry["tenant"].as_str() == Some(&tenant));
    of_house.map(|entry| entry["changes"]["operation"].clone()).collect()
}

#[test]
fn condition_of_who_reaches_every_tenant_is_a_read_of_those_whose_records_satisfy_it() {
    on_places(async |api, ada, _| {
        let admin = caller(api, "4", &["admin"], 1);
        let of = |name: &str| json!({ "rooms": { "name": name } });
        assert_eq!(places(&admin, of("green")).await, [""; 0]);
        assert_eq!(places(&admin, of("red")).await, ["attic"], "of its own house");
        assert_eq!(places(ada, of("blue")).await, [""; 0]);
        assert_eq!(reads(api, 2, "Room").await, [""; 0]);
        let mut operations = Vec::new();
        for condition in [of("blue"), json!({ "not": of("blue") }), json!({ "or": [{ "name": "roof" }, of("blue")] })] {
            places(&admin, condition.clone()).await;
            operations.push("GET /places");
            assert_eq!(reads(api, 2, "Room").await, operations.as_slice(), "{condition}");
        }
        let of_place = |name: &str| json!({ "where": { "and": [{ "name": name }, of("blue")] } });
        if api.backend() != Backend::Memory && api.backend().speaks_sql() {
            // The others read the rooms before the places.
            assert_eq!(admin.post("/places/search", &of_place("roof")).await.ok()["total"], 0);
            assert_eq!(reads(api, 2, "Room").await, operations.as_slice(), "no such room is there");
        }
        assert_eq!(admin.post("/places/search", &of_place("attic")).await.ok()["total"], 1);
        operations.push("POST /places/search");
        assert_eq!(reads(api, 2, "Room").await, operations.as_slice());
        assert_eq!(reads(api, 1, "Room").await, [""; 0], "its own house");
    });
}

/// A street, which all houses share.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), soft_delete, access(all(authenticated)), has_many(doors(Door::street_id)))]
struct Street {
    id: i64,
    name: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A door of a house.
#[derive(Debug, Clone, Resource)]
#[crud(filter(code), audit, access(all(authenticated)))]
struct Door {
    id: i64,
    code: String,
    #[crud(references(Street))]
    street_id: i64,
    #[crud(tenant(except(role("admin"))))]
    house_id: i64,
}

#[test]
fn condition_of_a_purge_of_many_is_a_read_of_the_records_that_satisfy_it() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("house").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Street>().resource::<Door>();
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let (admin, bob) = (caller(&api, "1", &["admin"], 1), caller(&api, "2", &[], 2));
        let street = bob.create("/streets", json!({ "name": "main" })).await;
        bob.create("/doors", json!({ "code": "1234", "street_id": street["id"] })).await;
        for (code, expected) in [("0000", 0), ("1234", 1)] {
            let condition = json!({ "doors": { "code": code } }).to_string();
            admin.delete(query("/streets/deleted", [("where", condition)])).await.expect(200);
            assert_eq!(reads(&api, 2, "Door").await, vec!["DELETE /streets/deleted"; expected], "{code}");
        }
        api.stop().await;
    });
}

#[test]
fn body_names_no_field_of_an_expanded_record_that_the_caller_does_not_see() {
    on_places(async |_, ada, bob| {
        let place = async |caller: &Caller<'_>, field: &str| {
            let page = json!({ "data": [{ "id": 1, (field): null }], "limit": 20, "more": false });
            caller.post("/places", &json!({ "name": field, "diaries": page })).await
        };
        place(ada, "mood").await.expect(201);
        for (caller, field, hint) in [(bob, "mood", ""), (bob, "moo", ""), (ada, "moo", "; did you mean `mood`?")] {
            let problem = place(caller, field).await.problem("validation_failed");
            let error = problem.only();
            assert_eq!(
                (error.at.as_str(), error.code.as_str()),
                (&*format!("pointer /diaries/data/0/{field}"), "unknown_field")
            );
            assert_eq!(error.detail, format!("is not a field of Diary{hint}"));
        }
        // The relation of a field that the caller does not see is none.
        let trace = json!({ "kind": "hand", "place": null });
        ada.post("/traces", &trace).await.expect(201);
        let problem = bob.post("/traces", &trace).await.problem("validation_failed");
        assert_eq!(problem.only().code, "unknown_field");
    });
}

#[test]
fn expand_shows_records_and_fields_that_the_caller_sees() {
    on_places(async |api, ada, bob| {
        if !api.backend().speaks_sql() {
            return;
        }
        let attic = async |caller: &Caller<'_>| {
            caller.get("/places?name=attic&expand=diaries,rooms").await.ok()["data"][0].clone()
        };
        let (seen_by_ada, seen_by_bob) = (attic(ada).await, attic(bob).await);
        assert_eq!(column(&seen_by_ada["diaries"], "text"), ["of ada"]);
        assert_eq!(column(&seen_by_bob["diaries"], "text"), ["of bob"]);
        assert_eq!(seen_by_bob["diaries"]["more"], false);
        assert_eq!(column(&seen_by_ada["rooms"], "name"), ["red"]);
        assert_eq!(column(&seen_by_bob["rooms"], "name"), ["blue"]);
        assert_eq!(seen_by_ada["diaries"]["data"][0]["mood"], 3);
        for (seen, fields) in [(&seen_by_ada, ["pin", "secret"]), (&seen_by_bob, ["pin", "mood"])] {
            assert!(fields.iter().all(|field| seen["diaries"]["data"][0].get(field).is_none()), "{seen}");
        }
        let cellar = ada.get("/places?name=cellar&expand=diaries").await.ok();
        assert_eq!(cellar["data"][0]["diaries"]["data"], json!([]), "a deleted record is not in the list");
    });
}

#[test]
fn names_that_the_caller_does_not_see_do_not_exist() {
    on_places(async |api, ada, bob| {
        let admin = caller(api, "4", &["admin"], 1);
        assert_eq!(places(&admin, json!({ "alarms": { "code": "0000" } })).await, ["attic"]);
        assert_eq!(places(ada, json!({ "diaries": { "mood": 3 } })).await, ["attic"]);
        assert_eq!(places(ada, json!({ "traces": { "kind": "foot" } })).await, ["attic"]);
        let refused = async |caller: &Caller<'_>, condition: Value| {
            let problem = caller.post("/places/search", &json!({ "where": condition })).await;
            let problem = problem.problem("validation_failed");
            (problem.only().code.clone(), problem.detail.split("; did you mean").next().unwrap_or_default().to_owned())
        };
        for (caller, name, condition) in [
            (ada, "alarms", json!({ "alarms": { "code": "0000" } })),
            (bob, "traces", json!({ "traces": { "kind": "foot" } })),
            (bob, "mood", json!({ "diaries": { "mood": 3 } })),
            (ada, "pin", json!({ "diaries": { "pin": "1234" } })),
            (ada, "secret", json!({ "diaries": { "secret": 0 } })),
        ] {
            let typo: Value = condition.to_string().replace(name, "zzzzzz").parse().expect("JSON");
            let ((code, detail), (typo_code, typo_detail)) =
                (refused(caller, condition).await, refused(caller, typo).await);
            assert_eq!((code, detail.replace(name, "zzzzzz")), (typo_code, typo_detail), "{name} is as a typo");
        }
        let refused = bob.get("/places?expand=traces").await.problem("validation_failed");
        let typo = bob.get("/places?expand=zzzzzz").await.problem("validation_failed");
        assert_eq!(refused.only().code, typo.only().code);
        assert_eq!(refused.detail.replace("traces", "zzzzzz"), typo.detail);
        if api.backend() != Backend::Memory && api.backend().speaks_sql() {
            admin.get("/places?expand=alarms").await.ok();
            // Records that the caller may not list are not in the list.
            let alarms = column(&ada.get("/places?expand=alarms").await.ok(), "alarms");
            assert!(!alarms.is_empty() && alarms.iter().all(|alarms| alarms["data"] == json!([])), "{alarms:?}");
            ada.get("/places?expand=traces").await.ok();
        }
    });
}
