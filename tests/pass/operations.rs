//! `only`, `except`.

use crud_runtime::prelude::*;

macro_rules! offered {
    ($($attribute:tt)*) => {{
        #[derive(Resource)]
        #[crud($($attribute)*)]
        struct Thing {
            id: i64,
            deleted_at: Option<DateTime<Utc>>,
        }

        Operation::ALL.into_iter().filter(|operation| Thing::DESCRIPTOR.operations.contains(*operation)).collect::<Vec<_>>()
    }};
}

#[test]
fn every_operation_is_enabled_by_default() {
    assert_eq!(offered!(), Operation::ALL);
    assert_eq!(offered!(soft_delete, batch, audit), Operation::ALL);
}

#[test]
fn only_enables_the_listed_operations() {
    assert_eq!(offered!(only(list, get)), [Operation::List, Operation::Get]);
    assert_eq!(offered!(internal), []);
    let written = [Operation::Create, Operation::Update, Operation::Delete];
    assert_eq!(offered!(only(create, update, delete)), written);
}

#[test]
fn except_disables_the_listed_operations() {
    let offered = offered!(except(delete));
    assert_eq!(offered.len(), Operation::ALL.len() - 1);
    assert!(!offered.contains(&Operation::Delete));
}

#[test]
fn operation_name_covers_one_record_and_several() {
    let restored = [Operation::Restore, Operation::RestoreMany];
    assert_eq!(offered!(soft_delete, only(restore)), restored);
    assert_eq!(offered!(soft_delete, only(purge)), [Operation::Purge, Operation::PurgeMany]);
    let batches = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];
    assert_eq!(offered!(batch, only(batch)), batches);
    assert_eq!(offered!(audit, only(history)), [Operation::History]);
    let offered = offered!(soft_delete, batch, audit, except(restore, purge, batch, history));
    let left = [Operation::List, Operation::Get, Operation::Create, Operation::Update, Operation::Delete];
    assert_eq!(offered, left);
}
