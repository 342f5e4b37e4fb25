//! Events as a subscriber gets them.

use crud_runtime::prelude::*;
use crud_tests::on_sqlite;
use serde_json::{Value, json};

use crate::board::{Folded, Stream, ann, card, now, on_board, poll, service, staff};

#[test]
fn event_has_the_record_as_a_get_returns_it() {
    on_board(async |test| {
        let ann = ann(test);
        let mut stream = Stream::open(&ann, "/cards/events").await;
        let id = card(&ann, 7, "paint").await;
        let created = stream.next().await;
        assert_eq!(created["type"], "card.created");
        assert_eq!((&created["resource"], &created["record_id"]), (&json!("cards"), &json!(id)));
        assert_eq!(created["data"], ann.get(format!("/cards/{id}")).await.expect(200).json());
        assert!(created["timestamp"].is_string());
        ann.patch(format!("/cards/{id}"), json!({ "points": 3 })).await.expect(200);
        let updated = stream.next().await;
        assert_eq!((&updated["type"], &updated["changed"]), (&json!("card.updated"), &json!(["points"])));
        assert_eq!(updated["data"]["points"], 3);
        ann.delete(format!("/cards/{id}")).await.expect(200);
        let removed = stream.next().await;
        assert_eq!((&removed["type"], &removed["data"]), (&json!("card.removed"), &Value::Null));
    });
}

#[test]
fn record_that_leaves_a_filter_is_removed_and_one_that_enters_it_is_there() {
    on_board(async |test| {
        let ann = ann(test);
        let (here, there) = (card(&ann, 7, "paint").await, card(&ann, 8, "sand").await);
        let after = now(&ann, "/cards/events?board=7").await;
        ann.patch(format!("/cards/{here}"), json!({ "board": 8 })).await.expect(200);
        ann.patch(format!("/cards/{there}"), json!({ "board": 7 })).await.expect(200);
        ann.patch(format!("/cards/{here}"), json!({ "title": "paint it" })).await.expect(200);
        let (events, last) = poll(&ann, "/cards/events?board=7", &after).await;
        let told: Vec<_> = events.iter().map(|event| (&event["type"], &event["record_id"])).collect();
        assert!(told.contains(&(&json!("card.removed"), &json!(here))), "{events:?}");
        assert!(told.contains(&(&json!("card.updated"), &json!(there))), "{events:?}");
        assert_eq!(told.len(), 2);
        // A change of a record that the view never had is nobody's business.
        ann.patch(format!("/cards/{here}"), json!({ "title": "paint it red" })).await.expect(200);
        assert!(poll(&ann, "/cards/events?board=7", &last).await.0.is_empty());
    });
}

#[test]
fn fields_that_a_subscriber_does_not_see_are_in_no_event() {
    on_board(async |test| {
        let (ann, staff) = (ann(test), staff(test));
        let id = card(&ann, 7, "paint").await;
        let after = now(&ann, "/cards/events").await;
        staff.patch(format!("/cards/{id}"), json!({ "price": 12 })).await.expect(200);
        assert!(poll(&ann, "/cards/events", &after).await.0.is_empty(), "nothing that ann sees has changed");
        let (told, _) = poll(&staff, "/cards/events", &after).await;
        assert_eq!((&told[0]["changed"], &told[0]["data"]["price"]), (&json!(["price"]), &json!(12)));
        staff.patch(format!("/cards/{id}"), json!({ "price": 13, "title": "paint it" })).await.expect(200);
        let (told, _) = poll(&ann, "/cards/events", &after).await;
        assert_eq!(told[0]["changed"], json!(["title"]));
        assert!(told[0]["data"].get("price").is_none() && told[0]["data"].get("secret").is_none());
    });
}

