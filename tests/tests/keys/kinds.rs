//! Parts of every kind.

use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_backend};
use reqwest::Method;
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Source {
    Buoy,
    Satellite,
}

/// A measurement of a sensor.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, soft_delete)]
struct Reading {
    #[crud(id)]
    sensor: Uuid,
    #[crud(id)]
    taken_at: DateTime<Utc>,
    #[crud(id, decimal(6, 2))]
    depth: Decimal,
    #[crud(id)]
    source: Source,
    #[crud(id)]
    day: NaiveDate,
    value: f64,
    deleted_at: Option<DateTime<Utc>>,
}

#[test]
fn each_part_has_its_canonical_text() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Reading>().migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let body = json!({
            "sensor": "0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F", "taken_at": "2026-01-31T13:00:00.5+01:00", "depth": "-1.5",
            "source": "Buoy", "day": "2026-01-31", "value": 1.5,
        });
        let created = api.post("/readings", &body).await.expect(201);
        let path =
            "/readings/0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f,2026-01-31T12%3A00%3A00.500000Z,-1.50,Buoy,2026-01-31";
        assert_eq!(created.require("location"), path);
        assert_eq!(&api.get(path).await.ok(), created.json());
        // Another spelling of the same values.
        let spelt = "/readings/0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f,2026-01-31T13:00:00.5%2B01:00,-1.5,Buoy,2026-01-31";
        assert_eq!(api.patch(spelt, &json!({ "value": 2.5 })).await.ok()["value"], 2.5);
        api.post("/readings", &body).await.problem("conflict");
        api.delete(path).await.ok();
        api.get(path).await.problem("not_found");
        assert_eq!(api.request(Method::POST, format!("{path}/restore")).await.ok()["value"], 2.5);
        api.delete(path).await.ok();
        let ids = json!({ "ids": [path.trim_start_matches("/readings/")] });
        assert_eq!(api.post("/readings/restore", &ids).await.ok(), json!({ "restored": 1 }));
        api.delete(path).await.ok();
        api.delete(format!("{path}/permanent")).await.ok();
        api.get(format!("{path}?include_deleted=true")).await.problem("not_found");
        api.get("/readings/0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f,2026-01-31T12:00:00Z,-1.501,Buoy,2026-01-31")
            .await
            .problem("validation_failed");
    });
}
