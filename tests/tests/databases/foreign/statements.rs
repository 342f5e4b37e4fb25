//! Statements of a start: as many for two resources as for eight.

use crud_runtime::prelude::*;
use crud_runtime::{Result, Service};
use crud_tests::{Backend, Database, Pool, on_each_sql_server};
use sqlx::{AssertSqlSafe, Row};

/// Resources that have a unique text, an index of two columns and a reference each.
macro_rules! resources {
    ($($name:ident of $other:ident),*) => {
        $(
            #[derive(Debug, Resource)]
            #[crud(filter, sort)]
            #[allow(dead_code)]
            struct $name {
                id: i64,
                #[crud(length(max = 40), unique)]
                name: String,
                #[crud(references($other))]
                other_id: Option<i64>,
                done_at: Option<DateTime<Utc>>,
            }
        )*
    };
}

resources!(
    Anchor of Beacon, Beacon of Anchor, Capstan of Dinghy, Dinghy of Capstan, Ensign of Fender, Fender of Ensign,
    Galley of Halyard, Halyard of Galley
);

fn few(service: Service) -> Service {
    service.resource::<Anchor>().resource::<Beacon>()
}

fn many(service: Service) -> Service {
    let service = few(service).resource::<Capstan>().resource::<Dinghy>().resource::<Ensign>();
    service.resource::<Fender>().resource::<Galley>().resource::<Halyard>()
}

/// Number of statements that the pool's connection has run.
async fn run_so_far(pool: &Pool) -> u64 {
    let text = match pool {
        Pool::MySql(pool) => {
            let row = sqlx::raw_sql("SHOW SESSION STATUS LIKE 'Questions'").fetch_one(pool).await.expect("the status");
            row.get::<String, _>(1)
        }
        Pool::Postgres(pool) => {
            // Each is prepared, and run by one of its plans.
            const RUNS: &str = "SELECT (SUM(generic_plans) + SUM(custom_plans))::text FROM pg_prepared_statements";
            let row = sqlx::raw_sql(AssertSqlSafe(RUNS)).fetch_one(pool).await.expect("the statements");
            row.get::<Option<String>, _>(0).unwrap_or_else(|| "0".to_owned())
        }
        Pool::Sqlite(_) => panic!("a file does not count statements"),
    };
    text.parse().expect("a number")
}

/// Number of statements of a start on tables that are there.
async fn statements_of_start(
    database: &Database,
    resources: fn(Service) -> Service,
    start: impl AsyncFn(Service) -> Result<Service>,
) -> u64 {
    let (service, pool) = database.service_with_one_connection().await;
    let before = run_so_far(&pool).await;
    drop(start(resources(service)).await.expect("a start"));
    run_so_far(&pool).await - before
}

#[test]
fn statements_of_a_start_do_not_grow_with_the_number_of_resources() {
    on_each_sql_server(async |database| {
        drop(many(database.service().await).migrate().await.expect("the tables"));
        for start in ["migrate", "check_schema"] {
            let started = async |service: Service| match start {
                "migrate" => service.migrate().await,
                _ => service.check_schema().await,
            };
            let of_few = statements_of_start(database, few, &started).await;
            let of_many = statements_of_start(database, many, &started).await;
            assert_eq!(of_many, of_few, "{start} on {:?}", database.backend());
            // A kind of thing of all tables is a statement, for each comparison of the start.
            let is_counted = database.backend() == Backend::MySql || of_few > 5;
            assert!(is_counted, "no statements were counted: {of_few}");
        }
    });
}
