//! The service that targets send requests to: in memory, with a resource of every type and every kind of operation.

use std::cell::RefCell;

use axum::http::{HeaderName, HeaderValue, Uri};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer, TestRequest};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

/// The secret of tokens and cursors.
pub(crate) const SECRET: &str = "the secret of the targets, which is public";

/// The executions that one service serves: its tables stay small.
const EXECUTIONS: u32 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Level {
    Low,
    High,
}

/// A record of every type.
#[derive(Debug, Clone, Resource)]
#[crud(
    prefix = "/records",
    filter,
    sort,
    pagination,
    search(text),
    soft_delete,
    batch(max_size = 20, mode(partial)),
    export,
    import,
    upsert(code),
    audit,
    access(all(public))
)]
pub(crate) struct Record {
    pub(crate) id: i64,
    #[crud(unique, length(max = 20))]
    pub(crate) code: String,
    pub(crate) flag: Option<bool>,
    pub(crate) small: Option<i16>,
    #[crud(range(min = -5, max = 1000))]
    pub(crate) medium: Option<i32>,
    pub(crate) large: Option<i64>,
    pub(crate) unsigned: Option<u32>,
    pub(crate) single: Option<f32>,
    pub(crate) double: Option<f64>,
    #[crud(length(max = 100))]
    pub(crate) text: Option<String>,
    pub(crate) instant: Option<DateTime<Utc>>,
    pub(crate) day: Option<NaiveDate>,
    pub(crate) time: Option<NaiveTime>,
    pub(crate) local: Option<NaiveDateTime>,
    pub(crate) uuid: Option<Uuid>,
    #[crud(decimal(12, 3))]
    pub(crate) decimal: Option<Decimal>,
    pub(crate) json: Option<serde_json::Value>,
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) texts: Option<Vec<String>>,
    level: Option<Level>,
    #[crud(validate(email))]
    pub(crate) email: Option<String>,
    #[crud(validate(url))]
    pub(crate) link: Option<String>,
    #[crud(validate(pattern = "^[A-Z]{3}-[0-9]+$"))]
    pub(crate) sku: Option<String>,
    #[crud(references(Record))]
    pub(crate) parent_id: Option<i64>,
    #[crud(updated_at)]
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A change that is carried out once.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/payments", pagination, idempotency, access(all(public)))]
pub(crate) struct Payment {
    pub(crate) id: i64,
    pub(crate) amount: i64,
}

/// A record that needs a token.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/secrets", pagination)]
pub(crate) struct Secret {
    pub(crate) id: i64,
    #[crud(owner)]
    pub(crate) user_id: i64,
}

/// A service under test, and what it has served.
pub(crate) struct Fuzzed {
    runtime: Runtime,
    test: Test,
    executions: u32,
}

impl Fuzzed {
    fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let test = runtime.block_on(async {
            let auth = Auth::builder().secret(SECRET).logout().build().expect("authentication");
            let service = Service::connect("sqlite::memory:")
                .await
                .expect("a database")
                .server(|server| server.secret(SECRET))
                .auth(auth);
            let service = service.resource::<Record>().resource::<Payment>().resource::<Secret>();
            let test = service.test().await.expect("the tables");
            for number in 1..=5 {
                let body = json!({ "code": format!("c{number}"), "medium": number, "text": "lamp", "json": [number] });
                test.post("/records", body).await.expect(201);
            }
            test.delete("/records/5").await.expect(200);
            test
        });
        Self { runtime, test, executions: 0 }
    }

    /// The answer to a request, which holds what every answer must.
    pub(crate) fn send(&self, request: TestRequest) -> TestAnswer {
        let answer = self.runtime.block_on(async { request.await });
        check(&answer);
        answer
    }

    /// A `GET` of a target; `None` where it is not one.
    pub(crate) fn get(&self, target: &str) -> Option<TestAnswer> {
        target.parse::<Uri>().ok()?;
        Some(self.send(self.test.get(target)))
    }

    /// A service under test.
    pub(crate) fn test(&self) -> &Test {
        &self.test
    }
}

/// The values of a header that a client can send.
pub(crate) fn with_header(request: TestRequest, name: &str, value: &str) -> Option<TestRequest> {
    name.parse::<HeaderName>().ok()?;
    value.parse::<HeaderValue>().ok()?;
    Some(request.header(name, value))
}

/// Runs a target on the service of this thread.
pub(crate) fn on_service(run: impl FnOnce(&Fuzzed)) {
    thread_local! {
        static SERVICE: RefCell<Option<Fuzzed>> = const { RefCell::new(None) };
    }
    SERVICE.with_borrow_mut(|service| {
        let mut fuzzed = service.take().unwrap_or_else(Fuzzed::start);
        run(&fuzzed);
        fuzzed.executions += 1;
        *service = (fuzzed.executions < EXECUTIONS).then_some(fuzzed);
    });
}

/// Properties of every answer: no failure of the service, and a whole problem where the request was refused.
fn check(answer: &TestAnswer) {
    let status = answer.status();
    assert!(status < 500, "{answer:?}");
    let media_type = answer.header("content-type").unwrap_or_default();
    if status >= 400 {
        assert_eq!(media_type, "application/problem+json", "{answer:?}");
        let problem = answer.json();
        assert_eq!(problem["status"], status, "{problem}");
        assert!(problem["code"].as_str().is_some_and(|code| code != "internal"), "{problem}");
        let errors = problem["errors"].as_array().map_or(0, Vec::len);
        assert!(problem["code"] != "validation_failed" || errors > 0, "{problem}");
    } else if media_type == "application/json" {
        assert!(answer.json() != Value::Null, "{answer:?}");
    }
}
