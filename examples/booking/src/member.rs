use crud_runtime::prelude::*;

use crate::Company;

/// Part that a person plays in a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum MemberRole {
    Manager,
    Member,
    Guest,
}

/// A person of a company, whom its managers invite; the operator adds the first one. A company keeps its last manager.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(title(name), group = "People"),
    filter,
    sort(name),
    pagination,
    audit,
    access(read(any(role("guest"), role("operator"))), write(any(role("manager"), role("operator")))),
    scope(role("guest"), except(role("member")), user_id(me))
)]
pub struct Member {
    pub id: i64,
    #[crud(tenant(members(user_id, role, keep = "manager"), except(role("operator"))), references(Company))]
    pub company_id: i64,
    #[crud(unique, immutable, references(users))]
    pub user_id: i64,
    #[crud(length(max = 100), default = "")]
    pub name: String,
    pub role: MemberRole,
    /// The secret in the link of the member's calendar.
    #[crud(hidden, unique(global))]
    pub calendar_key: Option<Uuid>,
}

/// The id of a user's membership in the company of the current request.
pub async fn member_of(user: i64, ctx: &HookContext<'_>) -> Result<Option<i64>, Problem> {
    let members = ctx.as_program().store::<Member>();
    Ok(members.first(Member::FIELDS.user_id.eq(user)).await?.map(|member| member.id))
}
