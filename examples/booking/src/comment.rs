use crud_runtime::prelude::*;

use crate::Booking;

/// A comment on a booking. Its author can change it for a quarter of an hour.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(group = "Bookings"),
    filter(booking_id, author_id),
    sort(created_at),
    default_sort(created_at),
    pagination,
    audit,
    access(all(role("member"))),
    scope(write, author_id(me), within(created_at, "15m"))
)]
pub struct Comment {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(references(Booking))]
    pub booking_id: i64,
    #[crud(references(users))]
    pub author_id: i64,
    #[crud(length(min = 1, max = 2_000))]
    pub text: String,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}
