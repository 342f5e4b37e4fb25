use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_backend, on_each_sql_backend, on_each_transactional_backend};

/// A part on stock.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, filter, sort, derive(ToSchema))]
pub(crate) struct Part {
    pub(crate) id: i64,
    #[crud(unique)]
    pub(crate) name: String,
    #[crud(range(min = 0, max = 1000))]
    pub(crate) stock: i32,
    pub(crate) price: Option<Decimal>,
    pub(crate) weight: Option<f64>,
}

/// A part that a ticket takes from stock.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, soft_delete)]
pub(crate) struct Booking {
    pub(crate) id: i64,
    #[crud(references(Part))]
    pub(crate) part_id: i64,
    #[crud(range(min = 1))]
    pub(crate) quantity: i32,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A service with the resources, whose tables are not there yet.
pub(crate) async fn resources(database: &Database) -> Service {
    database.service().await.resource::<Part>().resource::<Booking>()
}

pub(crate) async fn service(database: &Database) -> Service {
    resources(database).await.migrate().await.expect("the tables")
}

/// Runs a test on each back end.
pub(crate) fn on_every(test: impl AsyncFn(&Database, App) + Copy) {
    on_each_backend(async |database| test(database, service(database).await.app()).await);
}

/// Runs a test on each back end that has transactions of several calls.
pub(crate) fn on_each(test: impl AsyncFn(&Database, App) + Copy) {
    on_each_transactional_backend(async |database| test(database, service(database).await.app()).await);
}

/// Runs a test on each back end with SQL.
pub(crate) fn on_each_with_sql(test: impl AsyncFn(&Database, App) + Copy) {
    on_each_sql_backend(async |database| test(database, service(database).await.app()).await);
}

pub(crate) fn part(name: &str, stock: i32) -> NewPart {
    NewPart { name: name.into(), stock, price: None, weight: None }
}
