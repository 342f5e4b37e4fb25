//! Values of every type round-trip.

use crud_tests::fixtures::{dense, dense_with, id};
use crud_tests::{Client, on_kitchen};
use serde_json::{Value, json};

/// Sends values of a dense record's field; each must be returned as the second of its pair.
async fn assert_returned_as(kitchen: &Client, field: &str, pairs: impl IntoIterator<Item = (Value, Value)>) {
    for (sent, expected) in pairs {
        let created = kitchen.post("/dense", &dense_with(field, sent.clone())).await.created();
        assert_eq!(created[field], expected, "{field} created as {sent}");
        let read = kitchen.get(format!("/dense/{}", id(&created))).await.ok();
        assert_eq!(read[field], expected, "{field} read after {sent}");
    }
}

async fn assert_round_trips(kitchen: &Client, field: &str, values: impl IntoIterator<Item = Value>) {
    assert_returned_as(kitchen, field, values.into_iter().map(|value| (value.clone(), value))).await;
}

#[test]
fn ordinary_value_of_every_type_round_trips() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/dense", &dense()).await.created();
        for (field, sent) in dense().as_object().expect("an object") {
            assert_eq!(&created[field], sent, "{field}");
        }
    });
}

#[test]
fn null_of_every_optional_type_round_trips() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/sparse", &json!({})).await.created();
        for field in dense().as_object().expect("an object").keys() {
            assert_eq!(created[field], Value::Null, "{field}");
        }
        let full = kitchen.put(format!("/sparse/{}", id(&created)), &dense()).await.ok();
        let nulls: Value =
            dense().as_object().expect("an object").keys().map(|key| (key.clone(), Value::Null)).collect();
        assert_ne!(full, created);
        assert_eq!(kitchen.put(format!("/sparse/{}", id(&created)), &nulls).await.ok(), created);
    });
}

#[test]
fn booleans_round_trip() {
    on_kitchen(async |kitchen| assert_round_trips(kitchen, "flag", [json!(true), json!(false)]).await);
}

#[test]
fn integers_round_trip_in_their_whole_range() {
    on_kitchen(async |kitchen| {
        assert_round_trips(kitchen, "small", [json!(i16::MIN), json!(0), json!(i16::MAX)]).await;
        assert_round_trips(kitchen, "medium", [json!(i32::MIN), json!(0), json!(i32::MAX)]).await;
        assert_round_trips(kitchen, "unsigned", [json!(0), json!(u32::MAX)]).await;
        let beyond_doubles = json!(9_007_199_254_740_993_i64);
        assert_round_trips(kitchen, "large", [json!(i64::MIN), beyond_doubles, json!(i64::MAX)]).await;
    });
}

#[test]
fn doubles_round_trip_exactly() {
    on_kitchen(async |kitchen| {
        let values =
            [0.1, 0.1 + 0.2, 1.0 / 3.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::MIN, 1e22, 123_456_789.123_456_79];
        assert_round_trips(kitchen, "double", values.map(Value::from)).await;
    });
}

#[test]
fn double_without_a_fraction_round_trips() {
    on_kitchen(async |kitchen| {
        for (sent, expected) in [("0", 0.0), ("-0.0", 0.0), ("5", 5.0), ("5.0", 5.0), ("1e3", 1000.0)] {
            let body = dense_with("double", json!("@")).to_string().replace("\"@\"", sent);
            let created = kitchen.post_bytes("/dense", body).await.created();
            assert_eq!(created["double"].as_f64(), Some(expected), "{sent}");
        }
    });
}

#[test]
fn single_floats_have_their_shortest_digits() {
    on_kitchen(async |kitchen| {
        for text in ["0.1", "3.4028235e38", "1e-45", "16777216.0", "-1.5"] {
            let body = dense_with("single", json!("@")).to_string().replace("\"@\"", text);
            let created = kitchen.post_bytes("/dense", body).await.created();
            assert_eq!(created["single"].as_f64(), text.parse().ok(), "{text}");
        }
    });
}

#[test]
fn text_of_any_characters_round_trips() {
    on_kitchen(async |kitchen| {
        let texts = [
            "",
            " padded ",
            "quote \" backslash \\ slash /",
            "tab\tnewline\nreturn\r\u{1}\u{1f}\u{7f}",
            "Ünïcödé 世界 👩‍👩‍👧 \u{10FFFF}",
            "e\u{301} is not \u{e9}",
            "line\u{2028}separators\u{2029}\u{feff}",
            "'; DROP TABLE dense; --",
            "%_\\",
        ];
        assert_round_trips(kitchen, "text", texts.map(Value::from)).await;
        assert_round_trips(kitchen, "text", [json!("x".repeat(65_536))]).await;
    });
}

