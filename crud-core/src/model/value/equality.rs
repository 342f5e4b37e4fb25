//! [`is_same`]: equality as stored, which decides whether an update changes anything.

use serde_json::Value as Json;

use super::Value;

/// Whether storing one value in place of the other changes nothing. Numbers in JSON are compared by value: not every
/// database keeps how they are written.
///
/// ```
/// use crud_runtime::adapter::is_same;
/// use crud_runtime::column::Value;
///
/// assert!(is_same(&Value::Json(1.into()), &Value::Json(1.0.into())));
/// ```
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Json(one), Value::Json(other)) => is_same_json(one, other),
        _ => one == other,
    }
}

fn is_same_json(one: &Json, other: &Json) -> bool {
    match (one, other) {
        // Two integers are compared as integers: as doubles, 2^53 and 2^53 + 1 would be equal.
        (Json::Number(one), Json::Number(other)) if one.is_f64() != other.is_f64() => one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_json(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let same = |(key, value)| other.get(key).is_some_and(|other| is_same_json(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_same_json;

    #[test]
    fn json_numbers_are_compared_by_value() {
        assert!(is_same_json(&json!({ "a": [1, 2.0] }), &json!({ "a": [1.0, 2] })));
        assert!(!is_same_json(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)));
        assert!(!is_same_json(&json!([1]), &json!([1, 1])));
        assert!(!is_same_json(&json!({ "a": 1 }), &json!({ "b": 1 })));
    }
}
