//! Bookings: parts that are taken from stock, with a line and a job for each booking, in one transaction.

use crud_runtime::action::{Action, Created, Ctx, Locked, Valid};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::{Job, Result};

/// A part on stock.
#[derive(Debug, Clone, Resource)]
#[crud(audit)]
pub struct Part {
    /// The key.
    pub id: i64,
    /// How many are there.
    #[crud(min = 0)]
    pub stock: i32,
}

/// Parts that a booking took from stock.
#[derive(Debug, Clone, Resource)]
#[crud(audit)]
pub struct Line {
    /// The key.
    pub id: i64,
    /// The part.
    #[crud(references = Part)]
    pub part_id: i64,
    /// How many were taken.
    #[crud(min = 1)]
    pub quantity: i32,
    /// The booking, as its sender names it.
    #[crud(unique, max_length = 40)]
    pub token: String,
}

/// A job of a booking has run.
#[derive(Debug, Clone, Resource)]
pub struct Run {
    /// The key.
    pub id: i64,
    /// The booking.
    #[crud(max_length = 40)]
    pub token: String,
}

/// A booking.
#[derive(Debug, Schema)]
struct Booking {
    #[crud(min = 1)]
    quantity: i32,
    #[crud(max_length = 40)]
    token: String,
    /// Whether it fails when everything is written.
    #[crud(default = false)]
    fails: bool,
}

async fn book(ctx: Ctx, part: Locked<Part>, booking: Valid<Booking>) -> Result<Created<Line>> {
    let Booking { quantity, token, fails } = booking.0;
    ctx.store::<Part>().update(part.id, PartPatch::default().add(Part::FIELDS.stock, -quantity)).await?;
    let line = NewLine { part_id: part.id, quantity, token: token.clone() };
    let line = ctx.store::<Line>().create(line).await?;
    ctx.tx()?.enqueue(Job::new("booked", &token)?).await?;
    if fails {
        return Err(Problem::new(Code::Conflict, "the booking fails").into());
    }
    Ok(Created(line))
}

async fn booked(token: String, app: App) -> Result<()> {
    app.store::<Run>().create(NewRun { token }).await.map(drop)
}

/// The service on a database.
pub fn bookings(service: Service) -> Service {
    let service = service.resource::<Part>().resource::<Line>().resource::<Run>().job("booked", booked);
    service.action::<Part>(Action::post("book").item().summary("Book parts").handler(book))
}
