//! The header `Prefer` (RFC 7240): `return=minimal`, `count=none`, `handling=lenient`.

use crud_tests::fixtures::{id, product};
use crud_tests::on_shop;
use serde_json::{Value, json};

#[test]
fn a_delete_that_prefers_a_minimal_answer_is_204() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        let answer = shop.delete(&path).header("prefer", "return=minimal").await.expect(204);
        assert!(answer.header("preference-applied").is_none_or(|applied| applied == "return=minimal"));
        shop.get(&path).await.problem("not_found");
    });
}

#[test]
fn a_create_that_prefers_a_minimal_answer_has_its_headers_alone() {
    on_shop(async |shop| {
        let request = shop.post("/categories", &json!({ "name": "Lamps" })).header("prefer", "return=minimal");
        let answer = request.await.expect(201);
        assert!(answer.body().is_empty(), "{answer}");
        let read = shop.get(answer.require("location")).await.expect(200);
        assert_eq!(read.etag(), answer.etag());
    });
}

#[test]
fn an_update_that_prefers_a_minimal_answer_is_204_with_its_etag() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        let answer = shop.put(&path, &json!({ "stock": 8 })).header("prefer", "return=minimal").await.expect(204);
        let read = shop.get(&path).await.expect(200);
        assert_eq!(read.etag(), answer.etag());
        assert_eq!(read.json()["stock"], 8);
    });
}

#[test]
fn a_minimal_answer_does_not_hide_an_error() {
    on_shop(async |shop| {
        shop.delete("/products/7").header("prefer", "return=minimal").await.problem("not_found");
    });
}

#[test]
fn a_list_without_a_count_has_null_for_what_it_would_need_one() {
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
fn a_lenient_list_ignores_parameters_that_it_does_not_know() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        let target = "/products?prise=1&offset=x&limit=1";
        let list = shop.get(target).header("prefer", "handling=lenient").await.ok();
        assert_eq!((&list["total"], &list["limit"]), (&json!(1), &json!(1)));
        shop.get(target).header("prefer", "handling=strict").await.problem("validation_failed");
    });
}

#[test]
fn a_lenient_list_still_refuses_values_that_are_wrong() {
    on_shop(async |shop| {
        let target = "/products?prise=1&price=cheap&limit=0&description=x&name__near=y";
        let problem = shop.get(target).header("prefer", "handling=lenient").await.problem("validation_failed");
        assert_eq!(problem.parameters(), ["description", "limit", "name__near", "price"]);
    });
}

#[test]
fn preferences_come_in_one_header_or_in_several_in_any_case() {
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
fn preferences_that_nobody_knows_are_ignored() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        for prefer in ["", ",,", "count", "count=exact", "return=", "=none", "handling=\""] {
            let list = shop.get("/products").header("prefer", prefer).await.ok();
            assert_eq!(list["total"], 1, "{prefer:?}");
        }
    });
}
