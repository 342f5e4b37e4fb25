//! SQLite: a column keeps the spelling that other programs gave its values.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_sqlite_and_pool};
use serde_json::json;

use crate::types::{error_text, fields, prepare};

const TABLE: &str = "
    CREATE TABLE invoices (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        invoiced DATETIME NOT NULL,
        paid NUMERIC,
        due TEXT NOT NULL,
        token TEXT NOT NULL,
        raw BLOB NOT NULL,
        total NUMERIC(10,2) NOT NULL
    );
    INSERT INTO invoices (invoiced, paid, due, token, raw, total) VALUES
        ('2021-01-01 00:00:00', 1609459200, '20210131', '0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F',
         x'0192f0c17a5b7c3d8e4f5a6b7c8d9e0f', 0.99),
        ('2021-01-02 00:00:00', NULL, '20210228', '0292F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F',
         x'0292f0c17a5b7c3d8e4f5a6b7c8d9e0f', 2),
        ('2021-01-02 10:00:00', 1609459201, '20210301', '0392F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F',
         x'0392f0c17a5b7c3d8e4f5a6b7c8d9e0f', 10.5);
";

#[derive(Debug, Clone, Resource)]
#[crud(table = "invoices", filter, sort, pagination(cursor), aggregate(group_by(due), over(total, invoiced)))]
struct Invoice {
    id: i64,
    #[crud(column(format = "%Y-%m-%d %H:%M:%S"))]
    invoiced: NaiveDateTime,
    #[crud(column(format = "unix"))]
    paid: Option<DateTime<Utc>>,
    #[crud(column(format = "%Y%m%d"))]
    due: NaiveDate,
    #[crud(column(format = "uppercase"))]
    token: Uuid,
    #[crud(column(format = "bytes"))]
    raw: Uuid,
    #[crud(decimal(10, 2), column(format = "number"))]
    total: Decimal,
}

fn on_invoices(test: impl AsyncFn(&Database, &Api)) {
    on_sqlite_and_pool(async |database| {
        prepare(database, TABLE).await;
        let service =
            database.service().await.resource::<Invoice>().check_schema().await.expect("spellings of the fields");
        let api = Api::start(database, service).await;
        test(database, &api).await;
        api.stop().await;
    });
}

#[test]
fn filter_by_a_value_that_was_read_finds_its_record() {
    on_invoices(async |_, api| {
        let records = api.get("/invoices?sort=id").await.ok();
        for record in records["data"].as_array().expect("records") {
            for field in ["invoiced", "due", "token", "raw", "total"] {
                let value = record[field].as_str().expect("a text").replace('+', "%2B");
                let page = api.get(format!("/invoices?{field}={value}")).await.ok();
                assert_eq!(fields(&page, "id"), [record["id"].clone()], "{field}={value}");
            }
        }
    });
}

#[test]
fn day_by_its_bounds_has_the_records_of_that_day() {
    on_invoices(async |_, api| {
        let of = async |filter: &str| fields(&api.get(format!("/invoices?sort=id&{filter}")).await.ok(), "id");
        let first = "invoiced__gte=2021-01-01T00:00:00&invoiced__lt=2021-01-02T00:00:00";
        assert_eq!(of(first).await, [1]);
        assert_eq!(of("invoiced__gt=2021-01-01T23:59:59.5&invoiced__lte=2021-01-02T00:00:00.5").await, [2]);
        assert_eq!(of("paid__lt=2021-01-01T00:00:00.5Z").await, [1]);
        assert_eq!(of("total__gt=1&total__lte=10.50").await, [2, 3]);
    });
}

#[test]
fn new_values_have_the_spelling_of_the_others() {
    on_invoices(async |database, api| {
        let token = "0492f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f";
        let body = json!({
            "invoiced": "2021-02-01T12:30:00", "paid": "2021-01-01T00:01:00Z", "due": "2021-03-02", "token": token,
            "raw": token, "total": "1.10",
        });
        let invoice = api.post("/invoices", &body).await.created();
        assert_eq!(invoice["token"], token);
        assert_eq!(invoice["total"], "1.10");
        let stored = "SELECT invoiced || ' ' || paid || ' ' || due || ' ' || token || ' ' || hex(raw) || ' ' || total \
                      FROM invoices WHERE id = 4";
        let (upper, digits) = (token.to_uppercase(), token.to_uppercase().replace('-', ""));
        let expected = format!("2021-02-01 12:30:00 1609459260 20210302 {upper} {digits} 1.1");
        assert_eq!(database.texts(stored).await, [expected]);
        let finer = json!({ "invoiced": "2021-02-01T12:30:00.5" });
        assert_eq!(api.patch("/invoices/4", &finer).await.status(), 422);
    });
}

