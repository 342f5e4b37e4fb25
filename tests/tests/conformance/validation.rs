//! Validation attributes: a value is accepted within its rule, and reported at its field beyond it.

use crud_tests::fixtures::id;
use crud_tests::{Client, on_kitchen, on_shop};
use serde_json::{Value, json};

/// Checks that a field of the checked resource accepts the first values and rejects the second.
async fn check(
    kitchen: &Client,
    field: &str,
    good: impl IntoIterator<Item = Value>,
    bad: impl IntoIterator<Item = Value>,
) {
    for value in good {
        let record = kitchen.post("/checked", &json!({ field: value })).await.created();
        assert_ne!(record[field], Value::Null, "{field}: {value}");
    }
    let path = format!("/checked/{}", id(&kitchen.post("/checked", &json!({})).await.created()));
    for value in bad {
        for answer in [
            kitchen.post("/checked", &json!({ field: value })).await,
            kitchen.put(&path, &json!({ field: value })).await,
        ] {
            let shown = answer.to_string();
            let problem = answer.problem("validation_failed");
            assert_eq!(problem.pointers(), [format!("/{field}")], "{shown}");
        }
    }
}

#[test]
fn numbers_respect_min_and_max() {
    on_kitchen(async |kitchen| {
        check(kitchen, "integer", [json!(-5), json!(0), json!(10)], [json!(-6), json!(11)]).await;
        check(kitchen, "float", [json!(0), json!(0.25), json!(0.5)], [json!(-1e-300), json!(0.500_000_1)]).await;
        let (good, bad) = ([json!("0"), json!("100.00")], [json!("-0.01"), json!("100.01")]);
        check(kitchen, "decimal", good, bad).await;
    });
}

#[test]
fn lengths_count_characters_bytes_and_items() {
    on_kitchen(async |kitchen| {
        check(
            kitchen,
            "text",
            [json!("ab"), json!("äöüß"), json!("😀😀😀😀")],
            [json!(""), json!("ä"), json!("abcde")],
        )
        .await;
        check(kitchen, "bytes", [json!("AA=="), json!("AAAA")], [json!(""), json!("AAAAAA==")]).await;
        check(kitchen, "list", [json!([""]), json!(["a", "b"])], [json!([]), json!(["a", "b", "c"])]).await;
    });
}

#[test]
fn patterns_match_anywhere_unless_anchored() {
    on_kitchen(async |kitchen| {
        check(kitchen, "code", [json!("ABC-1"), json!("XYZ-000")], [json!("ABC-"), json!("xABC-1"), json!("ABC-1\n")])
            .await;
        check(kitchen, "somewhere", [json!("abc"), json!("b")], [json!("ac"), json!("")]).await;
    });
}

#[test]
fn email_addresses_follow_rfc_5321() {
    on_kitchen(async |kitchen| {
        let good = ["a@example.com", "first.last+tag@sub.example.org", "o'neil@example.com"].map(Value::from);
        let bad = ["", "a", "a@", "@example.com", "a b@example.com", "a@exa mple.com", "Name <a@example.com>"]
            .map(Value::from);
        check(kitchen, "email", good, bad).await;
    });
}

#[test]
fn urls_are_absolute() {
    on_kitchen(async |kitchen| {
        let good = ["https://example.com", "http://[::1]:8080/a?b#c", "mailto:a@example.com"].map(Value::from);
        let bad = ["", "example.com", "/path", "//example.com", "http://", "https://exa mple.com"].map(Value::from);
        check(kitchen, "url", good, bad).await;
    });
}

#[test]
fn one_of_accepts_only_its_values() {
    on_kitchen(async |kitchen| {
        check(kitchen, "size", [json!("small"), json!("large")], [json!("medium"), json!("Small"), json!("")]).await;
        check(kitchen, "factor", [json!(1), json!(4)], [json!(0), json!(3)]).await;
    });
}

