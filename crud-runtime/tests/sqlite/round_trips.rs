//! Round trips of every kind of value.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use crud_runtime::Column;
use crud_runtime::adapter::AdapterError;
use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor};
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::json;
use uuid::Uuid;

use crate::support::{changes, column, get, id, insert, leak, leak_descriptor, memory, resource, text, update};

/// A user's type that is stored as one of three texts.
#[derive(Debug)]
struct Status;

impl Column for Status {
    const KIND: Kind = Kind::Enum(&["new", "it's paid", "ünï"]);

    fn into_value(self) -> Value {
        text("new")
    }

    fn from_value(_: ValueRef<'_>) -> Result<Self, ColumnError> {
        Ok(Self)
    }
}

/// A resource with one nullable column of the type.
fn holder<T: Column>(
    table: &'static str,
    adjust: impl Fn(ColumnDescriptor) -> ColumnDescriptor,
) -> &'static Descriptor {
    leak_descriptor(resource(table, vec![id(), adjust(column::<Option<T>>("value"))]))
}

fn nullable_column<T: Column>() -> &'static Descriptor {
    holder::<T>("holders", |column| column)
}

/// Stores the values by insert and by update, and checks each as read back.
async fn assert_round_trip(resource: &'static Descriptor, values: impl IntoIterator<Item = Value>) {
    let adapter = memory(&[resource]).await;
    for value in values.into_iter().chain([Value::Null]) {
        let inserted = insert(&adapter, resource, &[Value::Null, value.clone()]).await.unwrap();
        assert_eq!(inserted[1], value);
        let other = insert(&adapter, resource, &[Value::Null, Value::Null]).await.unwrap();
        let (_, updated) = update(&adapter, resource, &other[0], &changes([(1, value.clone())]), None).await.unwrap();
        assert_eq!(updated.expect("the record")[1], value);
        assert_eq!(get(&adapter, resource, &inserted[0]).await.expect("the record")[1], value);
    }
}

/// Checks that neither an insert nor an update accepts the value.
async fn assert_rejected(resource: &'static Descriptor, value: Value) {
    let adapter = memory(&[resource]).await;
    let error = insert(&adapter, resource, &[Value::Null, value.clone()]).await.unwrap_err();
    assert!(matches!(error, AdapterError::Constraint { column: Some(1) }), "{value:?}: {error:?}");
    let there = insert(&adapter, resource, &[Value::Null, Value::Null]).await.unwrap();
    let error = update(&adapter, resource, &there[0], &changes([(1, value)]), None).await.unwrap_err();
    assert!(matches!(error, AdapterError::Constraint { column: Some(1) }), "{error:?}");
}

fn instant(text: &str) -> Value {
    Value::DateTime(text.parse::<DateTime<Utc>>().unwrap())
}

#[tokio::test]
async fn booleans_round_trip() {
    assert_round_trip(nullable_column::<bool>(), [true, false].map(Value::Bool)).await;
}

#[tokio::test]
async fn integers_round_trip_in_their_whole_range() {
    assert_round_trip(
        nullable_column::<i64>(),
        [i64::MIN, i64::MIN + 1, -1, 0, 1, (1 << 53) + 1, i64::MAX].map(Value::Int),
    )
    .await;
    assert_round_trip(nullable_column::<i32>(), [i32::MIN, -1, 0, i32::MAX].map(|v| Value::Int(v.into()))).await;
    assert_round_trip(nullable_column::<i16>(), [i16::MIN, -1, 0, i16::MAX].map(|v| Value::Int(v.into()))).await;
    assert_round_trip(nullable_column::<u32>(), [0, 1, u32::MAX].map(|v| Value::Int(v.into()))).await;
}

#[tokio::test]
async fn integers_out_of_range_are_rejected() {
    assert_rejected(nullable_column::<i16>(), Value::Int(i64::from(i16::MAX) + 1)).await;
    assert_rejected(nullable_column::<i32>(), Value::Int(i64::from(i32::MIN) - 1)).await;
    assert_rejected(nullable_column::<u32>(), Value::Int(-1)).await;
    assert_rejected(nullable_column::<u32>(), Value::Int(i64::from(u32::MAX) + 1)).await;
}

