//! The `Prefer` header (RFC 7240): `return=minimal`, `count=none`, `handling=lenient`.

use crud_tests::fixtures::{id, product};
use crud_tests::http::on_shop;
use serde_json::{Value, json};

#[test]
fn minimal_delete_is_204() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        let answer = shop.delete(&path).header("prefer", "return=minimal").await.expect(204);
        assert!(answer.header("preference-applied").is_none_or(|applied| applied == "return=minimal"));
        shop.get(&path).await.problem("not_found");
    });
}

#[test]
fn minimal_create_returns_only_headers() {
    on_shop(async |shop| {
        let request = shop.post("/categories", &json!({ "name": "Lamps" })).header("prefer", "return=minimal");
        let answer = request.await.expect(201);
        assert!(answer.body().is_empty(), "{answer}");
        let read = shop.get(answer.require("location")).await.expect(200);
        assert_eq!(read.etag(), answer.etag());
    });
}

#[test]
fn minimal_update_is_204_with_an_etag() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        let answer = shop.put(&path, &json!({ "stock": 8 })).header("prefer", "return=minimal").await.expect(204);
        let read = shop.get(&path).await.expect(200);
        assert_eq!(read.etag(), answer.etag());
        assert_eq!(read.json()["stock"], 8);
    });
}

#[test]
fn minimal_preference_does_not_hide_an_error() {
    on_shop(async |shop| {
        shop.delete("/products/7").header("prefer", "return=minimal").await.problem("not_found");
    });
}

#[test]
fn count_none_returns_null_totals() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        let answer = shop.get("/products").header("prefer", "count=none").await.expect(200);
        assert_eq!(answer.header("x-total-count"), None);
        assert_eq!(answer.require("content-range"), "products 0-0/*");
        let list = answer.into_json();
        assert_eq!((&list["total"], &list["pages"]), (&Value::Null, &Value::Null));
        assert_eq!((&list["page"], &list["limit"], &list["skip"]), (&json!(1), &json!(20), &json!(0)));
        assert_eq!(list["data"][0]["name"], "Lamp");
    });
}

#[test]
fn lenient_list_ignores_unknown_parameters() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        let target = "/products?prise=1&offset=x&limit=1";
        let list = shop.get(target).header("prefer", "handling=lenient").await.ok();
        assert_eq!((&list["total"], &list["limit"]), (&json!(1), &json!(1)));
        shop.get(target).header("prefer", "handling=strict").await.problem("validation_failed");
    });
}

#[test]
fn lenient_list_rejects_invalid_values() {
    on_shop(async |shop| {
        let target = "/products?prise=1&price=cheap&limit=0&description=x&name__near=y";
        let problem = shop.get(target).header("prefer", "handling=lenient").await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["description", "limit", "name__near", "price"]);
    });
}

#[test]
fn preferences_may_be_in_several_headers_and_any_case() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        let both = "respond-async, Count=none; foo=\"a, b\" , HANDLING = lenient";
        let list = shop.get("/products?prise=1").header("prefer", both).await.ok();
        assert_eq!(list["total"], Value::Null);
        let request = shop.get("/products?prise=1").header("prefer", "count=none").header("prefer", "handling=lenient");
        assert_eq!(request.await.ok()["total"], Value::Null);
    });
}

#[test]
fn unknown_preferences_are_ignored() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        for prefer in ["", ",,", "count", "count=exact", "return=", "=none", "handling=\""] {
            let list = shop.get("/products").header("prefer", prefer).await.ok();
            assert_eq!(list["total"], 1, "{prefer:?}");
        }
    });
}
