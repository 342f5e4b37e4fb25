use crud_runtime::Error;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_backend};

use crate::resources::{Booking, BookingPatch, NewBooking, Part, PartPatch, on_each, on_each_with_sql, part, service};

fn code(error: &Error) -> Option<Code> {
    match error {
        Error::Problem(problem) => Some(problem.code()),
        _ => None,
    }
}

#[test]
fn committed_changes_of_several_resources_have_their_audit_entries() {
    on_each(async |database, app| {
        let booking = app
            .acting_as(Principal::new("7"))
            .transaction(async |tx| -> crud_runtime::Result<Booking> {
                let part = tx.store::<Part>().create(part("lamp", 5)).await?;
                tx.store::<Part>().update(part.id, PartPatch::default().stock(3)).await?;
                tx.store::<Booking>().create(NewBooking { part_id: part.id, quantity: 2 }).await
            })
            .await
            .unwrap();
        assert_eq!(app.store::<Part>().get(booking.part_id).await.unwrap().stock, 3);
        let api = Api::start(database, service(database).await).await;
        let log = api.get("/audit-logs").await.ok();
        let entries: Vec<String> = log["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| format!("{} {} {}", entry["entity_type"], entry["action"], entry["user_id"]).replace('"', ""))
            .collect();
        assert_eq!(entries, ["Part create 7", "Part update 7", "Booking create 7"]);
        api.stop().await;
    });
}

#[test]
fn failed_work_leaves_no_change_and_no_audit_entry() {
    on_each(async |database, app| {
        let failed: Result<(), Error> = app
            .transaction(async |tx| {
                let part = tx.store::<Part>().create(part("lamp", 5)).await?;
                tx.store::<Booking>().create(NewBooking { part_id: part.id, quantity: 2 }).await?;
                Err(Problem::new(Code::Conflict, "not today").into())
            })
            .await;
        assert_eq!(code(&failed.unwrap_err()), Some(Code::Conflict));
        assert_eq!(app.store::<Part>().count(Select::all()).await.unwrap(), 0);
        let api = Api::start(database, service(database).await).await;
        assert_eq!(api.get("/audit-logs").await.ok()["total"], 0);
        api.stop().await;
    });
}

#[test]
fn dropped_transaction_is_rolled_back() {
    on_each(async |_, app| {
        let tx = app.begin().await.unwrap();
        tx.store::<Part>().create(part("lamp", 5)).await.unwrap();
        drop(tx);
        assert_eq!(app.store::<Part>().count(Select::all()).await.unwrap(), 0);
        let tx = app.begin().await.unwrap();
        tx.store::<Part>().create(part("desk", 5)).await.unwrap();
        tx.rollback().await.unwrap();
        let tx = app.begin().await.unwrap();
        tx.store::<Part>().create(part("chair", 5)).await.unwrap();
        tx.commit().await.unwrap();
        let names: Vec<String> =
            app.store::<Part>().list(Select::all()).await.unwrap().into_iter().map(|part| part.name).collect();
        assert_eq!(names, ["chair"]);
    });
}

#[test]
fn reads_see_the_transactions_writes_and_other_connections_do_not() {
    on_each(async |database, app| {
        let other = service(database).await.app();
        let tx = app.begin().await.unwrap();
        let parts = tx.store::<Part>();
        let lamp = parts.create(part("lamp", 5)).await.unwrap();
        parts.update(lamp.id, PartPatch::default().stock(9)).await.unwrap();
        assert_eq!(parts.get(lamp.id).await.unwrap().stock, 9);
        assert_eq!(parts.count(Part::FIELDS.stock.gt(8)).await.unwrap(), 1);
        assert_eq!(parts.page(Part::FIELDS.name.asc()).await.unwrap().total, 1);
        assert_eq!(other.store::<Part>().count(Select::all()).await.unwrap(), 0);
        drop(parts);
        tx.commit().await.unwrap();
        assert_eq!(other.store::<Part>().count(Select::all()).await.unwrap(), 1);
    });
}

#[test]
fn refused_change_leaves_the_transaction_usable() {
    on_each(async |_, app| {
        let lamp = app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        app.transaction(async |tx| -> crud_runtime::Result<()> {
            let parts = tx.store::<Part>();
            let desk = parts.create(part("desk", 1)).await?;
            assert_eq!(code(&parts.create(part("lamp", 1)).await.unwrap_err()), Some(Code::Conflict));
            assert_eq!(code(&parts.create(part("shelf", -1)).await.unwrap_err()), Some(Code::ValidationFailed));
            let bookings = tx.store::<Booking>();
            let dangling = bookings.create(NewBooking { part_id: 99, quantity: 1 }).await.unwrap_err();
            assert_eq!(code(&dangling), Some(Code::ReferenceNotFound));
            let batch = parts.create_batch([part("a", 1), part("desk", 1)]).await.unwrap_err();
            assert_eq!(code(&batch), Some(Code::Conflict));
            parts.update(desk.id, PartPatch::default().stock(2)).await?;
            bookings.create(NewBooking { part_id: lamp.id, quantity: 1 }).await?;
            Ok(())
        })
        .await
        .unwrap();
        let parts = app.store::<Part>().list(Part::FIELDS.name.asc()).await.unwrap();
        assert_eq!(
            parts.iter().map(|part| (part.name.as_str(), part.stock)).collect::<Vec<_>>(),
            [("desk", 2), ("lamp", 5)]
        );
    });
}

#[test]
fn acknowledged_commit_after_a_failed_read_has_its_changes() {
    on_each_with_sql(async |database, app| {
        database.execute("DROP TABLE bookings").await;
        let tx = app.begin().await.unwrap();
        tx.store::<Part>().create(part("lamp", 5)).await.unwrap();
        assert!(tx.store::<Booking>().count(Select::all()).await.is_err(), "its table is gone");
        let is_committed = tx.commit().await.is_ok();
        let count = app.store::<Part>().count(Select::all()).await.unwrap();
        assert_eq!(count, u64::from(is_committed), "a statement that fails aborts a transaction of PostgreSQL");
    });
}

#[test]
fn nested_work_is_undone_alone() {
    on_each(async |_, app| {
        app.transaction(async |tx| -> crud_runtime::Result<()> {
            tx.store::<Part>().create(part("outer", 1)).await?;
            let inner: Result<(), Error> = tx
                .nested(async |tx| {
                    tx.store::<Part>().create(part("inner", 1)).await?;
                    tx.nested(async |tx| -> crud_runtime::Result<_> {
                        tx.store::<Part>().create(part("innermost", 1)).await
                    })
                    .await?;
                    Err(Problem::new(Code::Conflict, "not the inner one").into())
                })
                .await;
            assert!(inner.is_err());
            tx.nested(async |tx| tx.store::<Part>().create(part("kept", 1)).await).await?;
            Ok(())
        })
        .await
        .unwrap();
        let names: Vec<String> = app
            .store::<Part>()
            .list(Part::FIELDS.name.asc())
            .await
            .unwrap()
            .into_iter()
            .map(|part| part.name)
            .collect();
        assert_eq!(names, ["kept", "outer"]);
    });
}

#[test]
fn every_call_of_a_store_works_in_a_transaction() {
    on_each(async |_, app| {
        app.transaction(async |tx| -> crud_runtime::Result<()> {
            let part = tx.store::<Part>().create(part("lamp", 5)).await?;
            let bookings = tx.store::<Booking>();
            let new = |quantity| NewBooking { part_id: part.id, quantity };
            let made = bookings.create_batch([new(1), new(2), new(3)]).await?.items;
            bookings.update_batch(made.iter().map(|made| (made.id, BookingPatch::default().quantity(9)))).await?;
            bookings.soft_delete(made[0].id).await?;
            assert!(bookings.is_soft_deleted(made[0].id).await?);
            assert!(bookings.find_deleted(made[0].id).await?.is_some());
            bookings.restore(made[0].id).await?;
            bookings.delete_batch([made[0].id, made[1].id]).await?;
            assert_eq!(bookings.restore_where(Booking::FIELDS.id.eq(made[0].id)).await?, 1);
            assert_eq!(bookings.permanent_delete_all().await?, 1);
            bookings.delete_one(made[2].id).await?;
            let left = bookings.list(Select::all()).await?;
            assert_eq!(left.iter().map(|left| (left.id, left.quantity)).collect::<Vec<_>>(), [(made[0].id, 9)]);
            Ok(())
        })
        .await
        .unwrap();
        assert_eq!(app.store::<Booking>().count(Select::all()).await.unwrap(), 1);
    });
}

#[test]
fn transaction_runs_in_a_handler_in_a_task_and_in_a_boxed_future() {
    on_each(async |_, app| {
        async fn create(app: App, name: &'static str) -> Result<String, Problem> {
            let made = app
                .transaction(async |tx| -> crud_runtime::Result<Part> {
                    tx.store::<Part>().create(part(name, 1)).await
                })
                .await;
            made.map(|part| part.name).map_err(|_| Problem::new(Code::Conflict, "failed"))
        }
        let handler = app.clone();
        let own = crud_runtime::axum::Router::new()
            .route("/own", crud_runtime::axum::routing::post(move || async move { create(handler, "handler").await }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/own", listener.local_addr().unwrap());
        let server = tokio::spawn(async move { crud_runtime::axum::serve(listener, own).await });
        let answer = reqwest::Client::new().post(url).send().await.unwrap();
        assert_eq!(answer.text().await.unwrap(), "handler");
        server.abort();
        assert_eq!(tokio::spawn(create(app.clone(), "task")).await.unwrap().unwrap(), "task");
        let boxed: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(create(app.clone(), "boxed"));
        assert_eq!(boxed.await.unwrap(), "boxed");
    });
}

#[test]
fn storage_without_transactions_of_several_calls_refuses_them() {
    on_each_backend(async |database| {
        let app = service(database).await.app();
        if !database.backend().is_interactive() {
            let error = app.begin().await.unwrap_err();
            assert_eq!(code(&error), Some(Code::UnsupportedHere), "{error}");
        }
    });
}
