//! Keys of one field that clients set, whatever their type.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_each_backend};
use serde_json::{Value, json};

macro_rules! keyed {
    ($($resource:ident: $key:ty $(, $digits:meta)*;)+) => {
        $(
            #[derive(Debug, Clone, Resource)]
            #[crud(filter, sort, audit, batch, upsert(number))]
            struct $resource {
                #[crud(id(client))]
                $(#[crud($digits)])*
                number: $key,
                name: String,
            }
        )+
    };
}

keyed! {
    ByLong: i64;
    ByShort: i16;
    ByUnsigned: u32;
    ByUuid: Uuid;
    ByText: String;
    ByDecimal: Decimal, decimal(18, 2);
    ByTime: DateTime<Utc>;
    ByDay: NaiveDate;
}

async fn service(database: &Database) -> Api {
    let service = database.service().await.resource::<ByLong>().resource::<ByShort>().resource::<ByUnsigned>();
    let service = service.resource::<ByUuid>().resource::<ByText>().resource::<ByDecimal>();
    let service = service.resource::<ByTime>().resource::<ByDay>();
    Api::start(database, service.migrate().await.expect("the tables")).await
}

/// A path, a key in JSON, and its text in paths.
fn cases() -> [(&'static str, Value, &'static str); 9] {
    [
        ("/by_longs", json!(-5), "-5"),
        ("/by_longs", json!(i64::MAX), "9223372036854775807"),
        ("/by_shorts", json!(-32_768), "-32768"),
        ("/by_unsigneds", json!(u32::MAX), "4294967295"),
        ("/by_uuids", json!("0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f"), "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f"),
        ("/by_texts", json!("a/b,c"), "a%2Fb%2Cc"),
        ("/by_decimals", json!("12.50"), "12.50"),
        ("/by_times", json!("2026-01-31T12:00:00.500000Z"), "2026-01-31T12%3A00%3A00.500000Z"),
        ("/by_days", json!("2026-01-31"), "2026-01-31"),
    ]
}

#[test]
fn a_create_has_the_key_and_a_path_its_text() {
    on_each_backend(async |database| {
        let api = service(database).await;
        for (prefix, key, text) in cases() {
            let body = json!({ "number": key, "name": "a" });
            let created = api.post(prefix, &body).await.expect(201);
            assert_eq!((created.require("location"), created.json()), (&*format!("{prefix}/{text}"), &body));
            let path = format!("{prefix}/{text}");
            assert_eq!(api.get(&*path).await.ok(), body);
            api.post(prefix, &body).await.problem("conflict");
            assert_eq!(api.patch(&*path, &json!({ "name": "b" })).await.ok()["name"], "b");
            let history = api.get(format!("{path}/history")).await.ok();
            assert_eq!(history["data"].as_array().map(Vec::len), Some(2), "{history}");
            let found = api.get(format!("{prefix}?number__in={text}")).await;
            // A comma in a text would be one of the list.
            if prefix != "/by_texts" {
                assert_eq!(found.ok()[0]["name"], "b");
            }
            let upserted = json!({ "number": key, "name": "c" });
            assert_eq!(api.post(format!("{prefix}?on_conflict=number"), &upserted).await.expect(200).ok(), upserted);
            assert_eq!(api.post(format!("{prefix}/batch/delete"), &json!({ "ids": [key] })).await.ok()["deleted"], 1);
            let put = api.put(format!("{path}?allow_missing=true"), &json!({ "name": "d" })).await.expect(201);
            assert_eq!(put.require("location"), path);
            assert_eq!(api.delete(&*path).await.ok()["name"], "d");
            api.get(&*path).await.problem("not_found");
        }
    });
}

#[test]
fn a_create_without_the_key_is_refused() {
    on_each_backend(async |database| {
        let api = service(database).await;
        for (prefix, ..) in cases() {
            let problem = api.post(prefix, &json!({ "name": "a" })).await.problem("validation_failed");
            assert_eq!(problem.at("/number"), "is required", "{prefix}");
        }
    });
}
