use crud_runtime::prelude::*;

use crate::Member;

/// A team, which the operator of the service creates and its members see.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name),
    sort(name),
    pagination,
    audit,
    has_many(members(Member::team_id)),
    access(read(authenticated), write(role("operator"))),
    scope(authenticated, except(any(role("operator"), role("support"))), any(members::user_id(me)))
)]
pub struct Team {
    pub id: i64,
    #[crud(length(min = 1, max = 100))]
    pub name: String,
}
