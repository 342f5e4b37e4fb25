//! [`migration_items`]: the items of [`Migrations`](crate::storage::migrations::Migrations) over a driver.

use std::future::{Ready, ready};

/// Result of a call whose connection returns to its pool by itself.
pub(crate) fn returned<C, T>(_: C, result: T) -> Ready<T> {
    ready(result)
}

/// The items of [`Migrations`](crate::storage::migrations::Migrations), over a driver. `read` and `write` are the methods that
/// return a connection for comparisons and for scripts, `end` returns the latter to its pool or closes it, with the result of
/// its script.
macro_rules! migration_items {
    ($driver:ty, read: $read:ident, write: $write:ident, end: $end:expr) => {
        migration_items! { @plan $driver, $read,
            diff(resources: &'a [&'static $crate::model::descriptor::Descriptor])
                -> Vec<$crate::storage::schema::Difference> = differences;
            script(resources: &'a [&'static $crate::model::descriptor::Descriptor], sizes: Option<&'a [(&'static str, u64)]>)
                -> $crate::storage::migrations::Script = script;
            present(resources: &'a [&'static $crate::model::descriptor::Descriptor])
                -> Vec<$crate::storage::migrations::Step> = baseline::present;
        }
        migration_items! { @history $driver, $read, $crate::schema::history::migration_items::returned,
            applied(versions: &'a [i64]) -> Vec<$crate::storage::migrations::AppliedMigration>;
            records(table: &'a str, column: Option<&'a str>) -> Option<u64>;
        }
        migration_items! { @history $driver, $write, $end,
            apply(migrations: &'a [$crate::storage::migrations::MigrationFile]) -> ();
            revert(down: &'a $crate::storage::migrations::MigrationFile) -> ();
            begin_data(file: &'a $crate::storage::migrations::MigrationFile,
                direction: $crate::storage::migrations::Direction) -> bool;
            end_data(file: &'a $crate::storage::migrations::MigrationFile,
                direction: $crate::storage::migrations::Direction, start: std::time::Instant) -> ();
        }
    };
    (@plan $driver:ty, $read:ident,
        $($name:ident($($argument:ident: $type:ty),+) -> $result:ty = $($run:ident)::+;)+) => {$(
        fn $name<'a>(&'a self, $($argument: $type),+) -> $crate::storage::migrations::Migrating<'a, $result> {
            Box::pin(async move {
                let mut reader = self.$read().await?;
                let found = $crate::schema::planner::$($run)::+::<$driver>(&mut reader, $($argument),+).await;
                Ok(found.map_err(<$driver as $crate::driver::Execution>::general)?)
            })
        }
    )+};
    (@history $driver:ty, $open:ident, $end:expr,
        $($name:ident($($argument:ident: $type:ty),+) -> $result:ty;)+) => {$(
        fn $name<'a>(&'a self, $($argument: $type),+) -> $crate::storage::migrations::Migrating<'a, $result> {
            Box::pin(async move {
                let mut connection = self.$open().await?;
                let result = $crate::schema::history::History::<$driver>(&mut connection).$name($($argument),+).await;
                $end(connection, result).await
            })
        }
    )+};
}
pub(crate) use migration_items;
