//! Mistakes of the program are errors at start.

use crud_mcp::Mcp;
use crud_runtime::prelude::*;
use crud_tests::on_sqlite;
use serde_json::json;

use crate::support::{call, editor, refused, workshop};

#[test]
fn unknown_resources_and_urls_are_errors() {
    on_sqlite(async |database| {
        for (mcp, error) in [
            (Mcp::new().without("/jbos"), "`Mcp::without(\"/jbos\")` names no resource"),
            (Mcp::new().origin("inspector.example"), "`Mcp::origin(\"inspector.example\")` is not a URL"),
            (Mcp::new().authorization_server("login"), "`Mcp::authorization_server(\"login\")` is not a URL"),
        ] {
            let service = workshop(database).await.plugin(mcp).expect("one plugin");
            let failed = service.test().await.expect_err("an error").to_string();
            assert!(failed.contains(error), "{failed}");
        }
    });
}

#[test]
fn hidden_resources_are_not_there() {
    on_sqlite(async |database| {
        let service = workshop(database).await.plugin(Mcp::new().without("/machines")).expect("one plugin");
        let ed = editor(&service.test().await.expect("the tables"));
        let named = call(&ed, "resources", json!({})).await;
        let names: Vec<_> = named["resources"].as_array().expect("resources").iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["jobs", "notes"]);
        let jobs = call(&ed, "describe", json!({ "resource": "jobs" })).await;
        assert_eq!(jobs["list"]["expand"], json!([]));
        assert!(!jobs.to_string().contains("\"machines\""), "{jobs}");
    });
}

#[test]
fn hidden_resources_are_reached_by_no_other_one() {
    on_sqlite(async |database| {
        let service = workshop(database).await.plugin(Mcp::new().writes().without("/machines")).expect("one plugin");
        let ed = editor(&service.test().await.expect("the tables"));
        let machine = ed.post("/machines", json!({ "name": "Lathe" })).await.expect(201).json();
        let job = json!({ "title": "Oil it", "machine_id": machine["id"] });
        let job = ed.post("/jobs", job).await.expect(201).json();
        let condition = json!({ "or": [{ "not": { "machine": { "name": "Lathe" } } }] }).to_string();
        for (tool, arguments) in [
            ("list", json!({ "expand": ["machine"] })),
            ("list", json!({ "filter": { "machine.name__istartswith": "L" } })),
            ("list", json!({ "filter": { "where": condition } })),
            ("list", json!({ "sort": "-machine.name" })),
            ("list", json!({ "sort": ["-hours,machine.name"] })),
            ("get", json!({ "id": job["id"], "expand": "machine" })),
        ] {
            let mut arguments = arguments;
            arguments["resource"] = json!("jobs");
            let refusal = refused(&ed, tool, arguments.clone()).await;
            assert_eq!(refusal["code"], "validation_failed", "{arguments}: {refusal}");
            assert!(!refusal.to_string().contains("Lathe"), "{refusal}");
        }
    });
}

/// A parcel, with its items.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), pagination, has_many(items(Item::parcel_id, nested)))]
struct Parcel {
    id: i64,
    name: String,
}

/// An item of a parcel.
#[derive(Debug, Clone, Resource)]
#[crud(filter(price), batch(max_size = 50))]
struct Item {
    id: i64,
    #[crud(references(Parcel))]
    parcel_id: i64,
    price: i32,
}

#[test]
fn hidden_resources_are_read_and_written_in_no_list_of_another_one() {
    on_sqlite(async |database| {
        let service = database.service().await.plugin(Mcp::new().writes().without("/items")).expect("one plugin");
        let test = service.resource::<Parcel>().resource::<Item>().test().await.expect("the tables");
        let parcel = json!({ "name": "Books", "items": [{ "price": 7 }] });
        let id = test.post("/parcels", &parcel).await.expect(201).json()["id"].clone();
        let condition = json!({ "items": { "price__gt": 5 } }).to_string();
        for (tool, arguments) in [
            ("list", json!({ "resource": "parcels", "expand": ["items"] })),
            ("list", json!({ "resource": "parcels", "filter": { "where": condition } })),
            ("get", json!({ "resource": "parcels", "id": id, "expand": ["items"] })),
            ("create", json!({ "resource": "parcels", "values": parcel })),
            ("update", json!({ "resource": "parcels", "id": id, "values": { "items": [] } })),
        ] {
            let refusal = refused(&test, tool, arguments.clone()).await;
            assert_eq!(refusal["code"], "validation_failed", "{arguments}: {refusal}");
        }
        assert_eq!(test.get("/items").await.expect(200).json()[0]["price"], 7);
        assert_eq!(test.get("/parcels").await.expect(200).json()["total"], 1);
    });
}
