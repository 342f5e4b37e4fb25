//! Applies the migrations of a directory, or reverts the last one, as `migrator`, with a data migration that counts its
//! visits of each record. For tests that kill it.

use std::env;
use std::time::Duration;

use crud_runtime::migrations::{DataMigration, MigrationState};
use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(table = "people")]
struct Person {
    id: i64,
    visits: i64,
}

async fn count(people: Vec<Person>, tx: Tx<'static>, by: i64) -> crud_runtime::Result<()> {
    let (Some(first), Some(last)) = (people.first(), people.last()) else { return Ok(()) };
    let batch = Person::FIELDS.id.gte(first.id).and(Person::FIELDS.id.lte(last.id));
    let patch = PersonPatch::default().add(Person::FIELDS.visits, by);
    tx.store::<Person>().update_where(batch, patch).await.map(drop)
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let visits = DataMigration::batches("visits", |people, tx| count(people, tx, 1))
        .down_batches(|people, tx| count(people, tx, -1))
        .batch_size(100)
        .pause(Duration::ZERO);
    let service = Service::connect(&env::var("DATABASE_URL").unwrap_or_default()).await?.data_migration(visits);
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["apply", directory] => service.migrations().apply(directory).await.map(drop),
        ["revert", directory] => {
            // The one before is not this program's: another process may have reverted the data migration.
            let status = service.migrations().status(directory).await?;
            let is_there = status.iter().any(|one| one.name.contains("visits") && one.state != MigrationState::Pending);
            if is_there { service.migrations().revert(directory).await.map(drop) } else { Ok(()) }
        }
        _ => panic!("expected `apply` or `revert`, and a directory"),
    }
}
