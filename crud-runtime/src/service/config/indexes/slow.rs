//! Advice on slow lists: each with the attribute of the index that serves it.

use super::log::SlowList;
use crate::model::descriptor::Descriptor;

/// The lines on slow lists, then the attributes to paste.
pub(super) fn lines(lists: &[&SlowList], resources: &[&'static Descriptor]) -> Vec<String> {
    if lists.is_empty() {
        return vec!["Slow lists: none in the log.".to_owned()];
    }
    let mut lines = vec!["Slow lists:".to_owned()];
    let mut wanted: Vec<(&'static Descriptor, Vec<&'static str>)> = Vec::new();
    for list in lists {
        lines.push(format!("  {}: {}", list.resource, condition(list)));
        let count = if list.lines == 1 { "1 line".to_owned() } else { format!("{} lines", list.lines) };
        lines.push(format!("    {count}, at most {} ms, plan: {}", list.ms, list.plan));
        let resource = resources.iter().find(|resource| resource.name == list.resource);
        lines.push(format!("    {}", advice(list, resource, &mut wanted)));
    }
    // An index of more columns serves a list that needs the first ones.
    let all = wanted.clone();
    wanted.retain(|(resource, columns)| {
        let is_longer = |other: &Vec<&str>| other.len() > columns.len() && other.starts_with(columns);
        !all.iter().any(|(of, other)| of.name == resource.name && is_longer(other))
    });
    if !wanted.is_empty() {
        lines.push("Attributes of the structs that help:".to_owned());
    }
    for resource in resources {
        let own = wanted.iter().filter(|(of, _)| of.name == resource.name);
        let indexes: Vec<String> = own.map(|(_, columns)| format!("index({})", columns.join(", "))).collect();
        if !indexes.is_empty() {
            lines.push(format!("  {}: #[crud({})]", resource.name, indexes.join(", ")));
        }
    }
    lines
}

fn condition(list: &SlowList) -> String {
    let filter = if list.filter.is_empty() { "every record" } else { &list.filter };
    if list.sort.is_empty() { filter.to_owned() } else { format!("{filter}, sort={}", list.sort) }
}

fn advice(
    list: &SlowList,
    resource: Option<&&'static Descriptor>,
    wanted: &mut Vec<(&'static Descriptor, Vec<&'static str>)>,
) -> String {
    let Some(resource) = resource else { return "the service has no struct of this name".to_owned() };
    if list.index.is_empty() {
        return if list.plan == "along an index" {
            "no other index would help: the list uses one, and reads many records".to_owned()
        } else {
            "no index would help this filter and order, or the struct has one already".to_owned()
        };
    }
    let Some(columns) = columns(resource, &list.index) else {
        return format!("{} names fields that the struct does not have now", list.index);
    };
    if resource.indexes.iter().any(|index| index.starts_with(&columns)) {
        return format!("the struct has {} now", list.index);
    }
    let columns: Vec<&'static str> = columns.iter().map(|column| resource.columns[*column].name).collect();
    if !wanted.iter().any(|(of, other)| of.name == resource.name && *other == columns) {
        wanted.push((resource, columns));
    }
    list.index.clone()
}

/// The columns of an attribute such as `index(category_id, price)`.
fn columns(resource: &Descriptor, index: &str) -> Option<Vec<usize>> {
    let names = index.strip_prefix("index(")?.strip_suffix(')')?;
    names.split(", ").map(|name| resource.columns.iter().position(|column| column.name == name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[derive(Resource)]
    #[crud(filter, sort, index(shelf, weight))]
    struct Item {
        id: i64,
        shelf: i64,
        price: i64,
        weight: i64,
    }

    fn list(resource: &str, plan: &str, index: &str) -> SlowList {
        let (resource, plan, index) = (resource.to_owned(), plan.to_owned(), index.to_owned());
        SlowList { resource, sort: "-price".to_owned(), lines: 2, ms: 118, plan, index, ..SlowList::default() }
    }

    #[test]
    fn attributes_are_named_once_and_the_longest_of_them() {
        let lists = [
            list("Item", "sorts every match", "index(shelf, price)"),
            list("Item", "sorts every match", "index(shelf, price, weight)"),
            list("Item", "sorts every match", "index(weight, price)"),
            list("Item", "sorts every match", "index(shelf, price)"),
        ];
        let lines = lines(&lists.iter().collect::<Vec<_>>(), &[Item::DESCRIPTOR]);
        assert_eq!(
            lines[..4],
            [
                "Slow lists:",
                "  Item: every record, sort=-price",
                "    2 lines, at most 118 ms, plan: sorts every match",
                "    index(shelf, price)",
            ]
        );
        let last = [
            "Attributes of the structs that help:",
            "  Item: #[crud(index(shelf, price, weight), index(weight, price))]",
        ];
        assert_eq!(lines[lines.len() - 2..], last);
    }

    #[test]
    fn lists_without_an_attribute_say_why() {
        for (list, expected) in [
            (list("Item", "sorts every match", "index(shelf, weight)"), "the struct has index(shelf, weight) now"),
            (
                list("Item", "sorts every match", "index(gone, weight)"),
                "index(gone, weight) names fields that the struct does not have now",
            ),
            (list("Other", "sorts every match", "index(a, b)"), "the service has no struct of this name"),
            (
                list("Item", "along an index", ""),
                "no other index would help: the list uses one, and reads many records",
            ),
            (list("Item", "unknown", ""), "no index would help this filter and order, or the struct has one already"),
        ] {
            let lines = lines(&[&list], &[Item::DESCRIPTOR]);
            assert_eq!(lines.last().map(|line| line.trim()), Some(expected));
        }
    }
}