#[test]
fn list_and_the_events_after_it_are_the_next_list() {
    on_board(async |test| {
        let ann = ann(test);
        for number in 0..5 {
            card(&ann, 7 + number % 2, "paint").await;
        }
        let (mut folded, mut after) = Folded::list(&ann, "/cards?board=7").await;
        for round in 0..20_i64 {
            let ids: Vec<i64> = ann.get("/cards?limit=100").await.expect(200).json()["data"]
                .as_array()
                .expect("records")
                .iter()
                .filter_map(|record| record["id"].as_i64())
                .collect();
            let id = ids[usize::try_from(round * 7).expect("a number") % ids.len()];
            match round % 5 {
                0 => drop(card(&ann, 7, "new").await),
                1 => drop(ann.patch(format!("/cards/{id}"), json!({ "board": 7 + round % 3 })).await.expect(200)),
                2 => drop(ann.patch(format!("/cards/{id}"), json!({ "title": round.to_string() })).await.expect(200)),
                3 => drop(ann.delete(format!("/cards/{id}")).await.expect(200)),
                _ => {
                    let (events, last) = poll(&ann, "/cards/events?board=7", &after).await;
                    for event in &events {
                        folded.apply(event);
                    }
                    after = last;
                    assert_eq!(folded, Folded::list(&ann, "/cards?board=7").await.0, "round {round}");
                }
            }
        }
    });
}

#[test]
fn stream_resumes_after_the_last_event() {
    on_board(async |test| {
        let ann = ann(test);
        let mut stream = Stream::open(&ann, "/cards/events").await;
        card(&ann, 7, "one").await;
        assert_eq!(stream.next().await["data"]["title"], "one");
        let last = stream.last.clone();
        drop(stream);
        card(&ann, 7, "two").await;
        card(&ann, 7, "three").await;
        let mut stream = Stream::resume(&ann, "/cards/events", Some(&last)).await;
        assert_eq!(stream.next().await["data"]["title"], "two");
        assert_eq!(stream.next().await["data"]["title"], "three");
        card(&ann, 7, "four").await;
        assert_eq!(stream.next().await["data"]["title"], "four");
    });
}

#[test]
fn position_of_another_database_is_a_reset_or_410() {
    on_board(async |test| {
        let ann = ann(test);
        card(&ann, 7, "one").await;
        ann.get("/cards/events?after=99999999").await.problem("history_gone");
        ann.get("/cards/events?after=seven").await.problem("validation_failed");
        ann.get("/cards/events?after=1&wait=31").await.problem("validation_failed");
        for position in ["99999999", "seven", "-1", "999999999999999999999999"] {
            let mut stream = Stream::resume(&ann, "/cards/events", Some(position)).await;
            let reset = stream.next().await;
            assert_eq!(reset, json!({ "id": reset["id"], "type": "reset" }));
            card(&ann, 7, "next").await;
            assert_eq!(stream.next().await["data"]["title"], "next");
        }
    });
}

#[test]
fn document_states_the_header_of_lists_with_events() {
    on_sqlite(async |database| {
        let service = service(database).await;
        let document = service.openapi_json().expect("the document");
        let header = |path: &str, method: &str| {
            document["paths"][path][method]["responses"]["200"]["headers"]["Events-After"]["description"].as_str()
        };
        for (path, method) in [("/cards", "get"), ("/cards/search", "post")] {
            assert!(header(path, method).is_some_and(|about| about.contains("after=4711")), "{path}");
        }
        assert_eq!(header("/members", "get"), None);
    });
}

#[test]
fn document_of_3_2_has_the_schema_of_streamed_events() {
    on_board(async |test| {
        let path = "/paths/~1cards~1events/get/responses/200/content/text~1event-stream";
        let of = async |version: &str| {
            let document = test.get(format!("/openapi.json?version={version}")).await.expect(200).json();
            document.pointer(path).cloned().expect("the stream")
        };
        assert_eq!(of("3.1").await, json!({ "schema": { "type": "string" } }));
        let stream = of("3.2").await;
        let data = &stream["itemSchema"]["properties"]["data"];
        assert_eq!((stream.get("schema"), &data["contentMediaType"]), (None, &json!("application/json")));
        assert_eq!(data["contentSchema"]["required"], json!(["id", "type"]));
    });
}

#[test]
fn poll_waits_for_an_event() {
    on_board(async |test| {
        let ann = ann(test);
        let after = now(&ann, "/cards/events").await;
        let path = format!("/cards/events?wait=20&after={after}");
        let waiting = tokio::spawn({
            let ann = ann.clone();
            async move { ann.get(path).await.expect(200).json() }
        });
        let created = card(&ann, 7, "paint").await;
        let answer = waiting.await.expect("an answer");
        assert_eq!(answer["data"][0]["record_id"], json!(created));
    });
}

