use crud_runtime::prelude::*;

use crate::Room;

/// A report of a room's sensor, whose key may do nothing else.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(group = "Places", read_only),
    filter(room_id, created_at),
    sort(created_at),
    default_sort(desc(created_at)),
    pagination,
    aggregate(group_by(room_id, created_at), over(people, celsius)),
    operations(list, get, create),
    access(read(role("member")), create(role("sensor")))
)]
pub struct Reading {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(references(Room, any))]
    pub room_id: i64,
    #[crud(range(min = 0, max = 10_000))]
    pub people: i32,
    pub celsius: Option<f64>,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}
