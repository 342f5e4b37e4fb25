//! Related records in answers: `expand`, and lists of linked records.

use crud_runtime::descriptor::{Descriptor, Operation};
use serde_json::Value as Json;

use crate::client::{Reply, Sent};
use crate::rules::{Reading, key_text, text_of};
use crate::ways::ask::Ask;
use crate::world::Record;

/// Limit of expanded records of a page.
const EXPANDED: u32 = 2_000;

/// A function from a record to its related records.
type Related<'r> = Box<dyn Fn(&Record) -> Vec<&'r Record> + 'r>;

/// A relation, with the related records that a caller should see.
struct Relation<'r> {
    name: &'static str,
    target: &'static Descriptor,
    /// Limit of related records; 1 for a reference.
    limit: u32,
    is_list: bool,
    /// Whether the caller may list the resources of the relation.
    is_listed: bool,
    of: Related<'r>,
}

/// The relations of a resource.
fn relations<'r>(ask: &'r Ask<'_>) -> Vec<Relation<'r>> {
    let (descriptor, reading, caller) = (ask.descriptor(), ask.reading, ask.caller);
    let lists = |of: &Descriptor| reading.admits(of, Operation::List, caller);
    let columns = descriptor.columns.iter().enumerate();
    let references = columns.filter_map(|(index, column)| Some((index, column.references.filter(|it| it.expand)?)));
    let references = references.filter_map(|(index, reference)| {
        let target = (reference.target)();
        let of = move |record: &Record| {
            let found = reading.referred(descriptor, index, &record.values);
            found.filter(|(of, it)| reading.sees_related(of, it, caller)).map(|(_, it)| it).into_iter().collect()
        };
        let (name, is_listed) = (reference.relation?, lists(target));
        Some(Relation { name, target, limit: 1, is_list: false, is_listed, of: Box::new(of) })
    });
    let children = descriptor.children.iter().map(|children| {
        let target = (children.resource)();
        let of = move |record: &Record| {
            let found = reading.children(descriptor, children, &record.values);
            found.into_iter().filter(|(of, it)| reading.sees_related(of, it, caller)).map(|(_, it)| it).collect()
        };
        let (name, limit, is_listed) = (children.name, children.limit, lists(target));
        Relation { name, target, limit, is_list: true, is_listed, of: Box::new(of) }
    });
    let linked = descriptor.many_to_many.iter().filter_map(|many| {
        let junction = many.junction(descriptor)?;
        let of = move |record: &Record| reading.linked(&junction, &record.values, descriptor, caller);
        let is_listed = lists(junction.target) && lists(junction.resource);
        let (name, target, limit) = (many.name, junction.target, many.limit);
        Some(Relation { name, target, limit, is_list: true, is_listed, of: Box::new(of) })
    });
    references.chain(children).chain(linked).collect()
}

pub(crate) async fn expand(ask: &Ask<'_>) {
    if !ask.admits(Operation::List) {
        return;
    }
    for relation in relations(ask) {
        let size = ask.page_size().map(|size| size.min(EXPANDED / relation.limit.max(1)).max(1));
        let sent = Sent::get(ask.served().prefix.clone()).with("expand", relation.name);
        let reply = ask.send(size.iter().fold(sent, |sent, size| sent.with("limit", &size.to_string()))).await;
        // If the caller may not list the target, the relation's name is unknown, or its records are left out.
        if reply.status == 422 && !relation.is_listed {
            continue;
        }
        if !ask.has_status("expand", &reply, 200, &format!("`expand={}`", relation.name)) {
            continue;
        }
        for row in Ask::rows(&reply) {
            has_related(ask, &reply, &relation, &row);
        }
    }
    for record in ask.records().iter().filter(|record| ask.sees(record) && !record.is_deleted).take(2) {
        for relation in relations(ask) {
            let reply = ask.send(Sent::get(ask.path_of(record, "")).with("expand", relation.name)).await;
            if reply.status == 200 {
                has_related(ask, &reply, &relation, &reply.json());
            }
        }
    }
}

/// Checks the related records in a row.
fn has_related(ask: &Ask<'_>, reply: &Reply, relation: &Relation<'_>, row: &Json) {
    let descriptor = ask.descriptor();
    let key = |of: &Descriptor, row: &Json| {
        let parts = of.key().iter().map(|column| text_of(&row[of.columns[*column].json]));
        parts.collect::<Vec<_>>().join("|")
    };
    let own = key(descriptor, row);
    let Some(record) = ask.records().iter().find(|it| key_text(descriptor, &it.values) == own) else { return };
    let value = &row[relation.name];
    let found: Vec<Json> = match (relation.is_list, value) {
        (true, value) => value["data"].as_array().cloned().unwrap_or_default(),
        (false, Json::Null) => Vec::new(),
        (false, value) => vec![value.clone()],
    };
    for it in &found {
        ask.has_fields_of("expand", reply, it, relation.target);
    }
    let expected = if relation.is_listed { (relation.of)(record) } else { Vec::new() };
    let expected: Vec<String> = expected.iter().map(|it| key_text(relation.target, &it.values)).collect();
    let found: Vec<String> = found.iter().map(|it| key(relation.target, it)).collect();
    if let Some(extra) = found.iter().find(|it| !expected.contains(it)) {
        let words = format!("gets `{}` {extra} of record {own}, which the rules hide,", relation.name);
        ask.differs("expand", reply, &words);
    }
    let is_whole = expected.len() <= usize::try_from(relation.limit).unwrap_or(usize::MAX);
    if let Some(missing) = expected.iter().find(|it| is_whole && !found.contains(it)) {
        let words = format!("does not get `{}` {missing} of record {own}", relation.name);
        ask.differs("expand", reply, &words);
    }
}

/// Lists of linked records: `GET {prefix}/{id}/labels`.
pub(crate) async fn links(ask: &Ask<'_>) {
    let (descriptor, reading) = (ask.descriptor(), ask.reading);
    for many in descriptor.many_to_many {
        let Some(junction) = many.junction(descriptor) else { continue };
        let lists = |of: &Descriptor| reading.admits(of, Operation::List, ask.caller);
        let lacks = |of: &Descriptor| Reading::lacks_tenant(of, ask.caller);
        let admitted = ask.admits(Operation::Get)
            && [junction.resource, junction.target].into_iter().all(|of| lists(of) && !lacks(of));
        for record in ask.records() {
            let reply = ask.send(Sent::get(ask.path_of(record, &format!("/{}", many.name)))).await;
            if reply.status == 405 || !ask.passes("links", admitted, &reply) {
                continue;
            }
            let is_shown = ask.sees(record) && !record.is_deleted;
            if !ask.has_status("links", &reply, if is_shown { 200 } else { 404 }, "the links of a record") || !is_shown
            {
                continue;
            }
            let key = |of: &Descriptor, row: &Json| {
                of.key().iter().map(|column| text_of(&row[of.columns[*column].json])).collect::<Vec<_>>().join("|")
            };
            let mut found: Vec<String> = Ask::rows(&reply).iter().map(|row| key(junction.target, row)).collect();
            let linked = reading.linked(&junction, &record.values, descriptor, ask.caller);
            let mut expected: Vec<String> = linked.iter().map(|it| key_text(junction.target, &it.values)).collect();
            found.sort();
            expected.sort();
            if found != expected {
                let words = format!("gets the links {found:?}, expected {expected:?},");
                ask.differs("links", &reply, &words);
            }
        }
    }
}
