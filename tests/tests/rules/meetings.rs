use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_runtime::Error;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_tests::{holds_for_a_moment, wait_until, within};
use tokio::sync::Barrier;
use tokio::time::timeout;

use crate::resources::{Booking, NewBooking, Part, PartPatch, on_each, part, service};

fn problem(error: Error) -> Problem {
    match error {
        Error::Problem(problem) => problem,
        error => panic!("{error:?}"),
    }
}

/// Takes a part from stock, as a service would.
async fn book(app: App, part_id: i64) -> Result<Booking, Error> {
    app.transaction(async |tx| {
        let taken = PartPatch::default().add(Part::FIELDS.stock, -1);
        let part = tx.store::<Part>().update_if(part_id, Part::FIELDS.stock.gte(1), taken).await?;
        if part.is_none() {
            return Err(Problem::new(Code::Conflict, "not enough in stock").into());
        }
        tx.store::<Booking>().create(NewBooking { part_id, quantity: 1 }).await
    })
    .await
}

#[test]
fn the_last_parts_are_booked_once() {
    on_each(async |database, app| {
        const STOCK: i32 = 3;
        let lamp = app.store::<Part>().create(part("lamp", STOCK)).await.unwrap();
        // Two servers.
        let apps = [app.clone(), service(database).await.app()];
        let tasks: Vec<_> = (0..50).map(|index| tokio::spawn(book(apps[index % 2].clone(), lamp.id))).collect();
        let mut booked = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(_) => booked += 1,
                Err(error) => assert_eq!(problem(error).code(), Code::Conflict),
            }
        }
        assert_eq!(booked, STOCK);
        assert_eq!(app.store::<Part>().get(lamp.id).await.unwrap().stock, 0);
        assert_eq!(app.store::<Booking>().count(Select::all()).await.unwrap(), 3);
    });
}

#[test]
fn transactions_that_deadlock_are_retried() {
    on_each(async |database, app| {
        let parts = app.store::<Part>();
        // Where two transactions write at a time, each has changed its first part before it changes the other's.
        let both_have_begun = database.backend().is_server().then(|| Arc::new(Barrier::new(2)));
        let (one, two) = (parts.create(part("1", 0)).await.unwrap().id, parts.create(part("2", 0)).await.unwrap().id);
        let both = |first: i64, second: i64| {
            let (app, barrier) = (app.clone(), Mutex::new(both_have_begun.clone()));
            tokio::spawn(async move {
                app.transaction(async |tx| -> crud_runtime::Result<()> {
                    let grown = || PartPatch::default().add(Part::FIELDS.stock, 1);
                    tx.store::<Part>().update(first, grown()).await?;
                    // The second attempt is alone.
                    let barrier = barrier.lock().unwrap().take();
                    if let Some(barrier) = barrier {
                        barrier.wait().await;
                    }
                    tx.store::<Part>().update(second, grown()).await?;
                    Ok(())
                })
                .await
            })
        };
        let (there, back) = (both(one, two), both(two, one));
        there.await.unwrap().unwrap();
        back.await.unwrap().unwrap();
        for id in [one, two] {
            assert_eq!(parts.get(id).await.unwrap().stock, 2);
        }
    });
}

#[test]
fn locked_record_stays_as_it_is_until_the_end() {
    on_each(async |database, app| {
        let lamp = app.store::<Part>().create(part("lamp", 5)).await.unwrap();
        let other = service(database).await.app();
        let tx = app.begin().await.unwrap();
        assert_eq!(tx.store::<Part>().lock(lamp.id).await.unwrap().stock, 5);
        let missing = tx.store::<Part>().lock(99).await.unwrap_err();
        assert_eq!(problem(missing).code(), Code::NotFound);
        let writer =
            tokio::spawn(async move { other.store::<Part>().update(lamp.id, PartPatch::default().stock(1)).await });
        if database.backend().is_server() {
            database.wait_until_blocked().await;
        }
        holds_for_a_moment("the writer waits", async || !writer.is_finished()).await;
        tx.store::<Part>().update(lamp.id, PartPatch::default().add(Part::FIELDS.stock, 1)).await.unwrap();
        tx.commit().await.unwrap();
        writer.await.unwrap().unwrap();
        assert_eq!(app.store::<Part>().get(lamp.id).await.unwrap().stock, 1);
    });
}

