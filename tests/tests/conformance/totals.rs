//! Precision of a list's total: declared by `count`, lowered by `Prefer: count=…`.

use crud_runtime::descriptor::Count;
use crud_runtime::prelude::*;
use crud_tests::fixtures::category;
use crud_tests::{Api, Client, on_each_backend, on_kitchen, on_shop};
use serde_json::{Value, json};

/// Runs a test on seven categories whose list counts so precisely.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_counted(count: Count, test: impl AsyncFn(&Client)) {
    on_each_backend(async |database| {
        let service =
            database.service().await.resource_with::<shop::Category>(|options| options.count(count)).without_auth();
        let api = Api::start(database, service.migrate().await.expect("the table")).await;
        for number in 1..=7 {
            category(&api, &format!("Category {number}")).await;
        }
        test(&api).await;
        api.stop().await;
    });
}

/// The `total`, `total_relation` and `pages` of an envelope.
fn totals(list: &Value) -> Value {
    json!([list["total"], list["total_relation"], list["pages"]])
}

#[test]
fn exact_total_has_the_relation_eq() {
    on_shop(async |shop| {
        category(shop, "Lamps").await;
        for target in ["/categories", "/categories?limit=1", "/categories?skip=5", "/categories?name=x"] {
            assert_eq!(shop.get(target).await.ok()["total_relation"], "eq", "{target}");
        }
    });
}

#[test]
fn capped_total_beyond_the_cap_is_a_lower_bound() {
    on_counted(Count::Capped(5), async |api| {
        for (target, range, expected) in [
            ("/categories?limit=2", "categories 0-1/*", json!([5, "gte", null])),
            ("/categories?limit=2&skip=2", "categories 2-3/*", json!([5, "gte", null])),
            // The page reaches further than the cap.
            ("/categories?limit=2&skip=4", "categories 4-5/*", json!([6, "gte", null])),
            ("/categories?skip=20", "categories */*", json!([5, "gte", null])),
        ] {
            let answer = api.get(target).await.expect(200);
            assert_eq!(answer.header("x-total-count"), None, "{target}");
            assert_eq!(answer.header("preference-applied"), None, "{target}");
            assert_eq!(answer.require("content-range"), range, "{target}");
            assert_eq!(totals(&answer.into_json()), expected, "{target}");
        }
    });
}

#[test]
fn capped_total_up_to_the_cap_is_exact() {
    on_counted(Count::Capped(5), async |api| {
        for (target, range, expected) in [
            ("/categories?name__lte=Category%205&limit=2", "categories 0-1/5", json!([5, "eq", 3])),
            ("/categories?name__lte=Category%203&limit=1&skip=9", "categories */3", json!([3, "eq", 3])),
            // The last page shows the total by itself.
            ("/categories?limit=4&skip=4", "categories 4-6/7", json!([7, "eq", 2])),
            ("/categories", "categories 0-6/7", json!([7, "eq", 1])),
        ] {
            let answer = api.get(target).await.expect(200);
            assert_eq!(answer.require("content-range"), range, "{target}");
            assert!(answer.header("x-total-count").is_some(), "{target}");
            assert_eq!(totals(&answer.into_json()), expected, "{target}");
        }
    });
}

#[test]
fn uncounted_list_has_no_total() {
    on_counted(Count::None, async |api| {
        for prefer in ["", "count=exact", "count=capped"] {
            let answer = api.get("/categories?limit=2").header("prefer", prefer).await.expect(200);
            assert_eq!(answer.header("x-total-count"), None);
            assert_eq!(answer.header("preference-applied"), None, "{prefer}");
            assert_eq!(answer.require("content-range"), "categories 0-1/*");
            assert_eq!(totals(&answer.into_json()), json!([null, null, null]));
        }
    });
}

#[test]
fn preference_lowers_the_precision() {
    on_counted(Count::Capped(5), async |api| {
        let list = |prefer| api.get("/categories?limit=2").header("prefer", prefer);
        for (prefer, applied, expected) in [
            ("count=none", Some("count=none"), json!([null, null, null])),
            ("count=capped", Some("count=capped"), json!([5, "gte", null])),
            ("count=exact", None, json!([5, "gte", null])),
            ("count=planned", None, json!([5, "gte", null])),
        ] {
            let answer = list(prefer).await.expect(200);
            assert_eq!(answer.header("preference-applied"), applied, "{prefer}");
            assert_eq!(totals(&answer.into_json()), expected, "{prefer}");
        }
    });
}

#[test]
fn preference_of_the_declared_precision_is_applied() {
    on_counted(Count::Exact, async |api| {
        for prefer in ["count=exact", "count=capped"] {
            let answer = api.get("/categories?limit=2").header("prefer", prefer).await.expect(200);
            assert_eq!(answer.header("preference-applied"), Some(prefer));
            assert_eq!(answer.require("x-total-count"), "7");
            assert_eq!(totals(&answer.into_json()), json!([7, "eq", 4]));
        }
    });
}

#[test]
fn array_without_pages_has_headers_as_precise_as_is_preferred() {
    on_kitchen(async |kitchen| {
        let created: Vec<_> = (0..3).map(|number| json!({ "name": number.to_string() })).collect();
        crud_tests::fixtures::create_all(kitchen, "/bare", created).await;
        let counted = kitchen.get("/bare").header("prefer", "count=capped").await.expect(200);
        assert_eq!(counted.require("x-total-count"), "3");
        assert_eq!(counted.require("preference-applied"), "count=capped");
        let uncounted = kitchen.get("/bare").header("prefer", "count=none").await.expect(200);
        assert_eq!(uncounted.header("x-total-count"), None);
        assert_eq!(uncounted.require("preference-applied"), "count=none");
    });
}

#[test]
fn store_counts_up_to_a_limit() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<shop::Category>().migrate().await.expect("the table");
        let categories = service.store::<shop::Category>();
        for number in 1..=7 {
            let category = shop::NewCategory { name: format!("Category {number}"), description: None };
            categories.create(category).await.expect("a category");
        }
        let below_five = shop::Category::FIELDS.name.lt("Category 5");
        for (limit, counted) in [(0, 0), (3, 3), (4, 4), (5, 4)] {
            assert_eq!(categories.count_up_to(below_five.clone(), limit).await.expect("a count"), counted);
        }
        assert_eq!(categories.count_up_to(Select::all(), 100).await.expect("a count"), 7);
    });
}
