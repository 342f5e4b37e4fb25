//! References to and from soft-deleted records, and values that are unique among the active ones.

use crud_runtime::prelude::*;

/// A team that the others refer to; it refers to teams, too.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/teams", filter(name), pagination, soft_delete)]
pub struct Team {
    /// The key.
    pub id: i64,
    /// The name: unique among all, deleted or not.
    #[crud(unique)]
    pub name: String,
    /// The team that it is a part of.
    #[crud(references(Team))]
    pub parent_id: Option<i64>,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Keeps its team from being purged, and can be soft-deleted itself.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/members", filter, sort, pagination, soft_delete, batch, audit)]
pub struct Member {
    /// The key.
    pub id: Uuid,
    /// Unique among the active ones.
    #[crud(unique(active))]
    pub handle: Option<String>,
    /// Unique among all.
    #[crud(unique)]
    pub email: Option<String>,
    /// The team.
    #[crud(references(Team))]
    pub team_id: Option<i64>,
    /// Set at every change.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Goes when its team is purged.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/badges", pagination)]
pub struct Badge {
    /// The key.
    pub id: i64,
    /// The team.
    #[crud(references(Team, on_delete(cascade)))]
    pub team_id: i64,
}

/// Stays when its team is purged.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/fans", pagination)]
pub struct Fan {
    /// The key.
    pub id: i64,
    /// The fan's name.
    pub name: Option<String>,
    /// The team.
    #[crud(references(Team, on_delete(set_null)))]
    pub team_id: Option<i64>,
}
