//! Filters, sort orders and keysets, compared with the model.

use chrono::{DateTime, NaiveDate, Utc};
use crud_runtime::adapter::{Adapter, AdapterError, SqliteAdapter};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Count, Descriptor, SortKey};
use crud_runtime::query::{Comparison, ListQuery, Pattern, Predicate, Total};
use proptest::prelude::*;
use rust_decimal::Decimal;

use crate::model;
use crate::support::{
    Record, Records, column, id, insert, leak_descriptor, list, matching, memory, resource, sorted, text,
};

const NUMBER: usize = 1;
const NAME: usize = 2;
const PRICE: usize = 3;
const COST: usize = 4;
const MADE: usize = 5;
const DAY: usize = 6;
const GOOD: usize = 7;
const RANK: usize = 8;

fn things() -> &'static Descriptor {
    leak_descriptor(resource(
        "things",
        vec![
            id(),
            column::<Option<i64>>("number").filterable().sortable(),
            column::<Option<String>>("name").filterable().sortable(),
            column::<Option<f64>>("price").sortable(),
            column::<Option<Decimal>>("cost").digits(18, 2).filterable(),
            column::<Option<DateTime<Utc>>>("made").filterable().sortable(),
            column::<Option<NaiveDate>>("day"),
            column::<Option<bool>>("good").filterable(),
            column::<i64>("rank").sortable(),
        ],
    ))
}

fn thing(values: &[(usize, Value)]) -> Record {
    let mut record = vec![Value::Null; 9];
    record[RANK] = Value::Int(0);
    for (column, value) in values {
        record[*column] = value.clone();
    }
    record
}

/// An adapter with one thing for each of these values of a column, with the ids 1, 2 and so on.
async fn adapter_with(
    things: &'static Descriptor,
    column: usize,
    values: impl IntoIterator<Item = Value>,
) -> SqliteAdapter {
    let adapter = memory(&[things]).await;
    for value in values {
        insert(&adapter, things, &thing(&[(column, value)])).await.unwrap();
    }
    adapter
}

fn compare(column: usize, operator: Comparison, value: Value) -> Predicate {
    Predicate::Compare { column, operator, value }
}

fn like(pattern: &str) -> Predicate {
    Predicate::Like { column: NAME, pattern: pattern.into(), ignore_case: false }
}

fn ilike(pattern: &str) -> Predicate {
    Predicate::Like { column: NAME, pattern: pattern.into(), ignore_case: true }
}

fn not(predicate: Predicate) -> Predicate {
    Predicate::Not(Box::new(predicate))
}

