//! Two companies to begin with, from `seed.json`: its week, that of 5 January 2026, becomes the week of the first start. Keys count
//! from 1, as they do in an empty database.

use chrono_tz::Europe::Berlin;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde::Deserialize;

use crate::{
    Booking, Company, Equipment, Location, Member, NewBooking, NewCompany, NewEquipment, NewLocation, NewMember,
    NewParticipant, NewRoom, NewRoomEquipment, NewSeries, Participant, Room, RoomEquipment, Series,
};

#[derive(Clone, Deserialize)]
struct Seed {
    password: String,
    /// Logins, with a role of the whole service or none.
    users: Vec<(String, Option<String>)>,
    companies: Vec<NewCompany>,
    members: Vec<NewMember>,
    locations: Vec<NewLocation>,
    rooms: Vec<NewRoom>,
    equipment: Vec<NewEquipment>,
    room_equipment: Vec<NewRoomEquipment>,
    bookings: Vec<NewBooking>,
    participants: Vec<NewParticipant>,
    series: Vec<NewSeries>,
}

/// Fills an empty database.
///
/// # Errors
/// When the database fails.
pub async fn fill_if_empty(app: &App) -> Result<()> {
    if app.store::<Company>().count(Select::all()).await? > 0 {
        return Ok(());
    }
    let seed: serde_json::Result<Seed> = serde_json::from_str(include_str!("../seed.json"));
    let seed = seed.map_err(|error| Error::Setup(format!("seed.json: {error}")))?;
    let hash = app.users()?.hash_password(&seed.password).await?;
    let now = app.now();
    app.transaction(async |tx| fill(tx, seed, &hash, now).await).await
}

async fn fill(tx: &Tx<'_>, mut seed: Seed, hash: &str, now: DateTime<Utc>) -> Result<()> {
    for (name, role) in seed.users {
        tx.users()?.create_hashed(&name, hash).roles(role).await?;
    }
    let times = seed.bookings.iter_mut().map(|new| (&mut new.starts_at, &mut new.ends_at));
    for (start, end) in times.chain(seed.series.iter_mut().map(|new| (&mut new.starts_at, &mut new.ends_at))) {
        (*start, *end) = (this_week(*start, now), this_week(*end, now));
    }
    add(tx.store::<Company>(), seed.companies).await?;
    add(tx.store::<Member>().across_tenants(), seed.members).await?;
    add(tx.store::<Location>().across_tenants(), seed.locations).await?;
    add(tx.store::<Room>().across_tenants(), seed.rooms).await?;
    add(tx.store::<Equipment>().across_tenants(), seed.equipment).await?;
    add(tx.store::<RoomEquipment>().across_tenants(), seed.room_equipment).await?;
    add(tx.store::<Booking>().across_tenants(), seed.bookings).await?;
    add(tx.store::<Participant>().across_tenants(), seed.participants).await?;
    add(tx.store::<Series>().across_tenants(), seed.series).await
}

async fn add<R: Writable>(store: Store<R>, new: Vec<R::New>) -> Result<()> {
    for new in new {
        store.create(new).await?;
    }
    Ok(())
}

/// The same day and time of the week of `now`.
fn this_week(time: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    let local = time.with_timezone(&Berlin).naive_local();
    let monday = NaiveDate::from_ymd_opt(2026, 1, 5).unwrap_or_default();
    let weeks = (now.date_naive() - monday).num_days().div_euclid(7);
    let shifted = (local + TimeDelta::weeks(weeks)).and_local_timezone(Berlin);
    shifted.earliest().map_or(time, |shifted| shifted.to_utc())
}
