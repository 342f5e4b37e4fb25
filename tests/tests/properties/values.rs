//! Arbitrary values of every type, as the JSON in the service's responses.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crud_runtime::prelude::*;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The instants that every back end can store, in microseconds.
const FIRST_INSTANT: i64 = -62_135_596_800_000_000;
const LAST_INSTANT: i64 = 253_402_300_799_999_999;

/// Text of any characters except NUL.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let any = vec(any::<char>().prop_filter("no NUL", |char| *char != '\0'), 0..12);
    prop_oneof![any.prop_map(|chars| chars.into_iter().collect()), "[a-cA-C%_\\\\ ]{0,4}"]
}

fn instant() -> impl Strategy<Value = DateTime<Utc>> {
    (FIRST_INSTANT..=LAST_INSTANT).prop_filter_map("an instant", DateTime::from_timestamp_micros)
}

fn formatted(format: &'static str) -> BoxedStrategy<Value> {
    instant().prop_map(move |instant| json!(instant.format(format).to_string())).boxed()
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        double().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let object = vec((text(), inner.clone()), 0..5).prop_map(|members| members.into_iter().collect());
        prop_oneof![vec(inner, 0..5).prop_map(Value::Array), object]
    })
}

fn double() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

fn single() -> impl Strategy<Value = f64> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    (NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE).prop_map(f64::from)
}

/// A decimal of twelve digits and scale 3.
fn decimal() -> impl Strategy<Value = Value> {
    (-999_999_999_999_i64..=999_999_999_999).prop_map(|units| json!(Decimal::new(units, 3).to_string()))
}

/// A value of each field of the kitchen's dense resource.
pub(crate) fn fields() -> [(&'static str, BoxedStrategy<Value>); 19] {
    fn from<T: Into<Value> + std::fmt::Debug + 'static>(
        strategy: impl Strategy<Value = T> + 'static,
    ) -> BoxedStrategy<Value> {
        strategy.prop_map(Into::into).boxed()
    }
    [
        ("flag", from(any::<bool>())),
        ("small", from(any::<i16>())),
        ("medium", from(any::<i32>())),
        ("large", from(any::<i64>())),
        ("unsigned", from(any::<u32>())),
        ("single", from(single())),
        ("double", from(double())),
        ("text", from(text())),
        ("instant", formatted("%Y-%m-%dT%H:%M:%S%.6fZ")),
        ("day", formatted("%Y-%m-%d")),
        ("time", formatted("%H:%M:%S%.6f")),
        ("local", formatted("%Y-%m-%dT%H:%M:%S%.6f")),
        ("uuid", from(any::<u128>().prop_map(|bits| Uuid::from_u128(bits).to_string()))),
        ("decimal", decimal().boxed()),
        ("json", any_json().boxed()),
        ("bytes", from(vec(any::<u8>(), 0..20).prop_map(|bytes| BASE64_STANDARD.encode(bytes)))),
        ("texts", from(vec(text(), 0..4))),
        ("priority", from(prop::sample::select(vec!["Low", "Normal", "High"]))),
        ("sku", from(text().prop_map(|text| format!("SKU-{text}")))),
    ]
}

/// Whether two values of a field are equal, in any notation of numbers.
pub(crate) fn equal(field: &str, one: &Value, other: &Value) -> bool {
    let number = |value: &Value| value.as_f64();
    match field {
        _ if one.is_null() || other.is_null() => one == other,
        // The response has the shortest digits of a single float; the test sends those of the double.
        #[allow(clippy::cast_possible_truncation, reason = "the value came from a single float")]
        "single" => number(one).map(|value| value as f32) == number(other).map(|value| value as f32),
        "double" => number(one) == number(other),
        "decimal" => {
            let decimal = |value: &Value| value.as_str().and_then(|text| text.parse::<Decimal>().ok());
            decimal(one).is_some() && decimal(one) == decimal(other)
        }
        "json" => equal_json(one, other),
        _ => one == other,
    }
}

/// Whether two JSON values are equal, in any notation of numbers.
fn equal_json(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_f64() != other.is_f64() => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal_json(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| equal_json(one, other)))
        }
        _ => one == other,
    }
}