fn decimal(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

#[tokio::test]
async fn null_satisfies_only_is_null() {
    let things = things();
    let adapter = adapter_with(things, NUMBER, [Value::Int(1), Value::Null, Value::Int(2)]).await;
    let one = Value::Int(1);
    let equal = compare(NUMBER, Comparison::Eq, one.clone());
    let in_list = |negated| Predicate::In { column: NUMBER, negated, values: vec![one.clone()] };
    let in_none = |negated| Predicate::In { column: NUMBER, negated, values: Vec::new() };
    let null = |null| Predicate::IsNull { column: NUMBER, null };
    for (predicate, expected) in [
        (equal.clone(), vec![1]),
        (not(equal), vec![3]),
        (compare(NUMBER, Comparison::Ne, one.clone()), vec![3]),
        (not(compare(NUMBER, Comparison::Ne, one.clone())), vec![1]),
        (compare(NUMBER, Comparison::Gt, Value::Int(0)), vec![1, 3]),
        (in_list(false), vec![1]),
        (in_list(true), vec![3]),
        (not(in_list(false)), vec![3]),
        (not(in_list(true)), vec![1]),
        (in_none(false), vec![]),
        (in_none(true), vec![1, 3]),
        (not(in_none(false)), vec![1, 3]),
        (not(in_none(true)), vec![]),
        (null(true), vec![2]),
        (null(false), vec![1, 3]),
        (not(null(true)), vec![1, 3]),
        (Predicate::And(Vec::new()), vec![1, 2, 3]),
        (Predicate::Or(Vec::new()), vec![]),
        (not(Predicate::Or(Vec::new())), vec![1, 2, 3]),
        (Predicate::All, vec![1, 2, 3]),
        (not(Predicate::All), vec![]),
    ] {
        assert_eq!(matching(&adapter, things, predicate.clone()).await, expected, "{predicate:?}");
    }
}

#[tokio::test]
async fn percent_is_the_only_wildcard() {
    let things = things();
    let texts =
        ["abc", "aBc", "a_c", "a\\c", "a*c", "a?c", "a[b]c", "a]c", "ab", "", "äbc", "a%c", "xabcx", "a\nc", "a-c^"];
    let adapter = adapter_with(things, NAME, texts.map(text).into_iter().chain([Value::Null])).await;
    for (pattern, expected) in [
        ("abc", vec!["abc"]),
        ("a_c", vec!["a_c"]),
        ("a\\c", vec!["a\\c"]),
        ("a%c", vec!["abc", "aBc", "a_c", "a\\c", "a*c", "a?c", "a[b]c", "a]c", "a%c", "a\nc"]),
        ("a%%c", vec!["abc", "aBc", "a_c", "a\\c", "a*c", "a?c", "a[b]c", "a]c", "a%c", "a\nc"]),
        ("a*%", vec!["a*c"]),
        ("%*%", vec!["a*c"]),
        ("%?c", vec!["a?c"]),
        ("a[%c", vec!["a[b]c"]),
        ("%[b]%c", vec!["a[b]c"]),
        ("%]c", vec!["a[b]c", "a]c"]),
        ("%]%", vec!["a[b]c", "a]c"]),
        ("%^", vec!["a-c^"]),
        ("ab%", vec!["abc", "ab"]),
        ("%bc", vec!["abc", "äbc"]),
        ("%bc%", vec!["abc", "äbc", "xabcx"]),
        ("ä%", vec!["äbc"]),
        ("", vec![""]),
        ("%", texts.to_vec()),
        ("%%", texts.to_vec()),
        ("%%%", texts.to_vec()),
        ("zz%", vec![]),
    ] {
        let expected: Vec<i64> =
            (1..).zip(texts).filter(|(_, text)| expected.contains(text)).map(|(id, _)| id).collect();
        assert_eq!(matching(&adapter, things, like(pattern)).await, expected, "{pattern}");
        let others: Vec<i64> = (1..=15).filter(|id| !expected.contains(id)).collect();
        assert_eq!(matching(&adapter, things, not(like(pattern))).await, others, "not {pattern}");
    }
}

#[tokio::test]
async fn only_ilike_ignores_case() {
    let things = things();
    let adapter = adapter_with(things, NAME, ["Lamp", "lamp", "LAMP_1", "lampX1", "lamp\\", "Ä"].map(text)).await;
    for (predicate, expected) in [
        (like("lamp%"), vec![2, 4, 5]),
        (like("Lamp"), vec![1]),
        (ilike("lamp"), vec![1, 2]),
        (ilike("%AMP%"), vec![1, 2, 3, 4, 5]),
        (ilike("lamp_1"), vec![3]),
        (ilike("lamp\\"), vec![5]),
        (ilike("%\\%"), vec![5]),
        (ilike("%"), vec![1, 2, 3, 4, 5, 6]),
    ] {
        assert_eq!(matching(&adapter, things, predicate.clone()).await, expected, "{predicate:?}");
    }
}

#[tokio::test]
async fn prefix_range_ends_at_the_last_text_with_the_prefix() {
    let things = things();
    let texts = [
        "\u{d7ff}",
        "\u{d7ff}x",
        "\u{e000}",
        "\u{10ffff}",
        "\u{10ffff}\u{10ffff}x",
        "z\u{10ffff}",
        "z\u{10ffff}a",
        "{",
    ];
    let adapter = adapter_with(things, NAME, texts.map(text)).await;
    assert_eq!(matching(&adapter, things, like("\u{d7ff}%")).await, [1, 2]);
    assert_eq!(matching(&adapter, things, like("\u{10ffff}%")).await, [4, 5]);
    assert_eq!(matching(&adapter, things, like("\u{10ffff}\u{10ffff}%")).await, [5]);
    assert_eq!(matching(&adapter, things, like("z\u{10ffff}%")).await, [6, 7]);
    assert_eq!(matching(&adapter, things, like("z%")).await, [6, 7]);
}

#[tokio::test]
async fn pattern_too_long_for_sqlite_is_rejected() {
    let things = things();
    let adapter = adapter_with(things, NAME, [text("a")]).await;
    for predicate in [like(&format!("a%{}%b", "*".repeat(20_000))), ilike(&"_".repeat(30_000))] {
        let query = ListQuery::all(things).filter(predicate);
        let error = list(&adapter, things, &query).await.unwrap_err();
        assert!(matches!(error, AdapterError::Constraint { column: Some(NAME) }), "{error:?}");
    }
    assert_eq!(matching(&adapter, things, like(&"*".repeat(60_000))).await, [] as [i64; 0]);
}

#[tokio::test]
async fn decimal_filter_finer_than_the_scale_is_not_rounded() {
    let things = things();
    let adapter = adapter_with(things, COST, ["1.00", "1.01", "-1.01"].map(decimal)).await;
    let between = decimal("1.005");
    let below_zero = decimal("-1.005");
    let huge = decimal("79228162514264337593543950335");
    let tiny = decimal("-79228162514264337593543950335");
    for (operator, value, expected) in [
        (Comparison::Eq, &between, vec![]),
        (Comparison::Ne, &between, vec![1, 2, 3]),
        (Comparison::Gt, &between, vec![2]),
        (Comparison::Gte, &between, vec![2]),
        (Comparison::Lt, &between, vec![1, 3]),
        (Comparison::Lte, &between, vec![1, 3]),
        (Comparison::Gt, &below_zero, vec![1, 2]),
        (Comparison::Lt, &below_zero, vec![3]),
        (Comparison::Lt, &huge, vec![1, 2, 3]),
        (Comparison::Gte, &huge, vec![]),
        (Comparison::Gt, &tiny, vec![1, 2, 3]),
        (Comparison::Lte, &tiny, vec![]),
    ] {
        let predicate = compare(COST, operator, value.clone());
        assert_eq!(matching(&adapter, things, predicate.clone()).await, expected, "{predicate:?}");
    }
    let in_list = Predicate::In { column: COST, negated: false, values: vec![between, decimal("1.0100")] };
    assert_eq!(matching(&adapter, things, in_list).await, [2]);
}

#[tokio::test]
async fn instant_filter_out_of_range_is_before_or_after_all() {
    let things = things();
    let instant = |text: &str| Value::DateTime(text.parse::<DateTime<Utc>>().unwrap());
    let stored = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"];
    let adapter = adapter_with(things, MADE, stored.map(instant)).await;
    for (operator, value, expected) in [
        (Comparison::Gt, "+10000-01-01T00:00:00Z", vec![]),
        (Comparison::Lte, "+10000-01-01T00:00:00Z", vec![1, 2]),
        (Comparison::Eq, "-0001-12-31T23:59:59Z", vec![]),
        (Comparison::Gte, "-0001-12-31T23:59:59Z", vec![1, 2]),
        (Comparison::Lt, "-0001-12-31T23:59:59Z", vec![]),
        (Comparison::Gt, "0000-01-01T00:00:00.0000001Z", vec![2]),
        (Comparison::Lt, "0000-01-01T00:00:00.0000001Z", vec![1]),
        (Comparison::Eq, "0000-01-01T00:00:00.0000001Z", vec![]),
    ] {
        let predicate = compare(MADE, operator, instant(value));
        assert_eq!(matching(&adapter, things, predicate.clone()).await, expected, "{predicate:?}");
    }
}

#[tokio::test]
async fn thousands_of_terms_and_values_are_accepted() {
    let things = things();
    let adapter = adapter_with(things, NUMBER, (0..3).map(Value::Int)).await;
    let terms = |operator| (0..1_500).map(|_| compare(NUMBER, operator, Value::Int(1))).collect();
    assert_eq!(matching(&adapter, things, Predicate::And(terms(Comparison::Eq))).await, [2]);
    assert_eq!(matching(&adapter, things, Predicate::Or(terms(Comparison::Ne))).await, [1, 3]);
    let values = (1..10_000).map(Value::Int).collect();
    assert_eq!(matching(&adapter, things, Predicate::In { column: NUMBER, negated: false, values }).await, [2, 3]);
}

#[tokio::test]
async fn text_sorts_by_code_point_and_null_first() {
    let things = things();
    let texts = ["", "A", "Z", "a", "z", "ä", "\u{ffff}", "\u{10000}"];
    let values: Vec<Value> = texts.iter().rev().map(|v| text(v)).chain([Value::Null]).collect();
    let adapter = adapter_with(things, NAME, values).await;
    let names = async |key: SortKey| {
        let records = list(&adapter, things, &sorted(things, &[key])).await.unwrap();
        records.into_iter().map(|mut record| record.swap_remove(NAME)).collect::<Vec<_>>()
    };
    let mut expected = vec![Value::Null];
    expected.extend(texts.map(text));
    assert_eq!(names(SortKey::ascending(NAME)).await, expected);
    expected.reverse();
    assert_eq!(names(SortKey::descending(NAME)).await, expected);
}

#[tokio::test]
async fn list_longer_than_a_chunk_is_complete() {
    let things = things();
    let adapter = adapter_with(things, NUMBER, (0..2_500).map(Value::Int)).await;
    for limit in [None, Some(2_400), Some(u64::MAX)] {
        let mut query = ListQuery::all(things);
        query.limit = limit;
        let records = list(&adapter, things, &query).await.unwrap();
        assert_eq!(records.len() as u64, limit.unwrap_or(u64::MAX).min(2_500));
        assert!((1..).zip(&records).all(|(id, record)| record[0] == Value::Int(id)));
    }
    // A page begins on the thread of its request, which reads 128 records.
    for limit in [127, 128, 129, 300] {
        let mut sink = Records::with_marks(things);
        adapter.list(things, &ListQuery::all(things).limit(limit), &mut sink).await.unwrap();
        adapter.list(things, &ListQuery::all(things).limit(limit), &mut sink).await.unwrap();
        let ids = sink.received.iter().map(|record| record[0].clone());
        let numbers = (1..=i64::try_from(limit).unwrap()).map(Value::Int);
        assert!(ids.eq(numbers.clone().chain(numbers)), "{limit}");
    }
    // A page that is not full knows its total by its records, each counted once.
    let mut sink = Records::with_marks(things);
    let query = ListQuery::all(things).filter(compare(NUMBER, Comparison::Lt, Value::Int(150))).limit(1_000);
    let total = adapter.page(things, &query, Count::Exact, &mut sink).await.unwrap();
    assert_eq!((total, sink.received.len()), (Some(Total::Exactly(150)), 150));
    let past_the_end = ListQuery::all(things).skip(u64::MAX);
    assert_eq!(list(&adapter, things, &past_the_end).await.unwrap(), Vec::<Record>::new());
    let none = ListQuery::all(things).limit(0);
    assert_eq!(list(&adapter, things, &none).await.unwrap(), Vec::<Record>::new());
}

fn or_null<S: Strategy<Value = Value> + 'static>(values: S) -> impl Strategy<Value = Value> {
    prop_oneof![3 => values, 1 => Just(Value::Null)]
}

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "A", "b", "_", "%", "\\", "*", "?", "[", "]", "ä", "\u{10000}"]),
        0..4,
    )
    .prop_map(|parts| parts.concat())
}

