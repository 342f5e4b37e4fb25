use crud_runtime::Error;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;

use crate::member::member_of;
use crate::{Comment, Member, Participant, Room, Series};

/// State of a booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum Status {
    Requested,
    Approved,
    /// Wants a time that another booking has.
    Waiting,
    Declined,
    Cancelled,
}

/// A booking of a room or a desk. Where the time is taken, it waits if `or_wait` says so.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(title(title), list(title, room_id, starts_at, ends_at, status, member_id), group = "Bookings"),
    filter(room_id, member_id, series_id, starts_at, ends_at, status, room::location_id, member::user_id),
    sort(starts_at, created_at),
    default_sort(starts_at),
    search(title),
    pagination(default_limit = 50, max_limit = 500),
    aggregate(group_by(room_id, status, starts_at), over(minutes)),
    has_many(participants(Participant::booking_id, nested), comments(Comment::booking_id, sort(created_at))),
    time_zone(room),
    exclusive(room_id, starts_at..ends_at, status = any(Requested, Approved)),
    audit,
    operations(except(delete)),
    access(write(role("member"))),
    scope(role("guest"), except(role("member")), any(participants::member::user_id(me))),
    scope(write, except(role("manager")), member::user_id(me)),
    hooks(before(complete), after(move_up))
)]
pub struct Booking {
    pub id: i64,
    #[crud(tenant)]
    pub company_id: i64,
    #[crud(references(Room, expand))]
    pub room_id: i64,
    /// The member whose booking it is; that of the request unless a manager names another.
    #[crud(references(Member, expand))]
    pub member_id: Option<i64>,
    #[crud(references(Series), read_only)]
    pub series_id: Option<i64>,
    #[crud(length(min = 1, max = 200))]
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    #[crud(read_only, default = 0)]
    pub minutes: i32,
    #[crud(
        default(Status::Requested),
        transitions(
            initial(Requested, Approved, Waiting),
            approve(any(Requested, Waiting), Approved, role("manager")),
            decline(any(Requested, Waiting), Declined, role("manager")),
            request(Waiting, Requested, role("manager")),
            cancel(any(Requested, Approved, Waiting), Cancelled)
        )
    )]
    pub status: Status,
    #[crud(default = false)]
    pub or_wait: bool,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
}

impl Booking {
    /// States in which a booking holds its time, so that no other booking can have it.
    pub const HOLDING: [Status; 2] = [Status::Requested, Status::Approved];
}

/// Sets the length, the member and the first state of a booking.
async fn complete(changeset: &mut Changeset<'_, Booking>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let fields = Booking::FIELDS;
    if let (Some(start), Some(end)) = (changeset.get(fields.starts_at), changeset.get(fields.ends_at)) {
        changeset.set(fields.minutes, i32::try_from((end - start).num_minutes()).unwrap_or(i32::MAX));
    }
    let (Operation::Create, Some(room)) = (changeset.operation(), changeset.get(fields.room_id)) else { return Ok(()) };
    let named = changeset.get(fields.member_id).flatten();
    if let (None, Some(user)) = (named, ctx.principal().and_then(Principal::user_id)) {
        changeset.set(fields.member_id, member_of(user, ctx).await?);
    }
    let waits = changeset.get(fields.or_wait).unwrap_or_default();
    changeset.set(fields.status, if waits { Status::Waiting } else { first_state(room, ctx).await? });
    Ok(())
}

/// The first state of a booking that holds its time: requested if a manager approves the room's bookings, else
/// approved.
async fn first_state(room: i64, ctx: &HookContext<'_>) -> Result<Status, Problem> {
    let room = ctx.as_program().store::<Room>().find(room).await?;
    Ok(if room.is_some_and(|room| room.needs_approval) { Status::Requested } else { Status::Approved })
}

/// Moves up waiting bookings for the time that a change has freed, the earliest first, unless another booking holds the
/// time.
async fn move_up(change: &Changed<'_, Booking>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let (fields, bookings) = (Booking::FIELDS, ctx.as_program().store::<Booking>());
    let time = change.previous().unwrap_or(change.record());
    let waiting = fields.room_id.eq(time.room_id).and(fields.status.eq(Status::Waiting));
    let waiting = waiting.and(fields.starts_at.lt(time.ends_at)).and(fields.ends_at.gt(time.starts_at.max(ctx.now())));
    for booking in bookings.list(waiting.order_by(fields.created_at.asc())).await? {
        let held = BookingPatch::default().status(first_state(booking.room_id, ctx).await?);
        match bookings.update(booking.id, held).await {
            Err(Error::Problem(problem)) if problem.code() == Code::Conflict => {}
            other => drop(other?),
        }
    }
    Ok(())
}
