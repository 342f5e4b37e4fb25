//! A text that an enum does not know: a newer program's, beside which this one runs.

use crud_runtime::prelude::*;
use crud_tests::fixtures::batch;
use crud_tests::{Api, Database, on_each_backend, on_each_backend_with_url};
use serde_json::{Value, json};

/// The program that is replaced.
mod old {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    #[crud(rename_all = "snake_case")]
    pub(super) enum Status {
        Draft,
        Live,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "campaigns", prefix = "/campaigns", filter, sort, pagination(cursor), audit)]
    #[crud(batch(mode(partial)), export, import, upsert(name))]
    pub(super) struct Campaign {
        pub(super) id: i64,
        #[crud(unique, length(max = 50))]
        pub(super) name: String,
        pub(super) status: Status,
        pub(super) former: Option<Status>,
    }
}

/// The program that replaces it, with one more state.
mod new {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    #[crud(rename_all = "snake_case")]
    pub(super) enum Status {
        Draft,
        Live,
        Paused,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "campaigns", prefix = "/campaigns", filter, sort, pagination, audit)]
    pub(super) struct Campaign {
        pub(super) id: i64,
        #[crud(unique, length(max = 50))]
        pub(super) name: String,
        pub(super) status: Status,
        pub(super) former: Option<Status>,
    }
}

/// A program that expects further states.
mod open {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    #[crud(rename_all = "snake_case")]
    pub(super) enum Status {
        Draft,
        Live,
        #[crud(other)]
        Other(String),
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "events", prefix = "/events", filter, sort, pagination)]
    pub(super) struct Event {
        pub(super) id: i64,
        #[crud(length(max = 20))]
        pub(super) status: Status,
        pub(super) former: Option<Status>,
    }
}

/// Both programs, with a record of each state.
async fn side_by_side(database: &Database) -> (Api, Api) {
    let newer = database.service().await.resource::<new::Campaign>().migrate().await.expect("the table");
    let newer = Api::start(database, newer).await;
    let older = database.service().await.resource::<old::Campaign>().migrate().await.expect("the same table");
    let older = Api::start(database, older).await;
    for (name, status) in [("spring", "draft"), ("summer", "live"), ("autumn", "paused"), ("winter", "paused")] {
        let body = json!({ "name": name, "status": status, "former": status });
        newer.post("/campaigns", &body).await.created();
    }
    (older, newer)
}

fn on_both(test: impl AsyncFn(&Api, &Api, &Database) + Copy) {
    on_each_backend_with_url(async |database| {
        let (older, newer) = side_by_side(database).await;
        test(&older, &newer, database).await;
        older.stop().await;
        newer.stop().await;
    });
}

fn statuses(list: &Value) -> Vec<&str> {
    let records = list["data"].as_array().expect("records").iter();
    records.map(|record| record["status"].as_str().expect("a text")).collect()
}

