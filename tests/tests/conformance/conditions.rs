//! `where`, conditions in JSON, as a parameter and in the body of a search.

use crud_tests::fixtures::{column, create_all, product, product_body};
use crud_tests::{Client, on_kitchen, on_shop, query};
use reqwest::Method;
use serde_json::{Value, json};

/// Creates lamps at 1.5, 2.5, … 5.5, with their numbers in stock; every second one has a description.
async fn lamps(shop: &Client) -> i64 {
    let category = crud_tests::fixtures::category(shop, "Lamps").await;
    let lamp = |number: i32| {
        let mut body = product_body(category, &format!("Lamp {number}"));
        body["price"] = json!(f64::from(number) + 0.5);
        body["stock"] = json!(number);
        body
    };
    create_all(shop, "/products", (1..=5).map(lamp)).await;
    category
}

/// The names of the products that satisfy a condition, by GET; a search must answer the same.
async fn names(shop: &Client, condition: &Value) -> Vec<Value> {
    let listed = shop.get(query("/products", [("where", condition.to_string().as_str()), ("sort", "name")])).await;
    let searched = shop.post("/products/search", &json!({ "where": condition, "sort": ["name"] })).await;
    let (listed, searched) = (listed.ok(), searched.ok());
    assert_eq!(listed, searched, "{condition}");
    column(&listed, "name")
}

#[test]
fn members_of_a_condition_must_all_hold() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, &json!({ "stock__gte": 2, "price__lt": 4.5 })).await, ["Lamp 2", "Lamp 3"]);
        assert_eq!(names(shop, &json!({ "and": [{ "stock__gte": 2 }, { "stock__lte": 2 }] })).await, ["Lamp 2"]);
        assert_eq!(names(shop, &json!({ "stock__in": [1, 5, 9] })).await, ["Lamp 1", "Lamp 5"]);
    });
}

#[test]
fn one_of_an_or_must_hold() {
    on_shop(async |shop| {
        lamps(shop).await;
        let either = json!({ "or": [{ "stock": 1 }, { "price__gt": 5, "name__like": "Lamp%" }] });
        assert_eq!(names(shop, &either).await, ["Lamp 1", "Lamp 5"]);
        let inside = json!({ "stock__gt": 1, "or": [{ "stock": 1 }, { "and": [{ "stock": 2 }] }] });
        assert_eq!(names(shop, &inside).await, ["Lamp 2"]);
    });
}

#[test]
fn not_is_the_rest() {
    on_shop(async |shop| {
        lamps(shop).await;
        let others = json!({ "not": { "or": [{ "stock__lt": 3 }, { "stock": 5 }] } });
        assert_eq!(names(shop, &others).await, ["Lamp 3", "Lamp 4"]);
        assert_eq!(names(shop, &json!({ "not": { "not": { "stock": 4 } } })).await, ["Lamp 4"]);
    });
}

#[test]
fn null_satisfies_neither_a_condition_nor_its_negation() {
    on_kitchen(async |kitchen| {
        create_all(kitchen, "/sparse", [json!({ "medium": 1 }), json!({ "medium": 2 }), json!({})]).await;
        let list = async |condition: Value| {
            let target = query("/sparse", [("where", condition.to_string().as_str()), ("sort", "medium")]);
            column(&kitchen.get(target).await.ok(), "medium")
        };
        assert_eq!(list(json!({ "medium": 1 })).await, [json!(1)]);
        assert_eq!(list(json!({ "not": { "medium": 1 } })).await, [json!(2)]);
        assert_eq!(list(json!({ "not": { "medium__in": [1] } })).await, [json!(2)]);
        assert_eq!(list(json!({ "not": { "and": [{ "medium": 1 }, { "medium__lt": 9 }] } })).await, [json!(2)]);
        assert_eq!(list(json!({ "medium__isnull": true })).await, [Value::Null]);
        assert_eq!(list(json!({ "not": { "medium__isnull": true } })).await, [json!(1), json!(2)]);
    });
}

#[test]
fn where_and_filters_must_both_hold() {
    on_shop(async |shop| {
        lamps(shop).await;
        let condition = json!({ "or": [{ "stock": 1 }, { "stock": 2 }] }).to_string();
        let list =
            shop.get(query("/products", [("where", &*condition), ("price__gt", "2"), ("limit", "1")])).await.ok();
        assert_eq!((column(&list, "name"), &list["total"]), (vec![json!("Lamp 2")], &json!(1)));
    });
}

