use crud_runtime::prelude::*;

use crate::{Booking, Member};

/// A person who is invited to a booking, which is written with it.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(hide),
    filter(booking_id, member_id),
    pagination,
    operations(list, get),
    audit,
    unique(booking_id, member_id),
    index(member_id, booking_id),
    access(write(role("member"))),
    scope(role("guest"), except(role("member")), member::user_id(me))
)]
pub struct Participant {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(references(Booking, on_delete(cascade)))]
    pub booking_id: i64,
    #[crud(references(Member, expand, on_delete(cascade)))]
    pub member_id: i64,
}
