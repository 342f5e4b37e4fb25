//! Lists of numbers, booleans, dates, times, UUIDs and decimals.

use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_backend};
use serde_json::{Value as Json, json};

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(batch, pagination, sort(id))]
struct Reading {
    id: i64,
    flags: Vec<bool>,
    #[crud(length(max = 3))]
    small: Vec<i16>,
    whole: Vec<i32>,
    large: Vec<i64>,
    unsigned: Vec<u32>,
    single: Vec<f32>,
    double: Option<Vec<f64>>,
    instants: Vec<DateTime<Utc>>,
    days: Vec<NaiveDate>,
    times: Vec<NaiveTime>,
    moments: Vec<NaiveDateTime>,
    ids: Vec<Uuid>,
    #[crud(decimal(6, 2))]
    prices: Vec<Decimal>,
}

fn body() -> Json {
    json!({
        "flags": [true, false], "small": [1, -2], "whole": [i32::MIN, i32::MAX], "large": [i64::MIN, i64::MAX],
        "unsigned": [0, u32::MAX], "single": [0.1, 2.0], "double": [0.1, -1e300],
        "instants": ["2026-01-31T12:00:00.000001Z"], "days": ["2026-01-31", "0001-01-01"],
        "times": ["23:59:59.000000"], "moments": ["2026-01-31T12:00:00.000000"],
        "ids": ["0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f"], "prices": ["1.50", "-0.01"],
    })
}

fn with_id(id: &Json) -> Json {
    let mut record = body();
    record["id"] = id.clone();
    record
}

#[test]
fn lists_are_kept_as_they_are() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Reading>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let record = api.post("/readings", &body()).await.created();
        assert_eq!(record, with_id(&record["id"]));
        let path = format!("/readings/{}", record["id"]);
        assert_eq!(api.get(&path).await.ok(), record);
        assert_eq!(api.get("/readings").await.ok()["data"], json!([record]));
        let changed = api.patch(&path, &json!({ "small": [], "double": null, "ids": [] })).await.ok();
        assert_eq!([&changed["small"], &changed["double"], &changed["ids"]], [&json!([]), &Json::Null, &json!([])]);
        let unchanged = api.patch(&path, &json!({ "prices": ["1.5", "-0.010"] })).await.ok();
        assert_eq!(unchanged["prices"], json!(["1.50", "-0.01"]));
        api.stop().await;
    });
}

#[test]
fn batches_keep_lists() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Reading>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        if !database.backend().has_transactions() {
            return api.stop().await;
        }
        api.post("/readings/batch", &json!({ "items": [body(), body()] })).await.ok();
        let page = api.get("/readings?sort=id").await.ok();
        let ids: Vec<Json> =
            page["data"].as_array().expect("records").iter().map(|record| record["id"].clone()).collect();
        let items: Vec<Json> = ids.iter().map(|id| json!({ "id": id, "days": ["2027-01-01"], "prices": [] })).collect();
        api.put("/readings/batch", &json!({ "items": items })).await.ok();
        for record in api.get("/readings").await.ok()["data"].as_array().expect("records") {
            assert_eq!(record["days"], json!(["2027-01-01"]));
            assert_eq!(record["prices"], json!([]));
            assert_eq!(record["whole"], body()["whole"]);
        }
        api.stop().await;
    });
}

#[test]
fn items_are_checked_and_named() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Reading>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        for (field, value, pointer) in [
            ("small", json!([1, 40_000]), "/small/1"),
            ("small", json!([1, 2, 3, 4]), "/small"),
            ("small", json!(1), "/small"),
            ("flags", json!([null]), "/flags/0"),
            ("days", json!(["2026-02-30"]), "/days/0"),
            ("ids", json!(["x"]), "/ids/0"),
            ("prices", json!(["1.234"]), "/prices/0"),
            ("whole", json!([1.5]), "/whole/0"),
            ("whole", json!(["1"]), "/whole/0"),
        ] {
            let mut record = body();
            record[field] = value;
            let problem = api.post("/readings", &record).await.problem("validation_failed");
            let places: Vec<&str> = problem.errors.iter().map(|error| error.at.as_str()).collect();
            assert_eq!(places, [format!("pointer {pointer}")]);
        }
        api.stop().await;
    });
}

#[test]
fn store_has_typed_lists() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Reading>().migrate().await.expect("the table");
        let readings = service.store::<Reading>();
        let day = NaiveDate::from_ymd_opt(2026, 1, 31).expect("a date");
        let new = NewReading {
            flags: vec![true],
            small: vec![1],
            whole: vec![],
            large: vec![2],
            unsigned: vec![3],
            single: vec![0.5],
            double: None,
            instants: vec![],
            days: vec![day],
            times: vec![],
            moments: vec![],
            ids: vec![Uuid::from_u128(1)],
            prices: vec![Decimal::new(150, 2)],
        };
        let reading = readings.create(new).await.expect("a reading");
        assert_eq!(reading.days, [day]);
        assert_eq!(readings.get(reading.id).await.expect("the reading"), reading);
    });
}
