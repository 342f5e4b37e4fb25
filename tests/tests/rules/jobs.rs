use std::sync::{Arc, Mutex};

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::{Error, Job, Result};
use crud_tests::{Backend, Database, holds_for_a_moment, on_each_sql_backend, wait_until};
use tokio::sync::oneshot;

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
        let (_, background) = service.into_parts().unwrap();
        let jobs = tokio::spawn(async move { background.run(async move { drop(stopped.await) }).await.unwrap() });
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
    const FAILS: i64 = 1;
    const PANICS: i64 = 2;
    on_each_sql_backend(async |database| {
        let attempts = Ran::default();
        let counted = attempts.clone();
        let flaky = move |payload: i64, _: App| {
            let attempts = counted.clone();
            async move {
                let is_first = {
                    let mut attempts = attempts.lock().unwrap();
                    attempts.push(payload);
                    attempts.iter().filter(|other| **other == payload).count() == 1
                };
                match payload {
                    FAILS if is_first => Err("not yet".to_owned()),
                    PANICS if is_first => panic!("not yet either"),
                    _ => Ok(()),
                }
            }
        };
        let service = database.service().await.job("flaky", flaky).migrate().await.unwrap();
        let (app, running) = Running::start(service);
        for payload in [FAILS, PANICS] {
            app.enqueue(Job::new("flaky", &payload).unwrap()).await.unwrap();
        }
        wait_until("the second attempts", async || attempts.lock().unwrap().len() == 4).await;
        wait_until("the jobs are removed", async || jobs_left(database).await == 0).await;
        let mut attempts = attempts.lock().unwrap().clone();
        attempts.sort_unstable();
        assert_eq!(attempts, [FAILS, FAILS, PANICS, PANICS]);
        running.stop().await;
    });
}

#[test]
fn unique_key_is_of_one_job_at_a_time_and_run_at_is_waited_for() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let (app, running) = Running::start(noting(database, &ran).await.migrate().await.unwrap());
        let job = |payload: i64, unique: &str, later: DateTime<Utc>| {
            Job::new("note", &payload).unwrap().run_at(later).unique_key(unique)
        };
        let hour = Utc::now() + TimeDelta::hours(1);
        assert!(app.enqueue(job(0, "hourly", hour)).await.unwrap());
        assert!(!app.enqueue(job(1, "hourly", hour)).await.unwrap());
        let soon = Utc::now() + TimeDelta::milliseconds(200);
        assert!(app.enqueue(job(2, "soon", soon)).await.unwrap());
        wait_until("the job has run", async || *ran.lock().unwrap() == [2]).await;
        assert!(Utc::now() >= soon, "it was not time yet");
        wait_until("the job is removed", async || jobs_left(database).await == 1).await;
        assert!(app.enqueue(job(3, "soon", soon)).await.unwrap(), "the key is free again");
        wait_until("the next job has run", async || *ran.lock().unwrap() == [2, 3]).await;
        running.stop().await;
    });
}

/// The kind of the jobs that one server runs alone.
fn own_job(server: i64) -> String {
    format!("of server {server}")
}

#[test]
fn schedule_enqueues_one_job_on_two_servers() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        // Each server notes its own job, which says that it has looked at the schedule before.
        let service = async |own: i64| {
            let noting = |payload: i64| {
                let ran = ran.clone();
                move |(): (), _: App| {
                    let ran = ran.clone();
                    async move {
                        ran.lock().unwrap().push(payload);
                        Ok::<(), String>(())
                    }
                }
            };
            let service = database.service().await.job("nightly", noting(0)).job(own_job(own), noting(own));
            service.every("0 3 * * *", "nightly").unwrap()
        };
        let (first, one) = Running::start(service(1).await.migrate().await.unwrap());
        wait_until("the schedule is known", async || {
            let app = database.service().await.app();
            let mut tx = app.begin().await.unwrap();
            tx.sql("SELECT COUNT(*) FROM crud_schedules").fetch::<(i64,)>().await.unwrap()[0].0 == 1
        })
        .await;
        holds_for_a_moment("no time of the pattern has passed", async || ran.lock().unwrap().is_empty()).await;
        let past = match database.backend() {
            Backend::Sqlite => "2020-01-01T00:00:00.000000Z",
            _ => "2020-01-01 00:00:00",
        };
        database.execute(&format!("UPDATE crud_schedules SET last_run = '{past}'")).await;
        let (second, two) = Running::start(service(2).await);
        wait_until("the job has run", async || !ran.lock().unwrap().is_empty()).await;
        for (app, own) in [(first, 1), (second, 2)] {
            app.enqueue(Job::new(own_job(own), &()).unwrap()).await.unwrap();
            wait_until("the server's own job has run", async || ran.lock().unwrap().contains(&own)).await;
        }
        wait_until("every job is removed", async || jobs_left(database).await == 0).await;
        assert_eq!(*ran.lock().unwrap(), [0, 1, 2]);
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
