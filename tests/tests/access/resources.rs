//! The resources of these tests.

#![allow(missing_docs, unreachable_pub)]

use crud_runtime::prelude::*;

/// A different rule for every operation.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    pagination,
    soft_delete,
    batch,
    audit,
    access(
        all(role("staff")),
        read(public),
        write(authenticated),
        update(any(role("editor"), permission("rules:update"))),
        delete(all(role("editor"), permission("rules:delete"))),
        restore(role("editor")),
        purge(role("admin")),
        batch(permission("rules:batch")),
        history(authenticated)
    )
)]
pub struct Rule {
    pub id: i64,
    pub name: String,
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Public in every operation.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(pagination, access(all(public)))]
pub struct Open {
    pub id: i64,
}

/// Without access rules.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(pagination)]
pub struct Silent {
    pub id: i64,
}

/// Owned, with an exempt role.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(title, user_id), sort(title), pagination, soft_delete, batch(mode(partial)), audit)]
pub struct Note {
    pub id: i64,
    pub title: String,
    #[crud(owner(except(role("admin"))))]
    pub user_id: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Owned; only an admin may purge.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(id), pagination, soft_delete, batch, audit, access(purge(role("admin"))))]
pub struct Memo {
    pub id: i64,
    pub text: String,
    #[crud(owner(except(role("admin"))))]
    pub user_id: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Owned, without an exempt role.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter, batch, access(read(public)))]
pub struct Diary {
    pub id: i64,
    pub entry: String,
    #[crud(owner)]
    pub author: String,
}

/// With fields of restricted visibility.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(name, cost, grade), sort(name, cost), pagination, batch, audit, access(all(public)))]
pub struct Ware {
    pub id: i64,
    pub name: String,
    /// Our own cost.
    #[crud(visible(role("buyer")))]
    pub cost: Option<f64>,
    #[crud(visible(any(role("buyer"), permission("wares:grade"))), default = 1)]
    pub grade: i32,
}

/// Lists show deleted records by default; only an admin may restore.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(pagination, soft_delete(include_deleted_by_default), access(restore(role("admin"))))]
pub struct Archive {
    pub id: i64,
    pub deleted_at: Option<DateTime<Utc>>,
}
