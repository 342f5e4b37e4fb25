//! Attacks on what events tell, by each way to them.
//!
//! | Rule | Attack |
//! |---|---|
//! | Another resource counts with its own scope and access (S1) | conditions on other records, a resource that the reader may not list |
//! | Only what a resource names is a condition (S2) | fields, members and resources that there are not |
//! | A field that the reader does not see is none (S3) | conditions on it, its values and its name in events, changes of it alone |
//! | A record that the reader does not see is none (S4) | its key, its events, its removal, records that are deleted |
//! | What is not understood is refused (S5) | parameters and members of lists that events do not have |
//! | The cost is bounded (S6) | conditions without end, many subscriptions, large bodies |

use crud_runtime::testing::Test;
use serde_json::{Value, json};

use crate::board::{Draft, card, create, on_board, staff};
use crate::ways::{Reader, Way};

const PASSWORD: &str = "correct horse battery";

/// A new user with roles; with its token.
pub(crate) async fn reader(test: &Test, name: &str, roles: &[&str]) -> Reader {
    let user = test.users().create_user(name, PASSWORD).roles(roles.iter().copied());
    user.claim("team", 1).await.expect("a user");
    let login = test.post("/auth/login", json!({ "username": name, "password": PASSWORD })).await.expect(200).json();
    Reader { test: test.clone(), token: login["access_token"].as_str().map(str::to_owned) }
}

/// The number of the last event.
async fn mark(reader: &Reader) -> String {
    let answer = reader.get("/cards/events").await.expect("events");
    answer["after"].as_str().expect("a number").to_owned()
}

/// A refusal without what names the parameter.
fn refusal(problem: &Value, name: &str) -> Value {
    let errors = problem["errors"].to_string().replace(name, "NAME");
    json!([problem["status"], problem["code"], errors.split("did you mean").next()])
}

#[test]
fn condition_on_other_records_is_refused() {
    on_board(async |test| {
        let ann = reader(test, "ann", &["member"]).await;
        for way in Way::with_conditions() {
            for (name, value) in [("project.name", json!("roof")), ("members.user_id", json!("ann"))] {
                let problem = ann.read(way, "tasks", &[(name, value)], "0").await.expect_err("a refusal");
                assert!(["unsupported_here", "validation_failed"].contains(&code(&problem)), "{way:?}: {problem}");
            }
        }
        let problem = ann.get("/tasks/events?project.name=roof").await.expect_err("a refusal");
        assert_eq!(code(&problem), "unsupported_here", "lists have it");
    });
}

fn code(problem: &Value) -> &str {
    problem["code"].as_str().unwrap_or_default()
}

#[test]
fn resource_that_the_reader_may_not_list_is_refused_as_its_list_is() {
    on_board(async |test| {
        let ann = reader(test, "ann", &["member"]).await;
        let nobody = Reader { test: test.clone(), token: None };
        let made = create(&staff(test), "/memos", json!({ "text": "secret" })).await;
        for (reader, expected) in [(&ann, "permission_denied"), (&nobody, "authentication_failed")] {
            assert_eq!(code(&reader.get("/memos").await.expect_err("a refusal")), expected);
            for way in Way::ALL {
                let problem = reader.read(way, "memos", &[], "0").await.expect_err("a refusal");
                assert_eq!(code(&problem), expected, "{way:?}");
            }
            for id in [made, 4711] {
                let problem = reader.get(&format!("/memos/{id}/events")).await.expect_err("a refusal");
                assert_eq!(code(&problem), expected);
            }
        }
    });
}

#[test]
fn field_that_the_reader_does_not_see_is_as_one_that_there_is_not() {
    on_board(async |test| {
        let ann = reader(test, "ann", &["member"]).await;
        let id = card(&staff(test), 7, "paint").await;
        let after = mark(&ann).await;
        for value in [41_357, 41_358] {
            let body = json!({ "price": value, "title": format!("paint {value} times") });
            staff(test).patch(format!("/cards/{id}"), body).await.expect(200);
        }
        let alone = card(&staff(test), 7, "sand").await;
        staff(test).patch(format!("/cards/{alone}"), json!({ "price": 41_359 })).await.expect(200);
        for way in Way::ALL {
            let told = ann.read(way, "cards", &[], &after).await.expect("events");
            let of = |id: i64| told.iter().filter(|event| event["record_id"] == json!(id)).count();
            assert_eq!((of(id), of(alone)), (1, 1), "{way:?}: {told:?}");
            let text = json!(told).to_string();
            assert!(!text.contains("price") && !text.contains("4135") || text.contains("times"), "{way:?}: {text}");
            for name in ["\"price\"", "secret", "41359"] {
                assert!(!text.contains(name), "{way:?}: {text}");
            }
        }
        for way in Way::with_conditions() {
            let mut refusals = Vec::new();
            for name in ["price", "secret", "colour", "price__gt"] {
                let problem = ann.read(way, "cards", &[(name, json!(41_358))], &after).await.expect_err("a refusal");
                refusals.push(refusal(&problem, name));
            }
            assert!(refusals.iter().all(|other| *other == refusals[0]), "{way:?}: {refusals:?}");
        }
    });
}

