//! `only`, `except`.

use crud_runtime::prelude::*;

macro_rules! offered {
    ($($attribute:tt)*) => {{
        #[derive(Resource)]
        #[crud($($attribute)*)]
        struct Thing {
            id: i64,
        }

        Operation::ALL.map(|operation| Thing::DESCRIPTOR.operations.contains(operation))
    }};
}

#[test]
fn every_operation_is_offered_unless_said() {
    assert_eq!(offered!(), [true; 5]);
}

#[test]
fn only_offers_what_it_lists() {
    assert_eq!(offered!(only(list, get)), [true, true, false, false, false]);
    assert_eq!(offered!(only(create, update, delete)), [false, false, true, true, true]);
}

#[test]
fn except_leaves_out_what_it_lists() {
    assert_eq!(offered!(except(delete)), [true, true, true, true, false]);
}
