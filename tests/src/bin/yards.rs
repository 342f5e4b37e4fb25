//! A service that is sharded by tenant, and its migrations: `yards apply migrations`. For tests that need a separate process.
//!
//! A yard is a tenant. Its boats have repairs; each takes a number of the yard, and a job marks it as invoiced.

use std::env;
use std::time::Duration;

use crud_runtime::auth::Auth;
use crud_runtime::hooks::HookContext;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use serde::{Deserialize, Serialize};
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor};

#[derive(Debug, Clone, Resource)]
#[crud(audit)]
struct Yard {
    id: i64,
    #[crud(length(max = 40))]
    name: String,
}

/// A type of boats, which all yards share.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name))]
struct Class {
    id: i64,
    #[crud(unique, length(max = 40))]
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, audit, idempotency, batch, soft_delete, export)]
struct Boat {
    id: i64,
    #[crud(tenant(except(role("support"))), references(Yard))]
    yard_id: i64,
    #[crud(unique, length(max = 60))]
    name: String,
    length: f64,
    #[crud(references(Class, unconstrained))]
    class_id: Option<i64>,
    launched: Option<DateTime<Utc>>,
    notes: Option<String>,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, audit, hooks(before(number), after(invoice)))]
struct Repair {
    id: Uuid,
    #[crud(tenant, references(Yard))]
    yard_id: i64,
    #[crud(references(Boat))]
    boat_id: i64,
    #[crud(length(max = 200))]
    text: String,
    #[crud(default = 0)]
    hours: i32,
    #[crud(read_only, default = 0)]
    number: i64,
    #[crud(read_only, default = false)]
    invoiced: bool,
}

/// The hours of each boat.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort,
    view(
        "SELECT b.id AS id, b.yard_id AS yard_id, b.name AS name, \
         (SELECT count(*) FROM repairs r WHERE r.boat_id = b.id AND r.yard_id = b.yard_id) AS repairs FROM boats b",
        reads(Boat, Repair)
    )
)]
struct BoatRepairs {
    id: i64,
    #[crud(tenant)]
    yard_id: i64,
    name: String,
    repairs: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Invoice {
    yard: i64,
    repair: Uuid,
}

impl Job for Invoice {
    const KIND: &'static str = "invoice";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let repairs = app.store::<Repair>().tenant(self.yard);
        repairs.update(self.repair, RepairPatch::default().invoiced(true)).await?;
        Ok(())
    }
}

async fn number(changeset: &mut Changeset<'_, Repair>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    if changeset.previous().is_none() {
        let number = ctx.next_number("repair", 2026).await?;
        changeset.set(Repair::FIELDS.number, number);
    }
    Ok(())
}

async fn invoice(change: &Changed<'_, Repair>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let repair = change.record();
    if change.previous().is_none() {
        ctx.enqueue(Invoice { yard: repair.yard_id, repair: repair.id }).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["sql", url, statement] = arguments[..] {
        return sql(url, statement).await;
    }
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let auth = Auth::builder().tenant_claim("yard").build()?;
    let service = Service::connect(&variable("DATABASE_URL")).await?.shard_by_tenant().auth(auth);
    let service = service.resource::<Yard>().resource::<Class>().resource::<Boat>().resource::<Repair>();
    let service = service.resource::<BoatRepairs>().job::<Invoice>();
    let service = service.limits(|limits| limits.job_timeout(Duration::from_secs(10)));
    match arguments[..] {
        [] => {
            let service = match variable("MIGRATIONS") {
                directory if directory.is_empty() => service,
                directory => service.migrations_from(directory),
            };
            let service = service.migrate().await?;
            service.users().create_first("admin", "a password of the tests", ["admin"]).await?;
            service.serve(variable("BIND")).await
        }
        ["diff", directory] => {
            if let Some(written) = service.migrations().write(directory).await? {
                println!("{written:?}");
            }
            Ok(())
        }
        ["apply", directory] => {
            service.migrations().apply(directory).await?.iter().for_each(|name| println!("Applied: {name}"));
            Ok(())
        }
        ["boats", yard] => {
            let boats = service.app().store::<Boat>();
            let of_yard = boats.tenant(yard.parse::<i64>().expect("a number")).list(Boat::FIELDS.length.desc()).await?;
            let in_transaction = service
                .app()
                .transaction(async |tx| tx.store::<Boat>().across_tenants().list(Boat::FIELDS.id.asc()).await)
                .await?;
            println!("{} {}", of_yard.len(), in_transaction.len());
            Ok(())
        }
        ["revert", directory] => service.migrations().revert(directory).await.map(drop),
        ["status", directory] => {
            let status = service.migrations().status(directory).await?;
            println!("{status}");
            Ok(status.check()?)
        }
        _ => panic!("expected `diff`, `apply`, `revert` or `status`, and a directory; or `boats`, and a yard"),
    }
}

/// Runs a statement in the database of a URL, such as one shard.
async fn sql(url: &str, statement: &str) -> crud_runtime::Result<()> {
    let options: MySqlConnectOptions = url.parse().expect("a URL");
    let mut connection = options.pipes_as_concat(false).connect().await.expect("a connection");
    connection.execute(AssertSqlSafe(statement.to_owned())).await.expect("the statement runs");
    Ok(())
}
