use std::sync::{Arc, Mutex};

use crud_runtime::auth::Auth;
use crud_runtime::error::{Code, Problem};
use crud_runtime::jobs::JobState;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Error, Job};
use crud_tests::{Api, Backend, Database, holds_for_a_moment, on_each_sql_backend, on_sqlite, wait_until};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::caller::{SECRET, bearer};
use crate::resources::{Part, part};

/// The payloads of the jobs that ran.
type Ran = Arc<Mutex<Vec<i64>>>;

/// A job that notes its payload.
#[derive(Serialize, Deserialize)]
struct Note(i64);

impl Job for Note {
    const KIND: &str = "note";

    async fn run(self, app: App) -> Result<(), BoxError> {
        note(&app, self.0)
    }
}

fn note(app: &App, payload: i64) -> Result<(), BoxError> {
    app.extension::<Ran>()?.lock().unwrap().push(payload);
    Ok(())
}

/// A service whose jobs note their payloads.
async fn noting(database: &Database, ran: &Ran) -> Service {
    database.service().await.resource::<Part>().extension(ran.clone()).job::<Note>()
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
            app.transaction(async |tx| -> Result<(), Error> {
                tx.store::<Part>().create(part(&payload.to_string(), 1)).await?;
                assert!(tx.enqueue(Note(payload)).await?);
                Ok(())
            })
            .await
            .unwrap();
            let rolled_back: Result<(), Error> = app
                .transaction(async |tx| {
                    tx.enqueue(Note(1_000 + payload)).await?;
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

/// A job whose first attempt does not succeed.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq)]
enum Flaky {
    Fails,
    Panics,
}

impl Job for Flaky {
    const KIND: &str = "flaky";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let is_first = {
            let mut attempts = app.extension::<Ran>()?.lock().unwrap();
            attempts.push(self as i64);
            attempts.iter().filter(|other| **other == self as i64).count() == 1
        };
        match self {
            Self::Fails if is_first => Err("not yet".into()),
            Self::Panics if is_first => panic!("not yet either"),
            _ => Ok(()),
        }
    }
}

#[test]
fn job_that_fails_or_panics_is_run_again() {
    on_each_sql_backend(async |database| {
        let attempts = Ran::default();
        let service = database.service().await.extension(attempts.clone()).job::<Flaky>().migrate().await.unwrap();
        let (app, running) = Running::start(service);
        for job in [Flaky::Fails, Flaky::Panics] {
            app.enqueue(job).await.unwrap();
        }
        wait_until("the second attempts", async || attempts.lock().unwrap().len() == 4).await;
        wait_until("the jobs are removed", async || jobs_left(database).await == 0).await;
        let mut attempts = attempts.lock().unwrap().clone();
        attempts.sort_unstable();
        assert_eq!(attempts, [0, 0, 1, 1]);
        running.stop().await;
    });
}

#[test]
fn unique_key_is_of_one_job_at_a_time_and_run_at_is_waited_for() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let (app, running) = Running::start(noting(database, &ran).await.migrate().await.unwrap());
        let job = |payload: i64, unique: &str, later: DateTime<Utc>| Note(payload).run_at(later).unique_key(unique);
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

/// A time before that of every test, as a text of the database.
fn past(database: &Database) -> &'static str {
    match database.backend() {
        Backend::Sqlite => "2020-01-01T00:00:00.000000Z",
        _ => "2020-01-01 00:00:00",
    }
}

/// The numbers of jobs in each state.
async fn states(app: &App) -> [u64; 3] {
    let mut numbers = [0; 3];
    for (number, state) in numbers.iter_mut().zip(JobState::ALL) {
        *number = app.jobs().list(None, Some(state), 0, 20).await.unwrap().total;
    }
    numbers
}

#[test]
fn key_of_a_dead_job_is_free_for_the_next_one() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let test = noting(database, &ran).await.test().await.unwrap();
        assert!(test.app().enqueue(Note(1).unique_key("sync")).await.unwrap());
        database.execute("UPDATE crud_jobs SET dead = TRUE").await;
        assert!(test.app().enqueue(Note(2).unique_key("sync")).await.unwrap(), "a dead job keeps the next one out");
        assert!(!test.app().enqueue(Note(3).unique_key("sync")).await.unwrap());
        test.run_jobs().await.unwrap();
        assert_eq!(states(test.app()).await, [0, 0, 1]);
        assert_eq!(*ran.lock().unwrap(), [2]);
    });
}

