//! Errors of the database, and stored values that no field can hold.

use crud_runtime::prelude::*;
use crud_tests::Api;
use serde_json::json;

use crate::mysql::support::{execute, on_mysql};

#[derive(Debug, Clone, Resource)]
#[crud(table = "parts", prefix = "/parts", soft_delete, batch(mode(partial)), unique(row, shelf))]
struct Part {
    id: i64,
    #[crud(column = "the (odd) `name`", unique)]
    name: String,
    #[crud(unique(active))]
    code: Option<String>,
    row: Option<i32>,
    shelf: Option<String>,
    #[crud(references(Part))]
    whole_id: Option<i64>,
    small: i16,
    extra: Option<serde_json::Value>,
    deleted_at: Option<DateTime<Utc>>,
}

async fn start(database: &crud_tests::Database) -> Api {
    Api::start(database, database.service().await.resource::<Part>().migrate().await.unwrap()).await
}

#[test]
fn constraint_error_names_the_fields() {
    on_mysql(async |database, _| {
        let parts = start(database).await;
        let first = json!({ "name": "it's", "code": "x", "row": 1, "shelf": "a", "small": 1 });
        parts.post("/parts", &first).await.created();
        for (body, code, expected) in [
            (json!({ "name": "it's", "small": 1 }), "conflict", &["/name"][..]),
            (json!({ "name": "b", "code": "x", "small": 1 }), "conflict", &["/code"]),
            (json!({ "name": "b", "row": 1, "shelf": "a", "small": 1 }), "conflict", &["/row", "/shelf"]),
            (json!({ "name": "b", "whole_id": 99, "small": 1 }), "reference_not_found", &["/whole_id"]),
        ] {
            let problem = parts.post("/parts", &body).await.problem(code);
            assert_eq!(problem.pointers(), expected, "{body}");
        }
        parts.stop().await;
    });
}

#[test]
fn text_too_long_for_a_unique_index_is_rejected() {
    on_mysql(async |database, _| {
        let parts = start(database).await;
        let answer = parts.post("/parts", &json!({ "name": "a".repeat(256), "small": 1 })).await;
        assert_eq!(answer.problem("validation_failed").pointers(), ["/name"]);
        parts.post("/parts", &json!({ "name": "é".repeat(255), "small": 1 })).await.created();
        parts.stop().await;
    });
}

#[test]
fn stored_value_outside_the_fields_type_is_null_and_listed() {
    on_mysql(async |database, pool| {
        let parts = start(database).await;
        let id = parts.post("/parts", &json!({ "name": "a", "small": 1 })).await.created()["id"].clone();
        execute(pool, "ALTER TABLE parts MODIFY small BIGINT NOT NULL; UPDATE parts SET small = 40000").await;
        assert_eq!(parts.get(format!("/parts/{id}")).await.ok()["unreadable"], json!(["/small"]));
        execute(pool, "UPDATE parts SET small = 4, extra = 'no JSON'").await;
        assert_eq!(parts.get(format!("/parts/{id}")).await.ok()["unreadable"], json!(["/extra"]));
        parts.stop().await;
    });
}

