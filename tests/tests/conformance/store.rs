//! The typed `Store`: the routes' operations, without HTTP's visibility rules.

use crud_runtime::error::{Code, Error};
use crud_runtime::prelude::*;
use crud_runtime::{Result, Service, Store};
use crud_tests::kitchen::{Account, AccountPatch, NewAccount, NewSparse, Sparse, SparsePatch, kitchen};
use crud_tests::on_each_backend;
use shop::{Category, NewCategory, NewOrder, NewProduct, Order, Product, ProductPatch, Status};

/// A fresh shop, its product store, and a category.
async fn shop_with_category(service: Service) -> (Service, Store<Product>, Category) {
    let service = shop::open_shop(service).migrate().await.expect("the shop's tables");
    let categories = service.store::<Category>();
    let category = categories.create(NewCategory { name: "Lamps".to_owned(), description: None }).await;
    let products = service.store::<Product>();
    (service, products, category.expect("a category"))
}

fn lamp(category: &Category, name: &str, price: f64) -> NewProduct {
    NewProduct { name: name.to_owned(), description: None, price, stock: 3, category_id: category.id, photo: None }
}

#[track_caller]
fn error_code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    match result {
        Err(Error::Problem(problem)) => problem.code(),
        other => panic!("expected a problem: {other:?}"),
    }
}

#[test]
fn record_is_created_read_updated_and_deleted() {
    on_each_backend(async |database| {
        let (_service, products, category) = shop_with_category(database.service().await).await;
        let created = products.create(lamp(&category, "Lamp", 9.5)).await.expect("a product");
        assert_eq!((created.name.as_str(), created.price, created.stock), ("Lamp", 9.5, 3));
        assert_eq!(created.created_at, created.updated_at);
        assert_eq!(products.get(created.id).await.expect("the product"), created);

        let patch = ProductPatch::default().price(12.0).description("bright");
        let updated = products.update(created.id, patch).await.expect("the product");
        assert_eq!((updated.price, updated.description.as_deref()), (12.0, Some("bright")));
        assert!(updated.updated_at > created.updated_at);

        assert_eq!(products.delete_one(created.id).await.expect("the product"), updated);
        assert_eq!(error_code(products.get(created.id).await), Code::NotFound);
    });
}

#[test]
fn unknown_record_is_not_found() {
    on_each_backend(async |database| {
        let (_service, products, _) = shop_with_category(database.service().await).await;
        assert_eq!(error_code(products.get(7).await), Code::NotFound);
        assert_eq!(error_code(products.update(7, ProductPatch::default().stock(1)).await), Code::NotFound);
        assert_eq!(error_code(products.delete_one(7).await), Code::NotFound);
    });
}

#[test]
fn store_validates_as_the_routes_do() {
    on_each_backend(async |database| {
        let (service, products, category) = shop_with_category(database.service().await).await;
        assert_eq!(error_code(products.create(lamp(&category, "", 1.0)).await), Code::ValidationFailed);
        assert_eq!(error_code(products.create(lamp(&category, "Lamp", f64::NAN)).await), Code::ValidationFailed);
        let taken = NewCategory { name: category.name.clone(), description: None };
        assert_eq!(error_code(service.store::<Category>().create(taken).await), Code::Conflict);
        let nowhere = NewProduct { category_id: 77, ..lamp(&category, "Lamp", 1.0) };
        assert_eq!(error_code(products.create(nowhere).await), Code::ReferenceNotFound);
        products.create(lamp(&category, "Lamp", 1.0)).await.expect("a product");
        assert_eq!(error_code(service.store::<Category>().delete_one(category.id).await), Code::Referenced);
    });
}