#[test]
fn store_outside_of_the_tasks_transaction_is_refused_at_once() {
    on_each(async |_, app| {
        let tx = app.begin().await.unwrap();
        let outside = app.store::<Part>();
        for error in [
            outside.create(part("lamp", 1)).await.unwrap_err(),
            outside.count(Select::all()).await.unwrap_err(),
            app.begin().await.unwrap_err(),
        ] {
            assert_eq!(problem(error).code(), Code::Internal);
        }
        let elsewhere = app.clone();
        tokio::spawn(async move { elsewhere.store::<Part>().count(Select::all()).await }).await.unwrap().unwrap();
        drop(tx);
        outside.create(part("lamp", 1)).await.unwrap();
    });
}

#[test]
fn transaction_that_takes_too_long_is_rolled_back() {
    on_each(async |database, _| {
        let app = service(database).await.limits(|limits| limits.transaction_timeout(Duration::from_millis(300))).app();
        let tx = app.begin().await.unwrap();
        // On a busy machine its time is over here.
        let error = RefCell::new(tx.store::<Part>().create(part("late", 1)).await.err());
        wait_until("its time is over", async || {
            if error.borrow().is_none() {
                *error.borrow_mut() = tx.store::<Part>().count(Select::all()).await.err();
            }
            error.borrow().is_some()
        })
        .await;
        assert_eq!(problem(error.take().unwrap()).code(), Code::Timeout);
        // Storage is free again although the program still holds the transaction.
        let other = service(database).await.app();
        let written = tokio::spawn(async move { other.store::<Part>().create(part("late", 2)).await });
        within(Duration::ZERO, "a change beside a transaction whose time is over", written).await.unwrap().unwrap();
        let error = problem(tx.store::<Part>().create(part("later", 1)).await.unwrap_err());
        assert_eq!(error.code(), Code::Timeout);
        assert_eq!(problem(tx.commit().await.unwrap_err()).code(), Code::Timeout);
        let error: Error = app
            .transaction(async |tx| -> crud_runtime::Result<()> {
                tx.store::<Part>().create(part("latest", 1)).await?;
                while tx.store::<Part>().count(Select::all()).await.is_ok() {}
                Ok(())
            })
            .await
            .unwrap_err();
        assert_eq!(problem(error).code(), Code::Timeout);
        assert_eq!(app.store::<Part>().count(Select::all()).await.unwrap(), 1);
    });
}

#[test]
fn store_that_outlives_its_transaction_is_refused() {
    on_each(async |_, app| {
        let tx = app.begin().await.unwrap();
        let escaped: Store<Part> = tx.store();
        tx.commit().await.unwrap();
        assert_eq!(problem(escaped.create(part("lamp", 1)).await.unwrap_err()).code(), Code::Internal);
        let tx = app.begin().await.unwrap();
        let escaped: Store<Part> = tx.store();
        drop(tx);
        assert_eq!(problem(escaped.count(Select::all()).await.unwrap_err()).code(), Code::Internal);
    });
}

#[test]
fn call_that_is_cancelled_ends_the_transaction() {
    on_each(async |_, app| {
        let tx = app.begin().await.unwrap();
        tx.store::<Part>().create(part("lamp", 1)).await.unwrap();
        let cancelled = timeout(Duration::ZERO, tx.store::<Part>().create(part("desk", 1))).await;
        if cancelled.is_err() {
            tx.store::<Part>().create(part("chair", 1)).await.unwrap_err();
            tx.commit().await.unwrap_err();
            assert_eq!(app.store::<Part>().count(Select::all()).await.unwrap(), 0);
        }
    });
}