#[test]
fn conditions_of_a_search_are_those_of_a_stream() {
    on_board(async |test| {
        let ann = ann(test);
        let after = now(&ann, "/cards/events").await;
        let (cheap, dear) = (card(&ann, 7, "cheap").await, card(&ann, 7, "dear").await);
        ann.patch(format!("/cards/{cheap}"), json!({ "points": 1 })).await.expect(200);
        ann.patch(format!("/cards/{dear}"), json!({ "points": 9 })).await.expect(200);
        let body = json!({ "after": after, "where": { "or": [{ "points__lt": 5 }, { "title": "lamp" }] } });
        let answer = ann.post("/cards/events", body).await.expect(200).json();
        let ids: Vec<_> = answer["data"].as_array().expect("events").iter().map(|event| &event["record_id"]).collect();
        assert_eq!(ids, [&json!(cheap)]);
        ann.get("/cards/events?limit=5").await.problem("validation_failed");
        ann.get("/cards/events?pointz=5").await.problem("validation_failed");
        ann.get(format!("/cards/{dear}/events?after={after}")).await.expect(200);
    });
}

#[test]
fn one_stream_has_several_views() {
    on_board(async |test| {
        let ann = ann(test);
        let after = now(&ann, "/events?resources=cards,notes").await;
        let id = card(&ann, 7, "paint").await;
        ann.post("/notes", json!({ "text": "mine" })).await.expect(201);
        let (both, _) = poll(&ann, "/events?resources=cards,notes", &after).await;
        let resources: Vec<_> = both.iter().map(|event| &event["resource"]).collect();
        assert_eq!(resources, [&json!("cards"), &json!("notes")]);
        let subscriptions = json!([
            { "name": "seven", "resource": "cards", "where": { "board": 7 } },
            { "name": "eight", "resource": "cards", "where": { "board": 8 } },
            { "name": "notes", "resource": "notes" },
        ]);
        let body = json!({ "after": after, "subscriptions": subscriptions });
        let named = ann.post("/events", body).await.expect(200).json();
        let names: Vec<_> = named["data"].as_array().expect("events").iter().map(|it| &it["subscription"]).collect();
        assert_eq!(names, [&json!("seven"), &json!("notes")]);
        assert_eq!(named["data"][0]["record_id"], json!(id));
        ann.get("/events?resources=cards,cats").await.problem("validation_failed");
        ann.post("/events", json!({})).await.problem("validation_failed");
    });
}

#[test]
fn views_beyond_the_limit_of_a_stream_are_refused_by_their_places() {
    on_board(async |test| {
        let ann = ann(test);
        let view =
            |number: usize| json!({ "name": number.to_string(), "resource": "cards", "where": { "board": number } });
        let of = |views: usize| json!({ "subscriptions": (0..views).map(view).collect::<Vec<_>>() });
        ann.post("/events", of(50)).await.expect(200);
        let problem = ann.post("/events", of(52)).await.problem("validation_failed");
        let pointers: Vec<_> = problem["errors"].as_array().expect("errors").iter().map(|it| &it["pointer"]).collect();
        assert_eq!(pointers, [&json!("/subscriptions/50"), &json!("/subscriptions/51")]);
    });
}

#[test]
fn number_of_a_quiet_service_is_known_as_long_as_what_follows_is_kept() {
    on_board(async |test| {
        let ann = ann(test);
        let start = "2026-01-31T12:00:00Z".parse().expect("a time");
        test.clock().set(start);
        card(&ann, 7, "paint").await;
        let after = now(&ann, "/cards/events").await;
        test.clock().set(start + TimeDelta::days(8));
        card(&ann, 7, "sand").await;
        let (told, _) = poll(&ann, "/cards/events", &after).await;
        assert_eq!(told.len(), 1, "nothing was missed: {told:?}");
        test.clock().set(start + TimeDelta::days(16));
        ann.get(format!("/cards/events?after={after}")).await.problem("history_gone");
    });
}
