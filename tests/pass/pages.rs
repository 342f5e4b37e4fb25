//! `pagination`.

use crud_runtime::descriptor::{OverLimit, Pagination};
use crud_runtime::prelude::*;

macro_rules! pages {
    ($($attribute:tt)*) => {{
        #[derive(Resource)]
        #[crud($($attribute)*)]
        struct Thing {
            id: i64,
        }

        Thing::DESCRIPTOR.pagination
    }};
}

const fn limits(default_limit: u32, max_limit: u32, over_limit: OverLimit) -> Option<Pagination> {
    Some(Pagination { default_limit, max_limit, over_limit })
}

#[test]
fn pages_are_off_unless_said() {
    assert_eq!(pages!(), None);
}

#[test]
fn pages_have_defaults() {
    assert_eq!(pages!(pagination), limits(20, 100, OverLimit::Reject));
    assert_eq!(pages!(pagination()), limits(20, 100, OverLimit::Reject));
}

#[test]
fn limits_can_be_said() {
    assert_eq!(pages!(pagination(default_limit = 10, max_limit = 50)), limits(10, 50, OverLimit::Reject));
    assert_eq!(pages!(pagination(over_limit = clamp)), limits(20, 100, OverLimit::Clamp));
    assert_eq!(pages!(pagination(over_limit = "clamp",)), limits(20, 100, OverLimit::Clamp));
}

#[test]
fn one_limit_alone_moves_the_other_out_of_its_way() {
    assert_eq!(pages!(pagination(max_limit = 10)), limits(10, 10, OverLimit::Reject));
    assert_eq!(pages!(pagination(default_limit = 500)), limits(500, 500, OverLimit::Reject));
}
