use crud_runtime::prelude::*;

use crate::Member;

/// A company, which the operator of the service creates and its members see.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name),
    sort(name),
    pagination,
    audit,
    has_many(members(Member::company_id)),
    access(read(any(role("guest"), role("operator"))), write(role("operator"))),
    scope(authenticated, except(role("operator")), any(members::user_id(me)))
)]
pub struct Company {
    pub id: i64,
    #[crud(unique, length(min = 1, max = 100))]
    pub name: String,
}
