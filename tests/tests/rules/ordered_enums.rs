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
#[crud(filter, sort, default_sort(desc(priority)), pagination(cursor, default_limit = 2))]
struct Issue {
    id: i64,
    title: String,
    priority: Option<Priority>,
}

/// A comment on an issue.
#[derive(Debug, Clone, Resource)]
#[crud(sort(issue::priority), pagination)]
struct Comment {
    id: i64,
    #[crud(references(Issue))]
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
        let issues =
            [("a", Some("high")), ("b", Some("low")), ("c", None), ("d", Some("urgent")), ("e", Some("normal"))];
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
        let found = async |parameters: &str| column(&api.get(format!("/alarms?{parameters}")).await.ok(), "priority");
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
        let ids = answer.ok()["data"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| record["id"].clone())
            .collect::<Vec<_>>();
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
        let error = service.and_then(|service| service.into_router().map(drop)).expect_err("an error").to_string();
        assert!(error.contains("Issue.priority is an enum with `ordered`"), "{error}");
        assert!(error.contains("write `stored(integer)` on the enum"), "{error}");
    });
}

#[test]
fn labels_are_in_the_document_and_texts_in_the_program() {
    assert_eq!((Priority::Urgent.label(), Priority::High.label()), ("As soon as possible", "high"));
    assert_eq!(
        (Priority::Urgent.to_string(), "high".parse::<Priority>().ok()),
        ("urgent".to_owned(), Some(Priority::High))
    );
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(ordered, stored(integer))]
enum Size {
    Small = 10,
    Medium = 20,
    Large = 35,
}

/// A shirt, whose size is stored as a number.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination(cursor, default_limit = 2), audit, batch, aggregate(group_by(size)))]
struct Shirt {
    id: i64,
    #[crud(default(Size::Medium))]
    size: Size,
    other: Option<Size>,
}

#[test]
fn enum_that_is_stored_as_integers_has_its_texts_in_every_answer() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Shirt>().migrate().await.expect("the tables");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let bodies = [json!({ "size": "Large" }), json!({ "size": "Small", "other": "Large" }), json!({})];
        let created = create_all(&api, "/shirts", bodies).await;
        assert_eq!(created[2], json!({ "id": 3, "size": "Medium", "other": null }));
        let sizes = async |target: &str| column(&api.get(target).await.ok(), "size");
        assert_eq!(sizes("/shirts?sort=size&limit=9").await, ["Small", "Medium", "Large"]);
        assert_eq!(sizes("/shirts?sort=-size&size__gte=Medium").await, ["Large", "Medium"]);
        assert_eq!(sizes("/shirts?size__in=Small,Large&sort=-size").await, ["Large", "Small"]);
        let page = api.get("/shirts?sort=size").await.ok();
        let cursor = page["next_cursor"].as_str().expect("a cursor").to_owned();
        assert_eq!(sizes(&query("/shirts", [("sort", "size"), ("cursor", &cursor)])).await, ["Large"]);
        api.get("/shirts?size=Huge").await.problem("validation_failed");
        api.post("/shirts", &json!({ "size": 10 })).await.problem("validation_failed");
        assert_eq!(
            api.patch("/shirts/1", &json!({ "size": "Small", "other": "Medium" })).await.ok()["other"],
            "Medium"
        );
        let history = api.get("/shirts/1/history").await.ok();
        assert_eq!(history["data"][1]["changes"], json!({ "size": "Small", "other": "Medium" }));
        let groups = api.get("/shirts/aggregate?group_by=size").await.ok();
        assert_eq!(groups["data"], json!([{ "size": "Small", "count": 2 }, { "size": "Medium", "count": 1 }]));
        let found = app.store::<Shirt>().list(Shirt::FIELDS.size.eq(Size::Medium)).await.expect("a list");
        assert_eq!(found.iter().map(|shirt| shirt.id).collect::<Vec<_>>(), [3]);
        // A second start finds the table as it is.
        drop(database.service().await.resource::<Shirt>().migrate().await.expect("the table as it is"));
        if database.backend().speaks_sql() {
            database.execute("INSERT INTO shirts (size) VALUES (35)").await;
            assert_eq!(api.get("/shirts/4").await.ok()["size"], "Large");
            assert!(
                !database.try_execute("INSERT INTO shirts (size) VALUES (21)").await,
                "a number that no variant has"
            );
        }
        api.stop().await;
    });
}