#[test]
fn json_escapes_are_decoded() {
    on_kitchen(async |kitchen| {
        let body = dense_with("text", json!("@")).to_string().replace("\"@\"", r#""\u00fc \ud83d\ude00 \/ \n""#);
        let created = kitchen.post_bytes("/dense", body).await.created();
        assert_eq!(created["text"], "ü 😀 / \n");
    });
}

#[test]
fn instants_are_returned_in_utc_with_microseconds() {
    on_kitchen(async |kitchen| {
        let pairs = [
            ("2026-01-31T23:59:59Z", "2026-01-31T23:59:59.000000Z"),
            ("2026-01-31T23:59:59.5Z", "2026-01-31T23:59:59.500000Z"),
            ("2026-01-31T23:59:59.123456+02:00", "2026-01-31T21:59:59.123456Z"),
            ("2026-01-01T00:30:00-23:59", "2026-01-02T00:29:00.000000Z"),
            ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
            ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ];
        assert_returned_as(kitchen, "instant", pairs.map(|(sent, expected)| (json!(sent), json!(expected)))).await;
    });
}

#[test]
fn dates_and_times_round_trip() {
    on_kitchen(async |kitchen| {
        assert_round_trips(kitchen, "day", ["0001-01-01", "2024-02-29", "9999-12-31"].map(Value::from)).await;
        let times = [("00:00:00", "00:00:00.000000"), ("23:59:59.999999", "23:59:59.999999")];
        assert_returned_as(kitchen, "time", times.map(|(sent, expected)| (json!(sent), json!(expected)))).await;
        let local = [("2026-03-29T02:30:00", "2026-03-29T02:30:00.000000")];
        assert_returned_as(kitchen, "local", local.map(|(sent, expected)| (json!(sent), json!(expected)))).await;
    });
}

#[test]
fn uuids_are_returned_in_lower_case() {
    on_kitchen(async |kitchen| {
        let upper = json!("0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F");
        let lower = json!("0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f");
        let nil = json!("00000000-0000-0000-0000-000000000000");
        assert_returned_as(kitchen, "uuid", [(upper, lower.clone()), (lower.clone(), lower), (nil.clone(), nil)]).await;
    });
}

#[test]
fn decimals_are_returned_as_text_with_every_digit() {
    on_kitchen(async |kitchen| {
        for text in ["0.001", "-0.001", "999999999.999", "-999999999.999", "123456789.123"] {
            assert_round_trips(kitchen, "decimal", [json!(text)]).await;
        }
    });
}

#[test]
fn trailing_zeros_do_not_change_a_decimals_value() {
    on_kitchen(async |kitchen| {
        for (sent, number) in [("1", 1.0), ("1.5", 1.5), ("0.100", 0.1), ("-2.50", -2.5)] {
            let created = kitchen.post("/dense", &dense_with("decimal", json!(sent))).await.created();
            let text = created["decimal"].as_str().expect("a text");
            assert_eq!(text.parse(), Ok(number), "{sent}");
        }
    });
}

#[test]
fn json_round_trips_as_a_value() {
    on_kitchen(async |kitchen| {
        let values = [
            json!(true),
            json!(0),
            json!(-1.5),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(0.1),
            json!(""),
            json!("\"\\\u{1}ü😀"),
            json!([]),
            json!({}),
            json!({ "": { "a/b~c": [null, [], {}, "x"] }, "ü": 1, "null": null }),
        ];
        assert_round_trips(kitchen, "json", values).await;
    });
}

#[test]
fn private_names_of_serde_json_are_rejected() {
    on_kitchen(async |kitchen| {
        for name in ["Number", "RawValue"] {
            let name = format!("$serde_json::private::{name}");
            let body = dense_with("json", json!({ "a": [{ &name: "1" }] }));
            let problem = kitchen.post("/dense", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [format!("/json/a/0/{name}")]);
        }
    });
}

#[test]
fn required_json_field_distinguishes_null_from_missing() {
    on_kitchen(async |kitchen| {
        let mut body = dense();
        body.as_object_mut().expect("an object").remove("json");
        assert_eq!(kitchen.post("/dense", &body).await.problem("validation_failed").pointers(), ["/json"]);
    });
}

#[test]
fn bytes_are_returned_as_base64() {
    on_kitchen(async |kitchen| {
        assert_round_trips(kitchen, "bytes", ["", "AA==", "AAA=", "AAAA", "+/+/", "AAEC/w=="].map(Value::from)).await;
    });
}

#[test]
fn lists_of_texts_keep_their_order() {
    on_kitchen(async |kitchen| {
        let lists = [json!([]), json!([""]), json!(["b", "a", "b"]), json!(["a,b", "\"", "\\", "ü", "{}", "NULL"])];
        assert_round_trips(kitchen, "texts", lists).await;
    });
}

#[test]
fn enums_are_returned_as_their_variants_text() {
    on_kitchen(async |kitchen| {
        assert_round_trips(kitchen, "priority", ["Low", "Normal", "High"].map(Value::from)).await;
    });
}

#[test]
fn custom_type_round_trips() {
    on_kitchen(async |kitchen| {
        assert_round_trips(kitchen, "sku", [json!("SKU-"), json!("SKU-ä")]).await;
        let checked = kitchen.post("/checked", &json!({ "shade": 255 })).await.created();
        assert_eq!(checked["shade"], 255);
    });
}
