//! The calendar of a member, which programs such as Thunderbird subscribe to by a secret link.

use crud_runtime::axum::http::header::CONTENT_TYPE;
use crud_runtime::axum::response::IntoResponse;
use crud_runtime::prelude::*;
use crud_runtime::routing::prelude::*;
use icalendar::{Calendar, Component, Event, EventLike, EventStatus};
use serde::Serialize;

use crate::{Booking, Member, MemberPatch, Participant, Room, Status};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/calendar", post(link).access(Access::Role("guest")).summary("Make a new link to the own calendar"))
        .route("/calendar/{key}/bookings.ics", get(feed).access(Access::Public).summary("Subscribe to a calendar"))
}

/// A secret link, which takes the place of the former one.
#[derive(Serialize, Schema)]
pub(crate) struct Link {
    pub(crate) url: String,
}

async fn link(ctx: Context) -> crud_runtime::Result<Json<Link>> {
    let own = Member::FIELDS.user_id.eq(ctx.principal().and_then(Principal::user_id).unwrap_or_default());
    let key = Uuid::new_v4();
    ctx.unscoped_store::<Member>().update_where(own, MemberPatch::default().calendar_key(key)).await?;
    Ok(Json(Link { url: format!("/calendar/{key}/bookings.ics") }))
}

async fn feed(ctx: Context, Path(key): Path<Uuid>) -> crud_runtime::Result<Undescribed<impl IntoResponse>> {
    let members = ctx.unscoped_store::<Member>().across_tenants();
    let member = members.get_where(Member::FIELDS.calendar_key.eq(key)).await?;
    let fields = Booking::FIELDS;
    let invited = fields.participants.any(Participant::FIELDS.member_id.eq(member.id));
    let shown = fields.member_id.eq(member.id).or(invited).and(fields.status.is_in(Booking::HOLDING));
    let shown = shown.and(fields.ends_at.gt(ctx.now() - TimeDelta::days(30)));
    let bookings = ctx.unscoped_store::<Booking>().across_tenants();
    let bookings = bookings.list_with(shown.order_by(fields.starts_at.asc()).limit(1_000), fields.room).await?;
    let mut calendar = Calendar::new();
    calendar.name("Bookings").extend(bookings.iter().map(|(booking, room)| event(booking, room.as_ref())));
    Ok(Undescribed(([(CONTENT_TYPE, "text/calendar; charset=utf-8")], calendar.to_string())))
}

fn event(booking: &Booking, room: Option<&Room>) -> Event {
    let status = if booking.status == Status::Approved { EventStatus::Confirmed } else { EventStatus::Tentative };
    Event::with_uid(&format!("booking-{}@booking", booking.id))
        .summary(&booking.title)
        .location(room.map_or("", |room| &room.name))
        .starts(booking.starts_at)
        .ends(booking.ends_at)
        .timestamp(booking.updated_at)
        .status(status)
        .done()
}
