//! Filters, sorts and searches: values that the caller does not see must find nothing and reveal nothing.

use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, Operation};
use serde_json::{Map, Value as Json, json};

use crate::rules::{Reading, json_of};
use crate::ways::ask::Ask;
use crate::world::{Record, word_of};

/// Filters by each field, with a value of a hidden record and one of a visible record.
pub(crate) async fn filter(ask: &Ask<'_>) {
    if !ask.admits(Operation::List) {
        return;
    }
    let visible = ask.visible(ask.default_among());
    for (index, column) in ask.descriptor().columns.iter().enumerate().filter(|(_, column)| column.filterable) {
        for value in values(ask, index) {
            let reply = ask.send(ask.list().with(column.json, &value.to_string())).await;
            if !ask.shows(index) {
                ask.has_status("filter", &reply, 422, &format!("a filter by `{}`, which the rules hide,", column.json));
                continue;
            }
            let expected: Vec<_> = visible.iter().filter(|it| it.values[index] == value).copied().collect();
            // Storage may compare floats, and values with their own form in answers, in another way.
            let is_plain = column.returned.is_none() && !matches!(value, Value::Float(_));
            // 422 is fine where nothing is expected: the text may not be a value of an enum.
            let is_refused = reply.status == 422 && expected.is_empty();
            if is_plain
                && !is_refused
                && ask.has_status("filter", &reply, 200, &format!("a filter by `{}`", column.json))
            {
                ask.has_rows("filter", &reply, &Ask::rows(&reply), &expected);
            }
        }
    }
}

/// Two values of a column: one of a record that the caller does not see, and one of a record that it sees.
fn values(ask: &Ask<'_>, column: usize) -> Vec<Value> {
    let of = |is_seen: bool| {
        let is_one = |it: &&Record| ask.sees(it) == is_seen && !it.values[column].is_null();
        ask.records().iter().find(is_one).map(|it| it.values[column].clone())
    };
    [of(false), of(true)].into_iter().flatten().collect()
}

pub(crate) async fn sort(ask: &Ask<'_>) {
    if !ask.admits(Operation::List) {
        return;
    }
    let visible = ask.visible(ask.default_among());
    for (index, column) in ask.descriptor().columns.iter().enumerate().filter(|(_, column)| column.sortable) {
        let reply = ask.send(ask.list().with("sort", column.json)).await;
        if !ask.shows(index) {
            ask.has_status("sort", &reply, 422, &format!("an order by `{}`, which the rules hide,", column.json));
        } else if ask.has_status("sort", &reply, 200, &format!("an order by `{}`", column.json)) {
            ask.has_rows("sort", &reply, &Ask::rows(&reply), &visible);
        }
    }
}

pub(crate) async fn search(ask: &Ask<'_>) {
    let Some(search) = ask.descriptor().search.filter(|_| ask.admits(Operation::List)) else { return };
    let texts = |record: &Record| -> Vec<String> {
        let values = search.columns.iter().map(|column| &record.values[*column]);
        values.filter_map(|value| word_of(&value.to_string()).map(str::to_owned)).collect()
    };
    let visible = ask.visible(ask.default_among());
    let hidden = ask.records().iter().find(|record| !ask.sees(record) && !texts(record).is_empty());
    let seen = visible.iter().find(|record| !texts(record).is_empty()).copied();
    for record in hidden.into_iter().chain(seen) {
        for word in texts(record) {
            let reply = ask.send(ask.list().with("q", &word)).await;
            let expected: Vec<_> = visible.iter().filter(|it| texts(it).contains(&word)).copied().collect();
            if ask.has_status("search", &reply, 200, "a search by a word") {
                ask.has_rows("search", &reply, &Ask::rows(&reply), &expected);
            }
        }
    }
}

/// Filters and sorts by fields of a referenced record.
pub(crate) async fn path(ask: &Ask<'_>) {
    if !ask.admits(Operation::List) {
        return;
    }
    let descriptor = ask.descriptor();
    let (visible, reading) = (ask.visible(ask.default_among()), ask.reading);
    let name_of = |reference: usize, column: usize| {
        let reference = descriptor.columns[reference].references?;
        let target: &'static Descriptor = (reference.target)();
        Some((format!("{}.{}", reference.relation?, target.columns[column].json), target))
    };
    let is_known = |target: &'static Descriptor, column: usize| {
        reading.admits(target, Operation::List, ask.caller) && Reading::shows(target, column, ask.caller)
    };
    for path in descriptor.paths {
        let Some((name, target)) = name_of(path.reference, path.column) else { continue };
        for parent in ask.world.records_of(target).unwrap_or_default() {
            let value = &parent.values[path.column];
            if value.is_null() || matches!(value, Value::Float(_)) {
                continue;
            }
            let reply = ask.send(ask.list().with(&name, &value.to_string())).await;
            if !is_known(target, path.column) {
                ask.has_status("condition on a relation", &reply, 422, &format!("a filter by `{name}`"));
                continue;
            }
            let leads = |record: &&&Record| {
                let found = reading.referred(descriptor, path.reference, &record.values);
                found.is_some_and(|(of, it)| {
                    reading.sees_related(of, it, ask.caller) && it.values[path.column] == *value
                })
            };
            let expected: Vec<_> = visible.iter().filter(leads).copied().collect();
            let is_refused = reply.status == 422 && expected.is_empty();
            if !is_refused && ask.has_status("condition on a relation", &reply, 200, &format!("a filter by `{name}`")) {
                ask.has_rows("condition on a relation", &reply, &Ask::rows(&reply), &expected);
            }
        }
    }
    for path in descriptor.sort_paths {
        let Some((name, target)) = name_of(path.reference, path.column) else { continue };
        let reply = ask.send(ask.list().with("sort", &name)).await;
        if !is_known(target, path.column) {
            ask.has_status("order by a relation", &reply, 422, &format!("an order by `{name}`"));
        } else if ask.has_status("order by a relation", &reply, 200, &format!("an order by `{name}`")) {
            ask.has_rows("order by a relation", &reply, &Ask::rows(&reply), &visible);
        }
    }
}

/// Filters by fields of referring records: `{"orders": {"id": 7}}`.
pub(crate) async fn children(ask: &Ask<'_>) {
    if !ask.admits(Operation::List) {
        return;
    }
    let (descriptor, reading) = (ask.descriptor(), ask.reading);
    let visible = ask.visible(ask.default_among());
    for children in descriptor.children {
        let other = (children.resource)();
        let ([key], true) = (other.key(), other.columns.iter().any(|column| column.filterable)) else { continue };
        for child in ask.world.records_of(other).unwrap_or_default() {
            let mut inner = Map::new();
            inner.insert(other.columns[*key].json.to_owned(), json_of(&child.values[*key]));
            let condition: Json = json!({ children.name: inner });
            let reply = ask.send(ask.list().with("where", &condition.to_string())).await;
            if !reading.admits(other, Operation::List, ask.caller) || !Reading::shows(other, *key, ask.caller) {
                ask.has_status("condition on children", &reply, 422, &format!("a condition on `{}`", children.name));
                continue;
            }
            let has_child = |record: &&&Record| {
                let found = reading.children(descriptor, children, &record.values);
                let is_it = |it: &Record| it == child && reading.sees_related(other, it, ask.caller);
                found.iter().any(|(_, it)| is_it(it))
            };
            let expected: Vec<_> = visible.iter().filter(has_child).copied().collect();
            if ask.has_status("condition on children", &reply, 200, &format!("a condition on `{}`", children.name)) {
                ask.has_rows("condition on children", &reply, &Ask::rows(&reply), &expected);
            }
        }
    }
}