#[tokio::test]
async fn floats_round_trip_exactly() {
    let subnormal = f64::from_bits(1);
    let values =
        [0.0, 0.1, -0.1, 1.0, 1e15, 9_007_199_254_740_993.0, 1e300, subnormal, f64::MIN_POSITIVE, f64::MAX, f64::MIN];
    assert_round_trip(nullable_column::<f64>(), values.map(Value::Float)).await;
    let values = [0.1_f32, f32::from_bits(1), f32::MIN_POSITIVE, f32::MAX, f32::MIN];
    assert_round_trip(nullable_column::<f32>(), values.map(|v| Value::Float(v.into()))).await;
}

#[tokio::test]
async fn text_of_any_characters_round_trips() {
    let values = [
        "",
        " ",
        "plain",
        "it's \"quoted\"",
        "ünï",
        "e\u{301}",
        "日本語",
        "👩‍👩‍👧‍👦",
        "\u{10ffff}",
        "\u{feff}bom",
        "a\nb\tc\u{1}",
    ];
    assert_round_trip(nullable_column::<String>(), values.map(text)).await;
    assert_round_trip(nullable_column::<String>(), [text(&"ü".repeat(100_000))]).await;
    assert_round_trip(nullable_column::<Status>(), ["new", "it's paid", "ünï"].map(text)).await;
    assert_rejected(nullable_column::<Status>(), text("old")).await;
}

#[tokio::test]
async fn dates_and_times_round_trip_to_the_microsecond() {
    let values = [
        "0000-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2024-02-29T12:00:00.000001Z",
        "9999-12-31T23:59:59.999999Z",
    ];
    assert_round_trip(nullable_column::<DateTime<Utc>>(), values.map(instant)).await;
    let naive = |v: &str| Value::NaiveDateTime(v.trim_end_matches('Z').parse::<NaiveDateTime>().unwrap());
    assert_round_trip(nullable_column::<NaiveDateTime>(), values.map(naive)).await;
    let date = |v: &str| Value::Date(v[..10].parse::<NaiveDate>().unwrap());
    assert_round_trip(nullable_column::<NaiveDate>(), values.map(date)).await;
    let time = |v: &str| Value::Time(v[11..].trim_end_matches('Z').parse::<NaiveTime>().unwrap());
    assert_round_trip(nullable_column::<NaiveTime>(), values.map(time)).await;
}

#[tokio::test]
async fn dates_and_times_that_would_lose_precision_are_rejected() {
    assert_rejected(nullable_column::<DateTime<Utc>>(), instant("2026-01-01T00:00:00.0000001Z")).await;
    assert_rejected(nullable_column::<DateTime<Utc>>(), instant("+10000-01-01T00:00:00Z")).await;
    assert_rejected(nullable_column::<DateTime<Utc>>(), instant("-0001-12-31T23:59:59Z")).await;
    assert_rejected(nullable_column::<DateTime<Utc>>(), instant("2016-12-31T23:59:60Z")).await;
    assert_rejected(nullable_column::<NaiveTime>(), Value::Time("00:00:00.0000001".parse().unwrap())).await;
    assert_rejected(nullable_column::<NaiveDate>(), Value::Date(NaiveDate::MAX)).await;
}

#[tokio::test]
async fn uuids_round_trip() {
    assert_round_trip(nullable_column::<Uuid>(), [Uuid::nil(), Uuid::max(), Uuid::now_v7()].map(Value::Uuid)).await;
}

#[tokio::test]
async fn decimals_round_trip_within_precision_and_scale() {
    let decimals = |values: &[&str]| values.iter().map(|v| Value::Decimal(v.parse().unwrap())).collect::<Vec<_>>();
    let standard = decimals(&["0", "0.0001", "-0.0001", "12.5", "99999999999999.9999", "-99999999999999.9999"]);
    assert_round_trip(nullable_column::<Decimal>(), standard).await;
    let whole = holder::<Decimal>("holders", |column| column.digits(18, 0));
    assert_round_trip(whole, decimals(&["0", "999999999999999999", "-999999999999999999"])).await;
    let cents = holder::<Decimal>("holders", |column| column.digits(5, 2));
    assert_round_trip(cents, decimals(&["999.99", "1", "1.0", "-0.01"])).await;
    for too_much in
        decimals(&["0.001", "1000", "-1000", "79228162514264337593543950335", "0.0000000000000000000000000001"])
    {
        assert_rejected(cents, too_much).await;
    }
}

