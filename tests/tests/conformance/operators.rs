//! Each operator on each type that supports it, and its rejection on the others.

use std::cmp::Ordering;

use crud_tests::fixtures::{column, dense};
use crud_tests::{Client, on_kitchen, query};
use serde_json::{Value, json};

/// A field of the sparse resource and three of its values in ascending order, in query notation.
struct Type {
    field: &'static str,
    values: [&'static str; 3],
    ordered: bool,
}

const fn ordered(field: &'static str, values: [&'static str; 3]) -> Type {
    Type { field, values, ordered: true }
}

const fn unordered(field: &'static str, values: [&'static str; 3]) -> Type {
    Type { field, values, ordered: false }
}

const TYPES: [Type; 15] = [
    ordered("small", ["-300", "0", "32767"]),
    ordered("medium", ["-70000", "-1", "2147483647"]),
    ordered("large", ["-9223372036854775808", "9007199254740992", "9007199254740993"]),
    ordered("unsigned", ["0", "9", "4294967295"]),
    ordered("single", ["-1.5", "0.1", "1e30"]),
    ordered("double", ["-1e300", "0.1", "0.30000000000000004"]),
    ordered("text", ["Z", "a", "ä"]),
    ordered("instant", ["1969-07-20T20:17:40Z", "2026-01-31T23:59:59.000001Z", "2026-01-31T23:59:59.1Z"]),
    ordered("day", ["1999-12-31", "2026-01-31", "2026-02-01"]),
    ordered("time", ["00:00:00", "09:30:00", "23:59:59.999999"]),
    ordered("local", ["1999-12-31T23:59:59", "2026-01-31T00:00:00", "2026-01-31T00:00:00.5"]),
    ordered("decimal", ["-10.5", "9", "10"]),
    unordered(
        "uuid",
        [
            "00000000-0000-0000-0000-000000000001",
            "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
    ),
    unordered("priority", ["High", "Low", "Normal"]),
    ordered("sku", ["SKU-1", "SKU-10", "SKU-2"]),
];

const COMPARISONS: [&str; 4] = ["gt", "gte", "lt", "lte"];

/// Creates a record for each of the three values of every type, and one of nulls, which no comparison matches.
async fn three_of_each(kitchen: &Client) {
    for row in 0..3 {
        let body: Value = TYPES
            .iter()
            .map(|kind| {
                let text = kind.values[row];
                let number = matches!(kind.field, "small" | "medium" | "large" | "unsigned" | "single" | "double");
                let value = if number { serde_json::from_str(text).expect("a number") } else { json!(text) };
                (kind.field.to_owned(), value)
            })
            .collect();
        kitchen.post("/sparse", &body).await.created();
    }
    kitchen.post("/sparse", &json!({})).await.created();
}

/// The indexes of the records that a filter matches.
async fn found(kitchen: &Client, parameter: &str, value: &str) -> Vec<usize> {
    let list = kitchen.get(query("/sparse", [(parameter, value), ("sort", "id")])).await.ok();
    column(&list, "id").iter().map(|id| usize::try_from(id.as_u64().expect("an id")).expect("small") - 1).collect()
}

#[test]
fn eq_and_ne_do_not_match_null() {
    on_kitchen(async |kitchen| {
        three_of_each(kitchen).await;
        for Type { field, values, .. } in TYPES {
            for (row, value) in values.into_iter().enumerate() {
                let others: Vec<_> = (0..3).filter(|other| *other != row).collect();
                assert_eq!(found(kitchen, field, value).await, [row], "{field}={value}");
                assert_eq!(found(kitchen, &format!("{field}__ne"), value).await, others, "{field}__ne={value}");
            }
        }
    });
}

#[test]
fn ordering_operators_do_not_match_null() {
    on_kitchen(async |kitchen| {
        three_of_each(kitchen).await;
        for Type { field, values, .. } in TYPES.into_iter().filter(|kind| kind.ordered) {
            for (operator, holds) in [
                ("gt", Ordering::is_gt as fn(Ordering) -> bool),
                ("gte", Ordering::is_ge),
                ("lt", Ordering::is_lt),
                ("lte", Ordering::is_le),
            ] {
                for (row, value) in values.into_iter().enumerate() {
                    let expected: Vec<_> = (0..3).filter(|other| holds(other.cmp(&row))).collect();
                    let parameter = format!("{field}__{operator}");
                    assert_eq!(found(kitchen, &parameter, value).await, expected, "{parameter}={value}");
                }
            }
        }
    });
}

#[test]
fn in_and_nin_do_not_match_null() {
    on_kitchen(async |kitchen| {
        three_of_each(kitchen).await;
        for Type { field, values: [first, second, third], .. } in TYPES {
            let list = format!("{first},\"{third}\"");
            assert_eq!(found(kitchen, &format!("{field}__in"), &list).await, [0, 2], "{field}");
            assert_eq!(found(kitchen, &format!("{field}__nin"), &list).await, [1], "{field}");
            assert_eq!(found(kitchen, &format!("{field}__in"), second).await, [1], "{field}");
        }
    });
}

#[test]
fn isnull_matches_null_or_values() {
    on_kitchen(async |kitchen| {
        three_of_each(kitchen).await;
        for Type { field, .. } in TYPES {
            assert_eq!(found(kitchen, &format!("{field}__isnull"), "true").await, [3], "{field}");
            assert_eq!(found(kitchen, &format!("{field}__isnull"), "false").await, [0, 1, 2], "{field}");
        }
    });
}

#[test]
fn booleans_support_equality_operators() {
    on_kitchen(async |kitchen| {
        for flag in [json!(false), json!(true), Value::Null] {
            kitchen.post("/sparse", &json!({ "flag": flag })).await.created();
        }
        assert_eq!(found(kitchen, "flag", "true").await, [1]);
        assert_eq!(found(kitchen, "flag__ne", "true").await, [0]);
        assert_eq!(found(kitchen, "flag__in", "true,false").await, [0, 1]);
        assert_eq!(found(kitchen, "flag__isnull", "true").await, [2]);
    });
}

#[test]
fn unordered_types_reject_ordering_operators() {
    on_kitchen(async |kitchen| {
        for (field, value) in [("flag", "true"), ("uuid", "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f"), ("priority", "Low")]
        {
            for operator in COMPARISONS {
                let parameter = format!("{field}__{operator}");
                let problem = kitchen.get(query("/sparse", [(&parameter, value)])).await.problem("validation_failed");
                assert_eq!(problem.parameters(), [&parameter]);
            }
        }
    });
}

#[test]
fn types_other_than_text_reject_patterns() {
    on_kitchen(async |kitchen| {
        for Type { field, .. } in TYPES.into_iter().filter(|kind| !matches!(kind.field, "text" | "sku")) {
            for operator in ["like", "ilike"] {
                let parameter = format!("{field}__{operator}");
                let problem = kitchen.get(query("/sparse", [(&parameter, "%")])).await.problem("validation_failed");
                assert_eq!(problem.parameters(), [&parameter]);
            }
        }
    });
}

#[test]
fn required_fields_reject_isnull() {
    on_kitchen(async |kitchen| {
        for field in ["id", "text", "double", "priority"] {
            let parameter = format!("{field}__isnull");
            let problem = kitchen.get(format!("/dense?{parameter}=true")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [&parameter]);
        }
    });
}

#[test]
fn json_bytes_and_lists_reject_every_operator() {
    on_kitchen(async |kitchen| {
        kitchen.post("/dense", &dense()).await.created();
        for field in ["json", "bytes", "texts"] {
            for suffix in ["", "__eq", "__ne", "__in", "__nin", "__gt", "__like"] {
                let parameter = format!("{field}{suffix}");
                let problem = kitchen.get(format!("/dense?{parameter}=AA")).await.problem("validation_failed");
                assert_eq!(problem.parameters(), [&parameter]);
            }
        }
    });
}

#[test]
fn error_of_an_unsupported_operator_lists_the_supported_ones() {
    on_kitchen(async |kitchen| {
        let problem = kitchen.get("/sparse?flag__gt=true").await.problem("validation_failed");
        for operator in ["eq", "ne", "in", "nin", "isnull"] {
            assert!(problem.only().detail.contains(operator), "{operator} in {problem}");
        }
        for operator in ["lte", "like"] {
            assert!(!problem.only().detail.contains(operator), "{operator} in {problem}");
        }
    });
}
