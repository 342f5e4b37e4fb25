//! A team tracker's back end: teams share the service as tenants, and their people are members of several of them. The rules are
//! attributes, each in the file of its resource:
//!
//! - A guest sees the issues that are assigned to the guest, and what belongs to them (`issue`, `comment`, `checklist`).
//! - The author of a comment changes it for 15 minutes (`comment`).
//! - Owners say who belongs to a team, as what; a team keeps its last owner (`member`).
//! - Support reads every team, and each team sees in its log what support has read (`issue`, `comment`).
//! - The board is a view of the issues that are not done (`board`).

#![allow(missing_docs, reason = "the names of the fields say what they are")]

mod board;
mod checklist;
mod comment;
mod issue;
mod label;
mod member;
mod team;

use crud_runtime::Service;
use crud_runtime::access::{Access, AccessRules, Role};
use crud_runtime::auth::{Auth, AuthBuilder};

pub use self::board::Card;
pub use self::checklist::{ChecklistItem, NewChecklistItem};
pub use self::comment::{Comment, NewComment};
pub use self::issue::{Issue, NewIssue, Priority, Status};
pub use self::label::{IssueLabel, Label, NewIssueLabel, NewLabel};
pub use self::member::{Member, MemberRole, NewMember};
pub use self::team::{NewTeam, Team};

/// The authentication: the claim `team` is the tenant.
pub fn auth() -> AuthBuilder {
    Auth::builder().tenant_claim("team")
}

/// The service with the tracker's roles and resources.
pub fn tracker(service: Service) -> Service {
    service
        .access(|access| {
            access
                .role(Role::new("owner").implies("member"))
                .role(Role::new("member").implies("reader"))
                .role(Role::new("guest").implies("reader"))
                .role(Role::new("support").implies("reader"))
                .default_access(AccessRules::everything(Access::Role("member")).read(Access::Role("reader")))
                .audit_role("owner")
                .users_role("operator")
        })
        .resource::<Team>()
        .resource::<Member>()
        .resource::<Label>()
        .resource::<Issue>()
        .resource::<IssueLabel>()
        .resource::<ChecklistItem>()
        .resource::<Comment>()
        .resource::<Card>()
}
