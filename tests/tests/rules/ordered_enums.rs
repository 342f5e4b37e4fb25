//! Enums with the order of their declaration, with labels, `Display` and `FromStr`.

use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, create_all};
use crud_tests::{Api, Database, on_each_backend, query};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(ordered, display, rename_all = "snake_case")]
enum Priority {
    Low,
    Normal,
    #[crud(label = "As soon as possible")]
    Urgent,
    High,
}

/// An issue.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, default_sort(-priority), pagination(cursor, default_limit = 2))]
struct Issue {
    id: i64,
    title: String,
    priority: Option<Priority>,
}

/// A comment on an issue.
#[derive(Debug, Clone, Resource)]
#[crud(sort(issue.priority), pagination)]
struct Comment {
    id: i64,
    #[crud(references = Issue)]
    issue_id: i64,
}

/// An issue that no list sorts.
#[derive(Debug, Clone, Resource)]
#[crud(filter)]
struct Alarm {
    id: i64,
    priority: Priority,
}

async fn service(database: &Database) -> Service {
    let service = database.service().await.resource::<Issue>().resource::<Comment>();
    service.migrate().await.expect("the tables")
}

fn issue(title: &str, priority: Option<&str>) -> Value {
    json!({ "title": title, "priority": priority })
}

fn on_issues(test: impl AsyncFn(&Api, &App) + Copy) {
    on_each_backend(async |database| {
        if !ranks(database) {
            return;
        }
        let service = service(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let issues = [("a", Some("high")), ("b", Some("low")), ("c", None), ("d", Some("urgent")), ("e", Some("normal"))];
        create_all(&api, "/issues", issues.map(|(title, priority)| issue(title, priority))).await;
        test(&api, &app).await;
        api.stop().await;
    });
}

/// Whether storage sorts by the declaration of an enum that it stores as text.
fn ranks(database: &Database) -> bool {
    database.backend() != crud_tests::Backend::MongoDb
}

#[test]
fn lists_sort_and_continue_in_the_order_of_the_declaration() {
    on_issues(async |api, app| {
        let titles = async |target: &str| column(&api.get(target).await.ok(), "title");
        assert_eq!(titles("/issues?limit=9").await, ["a", "d", "e", "b", "c"]);
        assert_eq!(titles("/issues?limit=9&sort=priority").await, ["c", "b", "e", "d", "a"]);
        for (sort, expected) in [("priority", ["c", "b", "e", "d", "a"]), ("-priority", ["a", "d", "e", "b", "c"])] {
            let mut walked = Vec::new();
            let mut target = query("/issues", [("sort", sort)]);
            loop {
                let page = api.get(&target).await.ok();
                walked.extend(column(&page, "title"));
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                target = query("/issues", [("sort", sort), ("cursor", cursor)]);
            }
            assert_eq!(walked, expected, "{sort}");
        }
        let found = app.store::<Issue>().list(Issue::FIELDS.priority.gte(Priority::Urgent)).await.expect("a list");
        assert_eq!(found.iter().map(|issue| &*issue.title).collect::<Vec<_>>(), ["a", "d"]);
    });
}

#[test]
fn values_compare_in_the_order_of_the_declaration() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Alarm>().migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        create_all(&api, "/alarms", ["low", "high", "urgent"].map(|priority| json!({ "priority": priority }))).await;
        let found = async |parameters: &str| {
            column(&api.get(format!("/alarms?{parameters}")).await.ok(), "priority")
        };
        assert_eq!(found("priority__gt=normal").await, ["high", "urgent"]);
        assert_eq!(found("priority__gte=high").await, ["high"]);
        assert_eq!(found("priority__lt=urgent").await, ["low"]);
        assert_eq!(found("priority__lte=urgent&priority__gt=low").await, ["urgent"]);
        assert_eq!(found("priority__gt=high").await, Vec::<String>::new());
        let condition = json!({ "not": { "priority__gt": "normal" } }).to_string();
        assert_eq!(column(&api.get(query("/alarms", [("where", condition)])).await.ok(), "priority"), ["low"]);
        api.get("/alarms?priority__gt=hihg").await.problem("validation_failed");
        api.stop().await;
    });
}

#[test]
fn order_of_another_resource_follows_the_declaration() {
    on_issues(async |api, _| {
        create_all(api, "/comments", [1, 2, 4].map(|issue| json!({ "issue_id": issue }))).await;
        // Storage without subqueries has no such orders.
        let answer = api.get("/comments?sort=issue.priority").await;
        if answer.status() == 422 {
            answer.problem("unsupported_here");
            return;
        }
        let ids = answer.ok()["data"].as_array().expect("records").iter().map(|record| record["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids, [2, 3, 1]);
    });
}

#[test]
fn storage_that_sorts_by_stored_texts_refuses_the_order_at_start() {
    on_each_backend(async |database| {
        if ranks(database) {
            return;
        }
        let service = database.service().await.resource::<Issue>().resource::<Comment>().migrate().await;
        let error = service.and_then(|service| service.into_router().map(drop)).err().expect("an error").to_string();
        assert!(error.contains("Issue.priority is an enum with `ordered`"), "{error}");
    });
}

#[test]
fn labels_are_in_the_document_and_texts_in_the_program() {
    assert_eq!((Priority::Urgent.label(), Priority::High.label()), ("As soon as possible", "high"));
    assert_eq!((Priority::Urgent.to_string(), "high".parse::<Priority>().ok()), ("urgent".to_owned(), Some(Priority::High)));
    assert!("High".parse::<Priority>().is_err_and(|error| error.to_string().contains("low")));
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Alarm>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let document = api.get("/openapi.json").await.ok();
        let labels = ["low", "normal", "As soon as possible", "high"];
        assert_eq!(document["components"]["schemas"]["AlarmPriority"]["x-enum-descriptions"], json!(labels));
        api.stop().await;
    });
}
