//! Tables of other programs: accepted formats and corrupt values.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use crud_runtime::Column;
use crud_runtime::adapter::{AdapterError, Administration, SqlitePoolAdapter};
use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::query::ListQuery;
use rust_decimal::Decimal;
use sqlx::sqlite::{SqlitePool, SqlitePoolOptions};
use uuid::Uuid;

use crate::support::{column, id, leak_descriptor, list, resource};

/// A pool of one connection to a database in memory.
async fn pool() -> SqlitePool {
    SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap()
}

/// The value that the adapter reads from a column of this declared type with this SQL value.
async fn read<T: Column>(declared: &str, sql: &str) -> Result<Value, String> {
    let pool = pool().await;
    let resource: &'static Descriptor = leak_descriptor(resource("elsewhere", vec![id(), column::<T>("value")]));
    let null = if T::NULLABLE { "" } else { "NOT NULL" };
    let table = format!("CREATE TABLE elsewhere (id INTEGER PRIMARY KEY, value {declared} {null})");
    sqlx::raw_sql(sqlx::AssertSqlSafe(table)).execute(&pool).await.unwrap();
    let adapter = SqlitePoolAdapter::new(pool.clone());
    adapter.migrate(&[resource]).await.unwrap();
    // Another program writes after the start, which refuses a column whose values have another spelling.
    let row = format!("INSERT INTO elsewhere (value) VALUES ({sql})");
    sqlx::raw_sql(sqlx::AssertSqlSafe(row)).execute(&pool).await.unwrap();
    match list(&adapter, resource, &ListQuery::all(resource)).await {
        Ok(mut records) => Ok(records.remove(0).remove(1)),
        Err(AdapterError::Corrupt { column: "value", error }) => Err(error.to_string()),
        Err(other) => panic!("{other:?}"),
    }
}

fn instant(text: &str) -> Value {
    Value::DateTime(text.parse::<DateTime<Utc>>().unwrap())
}

#[tokio::test]
async fn other_formats_of_instants_are_accepted() {
    for text in [
        "2026-01-31 10:00:00",
        "2026-01-31T10:00:00",
        "2026-01-31 10:00",
        "2026-01-31T10:00:00Z",
        "2026-01-31 10:00:00+00:00",
        "2026-01-31T12:00:00.000+02:00",
        "2026-01-31t10:00:00z",
        "2026-01-31T10:00:00.000000000Z",
    ] {
        let value = read::<DateTime<Utc>>("DATETIME", &format!("'{text}'")).await;
        assert_eq!(value, Ok(instant("2026-01-31T10:00:00Z")), "{text}");
    }
    let finer = read::<DateTime<Utc>>("TEXT", "'2026-01-31T10:00:00.123456789+00:00'").await;
    assert_eq!(finer, Ok(instant("2026-01-31T10:00:00.123456Z")));
}

#[tokio::test]
async fn other_formats_of_dates_times_and_uuids_are_accepted() {
    let date: NaiveDate = "2026-01-31".parse().unwrap();
    let time: NaiveTime = "10:00:00.5".parse().unwrap();
    let naive: NaiveDateTime = date.and_time(time);
    assert_eq!(read::<NaiveDate>("DATE", "'2026-01-31'").await, Ok(Value::Date(date)));
    assert_eq!(read::<NaiveTime>("TIME", "'10:00:00.5'").await, Ok(Value::Time(time)));
    assert_eq!(read::<NaiveTime>("TIME", "'10:00'").await, Ok(Value::Time("10:00:00".parse().unwrap())));
    assert_eq!(read::<NaiveDateTime>("TIMESTAMP", "'2026-01-31 10:00:00.5'").await, Ok(Value::NaiveDateTime(naive)));
    let uuid = "0192F0C1-7A5B-7C3D-8E4F-5A6B7C8D9E0F";
    let value = Value::Uuid(uuid.parse::<Uuid>().unwrap());
    assert_eq!(read::<Uuid>("UUID", &format!("'{uuid}'")).await, Ok(value.clone()));
    assert_eq!(read::<Uuid>("TEXT", &format!("'{}'", uuid.replace('-', ""))).await, Ok(value));
}

