//! Unique indexes that another program has made and named: a conflict is at the fields that they are of.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, on_each_sql_backend};
use serde_json::{Value, json};

use crate::foreign::support::other_program;

#[derive(Debug, Clone, Resource)]
#[crud(table("parts", unmanaged), prefix = "/parts", batch(mode(partial)))]
struct Part {
    id: i64,
    code: String,
    shelf: i32,
    slot: i32,
    name: String,
    email: Option<String>,
}

/// Columns of the parts that all databases spell alike; no field has the last one.
const COLUMNS: &str = "code VARCHAR(40) NOT NULL, shelf INTEGER NOT NULL, slot INTEGER NOT NULL, name VARCHAR(40) NOT NULL, \
    email VARCHAR(40), crate INTEGER";

/// Indexes of the parts on every database: the name of one is that of a field that it is not of.
const INDEXES: &str = "CREATE UNIQUE INDEX one_of_a_code ON parts (code);
    CREATE UNIQUE INDEX email ON parts (shelf, slot, crate)";

fn parts(backend: Backend) -> String {
    let of_email = "CREATE UNIQUE INDEX one_open_name ON parts (name) WHERE email IS NULL;
        CREATE UNIQUE INDEX one_address ON parts (lower(email || ' name, (code)'))";
    match backend {
        Backend::Sqlite => {
            format!("CREATE TABLE parts (id INTEGER PRIMARY KEY, {COLUMNS} DEFAULT 1); {INDEXES}; {of_email}")
        }
        Backend::Postgres => {
            format!("CREATE TABLE parts (id bigserial PRIMARY KEY, {COLUMNS} DEFAULT 1); {INDEXES}; {of_email}")
        }
        _ => format!(
            "CREATE TABLE parts (id BIGINT AUTO_INCREMENT PRIMARY KEY, {COLUMNS} DEFAULT 1,
               is_open TINYINT AS (IF(email IS NULL, 1, NULL)) VIRTUAL, address VARCHAR(40) AS (LOWER(email)) VIRTUAL,
               UNIQUE KEY one_open_name (name, is_open), UNIQUE KEY one_address (address)); {INDEXES}"
        ),
    }
}

fn part(code: &str, place: i32, name: &str, email: Option<&str>) -> Value {
    json!({ "code": code, "shelf": place, "slot": place, "name": name, "email": email })
}

#[test]
fn conflict_is_at_the_fields_of_an_index_of_any_name() {
    on_each_sql_backend(async |database| {
        other_program(database, &parts(database.backend())).await;
        let service = database.service().await.resource::<Part>().check_schema().await.expect("it is used as it is");
        let api = Api::start(database, service).await;
        api.post("/parts", &part("c1", 1, "n1", None)).await.created();
        let second = api.post("/parts", &part("c2", 2, "n2", Some("a@b"))).await.created();
        let cases = [
            (part("c1", 3, "n3", None), &["/code"][..]),
            (part("c3", 1, "n3", None), &["/shelf", "/slot"]),
            (part("c3", 3, "n1", None), &["/name"]),
            (part("c3", 3, "n3", Some("A@B")), &["/email"]),
        ];
        for (body, expected) in &cases {
            let problem = api.post("/parts", body).await.problem("conflict");
            assert_eq!(problem.pointers(), *expected, "{body}");
        }
        let path = format!("/parts/{}", second["id"]);
        assert_eq!(api.patch(&path, &json!({ "code": "c1" })).await.problem("conflict").pointers(), ["/code"]);
        let place = json!({ "shelf": 1, "slot": 1 });
        assert_eq!(api.patch(&path, &place).await.problem("conflict").pointers(), ["/shelf", "/slot"]);
        let items = json!({ "items": [part("c4", 4, "n4", None), part("c1", 5, "n5", None)] });
        let batch = api.post("/parts/batch", &items).await;
        assert!(String::from_utf8_lossy(batch.body()).contains("/code"), "{:?}", batch.json());
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("boxes", unmanaged), prefix = "/boxes")]
struct LabelledBox {
    id: i64,
    label: String,
}

#[test]
fn conflict_of_a_column_that_no_field_has_is_at_no_field() {
    on_each_sql_backend(async |database| {
        let key = match database.backend() {
            Backend::Sqlite => "INTEGER PRIMARY KEY",
            Backend::Postgres => "bigserial PRIMARY KEY",
            _ => "BIGINT AUTO_INCREMENT PRIMARY KEY",
        };
        let table = format!(
            "CREATE TABLE boxes (id {key}, label VARCHAR(40) NOT NULL, lot INTEGER NOT NULL DEFAULT 7);
             CREATE UNIQUE INDEX label ON boxes (lot)"
        );
        other_program(database, &table).await;
        let service =
            database.service().await.resource::<LabelledBox>().check_schema().await.expect("it is used as it is");
        let api = Api::start(database, service).await;
        api.post("/boxes", &json!({ "label": "a" })).await.created();
        let problem = api.post("/boxes", &json!({ "label": "b" })).await.problem("conflict");
        assert!(problem.errors.is_empty(), "{problem}");
        assert_eq!(problem.detail, "a value is taken by another record");
        api.stop().await;
    });
}
