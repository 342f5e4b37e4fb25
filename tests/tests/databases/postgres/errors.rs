//! Errors of the database, whatever the names of its constraints.

use crud_runtime::prelude::*;
use crud_tests::Api;
use serde_json::json;

use crate::postgres::support::{execute, on_postgres};

#[derive(Debug, Clone, Resource)]
#[crud(table = "parts", prefix = "/parts", soft_delete, batch(mode(partial)))]
struct Part {
    id: i64,
    #[crud(column = "the (odd) \"name\"", unique)]
    name: String,
    #[crud(unique(active))]
    code: Option<String>,
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
fn constraint_error_names_the_fields_whatever_the_constraints_name() {
    on_postgres(async |database, pool| {
        let parts = start(database).await;
        execute(pool, "ALTER INDEX ux_parts__code RENAME TO something").await;
        parts.post("/parts", &json!({ "name": "a", "code": "x", "small": 1 })).await.created();
        let pointers = async |body: serde_json::Value, code: &str| {
            parts
                .post("/parts", &body)
                .await
                .problem(code)
                .pointers()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(pointers(json!({ "name": "a", "small": 1 }), "conflict").await, ["/name"]);
        assert_eq!(pointers(json!({ "name": "b", "code": "x", "small": 1 }), "conflict").await, ["/code"]);
        let missing = json!({ "name": "b", "whole_id": 99, "small": 1 });
        assert_eq!(pointers(missing, "reference_not_found").await, ["/whole_id"]);
        parts.stop().await;
    });
}

#[test]
fn json_with_a_null_character_is_rejected() {
    on_postgres(async |database, _| {
        let parts = start(database).await;
        let answer = parts.post("/parts", &json!({ "name": "a", "small": 1, "extra": { "k": "\0" } })).await;
        assert_eq!(answer.status(), 422, "{answer}");
        parts.stop().await;
    });
}

#[test]
fn stored_value_outside_the_fields_type_is_null_and_listed() {
    on_postgres(async |database, pool| {
        let parts = start(database).await;
        let id = parts.post("/parts", &json!({ "name": "a", "small": 1 })).await.created()["id"].clone();
        execute(pool, "UPDATE parts SET deleted_at = 'infinity'").await;
        let part = parts.get(format!("/parts/{id}?include_deleted=true")).await.ok();
        assert_eq!([&part["deleted_at"], &part["unreadable"]], [&json!(null), &json!(["/deleted_at"])]);
        parts.get(format!("/parts/{id}")).await.problem("not_found");
        execute(pool, "ALTER TABLE parts ALTER small TYPE bigint; UPDATE parts SET deleted_at = NULL, small = 40000")
            .await;
        assert_eq!(parts.get(format!("/parts/{id}")).await.ok()["unreadable"], json!(["/small"]));
        parts.stop().await;
    });
}

#[test]
fn failed_batch_item_does_not_affect_the_others() {
    on_postgres(async |database, pool| {
        let parts = start(database).await;
        parts.post("/parts", &json!({ "name": "7", "small": 1 })).await.created();
        let items: Vec<_> = (0..40).map(|number| json!({ "name": number.to_string(), "small": number })).collect();
        let answer = parts.post("/parts/batch", &json!({ "items": items })).await.expect(207).into_json();
        assert_eq!(answer["created"], 39);
        assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
        assert_eq!(answer["errors"][0]["index"], 7);
        assert_eq!(crate::postgres::support::texts(pool, "SELECT count(*)::text FROM parts").await, ["40"]);
        parts.stop().await;
    });
}

#[test]
fn error_of_a_cluster_that_speaks_of_a_connection_is_503_and_an_unknown_end_may_have_been_made() {
    on_postgres(async |database, pool| {
        let parts = start(database).await;
        let trigger = r#"CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION '%', NEW."the (odd) ""name""" USING ERRCODE = NEW.code; END $$;
            CREATE TRIGGER fails BEFORE INSERT ON parts FOR EACH ROW EXECUTE FUNCTION fails()"#;
        execute(pool, trigger).await;
        for (code, message, problem) in [
            ("XX000", "connection to the remote node worker-1:5432 failed", "unavailable"),
            ("XX000", "server closed its end unexpectedly", "unavailable"),
            ("58000", "no healthy server in the pool", "unavailable"),
            ("XX000", "unexpected chunk number", "internal"),
            ("40003", "result is ambiguous", "timeout"),
        ] {
            let answer = parts.post("/parts", &json!({ "name": message, "code": code, "small": 1 })).await;
            let found = answer.problem(problem);
            assert_eq!(found.detail.contains("may have been applied"), code == "40003", "{found}");
        }
        parts.stop().await;
    });
}
