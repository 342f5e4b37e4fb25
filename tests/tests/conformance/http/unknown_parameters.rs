//! Unknown parameters are refused wherever the service answers with data, and ignored on `/`, `/health`,
//! `/ready` and the documentation, to which load balancers add some.

use axum::http::Method;
use crud_tests::fixtures::{category, id, product};
use crud_tests::http::on_shop;
use serde_json::{Value, json};

#[test]
fn unknown_parameter_is_refused_by_each_operation_of_a_resource() {
    on_shop(async |shop| {
        let other = category(shop, "other").await;
        let product = product(shop, "a").await;
        let path = format!("/products/{}", id(&product));
        let record = json!({ "name": "b", "category_id": other });
        let many = json!({ "items": [record] });
        let ids = json!({ "ids": [product["id"]] });
        let none = Value::Null;
        for (method, target, body) in [
            (Method::GET, "/products".to_owned(), &none),
            (Method::POST, "/products".to_owned(), &record),
            (Method::GET, path.clone(), &none),
            (Method::HEAD, path.clone(), &none),
            (Method::PUT, path.clone(), &record),
            (Method::PATCH, path.clone(), &record),
            (Method::DELETE, path.clone(), &none),
            (Method::POST, format!("{path}/restore"), &none),
            (Method::DELETE, format!("{path}/permanent"), &none),
            (Method::GET, format!("{path}/history"), &none),
            (Method::POST, "/products/restore".to_owned(), &none),
            (Method::DELETE, "/products/deleted".to_owned(), &none),
            (Method::POST, "/products/batch".to_owned(), &many),
            (Method::PUT, "/products/batch".to_owned(), &many),
            (Method::DELETE, "/products/batch".to_owned(), &ids),
            (Method::POST, "/products/batch/delete".to_owned(), &ids),
            (Method::GET, "/audit-logs".to_owned(), &none),
        ] {
            let head = method == Method::HEAD;
            let request = shop.request(method.clone(), format!("{target}?utm_source=x"));
            let answer = if body.is_null() { request.await } else { request.json(body).await };
            if head {
                answer.expect(422);
                continue;
            }
            let problem = answer.problem("validation_failed");
            assert_eq!(problem.parameters(), ["utm_source"], "{method} {target}: {problem}");
            assert_eq!(problem.only().code, "unknown_parameter", "{method} {target}");
        }
        assert_eq!(shop.get(&path).await.ok(), product, "nothing is changed");
    });
}

#[test]
fn unknown_parameter_of_a_record_is_ignored_when_the_client_asks_for_it() {
    on_shop(async |shop| {
        let product = product(shop, "a").await;
        let target = format!("/products/{}?utm_source=x", id(&product));
        shop.get(&target).header("prefer", "handling=lenient").await.ok();
        shop.delete(&target).header("prefer", "handling=lenient").await.problem("validation_failed");
    });
}

#[test]
fn unknown_parameter_names_the_nearest_one() {
    on_shop(async |shop| {
        let product = product(shop, "a").await;
        let target = format!("/products/{}?include_delete=true", id(&product));
        let problem = shop.get(target).await.problem("validation_failed");
        assert!(problem.at("include_delete").contains("did you mean `include_deleted`?"), "{problem}");
    });
}

#[test]
fn service_routes_ignore_parameters() {
    on_shop(async |shop| {
        for target in ["/", "/health", "/ready", "/docs", "/openapi.json"] {
            shop.get(format!("{target}?utm_source=x&probe=1")).await.expect(200);
        }
    });
}
