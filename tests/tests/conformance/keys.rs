//! Keys of every type, in paths and in bodies: each has one notation.

use crud_tests::fixtures::{create_all, id, product};
use crud_tests::{on_kitchen, on_shop};
use serde_json::json;

#[test]
fn integer_key_has_one_notation() {
    on_shop(async |shop| {
        let created = product(shop, "Lamp").await;
        assert_eq!(id(&created), 1);
        for key in [
            "+1",
            "01",
            "0001",
            "1.0",
            "1e0",
            "0x1",
            "one",
            "%201",
            "1%20",
            "1,2",
            "9223372036854775808",
            "-",
            "%00",
            "１",
        ] {
            let path = format!("/products/{key}");
            let answers =
                [shop.get(&path).await, shop.delete(&path).await, shop.put(&path, &json!({ "stock": 1 })).await];
            for answer in answers {
                assert_eq!(answer.problem("validation_failed").parameters(), ["id"], "{key}");
            }
        }
        shop.get("/products/%31").await.ok();
    });
}

#[test]
fn unknown_integer_key_is_404() {
    on_shop(async |shop| {
        for key in ["0", "-1", "7", "9223372036854775807", "-9223372036854775808"] {
            let path = format!("/products/{key}");
            let detail = format!("Product with id {key} not found");
            assert_eq!(shop.get(&path).await.problem("not_found").detail, detail);
            assert_eq!(shop.delete(&path).await.problem("not_found").detail, detail);
            assert_eq!(shop.put(&path, &json!({ "stock": 1 })).await.problem("not_found").detail, detail);
            assert_eq!(shop.patch(&path, &json!({ "stock": 1 })).await.problem("not_found").detail, detail);
        }
    });
}

#[test]
fn i32_key_outside_its_range_is_rejected() {
    on_kitchen(async |kitchen| {
        let counter = kitchen.post("/counters", &json!({})).await.created();
        assert_eq!(counter["amount"], 0);
        kitchen.get(format!("/counters/{}", id(&counter))).await.ok();
        kitchen.get("/counters/2147483647").await.problem("not_found");
        assert_eq!(kitchen.get("/counters/2147483648").await.problem("validation_failed").parameters(), ["id"]);
    });
}

#[test]
fn uuid_keys_are_assigned_in_time_order() {
    on_kitchen(async |kitchen| {
        let bodies =
            (0..5).map(|number| json!({ "id": "00000000-0000-0000-0000-000000000000", "name": number.to_string() }));
        let devices = create_all(kitchen, "/devices", bodies).await;
        let keys: Vec<_> = devices.iter().map(|device| device["id"].as_str().expect("a UUID")).collect();
        assert!(keys.iter().all(|key| key.len() == 36 && key.as_bytes()[14] == b'7'), "version 7: {keys:?}");
        assert!(keys.is_sorted(), "{keys:?}");
        for device in &devices {
            let path = format!("/devices/{}", device["id"].as_str().expect("a UUID"));
            assert_eq!(kitchen.get(&path).await.ok(), *device);
            assert_eq!(kitchen.get(path.to_uppercase().replace("/DEVICES", "/devices")).await.ok(), *device);
        }
    });
}

#[test]
fn malformed_uuid_in_a_path_is_rejected() {
    on_kitchen(async |kitchen| {
        for key in ["1", "x", "0192f0c17a5b7c3d8e4f5a6b7c8d9e0f"] {
            let problem = kitchen.get(format!("/devices/{key}")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["id"]);
        }
        let nil = "00000000-0000-0000-0000-000000000000";
        let detail = format!("Device with id {nil} not found");
        assert_eq!(kitchen.get(format!("/devices/{nil}")).await.problem("not_found").detail, detail);
    });
}

#[test]
fn text_key_is_required_on_create() {
    on_kitchen(async |kitchen| {
        let problem = kitchen.post("/tags", &json!({ "label": "x" })).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/slug"]);
    });
}

#[test]
fn text_key_is_unique() {
    on_kitchen(async |kitchen| {
        kitchen.post("/tags", &json!({ "slug": "a" })).await.created();
        assert_eq!(kitchen.post("/tags", &json!({ "slug": "a" })).await.problem("conflict").pointers(), ["/slug"]);
        kitchen.post("/tags", &json!({ "slug": "A" })).await.created();
    });
}

#[test]
fn location_of_a_text_key_is_percent_encoded() {
    on_kitchen(async |kitchen| {
        for slug in
            ["a", "a b", "a/b", "a?b", "a#b", "a%2Fb", "ü", "世界", "+", "&=", "a;b", "a'b\"c", "...", "~", "\\", ":"]
        {
            let created = kitchen.post("/tags", &json!({ "slug": slug })).await.expect(201);
            let location = created.require("location").to_owned();
            assert_eq!(kitchen.get(&location).await.ok()["slug"], slug, "{location}");
            assert_eq!(kitchen.put(&location, &json!({ "label": "x" })).await.ok()["slug"], slug, "{location}");
            assert_eq!(kitchen.delete(&location).await.ok()["slug"], slug, "{location}");
        }
    });
}

#[test]
fn text_keys_reserved_for_routes_or_urls_are_rejected() {
    on_kitchen(async |kitchen| {
        // The empty key and the dots would have no path: a URL drops them.
        for slug in ["batch", "restore", "deleted", "search", "export", "", ".", ".."] {
            let problem = kitchen.post("/tags", &json!({ "slug": slug })).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/slug"], "{slug:?}");
        }
        kitchen.post("/tags", &json!({ "slug": "batches" })).await.created();
    });
}

#[test]
fn unknown_text_key_is_404() {
    on_kitchen(async |kitchen| {
        let problem = kitchen.get("/tags/no%20such").await.problem("not_found");
        assert_eq!(problem.detail, "Tag with id no such not found");
    });
}

#[test]
fn text_key_in_a_path_must_be_valid_text() {
    on_kitchen(async |kitchen| {
        for key in ["%ff", "%00", "a%00b"] {
            kitchen.get(format!("/tags/{key}")).await.problem("validation_failed");
        }
    });
}
