//! `filter`, `sort`, `default_sort`, `unique`, `index`.

use crud_runtime::descriptor::{ColumnDescriptor, PartialIndex, SortKey, Uniqueness};
use crud_runtime::prelude::*;

fn names<'a>(columns: impl Iterator<Item = &'a ColumnDescriptor>) -> Vec<&'a str> {
    columns.map(|column| column.name).collect()
}

#[derive(Resource)]
struct Plain {
    id: i64,
    name: String,
}

#[test]
fn filter_and_sort_are_off_by_default() {
    let plain = Plain::DESCRIPTOR;
    assert_eq!(names(plain.filterable()), [""; 0]);
    assert_eq!(names(plain.sortable()), [""; 0]);
    assert!(plain.default_sort.is_empty() && plain.uniques.is_empty() && plain.indexes.is_empty());
    assert!(plain.partial_indexes.is_empty());
}

#[test]
fn filter_and_sort_without_fields_select_every_capable_field() {
    #[derive(Resource)]
    #[crud(filter, sort)]
    struct Thing {
        id: i64,
        name: Option<String>,
        photo: Vec<u8>,
        data: serde_json::Value,
        words: Option<Vec<String>>,
        #[crud(write_only)]
        secret: String,
        #[crud(hidden)]
        note: Option<String>,
    }

    assert_eq!(names(Thing::DESCRIPTOR.filterable()), ["id", "name"]);
    assert_eq!(names(Thing::DESCRIPTOR.sortable()), ["id", "name"]);
}

#[test]
fn field_attributes_extend_the_structs_list() {
    #[derive(Resource)]
    #[crud(filter(name), sort(name))]
    struct Thing {
        id: i64,
        name: String,
        #[crud(filter, sort)]
        size: i32,
        other: bool,
    }

    assert_eq!(names(Thing::DESCRIPTOR.filterable()), ["id", "name", "size"], "the key is among them");
    assert_eq!(names(Thing::DESCRIPTOR.sortable()), ["id", "name", "size"]);
}

#[test]
fn default_sort_has_directions() {
    #[derive(Resource)]
    #[crud(sort(name, size), default_sort(desc(size), name, desc(id)))]
    struct Thing {
        id: i64,
        name: String,
        size: i32,
    }

    let keys = [SortKey::descending(2), SortKey::ascending(1), SortKey::descending(0)];
    assert_eq!(Thing::DESCRIPTOR.default_sort, keys);
}

#[test]
fn default_sort_does_not_require_sort() {
    #[derive(Resource)]
    #[crud(default_sort(name))]
    struct Thing {
        id: i64,
        name: String,
    }

    assert_eq!(Thing::DESCRIPTOR.default_sort, [SortKey::ascending(1)]);
}

#[test]
fn unique_and_index_are_allowed_on_fields_and_structs() {
    #[derive(Resource)]
    #[crud(unique(a, b), unique(b, c), index(c, a))]
    struct Thing {
        id: i64,
        #[crud(unique)]
        a: i32,
        b: i32,
        #[crud(index)]
        c: i32,
    }

    let thing = Thing::DESCRIPTOR;
    let groups: Vec<&[usize]> = thing.uniques.iter().map(|group| group.columns).collect();
    assert_eq!(groups, [[1, 2], [2, 3]]);
    assert_eq!(thing.indexes, [[3, 1]]);
    assert_eq!(super::column::<Thing>("a").unique, Some(Uniqueness::All));
    assert!(super::column::<Thing>("c").indexed && !super::column::<Thing>("a").indexed);
}

#[test]
fn index_with_some_is_partial() {
    #[derive(Resource)]
    #[crud(index(a, some), index(b, a, some(b)), index(some(some), some, b))]
    struct Thing {
        id: i64,
        a: i32,
        b: Option<i32>,
        some: Option<String>,
    }

    let thing = Thing::DESCRIPTOR;
    assert_eq!(thing.indexes, [[1, 3]]);
    assert_eq!(thing.partial_indexes, [PartialIndex::new(&[2, 1], 2), PartialIndex::new(&[3, 2], 3)]);
}
