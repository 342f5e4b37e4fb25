//! `soft_delete`, `unique(active)`, `batch`, `audit`.

use crud_runtime::descriptor::{Audit, Batch, Role, SoftDelete, Uniqueness};
use crud_runtime::prelude::*;

macro_rules! thing {
    ($($attribute:tt)*) => {{
        #[derive(Resource)]
        #[crud($($attribute)*)]
        struct Thing {
            id: i64,
            deleted_at: Option<DateTime<Utc>>,
        }

        Thing::DESCRIPTOR
    }};
}

#[test]
fn soft_delete_batch_and_audit_are_off_by_default() {
    let thing = thing!();
    assert!(thing.soft_delete.is_none() && thing.batch.is_none() && thing.audit.is_none());
    assert_eq!(super::column::<Plain>("deleted_at").role, Role::Plain);
}

#[derive(Resource)]
struct Plain {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// The soft delete of a resource that has it.
#[track_caller]
fn soft_delete<R: Resource>() -> SoftDelete {
    R::DESCRIPTOR.soft_delete.expect("soft delete")
}

#[test]
fn soft_delete_assigns_roles_to_its_fields() {
    #[derive(Resource)]
    #[crud(soft_delete)]
    struct Thing {
        id: i64,
        is_deleted: bool,
        deleted_at: Option<DateTime<Utc>>,
        name: String,
    }

    let option = soft_delete::<Thing>();
    assert_eq!(option.deleted_at, 2);
    assert!(!option.include_deleted_by_default && !option.auto_restore_on_update);
    assert_eq!(super::column::<Thing>("is_deleted").role, Role::IsDeleted);
    assert_eq!(super::column::<Thing>("deleted_at").role, Role::DeletedAt);
    assert_eq!(Thing::DESCRIPTOR.columns.len(), 4);
    let new = NewThing::new("x");
    assert_eq!(crud_runtime::adapter::Changes::from(new).len(), 1, "the service sets the other fields");
}

#[test]
fn undeclared_is_deleted_has_a_column() {
    #[derive(Resource)]
    #[crud(soft_delete, rename_all = "camelCase")]
    struct Thing {
        id: i64,
        deleted_at: Option<DateTime<Utc>>,
    }

    let state = super::column::<Thing>("is_deleted");
    assert_eq!((state.json, state.role), ("isDeleted", Role::IsDeleted));
    assert_eq!(super::column::<Thing>("deleted_at").json, "deletedAt");
}

#[test]
fn soft_delete_accepts_options() {
    #[derive(Resource)]
    #[crud(soft_delete(include_deleted_by_default, auto_restore_on_update = true))]
    struct Thing {
        id: i64,
        deleted_at: Option<DateTime<Utc>>,
        #[crud(deleted_at, rename = "gone", column = "gone_at", filter, sort, index)]
        removed_at: Option<DateTime<Utc>>,
    }

    let option = soft_delete::<Thing>();
    assert_eq!(option.deleted_at, 2);
    assert!(option.include_deleted_by_default && option.auto_restore_on_update);
    assert_eq!(super::column::<Thing>("deleted_at").role, Role::Plain, "another field is named");
    let removed_at = super::column::<Thing>("removed_at");
    assert_eq!((removed_at.json, removed_at.column, removed_at.filterable), ("gone", "gone_at", true));
}

#[test]
fn option_set_to_false_is_off() {
    #[derive(Resource)]
    #[crud(soft_delete(include_deleted_by_default = false, auto_restore_on_update = false))]
    struct Thing {
        id: i64,
        deleted_at: Option<DateTime<Utc>>,
    }

    let option = soft_delete::<Thing>();
    assert!(!option.include_deleted_by_default && !option.auto_restore_on_update);
}

#[test]
fn is_deleted_may_be_renamed_filterable_and_sortable() {
    #[derive(Resource)]
    #[crud(soft_delete, filter, sort)]
    struct Thing {
        id: i64,
        #[crud(rename = "gone")]
        is_deleted: bool,
        deleted_at: Option<DateTime<Utc>>,
    }

    let state = super::column::<Thing>("is_deleted");
    assert_eq!((state.json, state.filterable, state.sortable), ("gone", true, true));
}

#[test]
fn value_may_be_unique_among_active_records() {
    #[derive(Resource)]
    #[crud(soft_delete)]
    struct Thing {
        id: i64,
        #[crud(unique(active))]
        handle: String,
        #[crud(unique)]
        email: String,
        deleted_at: Option<DateTime<Utc>>,
    }

    assert_eq!(super::column::<Thing>("handle").unique, Some(Uniqueness::Active));
    assert_eq!(super::column::<Thing>("email").unique, Some(Uniqueness::All));
}

#[test]
fn group_is_unique_among_the_records_that_it_names() {
    #[derive(Resource)]
    #[crud(
        soft_delete,
        unique(email, active),
        unique(email, active, among(active)),
        unique(email, global, among(global))
    )]
    struct Thing {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        email: String,
        active: bool,
        global: bool,
        deleted_at: Option<DateTime<Utc>>,
    }

    let groups = Thing::DESCRIPTOR.uniques.iter().map(|group| (group.columns, group.among));
    // `active` alone is the field of this name.
    let expected: [(&[usize], Uniqueness); 3] =
        [(&[2, 3], Uniqueness::All), (&[2, 3], Uniqueness::Active), (&[2, 4], Uniqueness::Global)];
    assert_eq!(groups.collect::<Vec<_>>(), expected);
}

