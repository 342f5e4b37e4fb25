//! The screen at a room's door: the day of the room by a secret address, without names.

use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::Path;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::query::day_bounds;
use crud_runtime::routing::{Context, Locked, Query, Routes, Undescribed, get, post};
use serde_json::{Value, json};

use crate::calendar::Link;
use crate::room::RoomPatch;
use crate::{Booking, Room};

pub(crate) fn routes() -> Routes {
    let renew = post(renew).access(Access::Role("manager")).button("New address of the display");
    Routes::new()
        .route("/rooms/{id}/display", renew.summary("Make a new address of the room's display"))
        .route("/display/{key}/day", get(day).access(Access::Public).summary("Show the day of a room"))
}

async fn renew(ctx: Context, room: Locked<Room>) -> crud_runtime::Result<Json<Link>> {
    let key = Uuid::new_v4();
    ctx.store::<Room>().update(room.id, RoomPatch::default().display_key(key)).await?;
    Ok(Json(Link { url: format!("/display/{key}") }))
}

#[derive(Schema)]
struct On {
    /// A day of the location's calendar; today without it.
    on: Option<NaiveDate>,
}

async fn day(ctx: Context, Path(key): Path<String>, on: Query<On>) -> crud_runtime::Result<Undescribed<Json<Value>>> {
    let key: Uuid = key.parse().map_err(|_| Problem::of(Code::NotFound))?;
    let rooms = ctx.unscoped_store::<Room>().across_tenants();
    let found = rooms.list_with(Room::FIELDS.display_key.eq(key), Room::FIELDS.location).await?;
    let Some((room, Some(location))) = found.into_iter().next() else { return Err(Problem::of(Code::NotFound).into()) };
    let zone = location.time_zone.tz();
    let day = on.on.unwrap_or_else(|| ctx.now().with_timezone(&zone).date_naive());
    let (fields, (start, end)) = (Booking::FIELDS, day_bounds(day, &zone));
    let taken = fields.room_id.eq(room.id).and(fields.status.is_in(Booking::HOLDING));
    let taken = taken.and(fields.starts_at.lt(end)).and(fields.ends_at.gt(start));
    let bookings = ctx.unscoped_store::<Booking>().across_tenants();
    let bookings = bookings.list(taken.order_by(fields.starts_at.asc())).await?;
    let slot =
        |it: &Booking| json!({ "starts_at": it.starts_at, "ends_at": it.ends_at, "status": it.status.to_string() });
    Ok(Undescribed(Json(json!({
        "room": room.name,
        "location": location.name,
        "time_zone": location.time_zone,
        "day": day,
        "now": ctx.now(),
        "bookings": bookings.iter().map(slot).collect::<Vec<_>>(),
    }))))
}
