use crud_runtime::prelude::*;

use crate::Room;

/// Equipment of rooms and desks, such as a screen.
#[derive(Debug, Clone, Resource)]
#[crud(admin(group = "Places"), filter(name), sort(name), pagination)]
pub struct Equipment {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(unique, length(min = 1, max = 60))]
    pub name: String,
}

/// Equipment of a room.
#[derive(Debug, Clone, Resource)]
#[crud(internal, table = "room_equipment")]
pub struct RoomEquipment {
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(id, references(Room, on_delete(cascade)))]
    pub room_id: i64,
    #[crud(id, references(Equipment, on_delete(cascade)))]
    pub equipment_id: i64,
}
