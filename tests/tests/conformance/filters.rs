//! Filters of a list must all match, and compare values exactly.

use crud_tests::fixtures::{column, create_all, dense, dense_with, product_body};
use crud_tests::{Client, on_kitchen, on_shop, query};
use serde_json::{Value, json};

/// Creates five lamps at 1.5, 2.5, … 5.5; the even ones are in the second category.
async fn lamps(shop: &Client) -> (i64, i64) {
    let one = crud_tests::fixtures::category(shop, "One").await;
    let two = crud_tests::fixtures::category(shop, "Two").await;
    for number in 1..=5 {
        let mut body = product_body(if number % 2 == 0 { two } else { one }, &format!("Lamp {number}"));
        body["price"] = json!(f64::from(number) + 0.5);
        body["stock"] = json!(number);
        shop.post("/products", &body).await.created();
    }
    (one, two)
}

async fn names(shop: &Client, query: &str) -> Vec<Value> {
    column(&shop.get(format!("/products?sort=name&{query}")).await.ok(), "name")
}

#[test]
fn all_filters_must_match() {
    on_shop(async |shop| {
        let (one, _) = lamps(shop).await;
        let target = format!("category_id={one}&price__gt=2&stock__lt=5");
        assert_eq!(names(shop, &target).await, ["Lamp 3"]);
    });
}

#[test]
fn repeated_filters_must_all_match() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "price__gt=2&price__gt=4").await, ["Lamp 4", "Lamp 5"]);
        assert_eq!(names(shop, "name__like=%251&name__like=Lamp%25").await, ["Lamp 1"]);
        assert_eq!(names(shop, "stock=1&stock=2").await, [""; 0]);
        assert_eq!(names(shop, "stock=1&stock__eq=1").await, ["Lamp 1"]);
    });
}

#[test]
fn lists_may_be_repeated() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "stock__in=1&stock__in=2").await, ["Lamp 1", "Lamp 2"]);
        assert_eq!(names(shop, "stock__in=1,5&price__gt=2&stock__in=2").await, ["Lamp 2", "Lamp 5"]);
        assert_eq!(names(shop, "stock__nin=1&stock__nin=2,3").await, ["Lamp 4", "Lamp 5"]);
        let sorted = async |target: &str| column(&shop.get(target).await.ok(), "name");
        assert_eq!(
            sorted("/products?sort=price&sort=-name").await,
            sorted("/products?sort=price,-name").await,
            "the first key comes first"
        );
        // Each value is a list by itself: a quote does not reach into the next.
        for refused in ["name__in=%22a&name__in=b%22", "sort=name&sort=price,name", "sort=name&sort=-name", "q=a&q=b"] {
            shop.get(format!("/products?{refused}")).await.problem("validation_failed");
        }
        let many = format!("stock__in={}1", "1,".repeat(59));
        shop.get(format!("/products?{many}")).await.ok();
        let refused = shop.get(format!("/products?{many}&{many}")).await.problem("validation_failed");
        assert_eq!(refused.parameters(), ["stock__in"], "100 values in all");
    });
}

#[test]
fn the_key_is_listed_where_other_fields_are() {
    on_shop(async |shop| {
        lamps(shop).await;
        let keys = column(&shop.get("/products?sort=-id").await.ok(), "id");
        assert_eq!(keys, {
            let mut descending = keys.clone();
            descending.sort_by_key(|key| -key.as_i64().expect("a number"));
            descending
        });
        let two = format!("id__in={}&id__in={}", keys[0], keys[2]);
        assert_eq!(names(shop, &two).await, ["Lamp 3", "Lamp 5"]);
        let one = json!({ "where": { "id": keys[4] } });
        assert_eq!(column(&shop.post("/products/search", &one).await.ok(), "name"), ["Lamp 1"]);
    });
}

#[test]
fn a_key_that_is_off_is_not_listed() {
    on_kitchen(async |kitchen| {
        for refused in ["slug=a", "slug__in=a", "sort=slug"] {
            kitchen.get(format!("/drafts?{refused}")).await.problem("validation_failed");
        }
        kitchen.get("/drafts?wordCount=1&sort=wordCount").await.ok();
        // `sort` alone is on.
        kitchen.get("/counters?id=1").await.problem("validation_failed");
        kitchen.get("/counters?sort=-id").await.ok();
    });
}

#[test]
fn total_counts_matching_records() {
    on_shop(async |shop| {
        lamps(shop).await;
        let list = shop.get("/products?price__gte=2.5&limit=2").await.ok();
        assert_eq!((&list["total"], &list["pages"]), (&json!(4), &json!(2)));
    });
}

#[test]
fn eq_is_the_default_operator() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "stock=3").await, ["Lamp 3"]);
        assert_eq!(names(shop, "stock__eq=3").await, ["Lamp 3"]);
    });
}

#[test]
fn values_are_percent_decoded_and_plus_is_a_space() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "name=Lamp+3").await, ["Lamp 3"]);
        assert_eq!(names(shop, "name=%4c%61mp%203").await, ["Lamp 3"]);
        assert_eq!(names(shop, "n%61me=Lamp%203").await, ["Lamp 3"]);
        assert_eq!(names(shop, "name=Lamp%2B3").await, [""; 0]);
    });
}

