//! Filters on the record that a field refers to, and `expand`, which returns it.

use crud_tests::fixtures::{category, column, create_all, product_body};
use crud_tests::{Client, on_shop, query};
use serde_json::{Value, json};

/// Two products of the categories `Lamps` and `Desks`, an order of each, and an order of none. Their ids.
async fn orders(shop: &Client) -> (Vec<Value>, Vec<Value>) {
    let (lamps, desks) = (category(shop, "Lamps").await, category(shop, "Desks").await);
    let products = create_all(shop, "/products", [product_body(lamps, "Lamp"), product_body(desks, "Desk")]).await;
    let order = |number: &str, product: &Value| json!({ "order_number": number, "total_price": 1, "product_id": product["id"] });
    let bodies = [order("1", &products[0]), order("2", &products[1]), order("3", &json!({}))];
    (products, create_all(shop, "/orders", bodies).await)
}

async fn numbers(shop: &Client, name: &str, value: &str) -> Vec<Value> {
    let list = shop.get(query("/orders", [(name, value), ("sort", "order_number")])).await.ok();
    assert_eq!(
        list["total"],
        list["data"].as_array().map(Vec::len).unwrap_or_default(),
        "the total is of the condition"
    );
    column(&list, "order_number")
}

#[test]
fn lists_are_filtered_by_fields_of_the_record_that_is_referred_to() {
    on_shop(async |shop| {
        orders(shop).await;
        assert_eq!(numbers(shop, "product.name", "Lamp").await, ["1"]);
        assert_eq!(numbers(shop, "product.name__ilike", "%E%").await, ["2"]);
        assert_eq!(numbers(shop, "product.name__in", "Lamp,Desk").await, ["1", "2"]);
        assert_eq!(numbers(shop, "product.name", "Chair").await, [""; 0]);
        let products = shop.get("/products?category.name__startswith=L").await.ok();
        assert_eq!(column(&products, "name"), ["Lamp"]);
    });
}

#[test]
fn conditions_are_on_the_record_that_is_referred_to() {
    on_shop(async |shop| {
        orders(shop).await;
        let list = async |condition: Value| numbers(shop, "where", &condition.to_string()).await;
        assert_eq!(list(json!({ "product": { "name": "Lamp" } })).await, ["1"]);
        assert_eq!(
            list(json!({ "product": { "or": [{ "name": "Lamp" }, { "name__contains": "es" }] } })).await,
            ["1", "2"]
        );
        assert_eq!(list(json!({ "or": [{ "product.name": "Lamp" }, { "order_number": "3" }] })).await, ["1", "3"]);
        // No product satisfies neither a condition nor its negation.
        assert_eq!(list(json!({ "not": { "product": { "name": "Lamp" } } })).await, ["2"]);
        assert_eq!(list(json!({ "product": { "not": { "name": "Lamp" } } })).await, ["2"]);
        assert_eq!(
            list(json!({ "not": { "or": [{ "product.name": "Lamp" }, { "order_number": "9" }] } })).await,
            ["2"]
        );
    });
}

