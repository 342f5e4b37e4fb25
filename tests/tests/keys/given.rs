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

/// A place.
#[derive(Debug, Clone, Resource)]
struct Place {
    id: Uuid,
    name: String,
}

/// More about a place: its key is the place's.
#[derive(Debug, Clone, Resource)]
#[crud(audit, batch)]
struct PlaceDetail {
    #[crud(id, references(Place))]
    place_id: Uuid,
    text: String,
}

/// A street, whose key is a number.
#[derive(Debug, Clone, Resource)]
struct Street {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
struct StreetDetail {
    #[crud(id, references(Street))]
    street_id: i64,
    text: String,
}

#[test]
fn a_key_that_is_a_reference_is_the_clients() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Place>().resource::<PlaceDetail>();
        let service = service.resource::<Street>().resource::<StreetDetail>().migrate().await.expect("the tables");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let parents = [("/places", "/place_details", "place_id"), ("/streets", "/street_details", "street_id")];
        for (parents, children, key) in parents {
            let parent = api.post(parents, &json!({ "name": "a" })).await.created();
            let detail = api.post(children, &json!({ key: parent["id"], "text": "b" })).await.expect(201);
            let id = parent["id"].to_string().trim_matches('"').to_owned();
            assert_eq!(detail.require("location"), format!("{children}/{id}"));
            assert_eq!(api.get(format!("{children}/{id}")).await.ok()["text"], "b");
            api.post(children, &json!({ key: parent["id"], "text": "c" })).await.problem("conflict");
            assert_eq!(
                api.post(children, &json!({ "text": "c" })).await.problem("validation_failed").pointers(),
                [format!("/{key}")]
            );
        }
        let unknown = json!({ "place_id": "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f", "text": "b" });
        api.post("/place_details", &unknown).await.problem("reference_not_found");
        let place = app.store::<Place>().create(NewPlace::new("b")).await.unwrap();
        let detail = app.store::<PlaceDetail>().create(NewPlaceDetail::new(place.id, "c")).await.unwrap();
        assert_eq!(detail.place_id, place.id);
        api.stop().await;
    });
}
