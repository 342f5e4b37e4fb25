//! Every kind of value reads back equal, to the last bit.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use crud_runtime::adapter::AdapterError;
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor};
use crud_runtime::{Column, ColumnError, Kind, Value, ValueRef};
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::json;
use uuid::Uuid;

use crate::support::{changes, column, get, id, insert, leak, leaked, memory, resource, text, update};

/// A type of a user's own that is stored as one of three texts.
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

/// A resource with one column of the type, which can be null.
fn holder<T: Column>(
    table: &'static str,
    adjust: impl Fn(ColumnDescriptor) -> ColumnDescriptor,
) -> &'static Descriptor {
    leaked(resource(table, vec![id(), adjust(column::<Option<T>>("value"))]))
}

fn of<T: Column>() -> &'static Descriptor {
    holder::<T>("holders", |column| column)
}

/// Stores the values by insert and by update, and reads each back.
async fn survive(resource: &'static Descriptor, values: impl IntoIterator<Item = Value>) {
    let adapter = memory(&[resource]).await;
    for value in values.into_iter().chain([Value::Null]) {
        let inserted = insert(&adapter, resource, &[Value::Null, value.clone()]).await.unwrap();
        assert_eq!(inserted[1], value);
        let other = insert(&adapter, resource, &[Value::Null, Value::Null]).await.unwrap();
        let (_, updated) = update(&adapter, resource, &other[0], &changes([(1, value.clone())]), None).await.unwrap();
        assert_eq!(updated.expect("is there")[1], value);
        assert_eq!(get(&adapter, resource, &inserted[0]).await.expect("is there")[1], value);
    }
}

