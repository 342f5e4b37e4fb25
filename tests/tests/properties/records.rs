//! Any accepted record reads back equal, and a filter by its own values finds it.

use crud_tests::fixtures::id;
use crud_tests::{on_kitchen_blocking, query};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::for_all;
use crate::values::{equal, fields};

fn dense() -> impl Strategy<Value = Map<String, Value>> {
    let names = fields().map(|(name, _)| name);
    let values: Vec<_> = fields().into_iter().map(|(_, strategy)| strategy).collect();
    values.prop_map(move |values| names.iter().map(|name| (*name).to_owned()).zip(values).collect())
}

/// A subset of the fields, some of them null.
fn sparse() -> impl Strategy<Value = Map<String, Value>> {
    let names = fields().map(|(name, _)| name);
    let values: Vec<_> = fields()
        .into_iter()
        .map(|(_, strategy)| prop_oneof![Just(None), Just(Some(Value::Null)), strategy.prop_map(Some)])
        .collect();
    values.prop_map(move |values| {
        names.iter().zip(values).filter_map(|(name, value)| Some(((*name).to_owned(), value?))).collect()
    })
}

#[track_caller]
fn assert_contains(record: &Value, sent: &Map<String, Value>) {
    for (field, value) in sent {
        assert!(equal(field, &record[field], value), "{field}: sent {value}, is {}", record[field]);
    }
}

#[test]
fn any_dense_record_reads_back_equal() {
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(150, dense(), |sent| {
            runtime.block_on(async {
                let created = kitchen.post("/dense", &sent.clone().into()).await.created();
                assert_contains(&created, &sent);
                assert_eq!(kitchen.get(format!("/dense/{}", id(&created))).await.ok(), created);
            });
        });
    });
}

#[test]
fn any_update_changes_the_sent_fields_only() {
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(100, (sparse(), sparse()), |(first, second)| {
            runtime.block_on(async {
                let created = kitchen.post("/sparse", &first.clone().into()).await.created();
                assert_contains(&created, &first);
                let path = format!("/sparse/{}", id(&created));
                let updated = kitchen.patch(&path, &second.clone().into()).await.ok();
                let mut expected = first;
                expected.extend(second);
                assert_contains(&updated, &expected);
                assert_eq!(kitchen.get(&path).await.ok(), updated);
                assert_eq!(kitchen.put(&path, &updated).await.ok(), updated, "an update with its own values");
            });
        });
    });
}

/// Number of records besides the one that is searched for: a server without an index reads all of them each time.
const OTHERS: i64 = 60;

#[test]
fn every_value_of_a_record_finds_it() {
    let filterable = |field: &str| !matches!(field, "json" | "bytes" | "texts");
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(60, dense(), |sent| {
            runtime.block_on(async {
                let created = kitchen.post("/dense", &sent.clone().into()).await.created();
                let key = id(&created).to_string();
                for (field, value) in created.as_object().expect("an object") {
                    if filterable(field) {
                        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        let target = query("/dense", [("id", key.as_str()), (field.as_str(), text.as_str())]);
                        assert_eq!(kitchen.get(target).await.ok()["total"], 1, "{field}={text}");
                    }
                }
                if id(&created) > OTHERS {
                    kitchen.delete(format!("/dense/{key}")).await.ok();
                }
            });
        });
    });
}
