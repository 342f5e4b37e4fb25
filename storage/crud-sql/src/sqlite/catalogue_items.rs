//! [`catalogue_items`]: the items of both engines' drivers that read the catalogue, create tables and translate errors.

/// The items of a [`Driver`](crate::driver::Driver). Errors are translated by the engine's module `error`.
macro_rules! catalogue_items {
    () => {
        $crate::table_items::table_items!(::<Self>);

        fn explain<'a>(
            connection: &'a mut Self::Connection,
            resource: &'static $crate::model::descriptor::Descriptor,
            error: $crate::model::adapter_error::AdapterError,
            values: Vec<(usize, &'a $crate::model::value::Value)>,
        ) -> $crate::storage::adapter::BoxFuture<'a, $crate::model::adapter_error::AdapterError> {
            Box::pin($crate::sqlite::explain::explain::<Self>(connection, resource, error, values))
        }

        fn is_taken<'a>(connection: &'a mut Self::Connection, name: &'a str) -> $crate::driver::Driven<'a, bool, Self> {
            Box::pin($crate::sqlite::inspect::is_taken::<Self>(connection, name))
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
