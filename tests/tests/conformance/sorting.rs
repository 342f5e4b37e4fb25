//! `sort` orders a list by several fields; ties are ordered by key.

use crud_tests::fixtures::{category, column, create_all, dense_with, product_body, records};
use crud_tests::{Client, on_kitchen, on_shop};
use serde_json::{Value, json};

/// Creates three lamps; the last two have the same price.
async fn lamps(shop: &Client) {
    let category = category(shop, "Lamps").await;
    for (name, price) in [("b", 2.0), ("c", 1.0), ("a", 1.0)] {
        let mut body = product_body(category, name);
        body["price"] = json!(price);
        shop.post("/products", &body).await.created();
    }
}

async fn names(shop: &Client, target: &str) -> Vec<Value> {
    column(&shop.get(target).await.ok(), "name")
}

#[test]
fn field_sorts_ascending_and_with_minus_descending() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "/products?sort=name").await, ["a", "b", "c"]);
        assert_eq!(names(shop, "/products?sort=-name").await, ["c", "b", "a"]);
    });
}

#[test]
fn several_fields_sort_in_order() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "/products?sort=price,name").await, ["a", "c", "b"]);
        assert_eq!(names(shop, "/products?sort=price,-name").await, ["c", "a", "b"]);
        assert_eq!(names(shop, "/products?sort=-price,name").await, ["b", "a", "c"]);
    });
}

#[test]
fn default_sort_applies() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "/products").await, ["a", "c", "b"], "products: newest first");
        for name in ["Zebra", "Ant"] {
            category(shop, name).await;
        }
        assert_eq!(names(shop, "/categories").await, ["Ant", "Lamps", "Zebra"], "categories: by name");
    });
}

#[test]
fn key_is_the_default_sort() {
    on_kitchen(async |kitchen| {
        create_all(kitchen, "/bare", ["b", "a", "c"].map(|name| json!({ "name": name }))).await;
        assert_eq!(column(&kitchen.get("/bare").await.ok(), "id"), [1, 2, 3]);
    });
}

#[test]
fn nulls_sort_first_ascending_and_last_descending() {
    on_kitchen(async |kitchen| {
        let fields = ["flag", "medium", "double", "text", "instant", "day", "uuid", "decimal", "priority"];
        create_all(kitchen, "/sparse", [json!({}), crud_tests::fixtures::dense(), json!({})]).await;
        for field in fields {
            let ascending = column(&kitchen.get(format!("/sparse?sort={field}")).await.ok(), "id");
            assert_eq!(ascending.last(), Some(&json!(2)), "{field}");
            let descending = column(&kitchen.get(format!("/sparse?sort=-{field}")).await.ok(), "id");
            assert_eq!(descending.first(), Some(&json!(2)), "-{field}");
        }
    });
}

#[test]
fn text_sorts_by_code_point() {
    on_kitchen(async |kitchen| {
        // By UTF-16 code units, the last two would change places.
        let sorted = ["", " ", "!", "10", "9", "B", "Z", "_", "a", "aa", "b", "z", "é", "世", "\u{ff5e}", "😀"];
        let mut shuffled = sorted.to_vec();
        shuffled.rotate_left(5);
        shuffled.reverse();
        create_all(kitchen, "/dense", shuffled.iter().map(|text| dense_with("text", json!(text)))).await;
        assert_eq!(column(&kitchen.get("/dense?sort=text").await.ok(), "text"), sorted);
        let reverse: Vec<_> = sorted.into_iter().rev().collect();
        assert_eq!(column(&kitchen.get("/dense?sort=-text").await.ok(), "text"), reverse);
    });
}

#[test]
fn decimals_sort_as_numbers() {
    on_kitchen(async |kitchen| {
        let decimals = ["10.000", "-10.500", "9.000", "-9.000", "0.001"];
        create_all(kitchen, "/dense", decimals.map(|decimal| dense_with("decimal", json!(decimal)))).await;
        let sorted = column(&kitchen.get("/dense?sort=decimal").await.ok(), "decimal");
        assert_eq!(sorted, ["-10.500", "-9.000", "0.001", "9.000", "10.000"]);
    });
}

#[test]
fn ties_are_ordered_by_key_across_pages() {
    on_kitchen(async |kitchen| {
        create_all(kitchen, "/dense", (0..25).map(|_| crud_tests::fixtures::dense())).await;
        for sort in ["text", "-text", "priority,-double"] {
            let mut paged = Vec::new();
            for skip in (0..25).step_by(4) {
                let page = kitchen.get(format!("/dense?sort={sort}&skip={skip}&limit=4")).await.ok();
                paged.extend(column(&page, "id"));
            }
            let whole = kitchen.get(format!("/dense?sort={sort}&limit=100")).await.ok();
            assert_eq!(paged, column(&whole, "id"), "{sort}");
            let mut ids: Vec<_> = paged.iter().filter_map(Value::as_i64).collect();
            ids.sort_unstable();
            assert_eq!(ids, (1..=25).collect::<Vec<_>>(), "{sort}");
        }
    });
}

#[test]
fn key_is_always_sortable() {
    on_kitchen(async |kitchen| {
        create_all(kitchen, "/dense", (0..3).map(|_| crud_tests::fixtures::dense())).await;
        assert_eq!(column(&kitchen.get("/dense?sort=-id").await.ok(), "id"), [3, 2, 1]);
        assert_eq!(column(&kitchen.get("/dense?sort=-text,id").await.ok(), "id"), [1, 2, 3]);
    });
}

#[test]
fn empty_list_sorts_to_an_empty_list() {
    on_shop(async |shop| assert!(records(&shop.get("/products?sort=name").await.ok()).is_empty()));
}