#[test]
fn values_are_json_of_the_fields_type() {
    on_kitchen(async |kitchen| {
        let record = &create_all(kitchen, "/dense", [crud_tests::fixtures::dense()]).await[0];
        let fields = ["flag", "small", "large", "unsigned", "single", "double", "text", "instant", "day", "time"];
        for field in fields.into_iter().chain(["local", "uuid", "decimal", "priority", "sku"]) {
            let found = kitchen.post("/dense/search", &json!({ "where": { field: record[field] } })).await;
            assert_eq!(found.ok()["total"], 1, "{field}");
        }
        for (field, wrong) in
            [("flag", json!("true")), ("small", json!("1")), ("text", json!(1)), ("decimal", json!(1))]
        {
            let answer = kitchen.post("/dense/search", &json!({ "where": { field: wrong } })).await;
            assert_eq!(answer.problem("validation_failed").pointers(), [format!("/where/{field}")]);
        }
    });
}

#[test]
fn text_is_found_literally() {
    on_kitchen(async |kitchen| {
        let texts = ["50% off", "50 off", "half 50% off", "HALF", "a_b", "axb", r"a\b", "[a]"];
        let bodies = texts.map(|text| crud_tests::fixtures::dense_with("text", json!(text)));
        create_all(kitchen, "/dense", bodies).await;
        let list = async |operator: &str, text: &str| {
            let target = query("/dense", [(format!("text__{operator}").as_str(), text), ("sort", "id")]);
            column(&kitchen.get(target).await.ok(), "text")
        };
        assert_eq!(list("contains", "50%").await, ["50% off", "half 50% off"]);
        assert_eq!(list("startswith", "50%").await, ["50% off"]);
        assert_eq!(list("contains", "half").await, ["half 50% off"]);
        assert_eq!(list("icontains", "half").await, ["half 50% off", "HALF"]);
        assert_eq!(list("icontains", "50%").await, ["50% off", "half 50% off"]);
        for text in ["a_b", r"a\b", "[a]"] {
            assert_eq!(list("contains", text).await, [text]);
            assert_eq!(list("icontains", text).await, [text]);
            assert_eq!(list("startswith", text).await, [text]);
        }
        assert_eq!(list("contains", "").await.len(), texts.len());
    });
}

#[test]
fn every_mistake_of_a_condition_is_named_by_its_place() {
    on_shop(async |shop| {
        let condition = json!({ "or": [
            { "price__lt": "1" },
            { "prise": 1, "stock__near": 1, "not": {} },
            { "stock__in": [] , "and": [], "name": null },
            1,
        ] });
        let target = query("/products", [("where", condition.to_string().as_str())]);
        let problem = shop.get(target).await.problem("validation_failed");
        let mut found: Vec<_> = problem.errors.iter().map(|error| (&*error.at, &*error.code)).collect();
        found.sort_unstable();
        let places = [
            ("parameter where/or/0/price__lt", "value"),
            ("parameter where/or/1/not", "value"),
            ("parameter where/or/1/prise", "unknown_field"),
            ("parameter where/or/1/stock__near", "unknown_operator"),
            ("parameter where/or/2/and", "value"),
            ("parameter where/or/2/name", "value"),
            ("parameter where/or/2/stock__in", "value"),
            ("parameter where/or/3", "type"),
        ];
        assert_eq!(found, places);
        assert!(problem.detail.starts_with("where/or/0/price__lt: must be a number"), "{}", problem.detail);
    });
}