/// A value from a small set, so that many are equal.
fn value_of(column: usize) -> BoxedStrategy<Value> {
    match column {
        0 => (1..12_i64).prop_map(Value::Int).boxed(),
        NUMBER | RANK => (-2..3_i64).prop_map(Value::Int).boxed(),
        NAME => name().prop_map(Value::Text).boxed(),
        PRICE => prop::sample::select(vec![-1.5, 0.0, 0.1, 1e300, f64::from_bits(1)]).prop_map(Value::Float).boxed(),
        COST => (-500_i64..500).prop_map(|v| Value::Decimal(Decimal::new(v, 3))).boxed(),
        MADE => (-2..3_i64).prop_map(|v| Value::DateTime(DateTime::from_timestamp_micros(v).unwrap())).boxed(),
        DAY => {
            (-2..3_i32).prop_map(|v| Value::Date(NaiveDate::from_num_days_from_ce_opt(719_163 + v).unwrap())).boxed()
        }
        _ => any::<bool>().prop_map(Value::Bool).boxed(),
    }
}

fn stored_thing() -> impl Strategy<Value = Record> {
    let cost = (-50_i64..50).prop_map(|v| Value::Decimal(Decimal::new(v, 2)));
    let value = |column| or_null(value_of(column));
    (value(NUMBER), value(NAME), value(PRICE), or_null(cost), value(MADE), value(DAY), value(GOOD), value_of(RANK))
        .prop_map(|(number, name, price, cost, made, day, good, rank)| {
            vec![Value::Null, number, name, price, cost, made, day, good, rank]
        })
}