#[test]
fn text_may_be_unique_in_any_letter_case() {
    #[derive(Resource)]
    #[crud(soft_delete, unique(case_insensitive, code, among(active), case_insensitive(code)))]
    struct Thing {
        id: i64,
        #[crud(unique(case_insensitive))]
        email: String,
        #[crud(unique(case_insensitive, active))]
        handle: Option<String>,
        #[crud(unique(active, case_insensitive), filter)]
        code: String,
        /// A field may have the word's name.
        case_insensitive: bool,
        deleted_at: Option<DateTime<Utc>>,
    }

    let column = |name| {
        let column = super::column::<Thing>(name);
        (column.unique, column.case_insensitive)
    };
    assert_eq!(column("email"), (Some(Uniqueness::All), true));
    assert_eq!(column("handle"), (Some(Uniqueness::Active), true));
    assert_eq!(column("code"), (Some(Uniqueness::Active), true));
    let [group] = Thing::DESCRIPTOR.uniques else { panic!("one group") };
    assert_eq!((group.columns, group.among, group.case_insensitive), (&[4, 3][..], Uniqueness::Active, &[3][..]));
}

#[test]
fn batch_has_a_size_and_a_mode() {
    let size = |descriptor: &crud_runtime::descriptor::Descriptor| {
        let Batch { max_size, partial, .. } = descriptor.batch.expect("batches");
        (max_size, partial)
    };
    assert_eq!(size(thing!(batch)), (1000, false));
    assert_eq!(size(thing!(batch(max_size = 5))), (5, false));
    assert_eq!(size(thing!(batch(mode(partial)))), (1000, true));
    assert_eq!(size(thing!(batch(mode(atomic), max_size = 1))), (1, false));
}

#[test]
fn audit_tracks_everything_by_default() {
    let audit = Audit::new;
    assert_eq!(thing!(audit).audit, Some(audit(true, true, true)));
    assert_eq!(thing!(audit(without(changes))).audit, Some(audit(false, true, true)));
    assert_eq!(thing!(audit(without(user))).audit, Some(audit(true, false, true)));
    assert_eq!(thing!(audit(without(timestamp))).audit, Some(audit(true, true, false)));
}

#[test]
fn all_options_may_be_combined() {
    let thing = thing!(soft_delete(auto_restore_on_update), batch(max_size = 10, mode(partial)), audit, pagination);
    assert!(thing.soft_delete.is_some_and(|option| option.auto_restore_on_update));
    assert!(thing.batch.is_some_and(|batch| batch.partial) && thing.audit.is_some());
}
