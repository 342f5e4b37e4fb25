use crud_runtime::column::TimeZone;
use crud_runtime::error::FieldError;
use crud_runtime::prelude::*;
use rrule::{RRule, RRuleError, Unvalidated};

use crate::booking::BookingPatch;
use crate::member::member_of;
use crate::{Booking, Location, NewBooking, Room, Status};

/// Largest number of bookings of a series.
const MOST: u16 = 100;

/// Bookings that recur by a rule of iCalendar (RFC 5545), such as `FREQ=WEEKLY;COUNT=10`, at the same hour of the location's clock.
/// All of them are made with it, or none.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(title(title), group = "Bookings"),
    filter(room_id, user_id),
    sort(starts_at),
    pagination,
    audit,
    soft_delete,
    operations(list, get, create, delete, history),
    access(all(role("member"))),
    scope(write, except(role("manager")), user_id(me)),
    hooks(after(book))
)]
pub struct Series {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(references(Room, expand))]
    pub room_id: i64,
    #[crud(references(users))]
    pub user_id: i64,
    #[crud(length(min = 1, max = 200))]
    pub title: String,
    /// The first time.
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    #[crud(length(max = 200))]
    pub rule: String,
    pub deleted_at: Option<DateTime<Utc>>,
}

/// The times of a rule, by a location's clock.
fn times(rule: &str, first: DateTime<Utc>, zone: TimeZone) -> Result<Vec<DateTime<Utc>>, String> {
    let rule = rule.parse::<RRule<Unvalidated>>().and_then(|rule| rule.build(first.with_timezone(&zone.tz().into())));
    let found = rule.map_err(|error: RRuleError| error.to_string())?.all(MOST);
    if found.limited {
        return Err(format!("has more than {MOST} times: add `COUNT` or `UNTIL`"));
    }
    Ok(found.dates.into_iter().map(|time| time.to_utc()).collect())
}

async fn zone_of(room: i64, ctx: &HookContext<'_>) -> Result<TimeZone, Problem> {
    let program = ctx.as_program();
    let room = program.store::<Room>().get(room).await?;
    Ok(program.store::<Location>().get(room.location_id).await?.time_zone)
}

/// Creates the bookings of a new series, and cancels the future bookings of a deleted one.
async fn book(change: &Changed<'_, Series>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let (series, bookings) = (change.record(), ctx.as_program().store::<Booking>());
    if change.previous().is_some() {
        let ahead = Booking::FIELDS.series_id.eq(series.id).and(Booking::FIELDS.starts_at.gt(ctx.now()));
        let ahead = ahead.and(Booking::FIELDS.status.is_in([Status::Requested, Status::Approved, Status::Waiting]));
        return Ok(bookings.update_where(ahead, BookingPatch::default().status(Status::Cancelled)).await.map(drop)?);
    }
    let member_id = member_of(series.user_id, ctx).await?;
    let times = times(&series.rule, series.starts_at, zone_of(series.room_id, ctx).await?);
    for starts_at in times.map_err(|detail| Problem::validation([FieldError::field("rule", "rule", detail)]))? {
        let ends_at = starts_at + (series.ends_at - series.starts_at);
        let new = NewBooking::new(series.room_id, series.title.clone(), starts_at, ends_at);
        bookings.create(NewBooking { member_id, series_id: Some(series.id), ..new }).await?;
    }
    Ok(())
}