#[test]
fn job_that_ends_its_process_ten_times_is_dead() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let test = noting(database, &ran).await.test().await.unwrap();
        test.app().enqueue(Note(1)).await.unwrap();
        // Ten servers took the job, and were killed.
        let leased = format!("UPDATE crud_jobs SET attempts = 10, leased_until = '{}'", past(database));
        database.execute(&leased).await;
        test.run_jobs().await.unwrap();
        assert_eq!(states(test.app()).await, [0, 0, 1]);
        assert!(ran.lock().unwrap().is_empty(), "it would end an eleventh process");
        let dead = test.app().jobs().list(None, Some(JobState::Dead), 0, 1).await.unwrap().data.remove(0);
        assert!(dead.last_error.is_some_and(|error| error.contains("not ended")), "the reason is stated");
        test.app().jobs().retry(dead.id).await.unwrap();
        test.run_jobs().await.unwrap();
        assert_eq!(states(test.app()).await, [0, 0, 0]);
        assert_eq!(*ran.lock().unwrap(), [1]);
    });
}

/// A job that another server takes before it fails here.
#[derive(Serialize, Deserialize)]
struct Overtaken;

impl Job for Overtaken {
    const KIND: &str = "overtaken";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let mut tx = app.begin().await?;
        tx.sql("UPDATE crud_jobs SET attempts = attempts + 1").execute().await?;
        tx.commit().await?;
        Err("too late".into())
    }
}

#[test]
fn end_of_a_job_that_another_server_has_taken_over_changes_nothing() {
    on_each_sql_backend(async |database| {
        let test = database.service().await.job::<Overtaken>().test().await.unwrap();
        test.app().enqueue(Overtaken).await.unwrap();
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        assert_eq!(states(test.app()).await, [0, 1, 0], "the other server still runs it");
    });
}

#[test]
fn job_that_cannot_be_taken_leaves_those_before_it_alone() {
    on_sqlite(async |database| {
        let ran = Ran::default();
        let service = noting(database, &ran).await.migrate().await.unwrap();
        let earlier = Utc::now() - TimeDelta::minutes(1);
        service.app().enqueue(Note(1).run_at(earlier)).await.unwrap();
        service.app().enqueue(Note(2)).await.unwrap();
        let trigger = "CREATE TRIGGER locked BEFORE UPDATE ON crud_jobs WHEN old.payload = '2' \
                       BEGIN SELECT RAISE(ABORT, 'locked'); END";
        database.execute(trigger).await;
        let (_, running) = Running::start(service);
        wait_until("the job before has run", async || *ran.lock().unwrap() == [1]).await;
        running.stop().await;
    });
}

/// A job that the server with this number runs alone.
#[derive(Serialize, Deserialize)]
struct Own<const SERVER: u8>;

impl Job for Own<1> {
    const KIND: &str = "of server 1";

    async fn run(self, app: App) -> Result<(), BoxError> {
        note(&app, 1)
    }
}

impl Job for Own<2> {
    const KIND: &str = "of server 2";

    async fn run(self, app: App) -> Result<(), BoxError> {
        note(&app, 2)
    }
}

#[test]
fn schedule_enqueues_one_job_on_two_servers() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let scheduled = async || noting(database, &ran).await.schedule("0 3 * * *", Note(0)).unwrap();
        // Each server runs its own job, which says that it has looked at the schedule before.
        let (first, one) = Running::start(scheduled().await.job::<Own<1>>().migrate().await.unwrap());
        wait_until("the schedule is known", async || {
            let app = database.service().await.app();
            let mut tx = app.begin().await.unwrap();
            tx.sql("SELECT COUNT(*) FROM crud_schedules").fetch::<(i64,)>().await.unwrap()[0].0 == 1
        })
        .await;
        holds_for_a_moment("no time of the pattern has passed", async || ran.lock().unwrap().is_empty()).await;
        database.execute(&format!("UPDATE crud_schedules SET last_run = '{}'", past(database))).await;
        let (second, two) = Running::start(scheduled().await.job::<Own<2>>());
        wait_until("the job has run", async || !ran.lock().unwrap().is_empty()).await;
        first.enqueue(Own::<1>).await.unwrap();
        wait_until("the first server's job has run", async || ran.lock().unwrap().contains(&1)).await;
        second.enqueue(Own::<2>).await.unwrap();
        wait_until("the second server's job has run", async || ran.lock().unwrap().contains(&2)).await;
        wait_until("every job is removed", async || jobs_left(database).await == 0).await;
        assert_eq!(*ran.lock().unwrap(), [0, 1, 2]);
        one.stop().await;
        two.stop().await;
    });
}

