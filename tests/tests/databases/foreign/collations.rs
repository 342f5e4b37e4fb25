//! Texts in the order that the database gives them: `table(collation(database))` on tables of the program, any on those of others.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_runtime::schema::Verdict;
use crud_tests::{Api, Backend, on_each_sql_backend, within};
use serde_json::json;

use crate::foreign::support::other_program;

#[derive(Debug, Clone, Resource)]
#[crud(
    table("words", collation(database)),
    prefix = "/words",
    filter,
    sort,
    pagination(cursor),
    unique(language, text)
)]
struct Word {
    id: i64,
    #[crud(length(max = 10))]
    language: String,
    #[crud(length(max = 40))]
    text: String,
}

#[test]
fn own_tables_keep_the_database_s_collation_and_its_order() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Word>().migrate().await.expect("the table");
        let collations = match database.backend() {
            Backend::Sqlite => Vec::new(),
            Backend::Postgres => {
                database
                    .texts(
                        "SELECT DISTINCT c.collname::text FROM pg_attribute a JOIN pg_collation c \
                    ON c.oid = a.attcollation WHERE a.attrelid = 'words'::regclass",
                    )
                    .await
            }
            _ => {
                database
                    .texts(
                        "SELECT DISTINCT c.COLLATION_NAME FROM information_schema.COLUMNS c \
                    WHERE c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = 'words' AND c.COLLATION_NAME IS NOT NULL \
                    AND c.COLLATION_NAME <> @@collation_database",
                    )
                    .await
            }
        };
        let expected: &[&str] = if database.backend() == Backend::Postgres { &["default"] } else { &[] };
        assert_eq!(collations, expected);
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
        let differences = service.migrations().diff().await.expect("a comparison");
        assert!(differences.iter().all(|one| one.verdict() != Verdict::Refuses), "{differences:#?}");
        let api = Api::start(database, service).await;
        for text in ["b", "A", "a", "Ä", "B", "á"] {
            api.post("/words", &json!({ "language": text, "text": text })).await;
        }
        let cast = if database.backend() == Backend::MySql { "CAST(id AS CHAR)" } else { "CAST(id AS TEXT)" };
        let expected = database.texts(&format!("SELECT {cast} FROM words ORDER BY text, id")).await;
        let mut walked = Vec::new();
        let mut target = "/words?sort=text&limit=2".to_owned();
        loop {
            let page = api.get(target.as_str()).await.ok();
            walked.extend(page["data"].as_array().expect("items").iter().map(|item| item["id"].to_string()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            target = format!("/words?sort=text&limit=2&cursor={cursor}");
        }
        assert_eq!(walked, expected);
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("people", unmanaged), prefix = "/people", filter, sort, pagination)]
struct Person {
    id: i64,
    name: String,
}

/// A collation of PostgreSQL's that ignores letter case.
const ANY_CASE: &str = "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)";

#[test]
fn collation_that_takes_different_texts_for_equal_is_named() {
    on_each_sql_backend(async |database| {
        let columns = match database.backend() {
            Backend::Sqlite => "id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE NOT NULL",
            Backend::Postgres => {
                database.execute(ANY_CASE).await;
                "id bigserial PRIMARY KEY, name text COLLATE any_case NOT NULL"
            }
            _ => "id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) COLLATE utf8mb4_general_ci NOT NULL",
        };
        other_program(database, &format!("CREATE TABLE people ({columns} UNIQUE)")).await;
        database.execute("INSERT INTO people (name) VALUES ('Ann'), ('Zoë')").await;
        let service = database.service().await.resource::<Person>().migrate().await.expect("it is used as it is");
        let differences = service.migrations().diff().await.expect("a comparison");
        let named = differences.iter().find(|one| one.to_string().contains("to which different texts are equal"));
        assert_eq!(named.expect("it is named").verdict(), Verdict::Warning, "{differences:#?}");
        let api = Api::start(database, service).await;
        assert_eq!(api.get("/people?name=ann").await.ok()["total"], 1, "as the database compares");
        api.post("/people", &json!({ "name": "ANN" })).await.problem("conflict");
        api.stop().await;
    });
}