#[test]
fn list_accepts_a_condition_or_a_query() {
    on_each_backend(async |database| {
        let (_service, products, category) = shop_with_category(database.service().await).await;
        for (name, price) in [("b", 2.0), ("c", 3.0), ("a", 1.0)] {
            products.create(lamp(&category, name, price)).await.expect("a product");
        }
        let names = |list: Vec<Product>| list.into_iter().map(|product| product.name).collect::<Vec<_>>();
        let fields = Product::FIELDS;
        let dear = products.list(fields.price.gt(1.5).order_by(fields.name.asc())).await.expect("a list");
        assert_eq!(names(dear), ["b", "c"]);
        let cheap = products.list(fields.price.lt(1.5)).await.expect("a list");
        assert_eq!(names(cheap), ["a"]);
        let all = products.list(Select::all().order_by(fields.name.desc()).offset(1).limit(1)).await.expect("a list");
        assert_eq!(names(all), ["b"]);
        let either = products.list(fields.name.eq("a").or(!fields.name.like("%b%"))).await.expect("a list");
        assert_eq!(names(either), ["a", "c"]);
        assert_eq!(products.count(fields.name.is_in(["a", "b", "x"])).await.expect("a count"), 2);
    });
}

#[test]
fn list_without_a_limit_has_every_record() {
    on_each_backend(async |database| {
        let (_service, products, category) = shop_with_category(database.service().await).await;
        for number in 0..150 {
            products.create(lamp(&category, &number.to_string(), 1.0)).await.expect("a product");
        }
        assert_eq!(products.list(Select::all()).await.expect("a list").len(), 150);
    });
}

#[test]
fn page_returns_the_envelope() {
    on_each_backend(async |database| {
        let (_service, products, category) = shop_with_category(database.service().await).await;
        for number in 0..5 {
            products.create(lamp(&category, &number.to_string(), 1.0)).await.expect("a product");
        }
        let page = products.page(Select::all().offset(2).limit(2)).await.expect("a page");
        assert_eq!((page.data.len(), page.total, page.page, page.pages, page.limit, page.skip), (2, 5, 2, 3, 2, 2));
    });
}

#[test]
fn default_applies_to_an_omitted_field() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let orders = service.store::<Order>();
        let order = NewOrder { order_number: "1".to_owned(), product_id: None, total_price: 1.0, status: None };
        let order = orders.create(order).await.expect("an order");
        assert_eq!(order.status, Status::Pending);
    });
}

#[test]
fn read_only_applies_to_http_only() {
    on_each_backend(async |database| {
        let service = kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        let accounts = service.store::<Account>();
        let account = accounts.create(NewAccount::new("Ada", "correct horse", "UK")).await.expect("an account");
        let updated = accounts.update(account.id, AccountPatch::default().balance(7)).await.expect("an account");
        assert_eq!(updated.balance, 7);
    });
}

#[test]
fn store_and_routes_access_the_same_records() {
    on_each_backend(async |database| {
        let (service, products, category) = shop_with_category(database.service().await).await;
        let api = crud_tests::Api::start(database, service).await;
        let created = products.create(lamp(&category, "Lamp", 9.5)).await.expect("a product");
        let path = format!("/products/{}", created.id);
        assert_eq!(api.get(&path).await.ok()["price"], 9.5);
        api.put(&path, &serde_json::json!({ "price": 10 })).await.ok();
        assert!((products.get(created.id).await.expect("the product").price - 10.0).abs() < f64::EPSILON);
        api.stop().await;
    });
}

#[test]
fn instants_are_truncated_to_microseconds() {
    on_each_backend(async |database| {
        let service = kitchen(database.service().await).migrate().await.expect("the kitchen's tables");
        let tickets = service.store::<Sparse>();
        let now = DateTime::<Utc>::from_timestamp_nanos(1_700_000_000_123_456_789);
        let stored = tickets.create(NewSparse::new().instant(now)).await.expect("a record");
        assert_eq!(stored.instant, DateTime::from_timestamp_micros(1_700_000_000_123_456));
        let later = DateTime::<Utc>::from_timestamp_nanos(1_700_000_001_999_999_999);
        let stored = tickets.update(stored.id, SparsePatch::default().instant(later)).await.expect("a record");
        assert_eq!(stored.instant, DateTime::from_timestamp_micros(1_700_000_001_999_999), "truncated, not rounded");
    });
}
