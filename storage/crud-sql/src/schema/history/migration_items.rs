//! [`migration_items`]: the items of [`Migrations`](crate::storage::migrations::Migrations) over a driver.

/// The items of [`Migrations`](crate::storage::migrations::Migrations), over a driver. `read` and `write` are the methods that
/// return a connection for comparisons and for scripts, `end` returns the latter to its pool or closes it, with the result of
/// its script.
macro_rules! migration_items {
    ($driver:ty, read: $read:ident, write: $write:ident, end: $end:expr) => {
        fn diff<'a>(
            &'a self,
            resources: &'a [&'static Descriptor],
        ) -> BoxFuture<'a, Result<Vec<Difference>, MigrateError>> {
            Box::pin(async move {
                let found = $crate::schema::planner::differences::<$driver>(&mut *self.$read().await?, resources).await;
                Ok(found.map_err(<$driver>::general)?)
            })
        }

        fn script<'a>(
            &'a self,
            resources: &'a [&'static Descriptor],
            sizes: Option<&'a [(&'static str, u64)]>,
        ) -> BoxFuture<'a, Result<Script, MigrateError>> {
            Box::pin(async move {
                let sizes = $crate::schema::planner::size::Sizes(sizes);
                let script =
                    $crate::schema::planner::script::<$driver>(&mut *self.$read().await?, resources, sizes).await;
                Ok(script.map_err(<$driver>::general)?)
            })
        }

        fn present<'a>(
            &'a self,
            resources: &'a [&'static Descriptor],
        ) -> BoxFuture<'a, Result<Vec<Step>, MigrateError>> {
            Box::pin(async move {
                let steps =
                    $crate::schema::planner::baseline::present::<$driver>(&mut *self.$read().await?, resources).await;
                Ok(steps.map_err(<$driver>::general)?)
            })
        }

        fn applied<'a>(&'a self, versions: &'a [i64]) -> BoxFuture<'a, Result<Vec<AppliedMigration>, MigrateError>> {
            Box::pin(async move {
                $crate::schema::history::applied::applied::<$driver>(&mut *self.$read().await?, versions).await
            })
        }

        fn records<'a>(
            &'a self,
            table: &'a str,
            column: Option<&'a str>,
        ) -> BoxFuture<'a, Result<Option<u64>, MigrateError>> {
            Box::pin(async move {
                $crate::schema::history::records::<$driver>(&mut *self.$read().await?, table, column).await
            })
        }

        fn apply<'a>(&'a self, migrations: &'a [MigrationFile]) -> BoxFuture<'a, Result<(), MigrateError>> {
            Box::pin(async move {
                let mut writer = self.$write().await?;
                let applied = $crate::schema::history::apply::<$driver>(&mut writer, migrations).await;
                $end(writer, applied).await
            })
        }

        fn revert<'a>(&'a self, down: &'a MigrationFile) -> BoxFuture<'a, Result<(), MigrateError>> {
            Box::pin(async move {
                let mut writer = self.$write().await?;
                let reverted = $crate::schema::history::revert::<$driver>(&mut writer, down).await;
                $end(writer, reverted).await
            })
        }

        fn begin_data<'a>(
            &'a self,
            file: &'a MigrationFile,
            direction: Direction,
        ) -> BoxFuture<'a, Result<bool, MigrateError>> {
            Box::pin(async move {
                let mut writer = self.$write().await?;
                let begun = $crate::schema::history::data::begin::<$driver>(&mut writer, file, direction).await;
                $end(writer, begun).await
            })
        }

        fn end_data<'a>(
            &'a self,
            file: &'a MigrationFile,
            direction: Direction,
            start: Instant,
        ) -> BoxFuture<'a, Result<(), MigrateError>> {
            Box::pin(async move {
                let mut writer = self.$write().await?;
                let ended = $crate::schema::history::data::end::<$driver>(&mut writer, file, direction, start).await;
                $end(writer, ended).await
            })
        }
    };
}
pub(crate) use migration_items;
