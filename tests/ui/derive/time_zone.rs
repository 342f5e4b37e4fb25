//! `time_zone(…)`: the field with the time zone of a record.

use crud_runtime::column::TimeZone;
use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
struct Room {
    id: i64,
    name: String,
    zone: TimeZone,
}

#[derive(Debug, Clone, Resource)]
#[crud(time_zone)]
struct Bare {
    id: i64,
    zone: TimeZone,
}

#[derive(Debug, Clone, Resource)]
#[crud(time_zone(zone, other))]
struct Two {
    id: i64,
    zone: TimeZone,
    other: TimeZone,
}

#[derive(Debug, Clone, Resource)]
#[crud(time_zone(zon))]
struct Misspelt {
    id: i64,
    zone: TimeZone,
}

#[derive(Debug, Clone, Resource)]
#[crud(time_zone(zone))]
struct Untyped {
    id: i64,
    zone: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(time_zone(room::name))]
struct OtherField {
    id: i64,
    #[crud(references(Room))]
    room_id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(time_zone(hall::zone))]
struct NoRelation {
    id: i64,
    #[crud(references(Room))]
    room_id: i64,
}

fn main() {}
