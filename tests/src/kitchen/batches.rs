//! Batches: atomic and partial, large and small, with each type of key.

use crud_runtime::prelude::*;

use super::Team;

/// An atomic batch of the default size; a delete is a delete.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/parcels", filter, sort, pagination(max_limit = 1000), batch, audit)]
pub struct Parcel {
    /// The key.
    pub id: i64,
    /// Code to find it by.
    #[crud(unique, length(min = 1))]
    pub code: String,
    /// The weight.
    #[crud(range(min = 0))]
    pub weight: f64,
    /// The place of origin.
    #[crud(immutable)]
    pub origin: Option<String>,
    /// Further details.
    #[crud(default = "")]
    pub details: String,
    /// The team that it is for.
    #[crud(references(Team))]
    pub team_id: Option<i64>,
    /// Set at creation.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    /// Set at every change.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
}

/// Keeps its parcel from going.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/stamps", pagination)]
pub struct Stamp {
    /// The key.
    pub id: i64,
    /// The parcel.
    #[crud(references(Parcel))]
    pub parcel_id: i64,
}

/// A partial batch of a small size; a delete is a soft one.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/slips", filter, sort, pagination, soft_delete, batch(max_size = 5, mode(partial)), audit)]
pub struct Slip {
    /// The key.
    pub id: i64,
    /// Code to find it by.
    #[crud(unique)]
    pub code: String,
    /// The amount on it.
    #[crud(range(min = 0, max = 100))]
    pub amount: i32,
    /// The team that it is for.
    #[crud(references(Team))]
    pub team_id: Option<i64>,
    /// Set at every change.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    /// Whether it is deleted.
    pub is_deleted: bool,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Keyed by text that the client gives, under other names.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/trays", rename_all = "camelCase", pagination, batch(max_size = 3))]
pub struct Tray {
    /// The key.
    #[crud(id)]
    pub tray_code: String,
    /// Number of items that it holds.
    pub item_count: i32,
}

/// Keyed by a UUID; a partial batch without updates.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/coupons", operations(except(update)), pagination, batch(mode(partial)))]
pub struct Coupon {
    /// The key.
    pub id: Uuid,
    /// The value.
    #[crud(range(min = 1))]
    pub worth: i32,
}
