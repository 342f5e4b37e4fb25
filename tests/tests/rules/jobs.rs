use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::{Error, Job, Result};
use crud_tests::{Backend, Database, on_each_sql_backend, wait_until};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::resources::{Part, part};

type Ran = Arc<Mutex<Vec<i64>>>;

/// A service whose jobs `note` note their payloads.
async fn noting(database: &Database, ran: &Ran) -> Service {
    let ran = ran.clone();
    let note = move |payload: i64, _: App| {
        let ran = ran.clone();
        async move {
            ran.lock().unwrap().push(payload);
            Ok::<(), String>(())
        }
    };
    database.service().await.resource::<Part>().job("note", note)
}

/// Runs a service's jobs while the test runs.
struct Running(Option<oneshot::Sender<()>>, tokio::task::JoinHandle<()>);

impl Running {
    fn start(service: Service) -> (App, Self) {
        let (stop, stopped) = oneshot::channel::<()>();
        let app = service.app();
        let jobs = tokio::spawn(async move { service.run_jobs(async move { drop(stopped.await) }).await });
        (app, Self(Some(stop), jobs))
    }

    async fn stop(mut self) {
        drop(self.0.take());
        self.1.await.unwrap();
    }
}

async fn jobs_left(database: &Database) -> i64 {
    let app = database.service().await.app();
    let mut tx = app.begin().await.unwrap();
    let rows = tx.sql("SELECT COUNT(*) FROM crud_jobs").fetch::<(i64,)>().await.unwrap();
    rows[0].0
}

#[test]
fn job_of_a_committed_transaction_runs_once_on_two_servers() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let (app, one) = Running::start(noting(database, &ran).await.migrate().await.unwrap());
        let (_, two) = Running::start(noting(database, &ran).await);
        for payload in 0..20 {
            app.transaction(async |tx| -> Result<()> {
                tx.store::<Part>().create(part(&payload.to_string(), 1)).await?;
                assert!(tx.enqueue(Job::new("note", &payload)?).await?);
                Ok(())
            })
            .await
            .unwrap();
            let rolled_back: Result<()> = app
                .transaction(async |tx| {
                    tx.enqueue(Job::new("note", &(1_000 + payload))?).await?;
                    Err(Problem::new(Code::Conflict, "undo").into())
                })
                .await;
            assert!(rolled_back.is_err());
        }
        wait_until("every job has run", async || ran.lock().unwrap().len() >= 20).await;
        wait_until("every job is removed", async || jobs_left(database).await == 0).await;
        let mut payloads = ran.lock().unwrap().clone();
        payloads.sort_unstable();
        assert_eq!(payloads, (0..20).collect::<Vec<i64>>());
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn job_that_fails_or_panics_is_run_again() {
    on_each_sql_backend(async |database| {
        let attempts = Ran::default();
        let counted = attempts.clone();
        let flaky = move |payload: i64, _: App| {
            let attempts = counted.clone();
            async move {
                let attempt = {
                    let mut attempts = attempts.lock().unwrap();
                    attempts.push(payload);
                    attempts.len()
                };
                match attempt {
                    1 => Err("not yet".to_owned()),
                    2 => panic!("not yet either"),
                    _ => Ok(()),
                }
            }
        };
        let service = database.service().await.job("flaky", flaky).migrate().await.unwrap();
        let (app, running) = Running::start(service);
        app.enqueue(Job::new("flaky", &7).unwrap()).await.unwrap();
        wait_until("the third attempt", async || attempts.lock().unwrap().len() == 3).await;
        wait_until("the job is removed", async || jobs_left(database).await == 0).await;
        running.stop().await;
    });
}

#[test]
fn unique_key_is_of_one_job_at_a_time_and_run_at_is_waited_for() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let (app, running) = Running::start(noting(database, &ran).await.migrate().await.unwrap());
        let later = Utc::now() + TimeDelta::milliseconds(1_500);
        let job = |payload: i64| Job::new("note", &payload).unwrap().run_at(later).unique_key("daily");
        assert!(app.enqueue(job(1)).await.unwrap());
        assert!(!app.enqueue(job(2)).await.unwrap());
        sleep(Duration::from_millis(700)).await;
        assert!(ran.lock().unwrap().is_empty(), "it is not time yet");
        wait_until("the job has run", async || *ran.lock().unwrap() == [1]).await;
        wait_until("the job is removed", async || jobs_left(database).await == 0).await;
        assert!(app.enqueue(job(3)).await.unwrap(), "the key is free again");
        wait_until("the next job has run", async || *ran.lock().unwrap() == [1, 3]).await;
        running.stop().await;
    });
}

#[test]
fn schedule_enqueues_one_job_on_two_servers() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let service = async || {
            let ran = ran.clone();
            let nightly = move |(): (), _: App| {
                let ran = ran.clone();
                async move {
                    ran.lock().unwrap().push(1);
                    Ok::<(), String>(())
                }
            };
            database.service().await.job("nightly", nightly).every("0 3 * * *", "nightly").unwrap()
        };
        let (_, one) = Running::start(service().await.migrate().await.unwrap());
        wait_until("the schedule is known", async || {
            let app = database.service().await.app();
            let mut tx = app.begin().await.unwrap();
            tx.sql("SELECT COUNT(*) FROM crud_schedules").fetch::<(i64,)>().await.unwrap()[0].0 == 1
        })
        .await;
        sleep(Duration::from_millis(200)).await;
        assert!(ran.lock().unwrap().is_empty(), "no time of the pattern has passed");
        let past = match database.backend() {
            Backend::Sqlite => "2020-01-01T00:00:00.000000Z",
            _ => "2020-01-01 00:00:00",
        };
        database.execute(&format!("UPDATE crud_schedules SET last_run = '{past}'")).await;
        let (_, two) = Running::start(service().await);
        wait_until("the job has run", async || !ran.lock().unwrap().is_empty()).await;
        sleep(Duration::from_millis(1_500)).await;
        assert_eq!(*ran.lock().unwrap(), [1]);
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn schedule_without_a_handler_is_refused() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.every("0 3 * * *", "nightly").unwrap();
        assert!(matches!(service.migrate().await, Err(Error::Setup(text)) if text.contains("`nightly`")));
        let pattern = database.service().await.every("at night", "nightly");
        assert!(matches!(pattern, Err(Error::Setup(text)) if text.contains("at night")));
    });
}

#[test]
fn numbers_have_no_gaps_whatever_is_rolled_back() {
    on_each_sql_backend(async |database| {
        let app = database.service().await.counters().migrate().await.unwrap().app();
        let tasks: Vec<_> = (0..40)
            .map(|index| {
                let app = app.clone();
                tokio::spawn(async move {
                    app.transaction(async |tx| -> Result<i64> {
                        let number = tx.next_number("invoice", 2026).await?;
                        if index % 4 == 0 {
                            return Err(Problem::new(Code::Conflict, "undo").into());
                        }
                        Ok(number)
                    })
                    .await
                })
            })
            .collect();
        let mut numbers = Vec::new();
        for task in tasks {
            numbers.extend(task.await.unwrap());
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=30).collect::<Vec<i64>>());
    });
}