fn predicate() -> impl Strategy<Value = Predicate> {
    let column = || 0..9_usize;
    let operator = prop::sample::select(vec![
        Comparison::Eq,
        Comparison::Ne,
        Comparison::Gt,
        Comparison::Gte,
        Comparison::Lt,
        Comparison::Lte,
    ]);
    let comparison = (column(), operator).prop_flat_map(|(column, operator)| {
        value_of(column).prop_map(move |value| Predicate::Compare { column, operator, value })
    });
    let in_list = (column(), any::<bool>()).prop_flat_map(|(column, negated)| {
        prop::collection::vec(value_of(column), 0..6).prop_map(move |values| Predicate::In { column, negated, values })
    });
    let patterns = [
        |text: &str| Pattern::like(text),
        |text: &str| Pattern::contains(text),
        |text: &str| Pattern::starts_with(text),
    ];
    let like = (name(), 0..patterns.len(), any::<bool>()).prop_map(move |(text, form, ignore_case)| Predicate::Like {
        column: NAME,
        pattern: patterns[form](&text),
        ignore_case,
    });
    let null = (column(), any::<bool>()).prop_map(|(column, null)| Predicate::IsNull { column, null });
    let leaf = prop_oneof![4 => comparison, 2 => in_list, 3 => like, 1 => null, 1 => Just(Predicate::All)];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Predicate::And),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Predicate::Or),
            inner.prop_map(not),
        ]
    })
}

