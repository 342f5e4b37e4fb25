//! The calls of an adapter that one in front of it only passes on.

/// The items of an [`Adapter`](super::adapter::Adapter) that pass migrations, comparisons, transfers, limits and the status to
/// the adapter in a field.
macro_rules! forwarded_items {
    ($inner:ident) => {
        fn capabilities(&self) -> Capabilities {
            self.$inner.capabilities()
        }

        fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
            self.$inner.migrate(resources)
        }

        fn plan<'a>(
            &'a self,
            resources: &'a [&'static Descriptor],
        ) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
            self.$inner.plan(resources)
        }

        fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> AdapterFuture<'a, Vec<UnusedTable>> {
            self.$inner.unused_tables(used)
        }

        fn index_use<'a>(&'a self, tables: &'a [&'static str]) -> AdapterFuture<'a, IndexUse> {
            self.$inner.index_use(tables)
        }

        fn compare<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
            self.$inner.compare(resources)
        }

        fn rights<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Rights> {
            self.$inner.rights(resources)
        }

        fn ambiguous_keys<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
            self.$inner.ambiguous_keys(resources)
        }

        fn migrations(&self) -> Option<&dyn Migrations> {
            self.$inner.migrations()
        }

        fn transfer(&self) -> Option<&dyn Transfer> {
            self.$inner.transfer()
        }

        fn close(&self) -> AdapterFuture<'_, ()> {
            self.$inner.close()
        }

        fn position(&self) -> AdapterFuture<'_, Option<Position>> {
            self.$inner.position()
        }

        fn set_time_limit(&self, limit: Duration) {
            self.$inner.set_time_limit(limit);
        }

        fn set_slow_statement(&self, threshold: Duration) {
            self.$inner.set_slow_statement(threshold);
        }

        fn status(&self) -> Option<StorageStatus> {
            self.$inner.status()
        }
    };
}

pub(super) use forwarded_items;
