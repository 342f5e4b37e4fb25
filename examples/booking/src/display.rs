//! The screen at a room's door: the day of the room by a secret address, without names.

use crud_runtime::prelude::*;
use crud_runtime::routing::prelude::*;
use serde_json::{Value, json};

use crate::calendar::Link;
use crate::{Booking, Location, Room, RoomPatch};

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

async fn day(ctx: Context, Path(key): Path<Uuid>, on: Query<On>) -> crud_runtime::Result<Undescribed<Json<Value>>> {
    let rooms = ctx.unscoped_store::<Room>().across_tenants();
    let room = rooms.get_where(Room::FIELDS.display_key.eq(key)).await?;
    let location = ctx.unscoped_store::<Location>().across_tenants().get(room.location_id).await?;
    let day = on.on.unwrap_or_else(|| location.time_zone.date(ctx.now()));
    let (fields, (start, end)) = (Booking::FIELDS, location.time_zone.day(day));
    let taken = fields.room_id.eq(room.id).and(fields.status.is_in(Booking::HOLDING));
    let taken = taken.and(fields.starts_at.lt(end)).and(fields.ends_at.gt(start));
    let bookings = ctx.unscoped_store::<Booking>().across_tenants();
    let bookings = bookings.list(taken.order_by(fields.starts_at.asc())).await?;
    let times = |it: &Booking| json!({ "starts_at": it.starts_at, "ends_at": it.ends_at });
    let bookings: Vec<Value> = bookings.iter().map(times).collect();
    Ok(Undescribed(Json(json!({
        "room": room.name, "location": location.name, "time_zone": location.time_zone,
        "day": day, "now": ctx.now(), "bookings": bookings,
    }))))
}
