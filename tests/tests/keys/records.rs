//! One record of a composite key.

use crud_tests::on_each_backend;
use serde_json::json;

use crate::line::{HOSTILE, line, path, shop, text};

#[test]
fn a_record_is_at_the_path_of_its_parts() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for code in HOSTILE {
            let created = api.post("/lines", &line(1, code, 3)).await.expect(201);
            assert_eq!(created.require("location"), path(1, code), "{code}");
            let read = api.get(path(1, code)).await.expect(200);
            assert_eq!((read.json(), read.etag()), (&line(1, code, 3), created.etag()), "{code}");
        }
        for code in HOSTILE {
            api.get(path(2, code)).await.problem("not_found");
        }
    });
}

#[test]
fn a_change_touches_one_record() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for (order, code) in [(1, "a"), (1, "a,b"), (2, "a"), (2, "a,b")] {
            api.post("/lines", &line(order, code, 1)).await.created();
        }
        let amounts = async || {
            let lines = api.get("/lines?sort=order_id,code").await.ok();
            lines["data"].as_array().expect("lines").iter().map(|line| line["amount"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(api.patch(path(1, "a,b"), &json!({ "amount": 5 })).await.ok(), line(1, "a,b", 5));
        assert_eq!(amounts().await, [1, 5, 1, 1]);
        assert_eq!(api.put(path(2, "a"), &json!({ "amount": 7 })).await.ok(), line(2, "a", 7));
        assert_eq!(amounts().await, [1, 5, 7, 1]);
        assert_eq!(api.delete(path(1, "a")).await.ok(), line(1, "a", 1));
        assert_eq!(amounts().await, [5, 7, 1]);
        api.delete(path(1, "a")).await.problem("not_found");
        api.patch(path(1, "a"), &json!({ "amount": 5 })).await.problem("not_found");
        assert_eq!(amounts().await, [5, 7, 1]);
    });
}

#[test]
fn a_key_is_taken_once() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        api.post("/lines", &line(1, "a", 1)).await.created();
        let problem = api.post("/lines", &line(1, "a", 2)).await.problem("conflict");
        let mut pointers = problem.pointers();
        pointers.sort_unstable();
        assert_eq!(pointers, ["/code", "/order_id"], "{problem}");
        api.post("/lines", &line(2, "a", 2)).await.created();
        assert_eq!(api.get(path(1, "a")).await.ok()["amount"], 1);
    });
}

#[test]
fn the_parts_of_a_key_in_a_body_equal_those_of_the_path() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        api.post("/lines", &line(1, "a", 1)).await.created();
        let whole = json!({ "order_id": 1, "code": "a", "amount": 2 });
        assert_eq!(api.put(path(1, "a"), &whole).await.ok()["amount"], 2);
        assert_eq!(api.patch(path(1, "a"), &json!({ "code": "a", "amount": 3 })).await.ok()["amount"], 3);
        let problem =
            api.patch(path(1, "a"), &json!({ "code": "b", "order_id": 1 })).await.problem("validation_failed");
        assert_eq!(problem.at("/code"), "must equal the id in the path");
        assert_eq!(api.get(path(1, "a")).await.ok()["amount"], 3);
    });
}

#[test]
fn another_text_than_a_keys_is_refused() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for (segment, detail) in [
            ("7", "must be `order_id,code`"),
            ("7,a,b", "must be `order_id,code`, with a comma inside of a part as `%2C`"),
            ("x,a", "order_id: must be an integer"),
            ("7,%00", "code: must not contain a NUL character"),
        ] {
            let problem = api.get(format!("/lines/{segment}")).await.problem("validation_failed");
            assert_eq!(problem.at("id"), detail, "{segment}");
        }
    });
}

#[test]
fn a_text_that_is_encoded_once_more_is_the_same_key() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for code in HOSTILE {
            api.post("/lines", &line(1, code, 3)).await.created();
            // As `encodeURIComponent` and generated clients encode it.
            let encoded = text(1, code).replace('%', "%25").replace(',', "%2C");
            assert_eq!(api.get(format!("/lines/{encoded}")).await.ok()["code"], code);
        }
    });
}

#[test]
fn an_upsert_finds_the_record_by_its_key() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        let target = "/lines?on_conflict=order_id,code";
        for code in HOSTILE {
            assert_eq!(api.post(target, &line(1, code, 1)).await.expect(201).require("location"), path(1, code));
            assert_eq!(api.post(target, &line(1, code, 2)).await.expect(200).ok(), line(1, code, 2));
            let missing = format!("{}?allow_missing=true", path(2, code));
            let created = api.put(&*missing, &json!({ "amount": 3 })).await.expect(201);
            assert_eq!((created.require("location"), created.json()), (&*path(2, code), &line(2, code, 3)));
            assert_eq!(api.put(&*missing, &json!({ "amount": 4, "order_id": 2 })).await.expect(200).ok()["amount"], 4);
            assert_eq!(api.get(path(1, code)).await.ok()["amount"], 2);
        }
    });
}
