//! `NewThing`, `ThingPatch` and `FIELDS`, as user code uses them.

use crud_runtime::adapter::Changes;
use crud_runtime::column::Value;
use crud_runtime::prelude::*;

#[derive(Resource)]
struct Thing {
    id: i64,
    name: String,
    #[crud(default = 1)]
    count: u32,
    note: Option<String>,
    #[crud(write_only)]
    secret: String,
}

#[test]
fn new_record_is_a_plain_struct() {
    let new =
        NewThing { name: "Chair".to_owned(), count: None, note: Some("old".to_owned()), secret: "s3cret".to_owned() };
    let changes = Changes::from(new.clone());
    assert_eq!(changes.get(2), None);
    assert_eq!(changes.get(3), Some(&Value::Text("old".to_owned())));
    assert_eq!(new.note.as_deref(), Some("old"));
}

#[test]
fn new_record_is_clone_where_its_types_are() {
    #[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
    enum Step {
        Open,
    }

    #[derive(Resource)]
    struct Task {
        id: i64,
        #[crud(default(Step::Open))]
        step: Step,
    }

    assert_eq!(NewTask { step: Some(Step::Open) }.clone().step, Some(Step::Open));
}

#[test]
fn new_record_is_built_from_its_required_fields() {
    let changes = Changes::from(NewThing::new("Chair", "s3cret").count(5).note("new"));
    assert_eq!(changes.get(1), Some(&Value::Text("Chair".to_owned())));
    assert_eq!(changes.get(2), Some(&Value::Int(5)));
    assert_eq!(changes.get(3), Some(&Value::Text("new".to_owned())));
}

#[test]
fn debug_omits_write_only_fields() {
    let shown = format!("{:?}", NewThing::new("Chair", "s3cret"));
    assert_eq!(shown, "NewThing { name: \"Chair\", count: None, note: None, .. }");
}

#[test]
fn patch_has_the_fields_that_were_set() {
    assert!(Changes::from(ThingPatch::default()).is_empty());
    let patch = ThingPatch::default().name("Table").name("Desk").note(None);
    let changes = Changes::from(patch.clone());
    assert_eq!(changes.get(1), Some(&Value::Text("Desk".to_owned())));
    assert_eq!(changes.get(3), Some(&Value::Null));
    assert_eq!(changes.len(), 2);
}

#[test]
fn fields_are_query_terms() {
    let term = Thing::FIELDS.name.like("C%").and(Thing::FIELDS.count.gt(5)).or(Thing::FIELDS.note.is_null());
    let query = term.order_by(Thing::FIELDS.name.desc()).limit(3).into_list_query();
    assert_eq!(query.limit, Some(3));
    assert_eq!(query.sort.len(), 2);
}

#[test]
fn fields_may_be_named_like_methods() {
    #[derive(Resource)]
    #[crud(filter(self_, query, data), sort)]
    struct Awkward {
        id: i64,
        new: String,
        default: i32,
        from: i32,
        into: i32,
        clone: i32,
        self_: i32,
        query: i32,
        data: i32,
        value: i32,
        changes: i32,
        patch: i32,
        row: i32,
        f: i32,
        fields: i32,
    }

    let new = NewAwkward::new("a", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    assert_eq!(Changes::from(new).len(), 14);
    let patch = <AwkwardPatch as Default>::default().new("a").value(1).into(2);
    assert_eq!(Changes::from(patch).len(), 3);
}
