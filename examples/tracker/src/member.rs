use crud_runtime::prelude::*;

use crate::Team;

/// Part that a person plays in a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum MemberRole {
    Owner,
    Member,
    Guest,
}

/// A person of a team, whom its owners add and remove; the operator adds the first one. A team keeps its last owner.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort(name),
    pagination,
    soft_delete,
    audit,
    access(write(any(role("owner"), role("operator")))),
    scope(role("guest"), user_id(me))
)]
pub struct Member {
    pub id: i64,
    #[crud(
        tenant(members(user_id, role, keep = "owner"), except(any(role("operator"), role("support")))),
        references(Team)
    )]
    pub team_id: i64,
    #[crud(unique(active), immutable, references(users))]
    pub user_id: i64,
    #[crud(length(min = 1, max = 100))]
    pub name: String,
    pub role: MemberRole,
    pub deleted_at: Option<DateTime<Utc>>,
}
