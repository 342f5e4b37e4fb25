//! Two companies to begin with, from `seed.json`: its week, that of 5 January 2026, becomes the week of the first start. Keys count
//! from 1, as they do in an empty database.

use chrono_tz::Europe::Berlin;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Booking, Company, Equipment, Location, Member, Participant, Room, RoomEquipment, Series};

/// Fills an empty database.
///
/// # Errors
/// When the database fails.
pub async fn fill_if_empty(app: &App) -> Result<()> {
    if app.store::<Company>().count(Select::all()).await? > 0 {
        return Ok(());
    }
    let seed: Value = serde_json::from_str(&in_this_week(app.now())).map_err(|error| wrong(&error))?;
    let hash = app.users()?.hash_password(seed["password"].as_str().unwrap_or_default()).await?;
    app.transaction(async |tx| fill(tx, &seed, &hash).await).await
}

async fn fill(tx: &Tx<'_>, seed: &Value, hash: &str) -> Result<()> {
    for (name, role) in read::<(String, Option<String>)>(&seed["users"])? {
        tx.users()?.create_hashed(&name, hash).roles(role).await?;
    }
    add(tx.store::<Company>(), &seed["companies"]).await?;
    add(tx.store::<Member>().across_tenants(), &seed["members"]).await?;
    add(tx.store::<Location>().across_tenants(), &seed["locations"]).await?;
    add(tx.store::<Room>().across_tenants(), &seed["rooms"]).await?;
    add(tx.store::<Equipment>().across_tenants(), &seed["equipment"]).await?;
    add(tx.store::<RoomEquipment>().across_tenants(), &seed["room_equipment"]).await?;
    add(tx.store::<Booking>().across_tenants(), &seed["bookings"]).await?;
    add(tx.store::<Participant>().across_tenants(), &seed["participants"]).await?;
    add(tx.store::<Series>().across_tenants(), &seed["series"]).await
}

async fn add<R: Writable<New: DeserializeOwned>>(store: Store<R>, records: &Value) -> Result<()> {
    for new in read(records)? {
        store.create(new).await?;
    }
    Ok(())
}

fn read<T: DeserializeOwned>(records: &Value) -> Result<Vec<T>> {
    serde_json::from_value(records.clone()).map_err(|error| wrong(&error))
}

fn wrong(error: &serde_json::Error) -> Error {
    Error::Setup(format!("seed.json: {error}"))
}

/// The text of `seed.json`, moved to the week of `now` and its UTC offset.
fn in_this_week(now: DateTime<Utc>) -> String {
    let now = now.with_timezone(&Berlin);
    let monday = now.date_naive() - TimeDelta::days(now.weekday().num_days_from_monday().into());
    let seed = include_str!("../seed.json").replace("+01:00", &now.format("%:z").to_string());
    (0..7).fold(seed, |seed, day| {
        seed.replace(&format!("2026-01-{:02}", 5 + day), &(monday + TimeDelta::days(day)).to_string())
    })
}
