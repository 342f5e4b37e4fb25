//! The connection of a transaction, lent to the application's own code on sqlx.

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::transaction::SqlxConnection;
use crud_runtime::{Error, Result};
use crud_tests::{Backend, Database, on_each_sql_backend_and_pool};
use sqlx::{Connection, MySqlConnection, PgConnection, SqliteConnection};

use crate::resources::{Part, part, service};

/// Code of an application, which knows nothing of services.
trait Application: SqlxConnection + Sized {
    async fn restock(&mut self, name: &str, stock: i32) -> sqlx::Result<()>;
    async fn stock(&mut self, name: &str) -> sqlx::Result<i32>;
    async fn fail(&mut self) -> sqlx::Result<()>;
    /// Restocks in a transaction of the application's, which is a savepoint here.
    async fn restock_and_undo(&mut self, name: &str) -> sqlx::Result<()>;
}

macro_rules! application {
    ($connection:ty, $update:literal, $select:literal) => {
        impl Application for $connection {
            async fn restock(&mut self, name: &str, stock: i32) -> sqlx::Result<()> {
                sqlx::query($update).bind(stock).bind(name).execute(self).await.map(drop)
            }

            async fn stock(&mut self, name: &str) -> sqlx::Result<i32> {
                sqlx::query_scalar($select).bind(name).fetch_one(self).await
            }

            async fn fail(&mut self) -> sqlx::Result<()> {
                sqlx::query("DELETE FROM no_such_table").execute(self).await.map(drop)
            }

            async fn restock_and_undo(&mut self, name: &str) -> sqlx::Result<()> {
                let mut inner = self.begin().await?;
                inner.restock(name, 900).await?;
                inner.rollback().await
            }
        }
    };
}

application!(PgConnection, "UPDATE parts SET stock = $1 WHERE name = $2", "SELECT stock FROM parts WHERE name = $1");
application!(MySqlConnection, "UPDATE parts SET stock = ? WHERE name = ?", "SELECT stock FROM parts WHERE name = ?");
application!(SqliteConnection, "UPDATE parts SET stock = ? WHERE name = ?", "SELECT stock FROM parts WHERE name = ?");

fn internal(error: sqlx::Error) -> Problem {
    Problem::internal(error)
}

/// A store and the application's code in one transaction.
async fn work<C: Application>(tx: &mut Tx<'_>, lamp: i64, keep: bool) -> Result<()> {
    tx.store::<Part>().create(part("table", 1)).await?;
    {
        let mut connection = tx.connection::<C>().await?;
        // It sees what the store has written, and the store what it writes.
        assert_eq!(connection.as_mut().stock("table").await.map_err(internal)?, 1);
        connection.as_mut().restock("lamp", 7).await.map_err(internal)?;
        connection.as_mut().restock_and_undo("lamp").await.map_err(internal)?;
    }
    assert_eq!(tx.store::<Part>().get(lamp).await?.stock, 7);
    if keep { Ok(()) } else { Err(Problem::new(Code::Conflict, "undo").into()) }
}

async fn shares_the_transaction<C: Application>(app: &App) {
    let parts = app.store::<Part>();
    let lamp = parts.create(part("lamp", 5)).await.unwrap();
    for keep in [false, true] {
        let done = app.transaction(async |tx| work::<C>(tx, lamp.id, keep).await).await;
        assert_eq!(done.is_ok(), keep, "{done:?}");
        let counts = (parts.get(lamp.id).await.unwrap().stock, parts.count(Select::all()).await.unwrap());
        assert_eq!(counts, if keep { (7, 2) } else { (5, 1) });
    }
}

/// A program that ignores a failed statement learns at the commit that its transaction had ended.
async fn failed_statement_is_never_a_commit_of_nothing<C: Application>(app: &App, aborts: bool) {
    let parts = app.store::<Part>();
    let before = parts.count(Select::all()).await.unwrap();
    let ignored = app
        .transaction(async |tx| -> Result<()> {
            tx.store::<Part>().create(part("ignored", 1)).await?;
            assert!(tx.connection::<C>().await?.as_mut().fail().await.is_err());
            Ok(())
        })
        .await;
    let sql = app
        .transaction(async |tx| -> Result<()> {
            tx.store::<Part>().create(part("ignored too", 1)).await?;
            assert!(tx.sql("DELETE FROM no_such_table").execute().await.is_err());
            Ok(())
        })
        .await;
    let made = parts.count(Select::all()).await.unwrap() - before;
    assert_eq!((ignored.is_err(), sql.is_err(), made), if aborts { (true, true, 0) } else { (false, false, 2) });
}

async fn on<C: Application>(database: &Database) {
    let app = service(database).await.app();
    shares_the_transaction::<C>(&app).await;
    failed_statement_is_never_a_commit_of_nothing::<C>(&app, database.backend() == Backend::Postgres).await;
}

#[test]
fn application_code_on_the_connection_is_part_of_the_transaction() {
    on_each_sql_backend_and_pool(async |database| match database.backend() {
        Backend::Postgres => on::<PgConnection>(database).await,
        Backend::MySql => on::<MySqlConnection>(database).await,
        _ => {
            let app = service(database).await.app();
            let lent =
                app.transaction(async |tx| -> Result<()> { tx.connection::<SqliteConnection>().await.map(drop) }).await;
            if lent.is_ok() {
                on::<SqliteConnection>(database).await;
            } else {
                assert!(matches!(lent, Err(Error::Problem(problem)) if problem.code() == Code::Internal));
            }
        }
    });
}

#[test]
fn connection_of_another_database_is_an_error_that_names_the_type() {
    on_each_sql_backend_and_pool(async |database| {
        let app = service(database).await.app();
        let lent = match database.backend() {
            Backend::Postgres => {
                app.transaction(async |tx| -> Result<()> { tx.connection::<MySqlConnection>().await.map(drop) }).await
            }
            _ => app.transaction(async |tx| -> Result<()> { tx.connection::<PgConnection>().await.map(drop) }).await,
        };
        let error = format!("{:?}", lent.expect_err("another type"));
        assert!(error.contains("the connections of the service are not of the type"), "{error}");
    });
}
