//! `id`, and the types of keys.

use crud_runtime::adapter::Changes;
use crud_runtime::column::Value;
use crud_runtime::descriptor::Role;
use crud_runtime::prelude::*;

#[derive(Resource)]
struct ByLong {
    id: i64,
}

#[derive(Resource)]
struct ByShort {
    name: String,
    id: i32,
}

#[derive(Resource)]
struct ByUuid {
    #[crud(id)]
    key: Uuid,
}

#[derive(Resource)]
struct ByText {
    #[crud(id, validate(pattern = "^[a-z]+$"))]
    code: std::string::String,
    name: String,
}

#[derive(Resource)]
struct WithAnotherId {
    #[crud(id)]
    number: i64,
    id: String,
}

#[test]
fn key_is_the_field_id_by_default() {
    assert_eq!((ByLong::DESCRIPTOR.id, ByShort::DESCRIPTOR.id), (0, 1));
    assert_eq!(ByShort::DESCRIPTOR.id_column().role, Role::Id);
    assert_eq!(WithAnotherId::DESCRIPTOR.id_column().name, "number");
    assert_eq!(super::column::<WithAnotherId>("id").role, Role::Plain);
}

#[test]
fn id_returns_the_keys_type() {
    let long: i64 = ByLong { id: 7 }.id();
    let text: String = ByText { code: "a".to_owned(), name: String::new() }.id();
    let uuid: Uuid = ByUuid { key: Uuid::nil() }.id();
    assert_eq!((long, text.as_str(), uuid), (7, "a", Uuid::nil()));
}

#[test]
fn assigned_key_cannot_be_set() {
    assert!(ByLong::DESCRIPTOR.id_column().is_assigned() && ByUuid::DESCRIPTOR.id_column().is_assigned());
    assert!(Changes::from(NewByLong::new()).is_empty());
    assert!(Changes::from(NewByUuid::new()).is_empty());
}

#[test]
fn text_key_is_set_on_create_only() {
    assert!(!ByText::DESCRIPTOR.id_column().is_assigned());
    let changes = Changes::from(NewByText::new("chair", "Chair"));
    assert_eq!(changes.get(0), Some(&Value::Text("chair".to_owned())));
    assert_eq!(Changes::from(ByTextPatch::default().name("Table")).get(0), None);
}