#[test]
fn beginnings_of_texts_are_found_by_code_point_whatever_the_collation() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Sqlite {
            return; // SQLite alone looks for them in a range of the column's order
        }
        let table = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE NOT NULL)";
        other_program(database, table).await;
        database.execute("INSERT INTO people (id, name) VALUES (1, 'aZ-1'), (2, 'az-2'), (3, '@[')").await;
        let service = database.service().await.resource::<Person>().migrate().await.expect("it is used as it is");
        let api = Api::start(database, service).await;
        for (begin, expected) in [("aZ", json!([1])), ("az", json!([2])), ("@", json!([3]))] {
            let found = api.get(format!("/people?name__startswith={begin}")).await.ok();
            let ids: Vec<_> = found["data"].as_array().expect("items").iter().map(|item| item["id"].clone()).collect();
            assert_eq!(json!(ids), expected, "{begin}");
        }
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("people", unmanaged), prefix = "/contacts", upsert(name))]
struct Contact {
    id: i64,
    #[crud(unique, length(max = 40))]
    name: String,
    city: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(table("badges", unmanaged), prefix = "/badges", upsert(code))]
struct Badge {
    #[crud(id, length(max = 40))]
    code: String,
    city: String,
}

#[test]
fn upsert_changes_the_record_whose_text_the_database_takes_for_equal() {
    on_each_sql_backend(async |database| {
        let (key, text) = match database.backend() {
            Backend::Sqlite => ("INTEGER PRIMARY KEY", "TEXT COLLATE NOCASE"),
            Backend::Postgres => {
                database.execute(ANY_CASE).await;
                ("bigserial PRIMARY KEY", "text COLLATE any_case")
            }
            _ => ("BIGINT AUTO_INCREMENT PRIMARY KEY", "VARCHAR(40) COLLATE utf8mb4_general_ci"),
        };
        let tables = format!(
            "CREATE TABLE people (id {key}, name {text} NOT NULL UNIQUE, city VARCHAR(40) NOT NULL);
             CREATE TABLE badges (code {text} NOT NULL PRIMARY KEY, city VARCHAR(40) NOT NULL)"
        );
        other_program(database, &tables).await;
        let service = database.service().await.resource::<Contact>().resource::<Badge>();
        let api = Api::start(database, service.migrate().await.expect("they are used as they are")).await;
        let target = "/contacts?on_conflict=name";
        let created = api.post(target, &json!({ "name": "Ann", "city": "Rome" })).await.created();
        let ignoring = "/contacts?on_conflict=name&conflict=ignore";
        let kept = api.post(ignoring, &json!({ "name": "ANN", "city": "Bern" })).await.ok();
        assert_eq!(kept, created);
        let changed = api.post(target, &json!({ "name": "ann", "city": "Oslo" })).await.ok();
        assert_eq!(changed, json!({ "id": created["id"], "name": "ann", "city": "Oslo" }));
        api.put("/badges/A?allow_missing=true", &json!({ "city": "Rome" })).await.expect(201);
        let changed = api.put("/badges/a?allow_missing=true", &json!({ "city": "Oslo" })).await.ok();
        assert_eq!(changed, json!({ "code": "A", "city": "Oslo" }), "a key stays as it is");
        let changed = api.post("/badges?on_conflict=code", &json!({ "code": "a", "city": "Bern" })).await.ok();
        assert_eq!(changed, json!({ "code": "A", "city": "Bern" }));
        api.stop().await;
    });
}

#[test]
fn upsert_is_a_conflict_where_an_index_takes_more_for_equal_than_its_column() {
    on_each_sql_backend(async |database| {
        let table = match database.backend() {
            Backend::Sqlite => {
                "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, city TEXT NOT NULL);
                 CREATE UNIQUE INDEX one_of_a_name ON people (name COLLATE NOCASE)"
            }
            Backend::Postgres => {
                "CREATE TABLE people (id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, city text NOT NULL);
                 CREATE UNIQUE INDEX one_of_a_name ON people (lower(name))"
            }
            _ => {
                "CREATE TABLE people (id BIGINT AUTO_INCREMENT PRIMARY KEY,
                   name VARCHAR(40) COLLATE utf8mb4_bin NOT NULL UNIQUE, city VARCHAR(40) NOT NULL,
                   folded VARCHAR(40) COLLATE utf8mb4_bin AS (LOWER(name)) VIRTUAL UNIQUE)"
            }
        };
        other_program(database, table).await;
        let service = database.service().await.resource::<Contact>();
        let api = Api::start(database, service.migrate().await.expect("it is used as it is")).await;
        let target = "/contacts?on_conflict=name";
        api.post(target, &json!({ "name": "Ann", "city": "Rome" })).await.created();
        let body = json!({ "name": "ann", "city": "Oslo" });
        let refused =
            within(Duration::from_secs(2), "the answer of an upsert", async { api.post(target, &body).await }).await;
        refused.problem("conflict");
        assert_eq!(api.post(target, &json!({ "name": "Ann", "city": "Bern" })).await.ok()["city"], "Bern");
        api.stop().await;
    });
}
