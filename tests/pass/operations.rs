//! `operations`, `internal`.

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
fn listed_operations_are_enabled() {
    assert_eq!(offered!(operations(list, get)), [Operation::List, Operation::Get]);
    assert_eq!(offered!(internal), []);
    let written = [Operation::Create, Operation::Update, Operation::Delete];
    assert_eq!(offered!(operations(create, update, delete)), written);
}

#[test]
fn except_disables_the_listed_operations() {
    let offered = offered!(operations(except(delete)));
    assert_eq!(offered.len(), Operation::ALL.len() - 1);
    assert!(!offered.contains(&Operation::Delete));
}

#[test]
fn operation_name_covers_one_record_and_several() {
    let restored = [Operation::Restore, Operation::RestoreMany];
    assert_eq!(offered!(soft_delete, operations(restore)), restored);
    assert_eq!(offered!(soft_delete, operations(purge)), [Operation::Purge, Operation::PurgeMany]);
    let batches = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];
    assert_eq!(offered!(batch, operations(batch)), batches);
    assert_eq!(offered!(audit, operations(history)), [Operation::History]);
    let offered = offered!(soft_delete, batch, audit, operations(except(restore, purge, batch, history)));
    let left = [
        Operation::List,
        Operation::Get,
        Operation::Create,
        Operation::Update,
        Operation::Delete,
        Operation::Aggregate,
    ];
    assert_eq!(offered, left);
}
