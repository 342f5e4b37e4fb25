//! Pages of large records are streamed, with the same content as small ones.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, create_all, id, records};
use crud_tests::{Api, Client, on_each_backend, on_kitchen};
use serde_json::{Value, json};

/// The length of a large text: some of them are more than a response buffers.
const LARGE: usize = 60_000;

/// Number of large records.
const COUNT: usize = 24;

/// A large text, different for each number.
fn text(number: usize) -> String {
    format!("{number:05}").repeat(LARGE / 5)
}

/// Creates large posts: each but the first refers to the one before it.
async fn create_posts(kitchen: &Client) -> Vec<Value> {
    let mut posts = Vec::<Value>::new();
    for number in 0..COUNT {
        let body = json!({ "title": text(number), "parent_id": posts.last().map(id) });
        posts.push(kitchen.post("/posts", &body).await.created());
    }
    posts
}

#[test]
fn page_of_large_records_is_complete() {
    on_kitchen(async |kitchen| {
        let posts = create_posts(kitchen).await;
        let all = kitchen.get("/posts?limit=100").await.expect(200);
        assert_eq!(all.require("x-total-count"), COUNT.to_string());
        assert_eq!(all.require("content-range"), format!("posts 0-{}/{COUNT}", COUNT - 1));
        let all = all.ok();
        assert_eq!(records(&all), posts);
        assert_eq!([&all["total"], &all["page"], &all["limit"]], [&json!(COUNT), &json!(1), &json!(100)]);
        let some = kitchen.get("/posts?limit=12&skip=5").await.expect(200);
        assert_eq!(some.require("content-range"), format!("posts 5-16/{COUNT}"));
        assert_eq!(records(&some.ok()), &posts[5..17]);
    });
}

/// A large text that refers to the one before it.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/chapters", table = "chapters", pagination)]
struct Chapter {
    id: i64,
    text: String,
    #[crud(references(Chapter, expand))]
    previous_id: Option<i64>,
}

#[test]
fn large_records_have_what_is_beside_them() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Chapter>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let mut chapters = Vec::<Value>::new();
        for number in 0..COUNT {
            let body = json!({ "text": text(number), "previous_id": chapters.last().map(id) });
            chapters.push(api.post("/chapters", &body).await.created());
        }
        let page = api.get("/chapters?limit=100&expand=previous").await.ok();
        assert_eq!(column(&page, "id"), column(&json!({ "data": chapters }), "id"));
        assert!(records(&page)[0]["previous"].is_null());
        for (chapter, previous) in records(&page)[1..].iter().zip(&chapters) {
            assert!(chapter["previous"] == *previous, "what is beside chapter {}", chapter["id"]);
        }
        let one = api.get(format!("/chapters/{}?expand=previous", id(&chapters[5]))).await.ok();
        assert!(one["previous"] == chapters[4]);
        api.stop().await;
    });
}

#[test]
fn cursors_lead_through_large_records_in_both_directions() {
    on_kitchen(async |kitchen| {
        let bodies = (0..COUNT).map(|number| json!({ "title": format!("{}", number % 3), "body": text(number) }));
        create_all(kitchen, "/essays", bodies).await;
        let expected = column(&kitchen.get("/essays?limit=100&sort=-title").await.ok(), "id");
        let (mut seen, mut pages) = (Vec::new(), Vec::new());
        let mut target = "/essays?limit=9&sort=-title".to_owned();
        loop {
            let page = kitchen.get(target).await.expect(200);
            let has_link = page.headers("link").iter().any(|link| link.contains("rel=\"next\""));
            assert_eq!(has_link, page.json()["next_cursor"] != Value::Null);
            let page = page.ok();
            seen.extend(column(&page, "id"));
            let next = page["next_cursor"].as_str().map(str::to_owned);
            pages.push(page);
            let Some(next) = next else { break };
            target = format!("/essays?limit=9&sort=-title&cursor={next}");
        }
        assert_eq!(seen, expected);
        let last = pages.pop().expect("a last page");
        let cursor = last["prev_cursor"].as_str().expect("a page before it");
        let before = kitchen.get(format!("/essays?limit=9&sort=-title&cursor={cursor}")).await.ok();
        assert!(before["data"] == pages[1]["data"], "the page before the last one is the second one");
        assert!(before["prev_cursor"].is_string() && before["next_cursor"].is_string());
    });
}

#[test]
fn streams_of_large_records_are_complete() {
    on_kitchen(async |kitchen| {
        let entries = create_all(kitchen, "/entries", (0..COUNT).map(|number| json!({ "text": text(number) }))).await;
        assert!(records(&kitchen.get("/entries").await.ok()) == entries);
        let bodies = (0..COUNT).map(|number| json!({ "title": "x", "body": text(number) }));
        let essays = create_all(kitchen, "/essays", bodies).await;
        let file = kitchen.get("/essays/export?format=ndjson").await.expect(200).text();
        let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(lines == essays);
    });
}

#[test]
fn history_of_large_changes_is_complete() {
    on_kitchen(async |kitchen| {
        let ledger = kitchen.post("/ledgers", &json!({ "name": "x", "extra": text(0) })).await.created();
        let path = format!("/ledgers/{}", id(&ledger));
        for number in 1..COUNT {
            kitchen.patch(&path, &json!({ "extra": text(number) })).await.ok();
        }
        let history = kitchen.get(format!("{path}/history?limit=100")).await.ok();
        assert_eq!(history["total"], COUNT);
        for (number, entry) in records(&history).iter().enumerate() {
            assert!(entry["changes"]["extra"] == text(number), "entry {number}");
        }
        let newest_first = kitchen.get(format!("{path}/history?limit=100&sort=-timestamp")).await.ok();
        assert!(records(&newest_first).iter().eq(records(&history).iter().rev()));
        let log = kitchen.get("/audit-logs?entity_type=Ledger&limit=10&skip=3").await.ok();
        assert_eq!(records(&log), &records(&history)[3..13]);
        let time = records(&history)[4]["timestamp"].as_str().expect("a time");
        let then = kitchen.get(format!("{path}?as_of={time}")).await.ok();
        assert!(then["extra"] == text(4));
    });
}
