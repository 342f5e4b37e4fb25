use crud_runtime::error::Code;
use crud_runtime::{Error, Result};
use crud_tests::Backend;

use crate::resources::{Part, on_each_with_sql, part};

#[test]
fn statements_of_the_program_are_part_of_the_transaction() {
    on_each_with_sql(async |database, app| {
        let parts = app.store::<Part>();
        let lamp = parts.create(part("lamp", 5)).await.unwrap();
        let (update, select) = match database.backend() {
            Backend::Postgres => (
                "UPDATE parts SET stock = stock + $1 WHERE name = $2",
                "SELECT id, name, stock, weight FROM parts WHERE stock > $1 ORDER BY id",
            ),
            _ => (
                "UPDATE parts SET stock = stock + ? WHERE name = ?",
                "SELECT id, name, stock, weight FROM parts WHERE stock > ? ORDER BY id",
            ),
        };
        let failed: Result<()> = app
            .transaction(async |tx| {
                assert_eq!(tx.sql(update).bind(2).bind("lamp").execute().await?, 1);
                assert_eq!(tx.sql(update).bind(2).bind("no such part").execute().await?, 0);
                assert_eq!(tx.store::<Part>().get(lamp.id).await?.stock, 7);
                let rows = tx.sql(select).bind(6).fetch::<(i64, String, i32, Option<f64>)>().await?;
                assert_eq!(rows, [(lamp.id, "lamp".to_owned(), 7, None)]);
                Err(crud_runtime::error::Problem::new(Code::Conflict, "undo").into())
            })
            .await;
        assert!(failed.is_err());
        assert_eq!(parts.get(lamp.id).await.unwrap().stock, 5);
    });
}

#[test]
fn statement_that_the_database_refuses_is_an_internal_error() {
    on_each_with_sql(async |_, app| {
        let error = app
            .transaction(async |tx| -> Result<u64> { tx.sql("DELETE FROM no_such_table").execute().await })
            .await
            .unwrap_err();
        let Error::Problem(problem) = &error else { panic!("{error:?}") };
        assert_eq!((problem.code(), problem.detail()), (Code::Internal, "internal error"));
    });
}