#[test]
fn empty_parts_of_a_query_string_are_ignored() {
    on_shop(async |shop| {
        lamps(shop).await;
        assert_eq!(names(shop, "&&stock=3&").await, ["Lamp 3"]);
        assert_eq!(shop.get("/products?").await.ok()["total"], 5);
    });
}

#[test]
fn malformed_percent_encoding_is_not_a_server_error() {
    on_shop(async |shop| {
        for target in
            ["/products?name=%zz", "/products?name=%", "/products?name=%ff%fe", "/products?%ff=1", "/products?=1"]
        {
            let status = shop.get(target).await.status();
            assert!(matches!(status, 200 | 422), "{target}: {status}");
        }
    });
}

#[test]
fn text_equality_is_exact() {
    on_kitchen(async |kitchen| {
        let texts = ["Straße", "STRASSE", "strasse", "e\u{301}", "\u{e9}", "a", "a ", " a", "", "1", "01"];
        create_all(kitchen, "/dense", texts.map(|text| dense_with("text", json!(text)))).await;
        for text in texts {
            let list = kitchen.get(query("/dense", [("text", text)])).await.ok();
            assert_eq!(column(&list, "text"), [text], "{text:?}");
        }
    });
}

#[test]
fn list_values_are_comma_separated_and_may_be_quoted() {
    on_kitchen(async |kitchen| {
        let texts = ["a", "b", "a,b", "", "c d"];
        create_all(kitchen, "/dense", texts.map(|text| dense_with("text", json!(text)))).await;
        let cases: [(&str, &[&str]); 5] = [
            ("a", &["a"]),
            ("a,b", &["a", "b"]),
            ("\"a,b\",a", &["a", "a,b"]),
            ("\"a\",\"c d\"", &["a", "c d"]),
            ("a,a,nothing", &["a"]),
        ];
        for (list, expected) in cases {
            let found = kitchen.get(query("/dense", [("text__in", list), ("sort", "text")])).await.ok();
            assert_eq!(column(&found, "text"), expected, "{list}");
        }
    });
}

#[test]
fn list_is_limited_to_a_hundred_values() {
    on_kitchen(async |kitchen| {
        let list = |count: i32| (1..=count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        kitchen.get(format!("/dense?id__in={}", list(100))).await.ok();
        let answer = kitchen.get(format!("/dense?id__nin={}", list(101))).await;
        let problem = answer.problem("validation_failed");
        assert_eq!(problem.parameters(), ["id__nin"]);
        assert!(problem.detail.contains("100"), "{problem}");
    });
}

#[test]
fn filters_use_json_names() {
    on_kitchen(async |kitchen| {
        let ticket = json!({ "shortTitle": "leak", "a/b~c": "x", "ticketPriority": "High", "type": "bug" });
        kitchen.post("/tickets", &ticket).await.created();
        for (parameter, value) in
            [("shortTitle", "leak"), ("a/b~c", "x"), ("ticketPriority", "High"), ("type", "bug"), ("ticketId", "1")]
        {
            let list = kitchen.get(query("/tickets", [(parameter, value)])).await.ok();
            assert_eq!(list["total"], 1, "{parameter}");
        }
        for parameter in ["short_title", "odd", "ticket_priority", "priority_text"] {
            let answer = kitchen.get(query("/tickets", [(parameter, "leak")])).await;
            assert_eq!(answer.problem("validation_failed").parameters(), [parameter]);
        }
    });
}

#[test]
fn filter_accepts_every_notation_of_a_value() {
    on_kitchen(async |kitchen| {
        kitchen.post("/dense", &dense()).await.created();
        let spellings = [
            ("instant", "2026-02-01T01:59:59.123456+02:00"),
            ("time", "23:59:59.123456"),
            ("uuid", "0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F"),
            ("decimal", "123.45"),
            ("decimal", "123.450"),
            ("double", "1e-1"),
            ("single", "1.5"),
            ("flag", "true"),
        ];
        for (field, value) in spellings {
            let list = kitchen.get(query("/dense", [(field, value)])).await.ok();
            assert_eq!(list["total"], 1, "{field}={value}");
        }
    });
}

#[test]
fn injection_attempts_are_ordinary_values() {
    on_shop(async |shop| {
        lamps(shop).await;
        for value in
            ["' OR '1'='1", "\"; DROP TABLE products; --", "$1", "?1", ":name", "{\"$gt\":\"\"}", "%' OR 1=1 --"]
        {
            assert_eq!(shop.get(query("/products", [("name", value)])).await.ok()["total"], 0, "{value}");
            // An opening quote in a list must be closed.
            let status = shop.get(query("/products", [("name__in", value)])).await.status();
            assert_eq!(status, if value.starts_with('"') { 422 } else { 200 }, "{value}");
        }
        assert_eq!(shop.get("/products").await.ok()["total"], 5);
    });
}