#[test]
fn cursors_walk_every_order() {
    on_invoices(async |_, api| {
        for sort in ["invoiced", "-invoiced", "paid", "-paid", "due", "token", "raw", "-total"] {
            let mut path = format!("/invoices?limit=1&sort={sort}");
            let mut found = Vec::new();
            loop {
                let page = api.get(&path).await.ok();
                found.extend(fields(&page, "id"));
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                path = format!("/invoices?limit=1&sort={sort}&cursor={cursor}");
            }
            let whole = fields(&api.get(format!("/invoices?sort={sort}")).await.ok(), "id");
            assert_eq!(found, whole, "{sort}");
            assert_eq!(found.len(), 3, "{sort}");
        }
    });
}

#[test]
fn aggregates_are_of_the_values_that_fields_have() {
    on_invoices(async |_, api| {
        let path = "/invoices/aggregate?sum=total&avg=total&min=total,invoiced&max=total&total__gt=0.5";
        let group = &api.get(path).await.ok()["data"][0];
        assert_eq!((&group["count"], &group["sum"]), (&json!(3), &json!({ "total": "13.49" })));
        assert_eq!(group["min"], json!({ "total": "0.99", "invoiced": "2021-01-01T00:00:00.000000" }));
        assert_eq!(group["max"], json!({ "total": "10.50" }));
        let average = group["avg"]["total"].as_f64().expect("a number");
        assert!((average - 13.49 / 3.0).abs() < 1e-9, "{average}");
        let groups = api.get("/invoices/aggregate?group_by=due&sum=total").await.ok();
        assert_eq!(groups["data"][1], json!({ "due": "2021-02-28", "count": 1, "sum": { "total": "2.00" } }));
    });
}

mod plain {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "invoices")]
    pub(super) struct Invoice {
        id: i64,
        invoiced: NaiveDateTime,
        paid: Option<DateTime<Utc>>,
        due: NaiveDate,
        token: Uuid,
        raw: Uuid,
        #[crud(decimal(10, 2))]
        total: Decimal,
    }
}

#[test]
fn column_in_another_spelling_is_refused_with_the_format_that_reads_it() {
    on_sqlite_and_pool(async |database| {
        prepare(database, TABLE).await;
        let error = error_text(database.service().await.resource::<plain::Invoice>().check_schema().await);
        for line in [
            "column `invoiced`: holds `2021-01-01 00:00:00`, which `#[crud(column(format = \"%Y-%m-%d %H:%M:%S\"))]` reads",
            "column `paid`: holds `1609459200`, which `#[crud(column(format = \"unix\"))]` reads",
            "column `due`: holds `20210131`, which `#[crud(column(format = \"%Y%m%d\"))]` reads",
            "column `token`: holds `0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F`, which `#[crud(column(format = \"uppercase\"))]` reads",
            "column `raw`: holds `0192F0C17A5B7C3D8E4F5A6B7C8D9E0F`, which `#[crud(column(format = \"bytes\"))]` reads",
            "column `total`: holds `0.99`, which `#[crud(column(format = \"number\"))]` reads",
        ] {
            assert!(error.contains(line), "{line}\nis not in\n{error}");
        }
    });
}

const MIXED: &str = "
    CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, made TEXT NOT NULL);
    INSERT INTO notes (made) VALUES ('2021-01-01 00:00:00'), ('2021-01-01T00:00:00.000000Z');
";

#[derive(Debug, Clone, Resource)]
struct Note {
    id: i64,
    made: DateTime<Utc>,
}

#[test]
fn column_in_two_spellings_is_refused_with_a_value_of_each() {
    on_sqlite_and_pool(async |database| {
        prepare(database, MIXED).await;
        let error = error_text(database.service().await.resource::<Note>().migrate().await);
        let line = "column `made`: holds `2021-01-01T00:00:00.000000Z` and `2021-01-01 00:00:00`, which no `format` reads both";
        assert!(error.contains(line), "{error}");
        database.execute("UPDATE notes SET made = '2021-01-01T00:00:00.000000Z'").await;
        drop(database.service().await.resource::<Note>().migrate().await.expect("one spelling"));
    });
}

/// The index of `due` begins with more records that have none than a sample has.
const INDEXED: &str = "
    CREATE TABLE reminders (id INTEGER PRIMARY KEY AUTOINCREMENT, due TEXT);
    CREATE INDEX ix_due ON reminders (due);
    INSERT INTO reminders (due) VALUES ('20210131');
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
    INSERT INTO reminders (due) SELECT NULL FROM numbers;
";

#[derive(Debug, Clone, Resource)]
struct Reminder {
    id: i64,
    due: Option<NaiveDate>,
}

#[test]
fn sample_of_a_column_is_not_in_the_order_of_its_index() {
    on_sqlite_and_pool(async |database| {
        prepare(database, INDEXED).await;
        let error = error_text(database.service().await.resource::<Reminder>().check_schema().await);
        let line = "column `due`: holds `20210131`, which `#[crud(column(format = \"%Y%m%d\"))]` reads";
        assert!(error.contains(line), "{error}");
    });
}