fn sort() -> impl Strategy<Value = Vec<SortKey>> {
    let keys = prop::sample::subsequence(vec![NUMBER, NAME, PRICE, MADE, DAY, GOOD, RANK], 0..4).prop_shuffle();
    (keys, prop::collection::vec(any::<bool>(), 4)).prop_map(|(keys, directions)| {
        keys.into_iter().zip(directions).map(|(column, descending)| SortKey::new(column, descending)).collect()
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// An adapter with these records, and the records as stored, with their ids.
async fn stored(things: &'static Descriptor, records: &[Record]) -> (SqliteAdapter, Vec<Record>) {
    let adapter = memory(&[things]).await;
    let mut stored = Vec::new();
    for record in records {
        stored.push(insert(&adapter, things, record).await.unwrap());
    }
    (adapter, stored)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_predicate_selects_the_models_records(
        records in prop::collection::vec(stored_thing(), 1..12),
        predicates in prop::collection::vec(predicate(), 24),
    ) {
        let things = things();
        block_on(async {
            let (adapter, records) = stored(things, &records).await;
            for predicate in predicates {
                let expected: Vec<&Record> =
                    records.iter().filter(|record| model::holds(&predicate, record) == Some(true)).collect();
                let query = ListQuery::all(things).filter(predicate);
                let found = list(&adapter, things, &query).await.unwrap();
                prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{:?}", query.filter);
            }
            Ok(())
        })?;
    }

    #[test]
    fn concatenated_chunks_equal_the_whole_list(
        records in prop::collection::vec(stored_thing(), 1..24),
        queries in prop::collection::vec((sort(), 1..6_u64, proptest::option::of(predicate())), 12),
    ) {
        let things = things();
        block_on(async {
            let (adapter, mut records) = stored(things, &records).await;
            for (keys, chunk, filter) in queries {
                let query = sorted(things, &keys).filter(filter.unwrap_or(Predicate::All)).limit(chunk);
                records.sort_by(|a, b| model::order(&query.sort, a, b));
                let expected: Vec<&Record> =
                    records.iter().filter(|record| model::holds(&query.filter, record) == Some(true)).collect();
                let found = in_chunks(&adapter, things, query.clone()).await;
                prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{:?}", query);
            }
            Ok(())
        })?;
    }

    #[test]
    fn keyset_may_have_a_skip_and_no_limit(
        records in prop::collection::vec(stored_thing(), 1..16),
        keys in sort(),
        from in 0..16_usize,
        skip in 0..3_usize,
    ) {
        let things = things();
        block_on(async {
            let (adapter, mut records) = stored(things, &records).await;
            let query = sorted(things, &keys);
            records.sort_by(|a, b| model::order(&query.sort, a, b));
            let from = from % records.len();
            let after = key_of(&query, &records[from]);
            let query = query.after(after).skip(skip as u64);
            let found = list(&adapter, things, &query).await.unwrap();
            let rest = records[from + 1..].iter().skip(skip);
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), rest.collect::<Vec<_>>());
            Ok(())
        })?;
    }
}

fn key_of(query: &ListQuery, record: &Record) -> Vec<Value> {
    query.sort.iter().map(|key| record[key.column].clone()).collect()
}

async fn in_chunks(adapter: &SqliteAdapter, things: &'static Descriptor, mut query: ListQuery) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let chunk = list(adapter, things, &query).await.unwrap();
        assert!(chunk.len() as u64 <= query.limit.unwrap());
        let Some(last) = chunk.last() else { return records };
        query.after = Some(key_of(&query, last));
        records.extend(chunk);
    }
}
