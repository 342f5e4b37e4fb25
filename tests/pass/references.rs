//! `references`, `on_delete`.

use crud_runtime::descriptor::OnDelete;
use crud_runtime::prelude::*;

mod elsewhere {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub(super) struct Shelf {
        id: Uuid,
    }
}

#[derive(Resource)]
struct Category {
    id: i64,
    #[crud(references(Category, on_delete(set_null)))]
    parent_id: Option<i64>,
    // Two resources may refer to each other.
    #[crud(references(Thing))]
    best_id: Option<i32>,
}

#[derive(Resource)]
struct Thing {
    id: i32,
    #[crud(references(Category))]
    category_id: i64,
    #[crud(references(Category, on_delete(restrict)))]
    second_id: Option<i64>,
    #[crud(references(elsewhere::Shelf, on_delete(cascade)))]
    shelf_id: Uuid,
    #[crud(references(self::Category, on_delete(cascade)))]
    third_id: i64,
}

#[test]
fn reference_knows_its_target() {
    let reference = |name: &str| {
        let reference = super::column::<Thing>(name).references.expect("a reference");
        ((reference.target)().name, reference.on_delete)
    };
    assert_eq!(reference("category_id"), ("Category", OnDelete::Restrict));
    assert_eq!(reference("second_id"), ("Category", OnDelete::Restrict));
    assert_eq!(reference("shelf_id"), ("Shelf", OnDelete::Cascade));
    assert_eq!(reference("third_id"), ("Category", OnDelete::Cascade));
}

#[test]
fn resource_may_refer_to_itself() {
    let reference = super::column::<Category>("parent_id").references.expect("a reference");
    assert_eq!(((reference.target)().name, reference.on_delete), ("Category", OnDelete::SetNull));
}

#[derive(Resource)]
struct Loose {
    id: i64,
    #[crud(references(Category, unconstrained))]
    category_id: i64,
    #[crud(references(Category, any, unconstrained))]
    any_id: i64,
}

#[derive(Resource)]
#[crud(view, table = "loose_list", has_many(loose(Loose::category_id)))]
struct LooseList {
    id: i64,
    #[crud(references(Category, expand))]
    category_id: i64,
}

#[test]
fn reference_may_be_without_a_foreign_key() {
    let reference = |name: &str| super::column::<Loose>(name).references.expect("a reference");
    assert!(reference("category_id").unconstrained && !reference("category_id").any);
    assert!(reference("any_id").unconstrained && reference("any_id").any);
    let of_view = super::column::<LooseList>("category_id").references.expect("a reference");
    assert!(of_view.unconstrained && of_view.expand);
    assert!(LooseList::DESCRIPTOR.view.expect("a view").existing);
}