#[test]
fn record_that_the_reader_does_not_see_is_as_one_that_there_is_not() {
    on_board(async |test| {
        let (ann, eve) = (reader(test, "ann", &["member"]).await, reader(test, "eve", &["member"]).await);
        let after = mark(&ann).await;
        let made = ann.sign(test.post("/notes", json!({ "text": "mine" }))).await.expect(201).json();
        let path = format!("/notes/{}", made["id"]);
        ann.sign(test.patch(&path, json!({ "text": "still mine" }))).await.expect(200);
        ann.sign(test.delete(&path)).await.expect(200);
        for way in Way::ALL {
            assert!(eve.read(way, "notes", &[], &after).await.expect("events").is_empty(), "{way:?}");
            let told = ann.read(way, "notes", &[], &after).await.expect("events");
            assert_eq!(told[0]["type"], "note.removed", "{way:?}");
        }
        for path in [format!("{path}/events?after={after}"), format!("/notes/4711/events?after={after}")] {
            assert_eq!(eve.get(&path).await.expect("events")["data"], json!([]));
        }
    });
}

#[test]
fn deleted_records_are_told_to_those_who_may_restore_them() {
    on_board(async |test| {
        let (ann, sam) = (reader(test, "ann", &["member"]).await, reader(test, "sam", &["staff"]).await);
        let store = test.app().store::<Draft>();
        let id = create(&staff(test), "/drafts", json!({ "text": "early" })).await;
        let after = mark(&ann).await;
        store.delete(id).await.expect("a removal");
        let deleted = [("include_deleted", json!(true))];
        for way in Way::with_conditions() {
            let problem = ann.read(way, "drafts", &deleted, &after).await.expect_err("a refusal");
            assert_eq!(code(&problem), "permission_denied", "{way:?}");
            let told = ann.read(way, "drafts", &[], &after).await.expect("events");
            assert_eq!((&told[0]["type"], &told[0]["data"]), (&json!("draft.removed"), &Value::Null), "{way:?}");
            let told = sam.read(way, "drafts", &deleted, &after).await.expect("events");
            assert_eq!((&told[0]["type"], &told[0]["data"]["id"]), (&json!("draft.updated"), &json!(id)), "{way:?}");
        }
    });
}

#[test]
fn what_events_do_not_have_is_refused() {
    on_board(async |test| {
        let ann = reader(test, "ann", &["member"]).await;
        let refused = async |path: &str, body: Option<Value>| {
            let request = match &body {
                Some(body) => test.post(path, body),
                None => test.get(path),
            };
            let answer = ann.sign(request).await;
            assert!([400, 422].contains(&answer.status()), "{path} {body:?}: {}", answer.text());
        };
        for query in [
            "limit=5",
            "skip=1",
            "sort=title",
            "fields=id",
            "expand=board",
            "q=paint",
            "cursor=x",
            "colour=7",
            "board=x",
        ] {
            refused(&format!("/cards/events?{query}"), None).await;
            refused(&format!("/cards/1/events?{query}"), None).await;
        }
        refused("/events?resources=cards&colour=7", None).await;
        refused("/events", None).await;
        for (member, value) in [
            ("limit", json!(5)),
            ("sort", json!("title")),
            ("q", json!("x")),
            ("colour", json!(7)),
            ("where", json!(7)),
        ] {
            let view = json!({ "name": "a", "resource": "cards", member: value });
            refused("/cards/events", Some(json!({ member: value }))).await;
            refused("/events", Some(json!({ "subscriptions": [view] }))).await;
        }
        for body in [
            json!({ "subscriptions": [], "colour": 7 }),
            json!({ "subscriptions": "cards" }),
            json!({ "subscriptions": [7] }),
            json!({ "subscriptions": [{ "resource": "cards" }] }),
            json!({ "subscriptions": [{ "name": "a" }] }),
            json!({ "subscriptions": [{ "name": "a", "resource": "audit_logs" }] }),
            json!({ "subscriptions": [{ "name": "a", "resource": "users" }] }),
            json!([]),
        ] {
            refused("/events", Some(body)).await;
        }
    });
}

#[test]
fn requests_of_unbounded_cost_are_refused() {
    on_board(async |test| {
        let ann = reader(test, "ann", &["member"]).await;
        let deep = (0..50).fold(json!({ "board": 7 }), |inner, _| json!({ "or": [inner] }));
        let wide = json!({ "or": (0..1_000).map(|board| json!({ "board": board })).collect::<Vec<_>>() });
        for condition in [deep, wide] {
            for way in Way::with_conditions() {
                let problem =
                    ann.read(way, "cards", &[("where", condition.clone())], "0").await.expect_err("a refusal");
                let codes = ["query_too_complex", "query_too_long", "validation_failed"];
                assert!(codes.contains(&code(&problem)), "{way:?}: {problem}");
            }
        }
        let view = json!({ "name": "a", "resource": "cards" });
        let many = json!({ "subscriptions": vec![view; 51] });
        assert_eq!(ann.sign(test.post("/events", many)).await.status(), 422);
        let large = json!({ "where": { "title": "x".repeat(80_000) } });
        assert_eq!(ann.sign(test.post("/cards/events", large)).await.status(), 413);
        let long = "x".repeat(20_000);
        assert_eq!(ann.sign(test.post("/events/ticket", json!({})).header("x-long", long)).await.status(), 431);
    });
}
