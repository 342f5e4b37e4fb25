//! Resources without a key: views and tables that are only listed.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_each_sql_backend};
use serde_json::{Value, json};

/// A visit.
#[derive(Debug, Clone, Resource)]
struct Visit {
    id: i64,
    city: String,
    day: NaiveDate,
}

/// Visits of a city in a day.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    table(no_key),
    view("SELECT city, day, COUNT(*) AS visits FROM visits GROUP BY city, day", reads(Visit)),
    filter,
    sort(city, day),
    pagination(default_limit = 2, max_limit = 100),
    export
)]
struct Daily {
    city: String,
    day: NaiveDate,
    visits: i64,
}

/// A line of another program's log.
#[derive(Debug, Clone, Resource)]
#[crud(table("log_lines", no_key), sort)]
struct LogLine {
    level: i32,
    message: String,
}

async fn service(database: &Database) -> Service {
    let service = database.service().await.resource::<Visit>().resource::<Daily>().resource::<LogLine>();
    service.migrate().await.expect("the tables and the view")
}

async fn filled(database: &Database) -> Api {
    let mut api = Api::start(database, service(database).await).await;
    api.check_against_document().await;
    for (city, day) in [("Rome", 2), ("Oslo", 1), ("Rome", 1), ("Rome", 2), ("Bonn", 3)] {
        let body = json!({ "city": city, "day": format!("2026-01-0{day}") });
        api.post("/visits", &body).await.created();
    }
    api
}

fn daily(city: &str, day: u32, visits: i64) -> Value {
    json!({ "city": city, "day": format!("2026-01-0{day}"), "visits": visits })
}

#[test]
fn a_list_is_in_the_order_of_every_sortable_field() {
    on_each_sql_backend(async |database| {
        let api = filled(database).await;
        let all = [daily("Bonn", 3, 1), daily("Oslo", 1, 1), daily("Rome", 1, 1), daily("Rome", 2, 2)];
        assert_eq!(api.get("/dailies?limit=10").await.ok()["data"], json!(all));
        let mut paged = Vec::new();
        for skip in [0, 2, 4] {
            let page = api.get(format!("/dailies?skip={skip}")).await.ok();
            assert_eq!(page["total"], 4);
            paged.extend(page["data"].as_array().expect("a page").clone());
        }
        assert_eq!(paged, all);
        let latest = api.get("/dailies?sort=-day&limit=10").await.ok();
        assert_eq!(latest["data"][0], all[0]);
        assert_eq!(latest["data"][1], all[3]);
        assert_eq!(api.get("/dailies?visits__gt=1").await.ok()["data"], json!([all[3]]));
        let lines = api.get("/dailies/export?format=ndjson").await.expect(200).text();
        assert_eq!(lines.lines().count(), 4);
    });
}

#[test]
fn nothing_but_the_list_is_offered() {
    on_each_sql_backend(async |database| {
        let api = filled(database).await;
        api.get("/dailies/1").await.problem("route_not_found");
        assert_eq!(api.post("/dailies", &json!({})).await.expect(405).allow(), ["GET", "HEAD", "OPTIONS", "QUERY"]);
        let document = api.get("/openapi.json").await.ok();
        let paths = document["paths"].as_object().expect("paths");
        let own: Vec<&String> = paths.keys().filter(|path| path.starts_with("/dailies")).collect();
        assert_eq!(own, ["/dailies", "/dailies/search", "/dailies/export"]);
    });
}

#[test]
fn equal_rows_of_a_table_are_all_listed() {
    on_each_sql_backend(async |database| {
        let api = filled(database).await;
        database.execute("INSERT INTO log_lines (level, message) VALUES (2, 'b'), (1, 'a'), (2, 'b'), (1, 'b')").await;
        let line = |level: i32, message: &str| json!({ "level": level, "message": message });
        let all = json!([line(1, "a"), line(1, "b"), line(2, "b"), line(2, "b")]);
        assert_eq!(api.get("/log_lines").await.ok(), all);
    });
}

#[test]
fn a_store_lists_them() {
    on_each_sql_backend(async |database| {
        let api = filled(database).await;
        let service = service(database).await;
        let found = service.store::<Daily>().list(Daily::FIELDS.visits.gt(1)).await.expect("a list");
        assert_eq!(found, [Daily { city: "Rome".to_owned(), day: "2026-01-02".parse().expect("a day"), visits: 2 }]);
        drop(api);
    });
}
