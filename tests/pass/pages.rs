//! `pagination`.

use crud_runtime::descriptor::{Count, OverLimit, Pagination};
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
    let pagination = Pagination::new(default_limit, max_limit);
    Some(if matches!(over_limit, OverLimit::Clamp) { pagination.clamp() } else { pagination })
}

#[test]
fn pagination_is_off_by_default() {
    assert_eq!(pages!(), None);
}

#[test]
fn pagination_has_default_limits() {
    assert_eq!(pages!(pagination), limits(20, 100, OverLimit::Reject));
    assert_eq!(pages!(pagination()), limits(20, 100, OverLimit::Reject));
}

#[test]
fn limits_are_configurable() {
    assert_eq!(pages!(pagination(default_limit = 10, max_limit = 50)), limits(10, 50, OverLimit::Reject));
    assert_eq!(pages!(pagination(over_limit(clamp))), limits(20, 100, OverLimit::Clamp));
    assert_eq!(pages!(pagination(over_limit(clamp),)), limits(20, 100, OverLimit::Clamp));
}

#[test]
fn limit_adjusts_an_omitted_one() {
    assert_eq!(pages!(pagination(max_limit = 10)), limits(10, 10, OverLimit::Reject));
    assert_eq!(pages!(pagination(default_limit = 500)), limits(500, 500, OverLimit::Reject));
}

#[test]
fn precision_of_the_count_is_configurable() {
    let exact = Pagination::new(20, 100);
    assert_eq!(pages!(pagination(count(exact))), Some(exact));
    assert_eq!(pages!(pagination(count(none))), Some(exact.count(Count::None)));
    assert_eq!(pages!(pagination(count(capped(10_000)))), Some(exact.count(Count::Capped(10_000))));
}