#[test]
fn server_whose_clock_is_a_year_ahead_does_not_silence_a_schedule() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let scheduled = async || {
            let service = noting(database, &ran).await.schedule("0 3 * * *", Note(0)).unwrap();
            service.test().await.unwrap()
        };
        let (here, ahead) = (scheduled().await, scheduled().await);
        let run = async |test: &crud_runtime::testing::Test, time: &str| {
            test.clock().set(time.parse().unwrap());
            test.run_jobs().await.unwrap();
            ran.lock().unwrap().len()
        };
        assert_eq!(run(&here, "2026-11-20T12:00:00Z").await, 0);
        assert_eq!(run(&ahead, "2027-11-20T12:00:00Z").await, 1, "its time has passed there");
        assert_eq!(run(&here, "2026-11-20T12:00:01Z").await, 1);
        assert_eq!(run(&here, "2026-11-21T03:00:00Z").await, 2);
        assert_eq!(run(&ahead, "2027-11-20T12:00:02Z").await, 2, "it has run this time");
        assert_eq!(run(&here, "2026-11-21T03:00:01Z").await, 2);
        assert_eq!(run(&ahead, "2027-11-21T03:00:00Z").await, 3);
        assert_eq!(run(&here, "2026-11-22T02:59:59Z").await, 3);
        assert_eq!(run(&scheduled().await, "2026-11-22T02:59:59Z").await, 3, "a server that begins then");
        assert_eq!(run(&here, "2026-11-22T03:00:00Z").await, 4);
    });
}

#[test]
fn job_that_a_server_with_a_clock_ahead_has_taken_is_run() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let test = noting(database, &ran).await.test().await.unwrap();
        test.app().enqueue(Note(1)).await.unwrap();
        // The server was killed while the job ran.
        let until = database.time_literal("2099-01-31T12:00:00.000000Z");
        database.execute(&format!("UPDATE crud_jobs SET attempts = 1, leased_until = {until}")).await;
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        assert_eq!(*ran.lock().unwrap(), [1]);
    });
}

/// A job whose payload cannot be read.
#[derive(Serialize)]
struct Unreadable;

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("a fault of the program");
    }
}

impl Job for Unreadable {
    const KIND: &str = "unreadable";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

#[test]
fn job_whose_payload_panics_has_failed() {
    on_sqlite(async |database| {
        let test = database.service().await.job::<Unreadable>().test().await.unwrap();
        test.app().enqueue(Unreadable).await.unwrap();
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        let job = test.app().jobs().list(None, None, 0, 1).await.unwrap().data.remove(0);
        assert_eq!((job.state, job.last_error.as_deref()), (JobState::Waiting, Some("the job panicked")));
    });
}

/// A job that does not end.
#[derive(Serialize, Deserialize)]
struct Endless;

impl Job for Endless {
    const KIND: &str = "endless";

    async fn run(self, app: App) -> Result<(), BoxError> {
        note(&app, 1)?;
        std::future::pending().await
    }
}

#[test]
fn job_that_a_stop_cuts_off_is_due_for_other_servers() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let service = database.service().await.extension(ran.clone()).job::<Endless>().migrate().await.unwrap();
        let (app, running) = Running::start(service);
        app.enqueue(Endless).await.unwrap();
        wait_until("the job runs", async || !ran.lock().unwrap().is_empty()).await;
        running.stop().await;
        let app = database.service().await.app();
        let mut tx = app.begin().await.unwrap();
        let free = tx.sql("SELECT COUNT(*) FROM crud_jobs WHERE leased_until IS NULL AND attempts = 0");
        assert_eq!(free.fetch::<(i64,)>().await.unwrap()[0].0, 1, "the attempt does not count");
    });
}