#[test]
fn what_is_no_condition_is_refused() {
    on_shop(async |shop| {
        product(shop, "Lamp").await;
        for text in
            ["", "{", "[]", "{}", "1", r#"{"stock":1,"stock":2}"#, r#"{"or":[]}"#, r#"{"or":{}}"#, r#"{"not":[]}"#]
        {
            shop.get(query("/products", [("where", text)])).await.problem("validation_failed");
        }
        let twice = [("where", r#"{"stock":1}"#), ("where", r#"{"stock":1}"#)];
        shop.get(query("/products", twice)).await.problem("validation_failed");
        // An unknown name inside is no parameter of another program.
        let lenient = shop.get(query("/products", [("where", r#"{"stok":1}"#)])).header("Prefer", "handling=lenient");
        lenient.await.problem("validation_failed");
    });
}

#[test]
fn conditions_are_bounded() {
    on_shop(async |shop| {
        let nested = |depth: usize| (1..depth).fold(json!({ "stock": 1 }), |inner, _| json!({ "not": inner }));
        let list = async |condition: Value| shop.post("/products/search", &json!({ "where": condition })).await;
        list(nested(5)).await.ok();
        list(nested(6)).await.problem("query_too_complex");
        let bomb = format!(r#"{{"where":{}1{}}}"#, r#"{"not":"#.repeat(2_000), "}".repeat(2_000));
        shop.post_bytes("/products/search", bomb).await.problem("malformed_json");
        let wide = |count: usize| json!({ "or": vec![json!({ "stock": 1 }); count] });
        list(wide(20)).await.ok();
        list(wide(21)).await.problem("validation_failed");
        list(json!({ "and": vec![wide(20); 5] })).await.ok();
        list(json!({ "and": vec![wide(20); 6] })).await.problem("query_too_complex");
        // As many as a body has room for.
        let many = |member: &str| vec![member; 60_000 / (member.len() + 1)].join(",");
        let large = [
            format!(r#"{{"where":{{{}}}}}"#, many(r#""stok":1"#)),
            format!(r#"{{"where":{{"category":{{{}}}}}}}"#, many(r#""nam":1"#)),
            format!(r#"{{"expand":[{}]}}"#, many(r#""category""#)),
        ];
        for body in large {
            shop.post_bytes("/products/search", body).await.problem("query_too_complex");
        }
    });
}

#[test]
fn search_is_the_list_by_a_body() {
    on_shop(async |shop| {
        lamps(shop).await;
        let page = shop.post("/products/search", &json!({ "sort": ["-price", "name"], "skip": 1, "limit": 2 })).await;
        assert_eq!(page.header("X-Total-Count"), Some("5"));
        let page = page.ok();
        assert_eq!(column(&page, "name"), ["Lamp 4", "Lamp 3"]);
        assert_eq!((&page["total"], &page["skip"], &page["limit"]), (&json!(5), &json!(1), &json!(2)));
        assert_eq!(shop.post("/products/search", &json!({})).await.ok()["total"], 5);
        shop.post("/products/search?stock=1", &json!({})).await.problem("validation_failed");
        let wrong = json!({ "sort": "name", "skip": "1", "limit": 0, "include_deleted": 1, "wher": {}, "stock": 1 });
        let problem = shop.post("/products/search", &wrong).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/include_deleted", "/limit", "/skip", "/sort", "/stock", "/wher"]);
        assert_eq!(shop.get("/products/search").await.allow(), ["OPTIONS", "POST"]);
    });
}

#[test]
fn whole_number_of_a_search_may_have_a_fraction_of_zero() {
    on_shop(async |shop| {
        lamps(shop).await;
        let whole = br#"{"sort":["name"],"skip":1.0,"limit":2.0,"where":{"stock__gte":0.0}}"#;
        let page = shop.post_bytes("/products/search", whole.to_vec()).await.ok();
        assert_eq!(column(&page, "name"), ["Lamp 2", "Lamp 3"]);
        let problem = shop.post("/products/search", &json!({ "skip": 1.5, "limit": 2.5 })).await;
        assert_eq!(problem.problem("validation_failed").pointers(), ["/limit", "/skip"]);
    });
}

#[test]
fn restore_and_purge_take_a_condition() {
    on_kitchen(async |kitchen| {
        for rank in 1..=4 {
            crud_tests::fixtures::deleted_note(kitchen, json!({ "title": rank.to_string(), "rank": rank })).await;
        }
        let with = |path: &str, condition: Value| query(path, [("where", condition.to_string())]);
        let third = json!({ "not": { "or": [{ "rank__lt": 3 }, { "title": "4" }] } });
        let restored = kitchen.request(Method::POST, with("/notes/restore", third)).await;
        assert_eq!(restored.ok(), json!({ "restored": 1 }));
        let first = json!({ "or": [{ "rank": 1 }, { "rank": 3 }] });
        assert_eq!(kitchen.delete(with("/notes/deleted", first)).await.ok(), json!({ "deleted": 1 }));
        kitchen.delete(with("/notes/deleted", json!({}))).await.problem("validation_failed");
        let left = kitchen.get("/notes?include_deleted=true&sort=rank").await.ok();
        assert_eq!(column(&left, "rank"), [2, 3, 4]);
    });
}
