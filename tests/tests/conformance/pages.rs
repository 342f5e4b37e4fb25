//! `skip` and `limit` select a page, which the envelope and the headers number.

use crud_tests::fixtures::{category, column, create_all, records};
use crud_tests::{Client, on_kitchen, on_shop};
use serde_json::{Value, json};

/// Creates the categories `Category 01`, `Category 02` and so on.
async fn categories(shop: &Client, count: usize) {
    for number in 1..=count {
        category(shop, &format!("Category {number:02}")).await;
    }
}

/// The `total`, `page`, `pages`, `limit` and `skip` of an envelope.
fn numbers(list: &Value) -> Value {
    json!([list["total"], list["page"], list["pages"], list["limit"], list["skip"]])
}

#[test]
fn pages_are_numbered_from_one() {
    on_shop(async |shop| {
        categories(shop, 7).await;
        for (target, expected) in [
            ("/categories", json!([7, 1, 1, 10, 0])),
            ("/categories?limit=3", json!([7, 1, 3, 3, 0])),
            ("/categories?limit=3&skip=2", json!([7, 1, 3, 3, 2])),
            ("/categories?limit=3&skip=3", json!([7, 2, 3, 3, 3])),
            ("/categories?limit=3&skip=6", json!([7, 3, 3, 3, 6])),
            ("/categories?limit=7", json!([7, 1, 1, 7, 0])),
            ("/categories?limit=1", json!([7, 1, 7, 1, 0])),
            ("/categories?skip=100", json!([7, 11, 1, 10, 100])),
        ] {
            assert_eq!(numbers(&shop.get(target).await.ok()), expected, "{target}");
        }
    });
}

#[test]
fn empty_list_is_page_one_of_zero() {
    on_shop(async |shop| {
        let list = shop.get("/categories").await.ok();
        assert_eq!(numbers(&list), json!([0, 1, 0, 10, 0]));
        assert_eq!(list["data"], json!([]));
    });
}

#[test]
fn skip_and_limit_select_a_page() {
    on_shop(async |shop| {
        categories(shop, 7).await;
        let list = shop.get("/categories?skip=2&limit=3").await.ok();
        assert_eq!(column(&list, "name"), ["Category 03", "Category 04", "Category 05"]);
        assert_eq!(records(&shop.get("/categories?skip=5&limit=3").await.ok()).len(), 2);
        assert!(records(&shop.get("/categories?skip=7").await.ok()).is_empty());
    });
}

#[test]
fn default_limit_applies() {
    on_shop(async |shop| {
        categories(shop, 12).await;
        let list = shop.get("/categories").await.ok();
        assert_eq!(records(&list).len(), 10);
        assert_eq!(numbers(&list), json!([12, 1, 2, 10, 0]));
        for (prefix, limit) in [("/categories", 10), ("/products", 20), ("/orders", 10)] {
            assert_eq!(shop.get(prefix).await.ok()["limit"], limit, "{prefix}");
        }
    });
}

#[test]
fn limit_above_the_maximum_is_rejected() {
    on_shop(async |shop| {
        for prefix in ["/categories", "/products", "/orders"] {
            assert_eq!(shop.get(format!("{prefix}?limit=100")).await.ok()["limit"], 100);
            let problem = shop.get(format!("{prefix}?limit=101")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["limit"]);
            assert!(problem.detail.contains("100"), "{problem}");
        }
    });
}

#[test]
fn limit_above_the_maximum_is_clamped_with_over_limit_clamp() {
    on_kitchen(async |kitchen| {
        create_all(kitchen, "/v1/clamped", (0..5).map(|number| json!({ "name": number.to_string() }))).await;
        assert_eq!(numbers(&kitchen.get("/v1/clamped").await.ok()), json!([5, 1, 3, 2, 0]));
        let list = kitchen.get("/v1/clamped?limit=1000").await.ok();
        assert_eq!(numbers(&list), json!([5, 1, 2, 3, 0]));
        assert_eq!(records(&list).len(), 3);
        kitchen.get("/v1/clamped?limit=0").await.problem("validation_failed");
    });
}

#[test]
fn skip_and_limit_are_integers_in_range() {
    on_shop(async |shop| {
        for value in ["", "x", "-1", "1.5", "+1", "01", "1e1", " 1", "0x1", "99999999999999999999"] {
            for parameter in ["skip", "limit"] {
                let target = crud_tests::query("/categories", [(parameter, value)]);
                let problem = shop.get(target).await.problem("validation_failed");
                assert_eq!(problem.parameters(), [parameter], "{value:?}");
            }
        }
        assert_eq!(shop.get("/categories?limit=0").await.problem("validation_failed").parameters(), ["limit"]);
    });
}

#[test]
fn skip_beyond_the_end_returns_an_empty_page() {
    on_shop(async |shop| {
        categories(shop, 2).await;
        let list = shop.get("/categories?skip=9223372036854775807").await.ok();
        assert!(records(&list).is_empty());
        assert_eq!(list["total"], 2);
    });
}

#[test]
fn headers_state_the_range_and_total() {
    on_shop(async |shop| {
        categories(shop, 7).await;
        for (target, range) in [
            ("/categories", "categories 0-6/7"),
            ("/categories?limit=3", "categories 0-2/7"),
            ("/categories?limit=3&skip=6", "categories 6-6/7"),
            ("/categories?skip=7", "categories */7"),
        ] {
            let answer = shop.get(target).await.expect(200);
            assert_eq!(answer.require("x-total-count"), "7", "{target}");
            assert_eq!(answer.require("content-range"), range, "{target}");
        }
    });
}

#[test]
fn headers_of_an_empty_list_state_no_range() {
    on_shop(async |shop| {
        let answer = shop.get("/products").await.expect(200);
        assert_eq!(answer.require("x-total-count"), "0");
        assert_eq!(answer.require("content-range"), "products */0");
    });
}

#[test]
fn limits_and_prefix_are_configurable() {
    crud_tests::on_each_backend(async |database| {
        let service = database.service().await.without_auth();
        let service = service.resource_with::<shop::Category>(|options| options.prefix("/v1/groups").max_limit(5));
        let api = crud_tests::Api::start(database, service.migrate().await.expect("the table")).await;
        assert_eq!(api.get("/v1/groups").await.ok()["limit"], 5);
        assert_eq!(api.get("/v1/groups?limit=6").await.problem("validation_failed").parameters(), ["limit"]);
        api.get("/categories").await.problem("route_not_found");
        let created = api.post("/v1/groups", &json!({ "name": "x" })).await.expect(201);
        assert_eq!(created.require("location"), "/v1/groups/1");
        api.stop().await;
    });
}