#[test]
fn stop_leaves_no_job_taken_that_does_not_run() {
    on_sqlite(async |database| {
        let ran = Ran::default();
        let service = noting(database, &ran).await.migrate().await.unwrap();
        let app = service.app();
        for round in 0..40 {
            for payload in 0..20 {
                app.enqueue(Note(payload)).await.unwrap();
            }
            let before = ran.lock().unwrap().len();
            let (_, running) = Running::start(noting(database, &ran).await);
            wait_until("a job has run", async || ran.lock().unwrap().len() > before).await;
            running.stop().await;
            let mut tx = app.begin().await.unwrap();
            let taken = tx.sql("SELECT COUNT(*) FROM crud_jobs WHERE leased_until IS NOT NULL");
            assert_eq!(taken.fetch::<(i64,)>().await.unwrap()[0].0, 0, "after round {round}");
        }
    });
}

/// A job with the kind of another.
#[derive(Serialize, Deserialize)]
struct Namesake;

impl Job for Namesake {
    const KIND: &str = "other";
    const FORMER_KINDS: &[&str] = &[Note::KIND];

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

#[test]
fn kind_of_two_types_and_schedule_that_is_there_twice_are_refused() {
    on_each_sql_backend(async |database| {
        let service = async || noting(database, &Ran::default()).await;
        let two = service().await.job::<Namesake>().migrate().await;
        assert!(matches!(two, Err(Error::Setup(text)) if text.contains("the kind `note`")));
        let nightly = service().await.schedule("0 3 * * *", Note(1)).unwrap();
        let weekly = nightly.schedule("0 3 * * 1", Note(1)).unwrap();
        let twice = weekly.schedule("0 3 * * *", Note(2)).unwrap().migrate().await;
        assert!(matches!(twice, Err(Error::Setup(text)) if text.contains("`0 3 * * * note` is registered twice")));
        let pattern = service().await.schedule("at night", Note(0));
        assert!(matches!(pattern, Err(Error::Setup(text)) if text.contains("at night")));
    });
}

#[test]
fn numbers_have_no_gaps_whatever_is_rolled_back() {
    on_each_sql_backend(async |database| {
        let app =
            database.service().await.extend(crud_runtime::ExtensionOptions::counters).migrate().await.unwrap().app();
        let tasks: Vec<_> = (0..40)
            .map(|index| {
                let app = app.clone();
                tokio::spawn(async move {
                    app.transaction(async |tx| -> Result<i64, Error> {
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

#[test]
fn role_retries_and_cancels_jobs_over_http() {
    on_each_sql_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().expect("the authentication");
        let service = database.service().await.auth(auth).job::<Note>().access(|access| access.jobs_role("operator"));
        let service = service.extension(Ran::default()).migrate().await.expect("the tables");
        let app = service.app();
        for hours in [1, 2] {
            app.enqueue(Note(hours).run_at(app.now() + TimeDelta::hours(hours))).await.expect("a job");
        }
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let send = async |role: &str, path: &str| {
            let request = api.request(Method::POST, format!("/_service/jobs/{path}"));
            request.header("authorization", &bearer("1", &[role])).await
        };
        let listed = async |role: &str| api.get("/_service/jobs").header("authorization", &bearer("1", &[role])).await;
        let jobs = listed("operator").await.ok();
        let [first, second] = [0, 1].map(|index| jobs["data"][index]["id"].clone());
        listed("admin").await.problem("permission_denied");
        send("admin", &format!("{second}/retry")).await.problem("permission_denied");
        send("operator", &format!("{second}/retry")).await.expect(204);
        let total = async || listed("operator").await.ok()["total"].clone();
        wait_until("the job runs before its time", async || total().await == 1).await;
        assert_eq!(listed("operator").await.ok()["data"][0]["id"], first);
        send("operator", &format!("{first}/cancel")).await.expect(204);
        assert_eq!(total().await, 0);
        for path in [format!("{first}/cancel"), format!("{second}/retry")] {
            send("operator", &path).await.problem("not_found");
        }
        api.stop().await;
    });
}

#[test]
fn jobs_are_changed_over_http_by_a_stated_role_alone() {
    on_each_sql_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().expect("the authentication");
        let service = database.service().await.auth(auth).job::<Note>().extension(Ran::default());
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let retry = api.request(Method::POST, "/_service/jobs/1/retry");
        retry.header("authorization", &bearer("1", &["admin"])).await.problem("route_not_found");
        api.get("/_service/jobs").header("authorization", &bearer("1", &["admin"])).await.ok();
        api.stop().await;
    });
}
