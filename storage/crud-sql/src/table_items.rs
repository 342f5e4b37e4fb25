//! [`table_items`]: what drivers have in common about errors and tables.

/// The items of a [`Driver`](super::driver::Driver) that translate its errors, and read and create its tables: calls of its
/// modules `error`, `inspect`, `facts`, `view_reads` and `tables`, with the generic arguments that functions about tables have.
macro_rules! table_items {
    ($($driver:tt)*) => {
        fn translate(resource: &'static Descriptor, error: Self::Error) -> AdapterError {
            error::translate(resource, error)
        }

        fn translate_delete(error: Self::Error) -> AdapterError {
            error::translate_delete(error)
        }

        fn translate_commit(error: Self::Error) -> AdapterError {
            error::translate_commit(error)
        }

        fn general(error: Self::Error) -> AdapterError {
            error::general(error)
        }

        fn described<'a>(
            connection: &'a mut Self::Connection,
            names: Vec<&'a str>,
        ) -> Driven<'a, Vec<Option<Table>>, Self> {
            Box::pin(inspect::described$($driver)*(connection, names))
        }

        fn facts<'a>(
            connection: &'a mut Self::Connection,
            tables: Vec<&'static str>,
        ) -> Driven<'a, Vec<TableFacts>, Self> {
            Box::pin(facts::facts$($driver)*(connection, tables))
        }

        fn tables(connection: &mut Self::Connection) -> Driven<'_, Vec<TableName>, Self> {
            Box::pin(inspect::tables$($driver)*(connection))
        }

        fn views<'a>(
            connection: &'a mut Self::Connection,
            names: Vec<&'a str>,
        ) -> Driven<'a, Vec<Option<Named>>, Self> {
            Box::pin(inspect::views$($driver)*(connection, names))
        }

        fn reads<'a>(
            connection: &'a mut Self::Connection,
            views: Vec<&'a str>,
        ) -> Driven<'a, Vec<Reads>, Self> {
            Box::pin(view_reads::reads$($driver)*(connection, views))
        }

        fn unfit<'a>(
            connection: &'a mut Self::Connection,
            resources: &'a [&'static Descriptor],
        ) -> Driven<'a, Vec<String>, Self> {
            Box::pin(tables::unfit$($driver)*(connection, resources))
        }

        fn create<'a>(
            connection: &'a mut Self::Connection,
            resources: &'a [&'static Descriptor],
        ) -> BoxFuture<'a, Result<(), MigrateError>> {
            Box::pin(tables::create$($driver)*(connection, resources))
        }
    };
}
pub(super) use table_items;

/// Items of a server's driver: [`table_items`], and those about schemas, conflicts and counts of reads, which call its modules
/// `index_reads` and `rights`.
#[cfg(any(feature = "mysql", feature = "postgres"))]
macro_rules! server_items {
    ($($driver:tt)*) => {
        $crate::table_items::table_items!($($driver)*);

        fn is_conflict(error: &AdapterError) -> bool {
            error::is_conflict(error)
        }

        fn index_reads(connection: &mut Self::Connection) -> Driven<'_, IndexReads, Self> {
            Box::pin(index_reads::index_reads$($driver)*(connection))
        }

        fn rights<'a>(
            connection: &'a mut Self::Connection,
            resources: &'a [&'static Descriptor],
        ) -> Driven<'a, $crate::storage::rights::Rights, Self> {
            Box::pin(rights::rights$($driver)*(connection, resources))
        }

        fn has_schema<'a>(connection: &'a mut Self::Connection, schema: &'a str) -> Driven<'a, bool, Self> {
            Box::pin(inspect::has_schema$($driver)*(connection, schema))
        }

        #[cfg(feature = "migrations")]
        fn is_done(error: &Self::Error) -> bool {
            error::is_done(error)
        }

        #[cfg(feature = "migrations")]
        fn is_locked(error: &Self::Error) -> bool {
            error::is_locked(error)
        }
    };
}
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(super) use server_items;