/// The database derives the types of a batch's values from the first row, once for each prepared statement.
#[test]
fn batch_update_accepts_values_of_every_length_and_null() {
    on_mysql(async |database, _| {
        let parts = start(database).await;
        let items: Vec<_> = (0..4).map(|number| json!({ "name": number.to_string(), "small": number })).collect();
        let created = parts.post("/parts/batch", &json!({ "items": items })).await.expect(200).into_json();
        let ids: Vec<_> = created["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
        let long = "long ".repeat(5_000);
        for round in 0..3 {
            let values = [json!(null), json!([1.5, "a"]), json!({ "long": long }), json!("é")];
            let items: Vec<_> = (0..4)
                .map(|item: usize| {
                    let extra = values[(item + round) % 4].clone();
                    let row = if (item + round).is_multiple_of(3) { json!(null) } else { json!(i32::MIN) };
                    json!({ "id": ids[item], "name": format!("{item} {round}"), "extra": extra, "row": row })
                })
                .collect();
            let answer = parts.put("/parts/batch", &json!({ "items": items })).await.expect(200).into_json();
            for (item, updated) in items.iter().zip(answer["items"].as_array().unwrap()) {
                for field in ["id", "name", "extra", "row"] {
                    assert_eq!(updated[field], item[field], "{field} of {item}");
                }
            }
        }
        parts.stop().await;
    });
}

#[test]
fn error_of_a_proxy_that_speaks_of_a_connection_is_503_and_an_unknown_end_may_have_been_made() {
    on_mysql(async |database, pool| {
        let parts = start(database).await;
        let cases = [
            ("08S01", 1160, "no words", "unavailable"),
            ("HY000", 2013, "no words", "unavailable"),
            ("HY000", 9001, "no words", "unavailable"),
            ("HY000", 1105, "vttablet: the Connection is refused", "unavailable"),
            ("HY000", 1105, "no words", "internal"),
            ("40003", 1105, "no words", "timeout"),
        ];
        let signals: Vec<String> = (1..)
            .zip(&cases)
            .map(|(small, (state, number, message, _))| {
                format!(
                    "IF NEW.small = {small} THEN SIGNAL SQLSTATE '{state}' \
                     SET MYSQL_ERRNO = {number}, MESSAGE_TEXT = '{message}'; END IF;"
                )
            })
            .collect();
        let signals = signals.join(" ");
        execute(pool, &format!("CREATE TRIGGER fails BEFORE INSERT ON parts FOR EACH ROW BEGIN {signals} END")).await;
        for (small, (state, _, _, problem)) in (1..).zip(cases) {
            let found = parts.post("/parts", &json!({ "name": "a", "small": small })).await.problem(problem);
            assert_eq!(found.detail.contains("may have been applied"), state == "40003", "{found}");
        }
        parts.stop().await;
    });
}

#[test]
fn error_of_vtgate_keeps_its_field_and_loses_the_statement_and_its_values() {
    on_mysql(async |database, pool| {
        let parts = start(database).await;
        let cases = [
            (
                1062,
                r#"Duplicate entry ''secret'' for key ''ux_parts__code'' (errno 1062): Sql: "insert", BindVars: {v1: "secret"}"#,
                "conflict",
                &["/code"][..],
            ),
            (
                1105,
                r#"no healthy tablet available for app: Sql: "insert", BindVars: {v1: "secret"}"#,
                "unavailable",
                &[],
            ),
            (1105, "VT15001: transaction error, issue ROLLBACK and retry", "unavailable", &[]),
            (1317, "vttablet: rpc error: desc = context deadline exceeded", "timeout", &[]),
            (1317, "caller id: root: row count exceeded 10000", "internal", &[]),
        ];
        let signal = |(small, (number, message, ..)): (i32, &(i32, &str, &str, &[&str]))| {
            let set = format!("SET MYSQL_ERRNO = {number}, MESSAGE_TEXT = '{message}'");
            format!("IF NEW.small = {small} THEN SIGNAL SQLSTATE 'HY000' {set}; END IF;")
        };
        let signals: Vec<String> = (1..).zip(&cases).map(signal).collect();
        let signals = signals.join(" ");
        execute(pool, &format!("CREATE TRIGGER fails BEFORE INSERT ON parts FOR EACH ROW BEGIN {signals} END")).await;
        for (small, (_, _, code, fields)) in (1..).zip(cases) {
            let found = parts.post("/parts", &json!({ "name": "a", "code": "b", "small": small })).await;
            assert!(!found.text().contains("secret"), "{found:?}");
            assert_eq!(found.problem(code).pointers(), fields, "{small}");
        }
        parts.stop().await;
    });
}
