//! [`catalogue_items`]: the items of both engines' drivers that read the catalogue, create tables and translate errors.

/// The items of a [`Driver`](crate::driver::Driver). Errors are translated by the engine's module `error`.
macro_rules! catalogue_items {
    () => {
        fn translate(
            resource: &'static $crate::model::descriptor::Descriptor,
            error: Self::Error,
        ) -> $crate::model::adapter_error::AdapterError {
            error::translate(resource, error)
        }

        fn translate_delete(error: Self::Error) -> $crate::model::adapter_error::AdapterError {
            error::translate_delete(error)
        }

        fn general(error: Self::Error) -> $crate::model::adapter_error::AdapterError {
            error::general(error)
        }

        fn explain<'a>(
            connection: &'a mut Self::Connection,
            resource: &'static $crate::model::descriptor::Descriptor,
            error: $crate::model::adapter_error::AdapterError,
            values: Vec<(usize, &'a $crate::model::value::Value)>,
        ) -> $crate::storage::adapter::BoxFuture<'a, $crate::model::adapter_error::AdapterError> {
            Box::pin($crate::sqlite::explain::explain::<Self>(connection, resource, error, values))
        }

        fn described<'a>(
            connection: &'a mut Self::Connection,
            names: Vec<&'a str>,
        ) -> $crate::driver::Driven<'a, Vec<Option<$crate::schema::table::Table>>, Self> {
            Box::pin($crate::sqlite::inspect::described::<Self>(connection, names))
        }

        fn facts<'a>(
            connection: &'a mut Self::Connection,
            tables: Vec<&'static str>,
        ) -> $crate::driver::Driven<'a, Vec<$crate::storage::facts::TableFacts>, Self> {
            Box::pin($crate::sqlite::facts::facts::<Self>(connection, tables))
        }

        fn views<'a>(
            connection: &'a mut Self::Connection,
            names: Vec<&'a str>,
        ) -> $crate::driver::Driven<'a, Vec<Option<$crate::schema::table::Named>>, Self> {
            Box::pin($crate::sqlite::inspect::views::<Self>(connection, names))
        }

        fn reads<'a>(
            connection: &'a mut Self::Connection,
            views: Vec<&'a str>,
        ) -> $crate::driver::Driven<'a, Vec<$crate::schema::table::Reads>, Self> {
            Box::pin($crate::sqlite::view_reads::reads::<Self>(connection, views))
        }

        fn tables(
            connection: &mut Self::Connection,
        ) -> $crate::driver::Driven<'_, Vec<$crate::schema::table::TableName>, Self> {
            Box::pin($crate::sqlite::inspect::tables::<Self>(connection))
        }

        fn is_taken<'a>(connection: &'a mut Self::Connection, name: &'a str) -> $crate::driver::Driven<'a, bool, Self> {
            Box::pin($crate::sqlite::inspect::index_exists::<Self>(connection, name))
        }

        fn unfit<'a>(
            connection: &'a mut Self::Connection,
            resources: &'a [&'static $crate::model::descriptor::Descriptor],
        ) -> $crate::driver::Driven<'a, Vec<String>, Self> {
            Box::pin($crate::sqlite::tables::unfit::<Self>(connection, resources))
        }

        fn create<'a>(
            connection: &'a mut Self::Connection,
            resources: &'a [&'static $crate::model::descriptor::Descriptor],
        ) -> $crate::storage::adapter::BoxFuture<'a, Result<(), $crate::storage::migrate_error::MigrateError>> {
            Box::pin($crate::sqlite::tables::create::<Self>(connection, resources))
        }

        #[cfg(feature = "migrations")]
        fn further_reason<'a>(
            connection: &'a mut Self::Connection,
            message: &'a str,
        ) -> $crate::driver::Driven<'a, Option<String>, Self> {
            Box::pin($crate::sqlite::unreadable_views::further_reason::<Self>(connection, message))
        }

        #[cfg(feature = "migrations")]
        const ALTERATION: $crate::schema::alteration::Alteration<Self::Connection, Self::Error> =
            $crate::sqlite::alter::alteration::<Self>();
    };
}

pub(super) use catalogue_items;
