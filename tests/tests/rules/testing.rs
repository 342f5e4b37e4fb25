use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::jobs::NewJob;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get};
use crud_runtime::testing::{Test, TestDatabase};
use crud_runtime::{BoxError, Job};
use crud_tests::{Database, on_each_backend, on_each_transactional_backend};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A note of its author.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(all(role("staff"))))]
struct Memo {
    id: i64,
    #[crud(owner)]
    author: String,
    text: String,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
}

async fn whoami(ctx: Context) -> Json<Vec<String>> {
    let subject = ctx.principal().map(|user| user.subject().to_owned());
    Json(vec![subject.unwrap_or_default(), ctx.now().to_rfc3339()])
}

/// Creates a memo.
#[derive(Serialize, Deserialize)]
struct Count;

impl Job for Count {
    const KIND: &str = "count";

    async fn run(self, app: App) -> Result<(), BoxError> {
        app.store::<Memo>().create(NewMemo { author: "job".into(), text: "ran".into() }).await?;
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
struct Fail;

impl Job for Fail {
    const KIND: &str = "fail";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Err("not now".into())
    }
}

fn auth() -> Auth {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").issuer("tests").logout();
    auth.build().expect("the secret is long enough")
}

fn with_rules(service: Service) -> Service {
    let service = service.auth(auth()).resource::<Memo>().job::<Count>().job::<Fail>();
    service.route("/whoami", get(whoami).access(Access::Public))
}

/// Runs a test of a service with the harness for programs.
fn on_each_test(test: impl AsyncFn(Test) + Copy) {
    on_each_transactional_backend(async |database: &Database| {
        test(with_rules(database.service().await).test().await.expect("the tables")).await;
    });
}

#[test]
fn requests_are_those_of_a_principal_of_choice() {
    on_each_test(async |test| {
        test.get("/memos").await.problem("authentication_failed");
        test.as_role("guest").get("/memos").await.problem("permission_denied");
        let ada = test.as_principal(Principal::new("ada")).as_role("staff");
        let memo = ada.post("/memos", json!({ "text": "hello" })).await.expect(201).json();
        assert_eq!(memo["author"], "ada");
        test.as_role("staff").get(format!("/memos/{}", memo["id"])).await.problem("not_found");
        assert_eq!(ada.get("/whoami").await.json()[0], "ada");
        assert_eq!(test.get("/whoami").await.json()[0], "");
        let log = test.as_role("admin").get("/audit-logs").await.expect(200).json();
        assert_eq!(log["data"][0]["actor"], "ada");
    });
}

#[test]
fn users_log_in_and_are_a_principal_of_choice_too() {
    on_each_test(async |test| {
        test.users().create_user("ada", "correct horse").await.unwrap();
        test.users().set_roles("ada", ["staff"]).await.unwrap();
        test.as_user("ada").await.unwrap().get("/memos").await.expect(200);
        assert!(test.as_user("bob").await.is_err());
        let login = json!({ "username": "ada", "password": "correct horse" });
        let tokens = test.post("/auth/login", login).await.expect(200).json();
        let bearer = format!("Bearer {}", tokens["access_token"].as_str().unwrap());
        test.get("/memos").header("authorization", &bearer).await.expect(200);
        test.clock().advance(Duration::from_mins(14));
        test.get("/memos").header("authorization", &bearer).await.expect(200);
        test.clock().advance(Duration::from_mins(1));
        test.get("/memos").header("authorization", &bearer).await.problem("token_expired");
        let refresh = json!({ "refresh_token": tokens["refresh_token"] });
        test.post("/auth/refresh", &refresh).await.expect(200);
        test.clock().advance(Duration::from_hours(7 * 24));
        test.post("/auth/refresh", &refresh).await.problem("refresh_failed");
        test.as_user("ada").await.unwrap().get("/memos").await.expect(200);
    });
}

#[test]
fn timestamps_are_those_of_a_clock_that_is_set() {
    on_each_test(async |test| {
        let staff = test.as_role("staff");
        test.clock().set("2031-01-31T12:00:00Z".parse().unwrap());
        let memo = staff.post("/memos", json!({ "text": "one" })).await.expect(201).json();
        assert_eq!(memo["created_at"], "2031-01-31T12:00:00.000000Z");
        assert_eq!(memo["updated_at"], memo["created_at"]);
        test.clock().advance(Duration::from_hours(1));
        let path = format!("/memos/{}", memo["id"]);
        let memo = staff.patch(&path, json!({ "text": "two" })).await.expect(200).json();
        assert_eq!(memo["updated_at"], "2031-01-31T13:00:00.000000Z");
        let before = staff.get(format!("{path}?as_of=2031-01-31T12:30:00Z")).await.expect(200).json();
        assert_eq!(before["text"], "one");
        staff.get(format!("{path}?as_of=2031-01-31T13:30:00Z")).await.problem("validation_failed");
        assert_eq!(test.get("/whoami").await.json()[1], "2031-01-31T13:00:00+00:00");
        assert_eq!(test.app().now(), test.clock().now());
    });
}

#[test]
fn jobs_are_run_when_the_test_says_so() {
    on_each_test(async |test| {
        assert_eq!(test.run_jobs().await.unwrap(), 0);
        test.app().enqueue(Count).await.unwrap();
        let tomorrow = test.clock().now() + TimeDelta::days(1);
        test.app().enqueue(Count.run_at(tomorrow)).await.unwrap();
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        test.clock().set(tomorrow);
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        assert_eq!(test.store::<Memo>().count(Select::all()).await.unwrap(), 2);
    });
}

#[test]
fn job_that_fails_is_due_again_by_the_clock() {
    on_each_test(async |test| {
        test.clock().set("2031-01-31T12:00:00Z".parse().unwrap());
        test.app().enqueue(Fail).await.unwrap();
        for attempt in 1..=10 {
            assert_eq!(test.run_jobs().await.unwrap(), 1, "attempt {attempt}");
            assert_eq!(test.run_jobs().await.unwrap(), 0, "attempt {attempt}");
            test.clock().advance(Duration::from_secs(attempt * attempt));
        }
        assert_eq!(test.run_jobs().await.unwrap(), 0, "it is dead");
    });
}

#[test]
fn database_of_a_test_on_a_server_is_removed() {
    on_each_backend(async |database: &Database| {
        if !(database.backend().is_server() && database.backend().speaks_sql()) {
            let refused = TestDatabase::create("sqlite::memory:").await.unwrap_err().to_string();
            assert!(refused.contains("`sqlite:`"), "{refused}");
            return;
        }
        let of_test = TestDatabase::create(database.url()).await.expect("a database");
        let service = with_rules(Service::connect(of_test.url()).await.expect("a connection"));
        let test = service.test().await.expect("the tables");
        test.as_role("staff").get("/memos").await.expect(200);
        let url = of_test.url().to_owned();
        drop(of_test);
        assert!(Service::connect(&url).await.is_err(), "the database is there");
    });
}

#[test]
fn jobs_are_listed_retried_and_cancelled() {
    on_each_test(async |test| {
        test.clock().set("2031-01-31T12:00:00Z".parse().unwrap());
        let later = test.clock().now() + TimeDelta::hours(1);
        for job in [NewJob::from(Fail), Count.run_at(later), Count.run_at(later)] {
            test.app().enqueue(job).await.unwrap();
        }
        let admin = test.as_role("admin");
        test.get("/_service/jobs").await.problem("authentication_failed");
        test.as_role("staff").get("/_service/jobs").await.problem("permission_denied");
        let ids = async |query: &str| {
            let page = admin.get(format!("/_service/jobs?{query}")).await.expect(200).json();
            let ids: Vec<i64> = page["data"].as_array().unwrap().iter().filter_map(|job| job["id"].as_i64()).collect();
            (page["total"].as_u64().unwrap(), ids)
        };
        let (total, all) = ids("").await;
        assert_eq!((total, all.len()), (3, 3));
        assert_eq!(ids("kind=count&limit=1&skip=1").await, (2, vec![all[2]]));
        assert_eq!(ids("state=dead").await, (0, vec![]));
        for attempt in 1..=10 {
            assert_eq!(test.run_jobs().await.unwrap(), 1);
            test.clock().advance(Duration::from_secs(attempt * attempt));
        }
        assert_eq!(ids("state=dead").await, (1, vec![all[0]]));
        let dead = admin.get("/_service/jobs?state=dead").await.json()["data"][0].clone();
        assert_eq!(
            (&dead["attempts"], &dead["last_error"], &dead["payload"]),
            (&json!(10), &json!("not now"), &json!(null))
        );
        test.app().jobs().retry(all[0]).await.unwrap();
        assert_eq!((ids("state=dead").await.0, ids("state=waiting").await.0), (0, 3));
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        test.app().jobs().cancel(all[1]).await.unwrap();
        assert!(test.app().jobs().cancel(all[1]).await.is_err() && test.app().jobs().retry(all[1]).await.is_err());
        assert_eq!(ids("kind=count").await, (1, vec![all[2]]));
        let wrong = admin.get("/_service/jobs?state=done&limit=0&x=1").await.problem("validation_failed");
        assert_eq!(wrong["errors"].as_array().unwrap().len(), 3);
        let document = test.get("/openapi.json").await.json();
        assert!(document["paths"]["/_service/jobs"]["get"]["security"].is_array());
    });
}

#[test]
fn job_that_runs_is_neither_retried_nor_cancelled() {
    #[derive(Serialize, Deserialize)]
    struct Itself;

    impl Job for Itself {
        const KIND: &str = "itself";

        async fn run(self, app: App) -> Result<(), BoxError> {
            let running = app.jobs().list(None, Some(crud_runtime::jobs::JobState::Running), 0, 9).await?;
            let id = running.data[0].id;
            assert!(app.jobs().retry(id).await.is_err() && app.jobs().cancel(id).await.is_err());
            app.store::<Memo>().create(NewMemo { author: "job".into(), text: "ran".into() }).await?;
            Ok(())
        }
    }
    on_each_transactional_backend(async |database: &Database| {
        let service = database.service().await.auth(auth()).resource::<Memo>().job::<Itself>();
        let test = service.test().await.unwrap();
        test.app().enqueue(Itself).await.unwrap();
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        assert_eq!(test.store::<Memo>().count(Select::all()).await.unwrap(), 1);
    });
}
