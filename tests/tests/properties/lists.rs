//! A list returns the records that a plain loop selects, in the same order.

use std::cmp::Ordering;

use crud_tests::fixtures::{column, create_all};
use crud_tests::{on_kitchen_blocking, query};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::for_all;

/// A record of the sparse resource, reduced to the fields in use.
#[derive(Debug, Clone)]
struct Record {
    id: i64,
    medium: Option<i32>,
    text: Option<String>,
}

#[derive(Debug, Clone)]
struct Filter {
    operator: &'static str,
    value: Operand,
}

#[derive(Debug, Clone)]
enum Operand {
    Number(i32),
    Text(String),
}

#[derive(Debug, Clone)]
struct List {
    filters: Vec<Filter>,
    sort: Vec<&'static str>,
    skip: usize,
    limit: usize,
}

const TEXTS: [&str; 9] = ["", "a", "b", "A", "ab", "aB", "%", "_", "ä"];

fn number() -> impl Strategy<Value = i32> {
    -2..=2
}

fn list() -> impl Strategy<Value = List> {
    let operators = || select(vec!["eq", "ne", "gt", "gte", "lt", "lte"]);
    let numbers = (operators(), number()).prop_map(|(operator, n)| Filter { operator, value: Operand::Number(n) });
    let texts = (prop_oneof![operators(), select(vec!["like", "ilike"])], select(&TEXTS[..]), any::<bool>());
    let texts = texts.prop_map(|(operator, text, wild)| {
        let text = if wild && operator.ends_with("like") { format!("%{text}%") } else { text.to_owned() };
        Filter { operator, value: Operand::Text(text) }
    });
    let sort = prop::sample::subsequence(vec!["medium", "text", "id"], 0..=3).prop_shuffle();
    let directions = vec(any::<bool>(), 3);
    let sort = (sort, directions).prop_map(|(fields, down)| {
        let name = |(field, down): (&str, bool)| match (field, down) {
            ("medium", false) => "medium",
            ("medium", true) => "-medium",
            ("text", false) => "text",
            ("text", true) => "-text",
            (_, false) => "id",
            (_, true) => "-id",
        };
        fields.into_iter().zip(down).map(name).collect()
    });
    (vec(prop_oneof![numbers, texts], 0..3), sort, 0_usize..6, 1_usize..8)
        .prop_map(|(filters, sort, skip, limit)| List { filters, sort, skip, limit })
}

fn satisfies(record: &Record, filter: &Filter) -> bool {
    let ordering = match &filter.value {
        Operand::Number(number) => record.medium.map(|value| value.cmp(number)),
        Operand::Text(pattern) if filter.operator.ends_with("like") => {
            return record.text.as_ref().is_some_and(|text| match filter.operator {
                "like" => is_like(text, pattern),
                _ => is_like(&text.to_ascii_lowercase(), &pattern.to_ascii_lowercase()),
            });
        }
        Operand::Text(value) => record.text.as_ref().map(|text| text.as_str().cmp(value)),
    };
    ordering.is_some_and(|ordering| match filter.operator {
        "eq" => ordering.is_eq(),
        "ne" => ordering.is_ne(),
        "gt" => ordering.is_gt(),
        "gte" => ordering.is_ge(),
        "lt" => ordering.is_lt(),
        _ => ordering.is_le(),
    })
}

/// Whether a text matches a pattern in which `%` matches any text.
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('%') {
        None => text == pattern,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|tail| {
            tail.char_indices().map(|(index, _)| index).chain([tail.len()]).any(|index| is_like(&tail[index..], rest))
        }),
    }
}

fn compare(one: &Record, other: &Record, sort: &[&str]) -> Ordering {
    let by_key = sort.iter().map(|key| {
        let ordering = match key.trim_start_matches('-') {
            "medium" => one.medium.cmp(&other.medium),
            "text" => one.text.cmp(&other.text),
            _ => one.id.cmp(&other.id),
        };
        if key.starts_with('-') { ordering.reverse() } else { ordering }
    });
    by_key.fold(Ordering::Equal, Ordering::then)
}

/// The ids that a plain loop selects, before pagination; ties are in key order.
fn expected(records: &[Record], list: &List) -> Vec<i64> {
    let mut found: Vec<_> = records.iter().filter(|record| list.filters.iter().all(|f| satisfies(record, f))).collect();
    let descending = list.sort.last().is_some_and(|key| key.starts_with('-'));
    found.sort_by(|one, other| {
        let tie = one.id.cmp(&other.id);
        compare(one, other, &list.sort).then(if descending { tie.reverse() } else { tie })
    });
    found.into_iter().map(|record| record.id).collect()
}

fn target(list: &List) -> String {
    let filters = list.filters.iter().map(|filter| match &filter.value {
        Operand::Number(number) => (format!("medium__{}", filter.operator), number.to_string()),
        Operand::Text(text) => (format!("text__{}", filter.operator), text.clone()),
    });
    let sort = (!list.sort.is_empty()).then(|| ("sort".to_owned(), list.sort.join(",")));
    let page = [("skip".to_owned(), list.skip.to_string()), ("limit".to_owned(), list.limit.to_string())];
    query("/sparse", filters.chain(sort).chain(page))
}

#[test]
fn any_list_equals_a_plain_loop() {
    let numbers = [None, Some(-2), Some(-1), Some(0), Some(0), Some(1), Some(2)];
    let texts = TEXTS.map(Some).into_iter().chain([None]);
    let bodies: Vec<Value> = texts
        .zip(numbers.into_iter().cycle())
        .flat_map(|(text, number)| [json!({ "text": text, "medium": number }), json!({ "text": text, "medium": 1 })])
        .collect();
    on_kitchen_blocking(|runtime, kitchen| {
        let created = runtime.block_on(create_all(kitchen, "/sparse", bodies.clone()));
        let records: Vec<_> = created
            .iter()
            .map(|record| Record {
                id: record["id"].as_i64().expect("an id"),
                medium: record["medium"].as_i64().and_then(|number| number.try_into().ok()),
                text: record["text"].as_str().map(str::to_owned),
            })
            .collect();
        for_all(400, list(), |list| {
            let expected = expected(&records, &list);
            let answer = runtime.block_on(async { kitchen.get(target(&list)).await.ok() });
            assert_eq!(answer["total"], expected.len(), "{}", target(&list));
            let page: Vec<_> = expected.into_iter().skip(list.skip).take(list.limit).collect();
            assert_eq!(column(&answer, "id"), page, "{}", target(&list));
        });
    });
}