#[test]
fn a_deleted_record_is_as_no_reference() {
    on_shop(async |shop| {
        let (products, orders) = orders(shop).await;
        shop.delete(format!("/products/{}", products[0]["id"])).await.ok();
        assert_eq!(numbers(shop, "product.name", "Lamp").await, [""; 0]);
        assert_eq!(numbers(shop, "where", r#"{"not":{"product":{"name":"Chair"}}}"#).await, ["2"]);
        let order = shop.get(format!("/orders/{}?expand=product", orders[0]["id"])).await.ok();
        assert_eq!((&order["product"], &order["product_id"]), (&Value::Null, &products[0]["id"]));
    });
}

#[test]
fn wrong_paths_are_refused() {
    on_shop(async |shop| {
        orders(shop).await;
        for target in [
            "/orders?product.nam=Lamp",
            "/orders?product.stock=1",
            "/orders?produkt.name=Lamp",
            "/orders?product.name__gt__lt=1",
            "/orders?product.price__like=1",
            "/orders?product=1",
            "/orders?product.category.name=Lamps",
            "/orders?expand=produkt",
            "/orders?expand=product,product",
            "/orders?expand=",
            "/orders?expand=product&expand=product",
            "/orders?expand=product_id",
            "/orders?expand=product.category.products",
            "/categories?expand=products",
        ] {
            shop.get(target).await.problem("validation_failed");
        }
        let unknown = shop.get("/orders?product.nam=Lamp").await.problem("validation_failed");
        assert!(unknown.detail.ends_with("did you mean `product.name`?"), "{unknown}");
        let condition = json!({ "where": { "product": { "stock": 1 }, "produkt": {} } });
        let refused = shop.post("/orders/search", &condition).await.problem("validation_failed");
        assert_eq!(refused.pointers(), ["/where/product/stock", "/where/produkt"]);
    });
}

#[test]
fn expand_returns_the_record_beside_the_one_that_refers_to_it() {
    on_shop(async |shop| {
        let (products, orders) = orders(shop).await;
        let plain = shop.get("/orders?sort=order_number").await.ok();
        let list = shop.get("/orders?sort=order_number&expand=product").await.ok();
        let product = shop.get(format!("/products/{}", products[0]["id"])).await.ok();
        assert_eq!(list["data"][0]["product"], product);
        assert_eq!(list["data"][2]["product"], Value::Null);
        assert_eq!(list["total"], plain["total"]);
        let mut without = list.clone();
        for record in without["data"].as_array_mut().expect("records") {
            record.as_object_mut().expect("a record").remove("product").expect("the product");
        }
        assert_eq!(without, plain);
        let searched = shop.post("/orders/search", &json!({ "sort": ["order_number"], "expand": ["product"] })).await;
        assert_eq!(searched.ok(), list);
        let one = shop.get(format!("/orders/{}?expand=product", orders[0]["id"])).await.ok();
        assert_eq!(one, list["data"][0]);
    });
}

#[test]
fn expand_goes_on_from_the_record_that_it_returns() {
    on_shop(async |shop| {
        orders(shop).await;
        let list = shop.get("/orders?sort=order_number&expand=product.category").await.ok();
        assert_eq!(list["data"][0]["product"]["category"]["name"], "Lamps");
        assert_eq!(list["data"][1]["product"]["category"]["name"], "Desks");
        assert_eq!(list["data"][2]["product"], Value::Null);
        assert_eq!(shop.get("/orders?sort=order_number&expand=product,product.category").await.ok(), list);
        let products = shop.get("/products?expand=category&sort=name").await.ok();
        assert_eq!(products["data"][0], list["data"][1]["product"]);
    });
}

#[test]
fn changes_return_what_is_beside_the_record_and_ignore_it_in_bodies() {
    on_shop(async |shop| {
        let (products, _) = orders(shop).await;
        let body = json!({ "order_number": "4", "total_price": 1, "product_id": products[0]["id"] });
        let created = shop.post("/orders?expand=product", &body).await.created();
        assert_eq!(created["product"]["name"], "Lamp");
        let path = format!("/orders/{}", created["id"]);
        let tag = shop.get(&path).await.etag();
        let expanded = shop.get(format!("{path}?expand=product")).header("if-none-match", &tag).await;
        assert_eq!((expanded.status(), expanded.etag()), (200, tag.clone()), "the tag is the order's");
        shop.get(format!("{path}?expand=product&expand=product")).await.problem("validation_failed");
        shop.get(format!("{path}?expand=%ff")).await.problem("validation_failed");
        // A record that was read can be written back.
        let mut order = expanded.into_json();
        order["total_price"] = json!(2);
        order["product_id"] = products[1]["id"].clone();
        let updated = shop.put(format!("{path}?expand=product"), &order).header("if-match", &tag).await.ok();
        assert_eq!((&updated["product"]["name"], &updated["total_price"]), (&json!("Desk"), &json!(2.0)));
        shop.put(format!("{path}?expand=nothing"), &order).await.problem("validation_failed");
        let refused = shop.post("/orders?expand=nothing", &json!({ "order_number": "5", "total_price": 1 })).await;
        refused.problem("validation_failed");
        assert_eq!(numbers(shop, "order_number", "5").await, [""; 0], "nothing was written");
    });
}
