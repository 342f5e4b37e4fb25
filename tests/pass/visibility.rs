//! `read_only`, `write_only`, `hidden`, `immutable`, `created_at`, `updated_at`.

use crud_runtime::descriptor::Role;
use crud_runtime::prelude::*;

#[derive(Resource)]
struct Thing {
    id: i64,
    #[crud(read_only, default = 0)]
    rating: i32,
    #[crud(write_only)]
    password: String,
    #[crud(hidden)]
    note: Option<String>,
    #[crud(immutable)]
    code: String,
    #[crud(created_at)]
    made: DateTime<Utc>,
    #[crud(updated_at, hidden)]
    changed: DateTime<Utc>,
}

#[test]
fn each_attribute_sets_its_flag() {
    let flags = |name: &str| {
        let column = super::column::<Thing>(name);
        [column.read_only, column.write_only, column.hidden, column.immutable]
    };
    assert_eq!(flags("id"), [false; 4]);
    assert_eq!(flags("rating"), [true, false, false, false]);
    assert_eq!(flags("password"), [false, true, false, false]);
    assert_eq!(flags("note"), [false, false, true, false]);
    assert_eq!(flags("code"), [false, false, false, true]);
    assert_eq!(flags("changed"), [false, false, true, false]);
}

#[test]
fn timestamps_are_set_by_the_service() {
    assert_eq!(super::column::<Thing>("made").role, Role::CreatedAt);
    assert_eq!(super::column::<Thing>("changed").role, Role::UpdatedAt);
    assert!(super::column::<Thing>("made").is_assigned());
}

#[test]
fn user_code_may_set_every_field() {
    let new = NewThing::new("secret", "code").rating(5).note("seen");
    assert_eq!(crud_runtime::adapter::Changes::from(new).len(), 4);
    let patch = ThingPatch::default().rating(1).password("p").note("n").code("c");
    assert_eq!(crud_runtime::adapter::Changes::from(patch).len(), 4);
}