#[test]
fn custom_check_reports_its_error() {
    on_kitchen(async |kitchen| {
        check(kitchen, "quiet", [json!("hush")], [json!("Hush")]).await;
        check(kitchen, "even", [json!(0), json!(-2)], [json!(1)]).await;
        let problem = kitchen.post("/checked", &json!({ "quiet": "OH", "even": 3 })).await.problem("validation_failed");
        assert_eq!(problem.at("/quiet"), "must not shout");
        assert_eq!(problem.at("/even"), "must be even");
    });
}

#[test]
fn custom_type_validates_its_values() {
    on_kitchen(async |kitchen| {
        check(kitchen, "sku", [json!("SKU-1")], [json!("1")]).await;
        check(kitchen, "shade", [json!(0), json!(255)], [json!(1)]).await;
    });
}

#[test]
fn unique_text_is_limited_to_255_characters() {
    on_kitchen(async |kitchen| {
        check(kitchen, "handle", [json!("ä".repeat(255))], [json!("x".repeat(256))]).await;
    });
    on_shop(async |shop| {
        let body = json!({ "name": "x".repeat(256) });
        assert_eq!(shop.post("/categories", &body).await.problem("validation_failed").pointers(), ["/name"]);
    });
}

#[test]
fn null_satisfies_every_check() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/checked", &json!({})).await.created();
        let path = format!("/checked/{}", id(&created));
        assert_eq!(kitchen.put(&path, &created).await.ok(), created);
    });
}

#[test]
fn failed_checks_are_reported_at_their_field() {
    on_kitchen(async |kitchen| {
        let problem = kitchen.post("/checked", &json!({ "several": "A!" })).await.problem("validation_failed");
        assert!(
            !problem.errors.is_empty() && problem.pointers().iter().all(|pointer| *pointer == "/several"),
            "{problem}"
        );
    });
}

#[test]
fn error_states_the_bound() {
    on_kitchen(async |kitchen| {
        let body = json!({ "integer": 11, "text": "abcde", "size": "medium" });
        let problem = kitchen.post("/checked", &body).await.problem("validation_failed");
        assert!(problem.at("/integer").contains("10"), "{problem}");
        assert!(problem.at("/text").contains('4'), "{problem}");
        assert!(problem.at("/size").contains("small") && problem.at("/size").contains("large"), "{problem}");
    });
}

#[test]
fn shop_validates_names_and_prices() {
    on_shop(async |shop| {
        let category = crud_tests::fixtures::category(shop, "Lamps").await;
        let body = json!({ "name": "", "price": -0.01, "stock": 0, "category_id": category });
        assert_eq!(shop.post("/products", &body).await.problem("validation_failed").pointers(), ["/name", "/price"]);
        let body = json!({ "name": "x".repeat(201), "price": 0, "stock": 0, "category_id": category });
        assert_eq!(shop.post("/products", &body).await.problem("validation_failed").pointers(), ["/name"]);
        let body = json!({ "name": "x".repeat(200), "price": 0, "stock": -1, "category_id": category });
        shop.post("/products", &body).await.created();
    });
}

#[test]
fn errors_have_the_bounds_of_their_rules() {
    on_kitchen(async |kitchen| {
        for (body, params) in [
            (json!({ "integer": -6 }), json!({ "min": -5 })),
            (json!({ "float": 0.75 }), json!({ "max": 0.5 })),
            (json!({ "decimal": "100.01" }), json!({ "max": 100 })),
            (json!({ "text": "x" }), json!({ "min": 2, "unit": "character" })),
            (json!({ "list": ["a", "b", "c"] }), json!({ "max": 2, "unit": "item" })),
            (json!({ "integer": "x" }), json!({ "expected": "integer" })),
            (json!({ "integer": 9_999_999_999_i64 }), json!({ "min": i32::MIN, "max": i32::MAX })),
            (json!({ "somewhere": "a" }), json!({ "pattern": "b+" })),
            (json!({ "size": "huge" }), json!({ "values": ["small", "large"] })),
            (json!({ "email": "x" }), json!(null)),
            (json!({ "quiet": "LOUD" }), json!(null)),
        ] {
            let problem = kitchen.post("/checked", &body).await.problem("validation_failed");
            assert_eq!(problem.only().params, params, "{body}");
        }
    });
}
