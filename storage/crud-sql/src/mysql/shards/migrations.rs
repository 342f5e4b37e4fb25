//! Written migrations of sharded storage. Each file is applied in one place after the other, and recorded in the
//! history of each.

use std::time::{Duration, Instant};

use super::ShardedMySqlAdapter;
use super::places::Place;
use crate::model::descriptor::Descriptor;
use crate::mysql::MySqlAdapter;
use crate::storage::administration::Administration;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, Direction, Migrating, MigrationFile, Migrations, Script, Step};
use crate::storage::schema::Difference;

impl Migrations for ShardedMySqlAdapter {
    fn diff<'a>(&'a self, resources: &'a [&'static Descriptor]) -> Migrating<'a, Vec<Difference>> {
        Box::pin(self.differences(resources, diff_in))
    }

    /// The statements of the unsharded place and of the first shard.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] where the shards need different statements.
    fn script<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
        sizes: Option<&'a [(&'static str, u64)]>,
    ) -> Migrating<'a, Script> {
        Box::pin(async move {
            let mut script = self.script_in(self.main(), resources, sizes).await?;
            let mut of_shards: Option<(&Place, Script)> = None;
            for place in self.shards() {
                let found = self.script_in(place, resources, sizes).await?;
                match &of_shards {
                    Some((first, known)) => check_same(first, known, place, &found)?,
                    None => of_shards = Some((place, found)),
                }
            }
            script.steps.extend(of_shards.into_iter().flat_map(|(_, script)| script.steps));
            Ok(script)
        })
    }

    fn present<'a>(&'a self, resources: &'a [&'static Descriptor]) -> Migrating<'a, Vec<Step>> {
        Box::pin(async move {
            let mut all = Vec::new();
            for place in self.places.iter().take(2) {
                let own = self.resources_in(place, resources);
                all.extend(place.migrations(|storage| storage.present(&own)).await?);
            }
            Ok(all)
        })
    }

    /// A migration that some places lack is reported as incomplete, with the names of these places.
    fn applied<'a>(&'a self, versions: &'a [i64]) -> Migrating<'a, Vec<AppliedMigration>> {
        Box::pin(async move {
            let mut found = Vec::with_capacity(self.places.len());
            for place in &self.places {
                found.push((place, place.migrations(|storage| storage.applied(versions)).await?));
            }
            let mut all: Vec<AppliedMigration> = Vec::new();
            for one in found.iter().flat_map(|(_, applied)| applied) {
                if !all.iter().any(|known| known.version == one.version) {
                    all.push(combined(one, &found));
                }
            }
            all.sort_by_key(|one| one.version);
            Ok(all)
        })
    }

    fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> Migrating<'a, ()> {
        Box::pin(self.in_turn(Duration::MAX, async move {
            let main = self.main();
            let own = migrations.iter().map(|file| self.part_of(file, main)).collect::<Vec<_>>();
            main.migrations(|storage| storage.apply(&own)).await?;
            // Shards wait for a data migration, which the program runs by requests.
            let versions: Vec<i64> = migrations.iter().map(|file| file.version).collect();
            let applied = main.migrations(|storage| storage.applied(&versions)).await?;
            let is_applied =
                |file: &&MigrationFile| applied.iter().any(|one| one.version == file.version && one.complete);
            let files: Vec<&MigrationFile> = migrations.iter().take_while(is_applied).collect();
            for place in self.shards() {
                let own = files.iter().map(|file| self.part_of(file, place)).collect::<Vec<_>>();
                place.migrations(|storage| storage.apply(&own)).await?;
            }
            Ok(self.write_routes().await?)
        }))
    }

    /// The sum over all places.
    fn records<'a>(&'a self, table: &'a str, column: Option<&'a str>) -> Migrating<'a, Option<u64>> {
        Box::pin(async move {
            let mut sum = None;
            for place in &self.places {
                if let Some(found) = place.migrations(|storage| storage.records(table, column)).await? {
                    sum = Some(sum.unwrap_or(0) + found);
                }
            }
            Ok(sum)
        })
    }

    fn revert<'a>(&'a self, down: &'a MigrationFile) -> Migrating<'a, ()> {
        Box::pin(self.in_turn(Duration::MAX, async move {
            for place in self.places.iter().rev() {
                self.revert_in(place, down).await?;
            }
            Ok(())
        }))
    }

    fn begin_data<'a>(&'a self, file: &'a MigrationFile, direction: Direction) -> Migrating<'a, bool> {
        let begin = self.main().migrations(move |storage| storage.begin_data(file, direction));
        Box::pin(self.in_turn(Duration::MAX, begin))
    }

    /// Records the end in the unsharded place. The next [`apply`](Migrations::apply) records it in each shard.
    fn end_data<'a>(&'a self, file: &'a MigrationFile, direction: Direction, start: Instant) -> Migrating<'a, ()> {
        Box::pin(self.in_turn(Duration::MAX, async move {
            let shards = self.shards().iter().filter(|_| direction == Direction::Down);
            for place in shards {
                self.revert_in(place, file).await?;
            }
            self.main().migrations(|storage| storage.end_data(file, direction, start)).await
        }))
    }
}