#[tokio::test]
async fn malformed_dates_and_times_are_corrupt() {
    for text in [
        "",
        "yesterday",
        "2026-02-29T00:00:00.000000Z",
        "2026-13-01T00:00:00.000000Z",
        "2026-01-00T00:00:00.000000Z",
        "2026-01-01T24:00:00.000000Z",
        "2026-01-01T00:60:00.000000Z",
        "2016-12-31T23:59:60.000000Z",
        "2026-01-01T00:00:00.00000aZ",
        "2026-01-01 10:00:00 PM",
        "01/02/2026",
        "1767225600",
    ] {
        let error = read::<DateTime<Utc>>("TEXT", &format!("'{text}'")).await.unwrap_err();
        assert!(error.starts_with("must not be"), "{text}: {error}");
    }
    for text in ["2026-1-1", "20260101", "2026-01-01 00:00"] {
        read::<NaiveDate>("TEXT", &format!("'{text}'")).await.unwrap_err();
    }
    for text in ["24:00:00", "1:00", "10:00:00Z", "10:00:00."] {
        read::<NaiveTime>("TEXT", &format!("'{text}'")).await.unwrap_err();
    }
    for text in ["0192f0c1-7a5b-7c3d-8e4f", "g192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f"] {
        read::<Uuid>("TEXT", &format!("'{text}'")).await.unwrap_err();
    }
}

#[tokio::test]
async fn leap_days_exist_in_leap_years_only() {
    for (year, leap) in [("2024", true), ("2000", true), ("1900", false), ("2023", false), ("0000", true)] {
        let value = read::<NaiveDate>("TEXT", &format!("'{year}-02-29'")).await;
        assert_eq!(value.is_ok(), leap, "{year}: {value:?}");
    }
}

#[tokio::test]
async fn number_of_another_storage_class_is_exact_or_corrupt() {
    assert_eq!(read::<f64>("NUMERIC", "5.0").await, Ok(Value::Float(5.0)));
    assert_eq!(
        read::<f64>("NUMERIC", "9007199254740993").await.unwrap_err().split(',').next().unwrap(),
        "must not be 9007199254740993"
    );
    assert!(read::<f64>("NUMERIC", "9223372036854775807").await.is_err());
    assert_eq!(read::<f64>("NUMERIC", "-9223372036854775808").await, Ok(Value::Float(-(2_f64.powi(63)))));
    for sql in ["9e999", "-9e999", "'12,5'", "X'00'"] {
        read::<f64>("REAL", sql).await.unwrap_err();
    }
    for sql in ["1.5", "'x'", "X'00'"] {
        read::<i64>("INTEGER", sql).await.unwrap_err();
        read::<Decimal>("INTEGER", sql).await.unwrap_err();
    }
    read::<i16>("INTEGER", "32768").await.unwrap_err();
    read::<u32>("INTEGER", "-1").await.unwrap_err();
    assert_eq!(read::<bool>("BOOLEAN", "TRUE").await, Ok(Value::Bool(true)));
    for sql in ["2", "'true'"] {
        read::<bool>("BOOLEAN", sql).await.unwrap_err();
    }
    assert_eq!(read::<Option<i64>>("INTEGER", "NULL").await, Ok(Value::Null));
}

#[tokio::test]
async fn value_that_is_not_text_is_corrupt() {
    read::<String>("TEXT", "CAST(X'ff' AS TEXT)").await.unwrap_err();
    read::<String>("TEXT", "X'61'").await.unwrap_err();
    read::<Vec<u8>>("BLOB", "'text'").await.unwrap_err();
    assert_eq!(read::<Vec<u8>>("BLOB", "X''").await, Ok(Value::Bytes(Vec::new())));
}

#[tokio::test]
async fn stored_json_is_validated() {
    use serde_json::{Value as Json, json};
    let value = Value::Json(json!({"a": [1]}));
    assert_eq!(read::<Json>("TEXT", "' {\"a\" : [ 1 ] } '").await, Ok(value));
    for text in ["", "{", "{a:1}", "[1,]", "1 2", "nan", "\"\u{1}\""] {
        read::<Json>("TEXT", &format!("'{text}'")).await.unwrap_err();
    }
    let list = Value::TextList(vec!["a".to_owned(), "\u{e9}\n".to_owned()]);
    assert_eq!(read::<Vec<String>>("TEXT", r#"'["a", "\u00e9\n"]'"#).await, Ok(list));
    for text in ["{}", "[1]", "[\"a\"", "[null]", "[[]]", "\"a\""] {
        read::<Vec<String>>("TEXT", &format!("'{text}'")).await.unwrap_err();
    }
}