#[tokio::test]
async fn json_round_trips_as_a_value() {
    let deep = (0..60).fold(json!(1), |inner, _| json!([inner]));
    let values = [
        json!(null),
        json!(true),
        json!(0.1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!("quo\"te \u{0} \u{1f600}"),
        json!({"b": [1, 2.5, {"a": null}], "a": {"": "ü"}}),
        deep,
    ];
    assert_round_trip(nullable_column::<serde_json::Value>(), values.map(Value::Json)).await;
}

#[tokio::test]
async fn bytes_and_lists_round_trip() {
    assert_round_trip(
        nullable_column::<Vec<u8>>(),
        [vec![], vec![0], (0..=255).collect::<Vec<u8>>()].map(Value::Bytes),
    )
    .await;
    let lists = [vec![], vec![""], vec!["a", "b,\"c\"", "ü\n", "👩‍👩‍👧"]];
    assert_round_trip(
        nullable_column::<Vec<String>>(),
        lists.map(|v| Value::TextList(v.into_iter().map(str::to_owned).collect())),
    )
    .await;
}

#[tokio::test]
async fn text_and_uuid_keys_round_trip() {
    let named =
        leak_descriptor(resource("named", vec![column::<String>("slug").role(crud_runtime::descriptor::Role::Id)]));
    let adapter = memory(&[named]).await;
    for slug in ["a", "A", "ü", ""] {
        insert(&adapter, named, &[text(slug)]).await.unwrap();
        assert_eq!(get(&adapter, named, &text(slug)).await, Some(vec![text(slug)]));
    }
    let keyed = leak_descriptor(resource("keyed", vec![column::<Uuid>("id").role(crud_runtime::descriptor::Role::Id)]));
    let adapter = memory(&[keyed]).await;
    let key = Value::Uuid(Uuid::now_v7());
    insert(&adapter, keyed, std::slice::from_ref(&key)).await.unwrap();
    assert_eq!(get(&adapter, keyed, &key).await, Some(vec![key]));
}

#[tokio::test]
async fn names_are_quoted() {
    let odd = leak("se\"lect ünï".to_owned());
    let odd =
        leak_descriptor(resource(odd, vec![id(), column::<i64>("or\"der by").filterable(), column::<String>("group")]));
    let adapter = memory(&[odd]).await;
    let record = insert(&adapter, odd, &[Value::Null, Value::Int(1), text("x")]).await.unwrap();
    let changed = update(&adapter, odd, &record[0], &changes([(1, Value::Int(2))]), None).await.unwrap();
    assert_eq!(changed.1, Some(vec![Value::Int(1), Value::Int(2), text("x")]));
}

#[tokio::test]
async fn keys_are_never_reused() {
    let resource = nullable_column::<bool>();
    let adapter = memory(&[resource]).await;
    let first = insert(&adapter, resource, &[Value::Null, Value::Null]).await.unwrap();
    crate::support::delete(&adapter, resource, &first[0], None).await.unwrap();
    let second = insert(&adapter, resource, &[Value::Null, Value::Null]).await.unwrap();
    assert_eq!((&first[0], &second[0]), (&Value::Int(1), &Value::Int(2)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_record_reads_back_equal(
        number in any::<i64>(),
        float in any::<f64>().prop_filter("finite and not the negative zero", |v| v.is_finite() && !(*v == 0.0 && v.is_sign_negative())),
        string in "\\PC{0,40}",
        bytes in any::<Vec<u8>>(),
        micros in -62_167_219_200_000_000_i64..253_402_300_800_000_000,
        list in prop::collection::vec("\\PC{0,8}", 0..4),
    ) {
        let resource = leak_descriptor(resource("anything", vec![
            id(),
            column::<i64>("number"),
            column::<f64>("float"),
            column::<String>("string"),
            column::<Vec<u8>>("bytes"),
            column::<DateTime<Utc>>("instant"),
            column::<Vec<String>>("list"),
            column::<serde_json::Value>("json"),
        ]));
        let instant = DateTime::from_timestamp_micros(micros).unwrap();
        let record = vec![
            Value::Null,
            Value::Int(number),
            Value::Float(float),
            Value::Text(string.clone()),
            Value::Bytes(bytes),
            Value::DateTime(instant),
            Value::TextList(list),
            Value::Json(json!({ string: [float, number] })),
        ];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let adapter = memory(&[resource]).await;
            let inserted = insert(&adapter, resource, &record).await.unwrap();
            prop_assert_eq!(&inserted[1..], &record[1..]);
            let bits = |value: &Value| if let Value::Float(v) = value { v.to_bits() } else { 0 };
            prop_assert_eq!(bits(&inserted[2]), bits(&record[2]));
            Ok(())
        })?;
    }
}
