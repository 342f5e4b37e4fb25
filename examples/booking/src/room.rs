use crud_runtime::prelude::*;

use crate::{Location, RoomEquipment};

/// A room or a desk that people book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum RoomKind {
    Room,
    Desk,
}

/// A room or a desk.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(list(name, kind, location_id, capacity, needs_approval), group = "Places"),
    filter(name, kind, location_id, capacity),
    sort(name, capacity),
    default_sort(name),
    pagination(default_limit = 50, max_limit = 200),
    audit,
    time_zone(location),
    many_to_many(equipment(RoomEquipment))
)]
pub struct Room {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(references(Location, expand))]
    pub location_id: i64,
    #[crud(unique, length(min = 1, max = 100))]
    pub name: String,
    pub kind: RoomKind,
    #[crud(range(min = 1, max = 1000))]
    pub capacity: i32,
    /// Whether a manager approves its bookings.
    #[crud(default = false)]
    pub needs_approval: bool,
    /// The secret in the address of the screen at its door.
    #[crud(hidden, unique(global))]
    pub display_key: Option<Uuid>,
}
