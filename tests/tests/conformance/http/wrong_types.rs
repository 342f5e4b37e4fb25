//! A value of the wrong type, or out of its column's range, is 422 at its field.

use crud_tests::Client;
use crud_tests::fixtures::{dense, dense_with, id};
use crud_tests::http::on_kitchen;
use serde_json::{Value, json};

/// Checks that a dense record's field rejects each value, on create and on update.
async fn assert_rejected(kitchen: &Client, field: &str, values: impl IntoIterator<Item = Value>) {
    let path = format!("/dense/{}", id(&kitchen.post("/dense", &dense()).await.created()));
    for value in values {
        let answers = [
            kitchen.post("/dense", &dense_with(field, value.clone())).await,
            kitchen.patch(&path, &json!({ field: value })).await,
        ];
        for answer in answers {
            let shown = answer.to_string();
            let problem = answer.problem("validation_failed");
            let at_field =
                |pointer: &&str| *pointer == format!("/{field}") || pointer.starts_with(&format!("/{field}/"));
            assert!(!problem.errors.is_empty() && problem.pointers().iter().all(at_field), "{shown}");
        }
    }
}

#[test]
fn every_type_rejects_other_types_of_json() {
    on_kitchen(async |kitchen| {
        let kinds = [
            json!(null),
            json!(true),
            json!(7),
            json!("no type's"),
            json!([]),
            json!([1]),
            json!({}),
            json!({ "a": 1 }),
        ];
        let numbers = ["small", "medium", "large", "unsigned", "single", "double"];
        let texts = ["text", "instant", "day", "time", "local", "uuid", "bytes", "priority", "sku"];
        for field in numbers.into_iter().chain(texts).chain(["flag", "texts"]) {
            let wrong = kinds.iter().filter(|value| match field {
                "flag" => !value.is_boolean(),
                "texts" => **value != json!([]),
                "text" => !value.is_string(),
                field if numbers.contains(&field) => !value.is_number(),
                _ => true,
            });
            assert_rejected(kitchen, field, wrong.cloned()).await;
        }
        assert_rejected(kitchen, "decimal", [json!(true), json!("x"), json!([]), json!({})]).await;
        assert_rejected(kitchen, "json", []).await;
    });
}

#[test]
fn integer_has_no_fraction_and_is_in_range() {
    on_kitchen(async |kitchen| {
        assert_rejected(kitchen, "small", [json!(1.5), json!(32_768), json!(-32_769), json!("7")]).await;
        assert_rejected(kitchen, "medium", [json!(0.1), json!(2_147_483_648_i64), json!(-2_147_483_649_i64)]).await;
        assert_rejected(
            kitchen,
            "large",
            [json!(1.5), json!(9_223_372_036_854_775_808_u64), json!(1e19), json!(-1e300)],
        )
        .await;
        assert_rejected(kitchen, "unsigned", [json!(-1), json!(4_294_967_296_i64)]).await;
    });
}

#[test]
fn single_float_is_in_range() {
    on_kitchen(async |kitchen| assert_rejected(kitchen, "single", [json!(1e39), json!(-1e39), json!(f64::MAX)]).await);
}

#[test]
fn dates_and_times_must_exist_with_six_digits_at_most() {
    on_kitchen(async |kitchen| {
        let instants = [
            "2026-01-31",
            "2026-01-31 23:59:59Z",
            "2026-01-31T23:59:59",
            "2026-02-30T00:00:00Z",
            "2026-01-31T24:00:00Z",
            "2016-12-31T23:59:60Z",
            "2026-01-31T23:59:59.1234567Z",
            "10000-01-01T00:00:00Z",
            "9999-12-31T23:59:59-00:01",
        ];
        assert_rejected(kitchen, "instant", instants.map(Value::from)).await;
        assert_rejected(kitchen, "day", ["2026-02-29", "2026-1-1", "20260131", "0000-00-00", ""].map(Value::from))
            .await;
        assert_rejected(
            kitchen,
            "time",
            ["24:00:00", "9:00:00", "09:00", "09:00:00Z", "09:00:00.0000001"].map(Value::from),
        )
        .await;
        assert_rejected(kitchen, "local", ["2026-01-31T23:59:59Z", "2026-01-31"].map(Value::from)).await;
    });
}

#[test]
fn uuid_has_one_notation() {
    on_kitchen(async |kitchen| {
        let uuids = [
            "",
            "0192f0c17a5b7c3d8e4f5a6b7c8d9e0f",
            "{0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f}",
            "urn:uuid:0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f",
            "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0g",
        ];
        assert_rejected(kitchen, "uuid", uuids.map(Value::from)).await;
    });
}

#[test]
fn decimal_fits_precision_and_scale() {
    on_kitchen(async |kitchen| {
        // Precision 12, scale 3.
        let decimals = ["1000000000.000", "-1000000000", "0.0001", "1.2345", "NaN", "1e5x", "", " 1", "1,5", "٣"];
        assert_rejected(kitchen, "decimal", decimals.map(Value::from)).await;
    });
}

#[test]
fn bytes_are_padded_base64() {
    on_kitchen(async |kitchen| {
        assert_rejected(kitchen, "bytes", ["A", "AA", "AAA", "AA=", "A===", "AAA*", "AA\n==", "-_-_"].map(Value::from))
            .await;
    });
}

#[test]
fn list_item_that_is_not_text_is_rejected() {
    on_kitchen(async |kitchen| {
        assert_rejected(
            kitchen,
            "texts",
            [json!(["a", 1]), json!([null]), json!([["a"]]), json!("a"), json!({ "0": "a" })],
        )
        .await;
    });
}

#[test]
fn enum_error_lists_the_variants() {
    on_kitchen(async |kitchen| {
        assert_rejected(kitchen, "priority", ["high", "", "Normal ", "0"].map(Value::from)).await;
        let problem = kitchen.post("/dense", &dense_with("priority", json!("high"))).await.problem("validation_failed");
        for variant in ["Low", "Normal", "High"] {
            assert!(problem.only().detail.contains(variant), "{problem}");
        }
        let body = json!({ "shortTitle": "x", "state": "InProgress" });
        let problem = kitchen.post("/tickets", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/state"]);
        assert!(problem.only().detail.contains("in_progress") && problem.only().detail.contains("done!"), "{problem}");
    });
}

#[test]
fn custom_type_reports_its_error() {
    on_kitchen(async |kitchen| {
        assert_rejected(kitchen, "sku", [json!("1"), json!("sku-1"), json!("")]).await;
        let problem = kitchen.post("/checked", &json!({ "sku": "1", "shade": 7 })).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/shade", "/sku"]);
        assert_eq!(problem.at("/sku"), "must start with SKU-");
        assert_eq!(problem.at("/shade"), "must be 0 or 255");
    });
}
