//! Records of data migrations, which the program itself runs in batches, each one transaction with the
//! progress. The record in the history says that one has begun, and in which direction; the progress is reset with it.

use std::time::Instant;

use super::run::interrupted;
use super::{History, check_order, record};
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, MigrationFile, PROGRESS_TABLE};

impl<D: MigrationDriver> History<'_, D> {
    /// Records the begin of a data migration, unless it is recorded; whether it is to run.
    pub(crate) async fn begin_data(
        &mut self,
        file: &MigrationFile,
        direction: Direction,
    ) -> Result<bool, MigrateError> {
        self.open(&[file.version]).await?;
        self.run(D::CREATE_HISTORY.to_owned()).await?;
        self.begin().await?;
        let begun = self.begin_within(file, direction).await;
        self.finish(begun).await
    }

    async fn begin_within(&mut self, file: &MigrationFile, direction: Direction) -> Result<bool, MigrateError> {
        let applied = self.applied(&[]).await?;
        let recorded = applied.iter().find(|one| one.version == file.version);
        match (recorded, direction) {
            (Some(one), Direction::Up) if one.checksum != file.checksum => {
                return Err(MigrateError::Changed(vec![file.name.clone()]));
            }
            (Some(one), _) if !one.complete => {
                let recorded = self.number("SELECT execution_time", file).await?;
                // It is to have begun in this direction.
                let progress = recorded.and_then(|number| record::progress(direction, number));
                return progress.map(|_| true).ok_or_else(|| interrupted(file));
            }
            // Another process was faster.
            (Some(_), Direction::Up) | (None, Direction::Down) => return Ok(false),
            (Some(_), Direction::Down) => {}
            (None, Direction::Up) => check_order(file, std::slice::from_ref(file), &applied)?,
        }
        let (version, name) = (file.version, direction.as_str());
        for statement in [
            format!("DELETE FROM {PROGRESS_TABLE} WHERE id = '{version}'"),
            format!(
                "INSERT INTO {PROGRESS_TABLE} (id, direction, done, finished) VALUES ('{version}', '{name}', 0, false)"
            ),
            record::begun::<D>(direction, file),
        ] {
            self.run(statement).await?;
        }
        Ok(true)
    }

    /// Records the end of a data migration, unless it is recorded.
    pub(crate) async fn end_data(
        &mut self,
        file: &MigrationFile,
        direction: Direction,
        start: Instant,
    ) -> Result<(), MigrateError> {
        self.lock().await?;
        self.begin().await?;
        let ended: Result<(), MigrateError> = async {
            match (self.number("SELECT execution_time", file).await?, direction) {
                // Another process was faster. What is complete has a time.
                (Some(0..), Direction::Up) | (None, Direction::Down) => Ok(()),
                (Some(number), _) if record::progress(direction, number).is_some() => {
                    self.run(record::ended::<D>(direction, file, start, true)).await
                }
                _ => Err(interrupted(file)),
            }
        }
        .await;
        self.finish(ended).await
    }
}