impl ShardedMySqlAdapter {
    async fn script_in(
        &self,
        place: &Place,
        resources: &[&'static Descriptor],
        sizes: Option<&[(&'static str, u64)]>,
    ) -> Result<Script, MigrateError> {
        let own = self.resources_in(place, resources);
        place.migrations(|storage| storage.script(&own, sizes)).await
    }

    async fn revert_in(&self, place: &Place, down: &MigrationFile) -> Result<(), MigrateError> {
        let own = self.part_of(down, place);
        place.migrations(|storage| storage.revert(&own)).await
    }
}

fn diff_in<'c>(storage: &'c MySqlAdapter, resources: &'c [&'static Descriptor]) -> Migrating<'c, Vec<Difference>> {
    match storage.migrations() {
        Some(migrations) => migrations.diff(resources),
        None => Box::pin(std::future::ready(Err(MigrateError::Unsupported))),
    }
}

impl Place {
    /// Calls this place's migrations. An error names the place.
    async fn migrations<'a, T>(
        &'a self,
        call: impl FnOnce(&'a dyn Migrations) -> Migrating<'a, T>,
    ) -> Result<T, MigrateError> {
        let migrations = self.storage.migrations().ok_or(MigrateError::Unsupported)?;
        call(migrations).await.map_err(|error| self.explained(error))
    }
}

/// A migration, with what all places have recorded about it.
fn combined(one: &AppliedMigration, found: &[(&Place, Vec<AppliedMigration>)]) -> AppliedMigration {
    let mut combined = one.clone();
    for (place, applied) in found {
        match applied.iter().find(|other| other.version == one.version) {
            Some(other) => {
                combined.complete &= other.complete;
                if other.checksum != one.checksum {
                    // An empty checksum matches no file.
                    combined.checksum = Vec::new();
                }
            }
            None => combined.lacking.push(place.name.clone()),
        }
    }
    combined.complete &= combined.lacking.is_empty();
    combined
}

/// Checks that two shards need the same statements.
fn check_same(first: &Place, known: &Script, place: &Place, found: &Script) -> Result<(), MigrateError> {
    let texts = |script: &Script| script.steps.iter().map(|step| (step.table, step.up.clone())).collect::<Vec<_>>();
    let (known, found) = (texts(known), texts(found));
    if known == found {
        return Ok(());
    }
    let differing =
        known.iter().filter(|one| !found.contains(one)).chain(found.iter().filter(|one| !known.contains(one)));
    let mut tables: Vec<&str> = differing.map(|(table, _)| *table).collect();
    tables.dedup();
    let line = |table: &str| format!("table `{table}`: differs in the shards `{}` and `{}`", first.name, place.name);
    Err(MigrateError::Mismatch(tables.into_iter().map(line).collect()))
}