/// Says that neither an insert nor an update takes the value.
async fn refuse(resource: &'static Descriptor, value: Value) {
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
async fn booleans() {
    survive(of::<bool>(), [true, false].map(Value::Bool)).await;
}

#[tokio::test]
async fn integers_of_every_width_to_their_ends() {
    survive(of::<i64>(), [i64::MIN, i64::MIN + 1, -1, 0, 1, (1 << 53) + 1, i64::MAX].map(Value::Int)).await;
    survive(of::<i32>(), [i32::MIN, -1, 0, i32::MAX].map(|v| Value::Int(v.into()))).await;
    survive(of::<i16>(), [i16::MIN, -1, 0, i16::MAX].map(|v| Value::Int(v.into()))).await;
    survive(of::<u32>(), [0, 1, u32::MAX].map(|v| Value::Int(v.into()))).await;
}

#[tokio::test]
async fn integers_beyond_their_width_are_refused() {
    refuse(of::<i16>(), Value::Int(i64::from(i16::MAX) + 1)).await;
    refuse(of::<i32>(), Value::Int(i64::from(i32::MIN) - 1)).await;
    refuse(of::<u32>(), Value::Int(-1)).await;
    refuse(of::<u32>(), Value::Int(i64::from(u32::MAX) + 1)).await;
}

#[tokio::test]
async fn floats_to_the_last_bit() {
    let subnormal = f64::from_bits(1);
    let values =
        [0.0, 0.1, -0.1, 1.0, 1e15, 9_007_199_254_740_993.0, 1e300, subnormal, f64::MIN_POSITIVE, f64::MAX, f64::MIN];
    survive(of::<f64>(), values.map(Value::Float)).await;
    let values = [0.1_f32, f32::from_bits(1), f32::MIN_POSITIVE, f32::MAX, f32::MIN];
    survive(of::<f32>(), values.map(|v| Value::Float(v.into()))).await;
}

#[tokio::test]
async fn text_of_every_script() {
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
    survive(of::<String>(), values.map(text)).await;
    survive(of::<String>(), [text(&"ü".repeat(100_000))]).await;
    survive(of::<Status>(), ["new", "it's paid", "ünï"].map(text)).await;
    refuse(of::<Status>(), text("old")).await;
}

#[tokio::test]
async fn instants_to_the_microsecond() {
    let values = [
        "0000-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2024-02-29T12:00:00.000001Z",
        "9999-12-31T23:59:59.999999Z",
    ];
    survive(of::<DateTime<Utc>>(), values.map(instant)).await;
    let naive = |v: &str| Value::NaiveDateTime(v.trim_end_matches('Z').parse::<NaiveDateTime>().unwrap());
    survive(of::<NaiveDateTime>(), values.map(naive)).await;
    let date = |v: &str| Value::Date(v[..10].parse::<NaiveDate>().unwrap());
    survive(of::<NaiveDate>(), values.map(date)).await;
    let time = |v: &str| Value::Time(v[11..].trim_end_matches('Z').parse::<NaiveTime>().unwrap());
    survive(of::<NaiveTime>(), values.map(time)).await;
}

#[tokio::test]
async fn what_would_lose_time_is_refused() {
    refuse(of::<DateTime<Utc>>(), instant("2026-01-01T00:00:00.0000001Z")).await;
    refuse(of::<DateTime<Utc>>(), instant("+10000-01-01T00:00:00Z")).await;
    refuse(of::<DateTime<Utc>>(), instant("-0001-12-31T23:59:59Z")).await;
    refuse(of::<DateTime<Utc>>(), instant("2016-12-31T23:59:60Z")).await;
    refuse(of::<NaiveTime>(), Value::Time("00:00:00.0000001".parse().unwrap())).await;
    refuse(of::<NaiveDate>(), Value::Date(NaiveDate::MAX)).await;
}

#[tokio::test]
async fn uuids() {
    survive(of::<Uuid>(), [Uuid::nil(), Uuid::max(), Uuid::now_v7()].map(Value::Uuid)).await;
}

#[tokio::test]
async fn decimals_within_their_digits() {
    let decimals = |values: &[&str]| values.iter().map(|v| Value::Decimal(v.parse().unwrap())).collect::<Vec<_>>();
    let standard = decimals(&["0", "0.0001", "-0.0001", "12.5", "99999999999999.9999", "-99999999999999.9999"]);
    survive(of::<Decimal>(), standard).await;
    let whole = holder::<Decimal>("holders", |column| column.digits(18, 0));
    survive(whole, decimals(&["0", "999999999999999999", "-999999999999999999"])).await;
    let cents = holder::<Decimal>("holders", |column| column.digits(5, 2));
    survive(cents, decimals(&["999.99", "1", "1.0", "-0.01"])).await;
    for too_much in
        decimals(&["0.001", "1000", "-1000", "79228162514264337593543950335", "0.0000000000000000000000000001"])
    {
        refuse(cents, too_much).await;
    }
}

#[tokio::test]
async fn json_as_a_value() {
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
    survive(of::<serde_json::Value>(), values.map(Value::Json)).await;
}

#[tokio::test]
async fn bytes_and_lists() {
    survive(of::<Vec<u8>>(), [vec![], vec![0], (0..=255).collect::<Vec<u8>>()].map(Value::Bytes)).await;
    let lists = [vec![], vec![""], vec!["a", "b,\"c\"", "ü\n", "👩‍👩‍👧"]];
    survive(of::<Vec<String>>(), lists.map(|v| Value::TextList(v.into_iter().map(str::to_owned).collect()))).await;
}

#[tokio::test]
async fn keys_of_text_and_of_uuids() {
    let named = leaked(resource("named", vec![column::<String>("slug").role(crud_runtime::descriptor::Role::Id)]));
    let adapter = memory(&[named]).await;
    for slug in ["a", "A", "ü", ""] {
        insert(&adapter, named, &[text(slug)]).await.unwrap();
        assert_eq!(get(&adapter, named, &text(slug)).await, Some(vec![text(slug)]));
    }
    let keyed = leaked(resource("keyed", vec![column::<Uuid>("id").role(crud_runtime::descriptor::Role::Id)]));
    let adapter = memory(&[keyed]).await;
    let key = Value::Uuid(Uuid::now_v7());
    insert(&adapter, keyed, std::slice::from_ref(&key)).await.unwrap();
    assert_eq!(get(&adapter, keyed, &key).await, Some(vec![key]));
}

#[tokio::test]
async fn names_that_need_quotes() {
    let odd = leak("se\"lect ünï".to_owned());
    let odd = leaked(resource(odd, vec![id(), column::<i64>("or\"der by").filterable(), column::<String>("group")]));
    let adapter = memory(&[odd]).await;
    let record = insert(&adapter, odd, &[Value::Null, Value::Int(1), text("x")]).await.unwrap();
    let changed = update(&adapter, odd, &record[0], &changes([(1, Value::Int(2))]), None).await.unwrap();
    assert_eq!(changed.1, Some(vec![Value::Int(1), Value::Int(2), text("x")]));
}

#[tokio::test]
async fn a_key_is_not_given_out_twice() {
    let resource = of::<bool>();
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
        let resource = leaked(resource("anything", vec![
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