#[test]
fn an_unknown_text_is_read_as_it_is_stored() {
    on_both(async |older, _, _| {
        let record = older.get("/campaigns/3").await.ok();
        assert_eq!((&record["status"], &record["former"]), (&json!("paused"), &json!("paused")));
        let list = older.get("/campaigns?sort=status,id").await.ok();
        assert_eq!(statuses(&list), ["draft", "live", "paused", "paused"]);
        let lines = older.get("/campaigns/export?sort=id").await.expect(200).text();
        assert_eq!(lines.matches(r#""status":"paused""#).count(), 2, "{lines}");
        let cells = older.get("/campaigns/export?format=csv&sort=id").await.expect(200).text();
        assert!(cells.contains("3,autumn,paused,paused"), "{cells}");
    });
}

#[test]
fn a_list_is_filtered_by_an_unknown_text_that_a_record_has() {
    on_both(async |older, _, _| {
        for filter in ["status=paused", "status__in=paused,live", r#"where={"status":"paused"}"#] {
            let list = older.get(format!("/campaigns?{filter}&name=autumn")).await.ok();
            assert_eq!(list["total"], 1, "{filter}");
        }
        assert_eq!(statuses(&older.get("/campaigns?status__ne=paused&sort=id").await.ok()), ["draft", "live"]);
        let lines = older.get("/campaigns/export?status=paused").await.expect(200).text();
        assert_eq!(lines.lines().count(), 2, "{lines}");
        for filter in ["status=pause", "status__in=live,pause", "former=draf"] {
            let problem = older.get(format!("/campaigns?{filter}")).await.problem("validation_failed");
            assert!(problem.errors[0].detail.starts_with("must be one of `draft`, `live`"), "{problem}");
        }
        let problem = older.get(r#"/campaigns?where={"status":"pause"}"#).await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["where/status"]);
    });
}

#[test]
fn a_cursor_beside_an_unknown_text_is_followed() {
    on_both(async |older, _, _| {
        let mut path = "/campaigns?sort=status,id&limit=1".to_owned();
        let mut seen = Vec::new();
        loop {
            let page = older.get(&path).await.ok();
            seen.extend(statuses(&page).into_iter().map(str::to_owned));
            let Some(next) = page["next_cursor"].as_str() else { break };
            path = format!("/campaigns?sort=status,id&limit=1&cursor={next}");
        }
        assert_eq!(seen, ["draft", "live", "paused", "paused"]);
    });
}

#[test]
fn an_unknown_text_is_taken_back_unchanged() {
    on_both(async |older, newer, _| {
        let mut record = older.get("/campaigns/3").await.ok();
        record["name"] = json!("late summer");
        assert_eq!(older.put("/campaigns/3", &record).await.ok()["name"], "late summer");
        let same = json!({ "name": "autumn", "status": "paused" });
        assert_eq!(older.patch("/campaigns/3", &same).await.ok()["status"], "paused");
        assert_eq!(older.patch("/campaigns/3", &json!({ "name": "fall" })).await.ok()["status"], "paused");
        assert_eq!(newer.get("/campaigns/3").await.ok()["name"], "fall");
        let created = older.get("/campaigns/3/history?action=create").await.ok();
        assert_eq!(created["data"][0]["changes"]["status"], "paused", "{created}");
        assert_eq!(older.get("/campaigns/3/history").await.ok()["total"], 4);
    });
}

#[test]
fn an_unknown_text_that_the_record_does_not_have_is_refused() {
    on_both(async |older, newer, _| {
        let legal = "must be one of `draft`, `live`";
        let create = json!({ "name": "x", "status": "paused" });
        let problem = older.post("/campaigns", &create).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/status"]);
        assert!(problem.errors[0].detail.starts_with(legal), "{problem}");
        for body in [json!({ "status": "paused" }), json!({ "status": "ended" }), json!({ "former": "paused" })] {
            let problem = older.patch("/campaigns/1", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [if body["former"].is_null() { "/status" } else { "/former" }]);
            assert!(problem.errors[0].detail.starts_with(legal), "{problem}");
            older.put("/campaigns/1", &body).await.problem("validation_failed");
        }
        // Another unknown text than the record's.
        older.patch("/campaigns/3", &json!({ "status": "ended" })).await.problem("validation_failed");
        // A text that the record no longer has is new.
        older.patch("/campaigns/4", &json!({ "status": "live", "former": null })).await.ok();
        older.patch("/campaigns/4", &json!({ "status": "paused" })).await.problem("validation_failed");
        older.patch("/campaigns/99", &json!({ "status": "paused" })).await.problem("not_found");
        assert_eq!(statuses(&newer.get("/campaigns?sort=id").await.ok()), ["draft", "live", "paused", "live"]);
    });
}

#[test]
fn an_item_of_a_batch_keeps_its_unknown_text() {
    on_both(async |older, _, _| {
        let items = [json!({ "id": 1, "status": "paused" }), json!({ "id": 3, "status": "paused", "name": "kept" })];
        let answer = older.put("/campaigns/batch", &batch(items)).await.expect(207);
        let failed = &answer.json()["errors"];
        assert_eq!((&failed[0]["index"], &failed[0]["code"]), (&json!(0), &json!("validation_failed")), "{failed}");
        assert_eq!(failed.as_array().map(Vec::len), Some(1), "{failed}");
        assert_eq!(older.get("/campaigns/3").await.ok()["name"], "kept");
    });
}

#[test]
fn upserts_and_imports_keep_an_unknown_text_that_the_record_has() {
    on_both(async |older, newer, _| {
        let autumn = json!({ "name": "autumn", "status": "paused" });
        assert_eq!(older.post("/campaigns?on_conflict=name", &autumn).await.ok()["status"], "paused");
        for name in ["spring", "monsoon"] {
            let body = json!({ "name": name, "status": "paused" });
            let problem = older.post("/campaigns?on_conflict=name", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/status"], "{name}: {problem}");
            assert!(problem.errors[0].detail.starts_with("must be one of `draft`, `live`"), "{problem}");
        }
        let faulty = json!({ "name": "autumn", "status": "paused", "former": 7 });
        let problem = older.post("/campaigns?on_conflict=name", &faulty).await.problem("validation_failed");
        assert!(problem.pointers().contains(&"/former"), "{problem}");

        let file = "name,status\nautumn,paused\nspring,paused\nmonsoon,paused\nsummer,draft\n";
        let target = "/campaigns/import?mode=partial&on_conflict=name";
        let report = older.request(reqwest::Method::POST, target).body("text/csv", file).await.expect(207);
        let report = report.json();
        assert_eq!((&report["updated"], &report["created"]), (&json!(2), &json!(0)), "{report}");
        assert_eq!(report["failed"], 2, "{report}");
        let statuses = newer.get("/campaigns?sort=id").await.ok();
        assert_eq!(self::statuses(&statuses), ["draft", "draft", "paused", "paused"]);
    });
}

#[test]
fn a_typed_read_of_an_unknown_text_names_record_and_column() {
    on_each_backend_with_url(async |database| {
        let (older, newer) = side_by_side(database).await;
        let service = database.service().await.resource::<old::Campaign>().migrate().await.expect("the same table");
        let store = service.store::<old::Campaign>();
        assert_eq!(store.get(1).await.expect("a known text").status, old::Status::Draft);
        let error = store.get(3).await.expect_err("an unknown text");
        let chain = format!("{error:?}");
        for part in ["Campaign 3", "`status`", "not `paused`"] {
            assert!(chain.contains(part), "{part}: {chain}");
        }
        older.stop().await;
        newer.stop().await;
    });
}

#[test]
fn an_open_enum_has_every_text() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<open::Event>().migrate().await.expect("the table");
        let store = service.store::<open::Event>();
        let document = service.openapi_json().expect("a document");
        let status = &document["components"]["schemas"]["Event"]["properties"]["status"];
        assert_eq!((&status["type"], &status["enum"]), (&json!("string"), &Value::Null), "{status}");
        let api = Api::start(database, service).await;
        api.post("/events", &json!({ "status": "live" })).await.created();
        api.post("/events", &json!({ "status": "paused", "former": "ended" })).await.created();
        assert_eq!(api.patch("/events/1", &json!({ "former": "paused" })).await.ok()["former"], "paused");
        assert_eq!(api.get("/events?status=paused").await.ok()["total"], 1);
        // Its rules hold.
        api.post("/events", &json!({ "status": "x".repeat(21) })).await.problem("validation_failed");
        let event = store.get(2).await.expect("a record");
        assert_eq!(event.status, open::Status::Other("paused".to_owned()));
        assert_eq!(event.former, Some(open::Status::Other("ended".to_owned())));
        let first = store.get(1).await.expect("a record");
        assert_eq!(first.status, open::Status::Live);
        let other = open::Status::Other("planned".to_owned());
        let created = store.create(open::NewEvent { status: other.clone(), former: None }).await.expect("a record");
        assert_eq!(created.status, other);
        api.stop().await;
    });
}
