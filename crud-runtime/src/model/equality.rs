//! [`is_same`]: whether a change changes anything.

use serde_json::Value as Json;

use super::value::Value;

/// Whether both are the same value, so that to store one for the other changes nothing: numbers in JSON count by their
/// value, not by how they are written, which not every database keeps.
///
/// ```
/// use crud_runtime::{Value, adapter::is_same};
///
/// assert!(is_same(&Value::Json(1.into()), &Value::Json(1.0.into())));
/// ```
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Json(one), Value::Json(other)) => is_same_json(one, other),
        _ => one == other,
    }
}

fn is_same_json(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    match (one, other) {
        // Whole numbers that a double cannot tell apart are compared as such.
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
    fn numbers_are_the_same_by_value() {
        assert!(is_same_json(&json!({ "a": [1, 2.0] }), &json!({ "a": [1.0, 2] })));
        assert!(!is_same_json(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)));
        assert!(!is_same_json(&json!([1]), &json!([1, 1])));
        assert!(!is_same_json(&json!({ "a": 1 }), &json!({ "b": 1 })));
    }
}
