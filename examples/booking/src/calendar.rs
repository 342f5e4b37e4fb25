//! The calendar of a member, which programs such as Thunderbird subscribe to by a secret link.

use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::Path;
use crud_runtime::axum::http::header::{CONTENT_TYPE, HeaderName};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Routes, Undescribed, get, post};
use icalendar::{Calendar, Component, Event, EventLike, EventStatus};
use serde::Serialize;

use crate::member::{MemberPatch, user};
use crate::{Booking, Member, Participant, Room, Status};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/calendar", post(link).access(Access::Role("guest")).summary("Make a new link to the own calendar"))
        .route("/calendar/{file}", get(feed).access(Access::Public).summary("Subscribe to a member's calendar"))
}

/// A secret link, which takes the place of the former one.
#[derive(Serialize, Schema)]
pub(crate) struct Link {
    pub(crate) url: String,
}

async fn link(ctx: Context) -> crud_runtime::Result<Json<Link>> {
    let own = Member::FIELDS.user_id.eq(ctx.principal().and_then(user).unwrap_or_default());
    let key = Uuid::new_v4();
    ctx.unscoped_store::<Member>().update_where(own, MemberPatch::default().calendar_key(key)).await?;
    Ok(Json(Link { url: format!("/calendar/{key}.ics") }))
}

async fn feed(
    ctx: Context,
    Path(file): Path<String>,
) -> crud_runtime::Result<Undescribed<([(HeaderName, &'static str); 1], String)>> {
    let key = file.strip_suffix(".ics").and_then(|key| key.parse::<Uuid>().ok());
    let members = ctx.unscoped_store::<Member>().across_tenants();
    let member = members.first(Member::FIELDS.calendar_key.eq(key)).await?.filter(|_| key.is_some());
    let member = member.ok_or_else(|| Problem::of(Code::NotFound))?;
    let fields = Booking::FIELDS;
    let invited = fields.participants.any(Participant::FIELDS.member_id.eq(member.id));
    let shown = fields.member_id.eq(member.id).or(invited);
    let shown = shown.and(fields.status.is_in(Booking::HOLDING));
    let shown = shown.and(fields.ends_at.gt(ctx.now() - TimeDelta::days(30)));
    let bookings = ctx.unscoped_store::<Booking>().across_tenants();
    let bookings = bookings.list_with(shown.order_by(fields.starts_at.asc()).limit(1_000), fields.room).await?;
    let events = bookings.iter().map(|(booking, room)| event(booking, room.as_ref()));
    let mut calendar = Calendar::new();
    calendar.name("Bookings").extend(events);
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
