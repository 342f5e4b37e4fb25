//! [`Test`]: a service under test.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use serde::Serialize;

use super::request::TestRequest;
#[cfg(feature = "auth")]
use crate::auth::{Auth, Users};
use crate::http::model::Model;
use crate::model::clock::Clock;
#[cfg(feature = "auth")]
use crate::model::principal::Principal;
use crate::model::resource::{Resource, Tenancy};
use crate::service::builder::Service;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;
use crate::store::app::App;
#[cfg(feature = "jobs")]
use crate::store::jobs::worker::Worker;
use crate::store::typed::tenant_store::{StoreFor, StoreOf};

/// # Tests
///
/// A service in a test, without a socket.
impl Service {
    /// Makes the tables and routes of the service for a test, which sends it requests without a socket.
    ///
    /// The service's database should be the test's alone: `sqlite::memory:` is one.
    ///
    /// ```
    /// use crud_runtime::prelude::*;
    /// use serde_json::json;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Book { id: i64, title: String }
    ///
    /// /// The service of the program, for `main` and for tests.
    /// async fn service(url: &str) -> crud_runtime::Result<Service> {
    ///     Ok(Service::connect(url).await?.resource::<Book>())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let test = service("sqlite::memory:").await?.test().await?;
    /// let created = test.post("/books", json!({ "title": "Middlemarch" })).await.expect(201);
    /// assert_eq!(created.header("location"), Some("/books/1"));
    /// assert_eq!(test.get("/books/1").await.expect(200).json()["title"], "Middlemarch");
    /// test.post("/books", json!({})).await.problem("validation_failed");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Errors of [`migrate`](Self::migrate) and [`into_router`](Self::into_router).
    pub async fn test(self) -> Result<Test> {
        self.into_test().await
    }

    /// Boxed, so that this crate has its machine code: an `async fn` is compiled in each program that awaits it.
    fn into_test(self) -> BoxFuture<'static, Result<Test>> {
        Box::pin(async move {
            #[cfg_attr(not(feature = "auth"), allow(unused_mut))]
            let mut service = self.migrate().await?;
            #[cfg(feature = "auth")]
            if let Some(auth) = service.auth.as_mut().and_then(Arc::get_mut) {
                auth.trust_tests()?;
            }
            let parts = Parts {
                app: service.app(),
                model: service.model()?,
                clock: service.clock.clone(),
                #[cfg(feature = "auth")]
                users: service.users(),
                #[cfg(feature = "auth")]
                auth: service.auth.clone(),
                #[cfg(feature = "auth")]
                is_authenticated: service.is_authenticated(),
                #[cfg(feature = "jobs")]
                worker: service.worker(),
            };
            let (router, background) = service.into_parts()?;
            background.plugins.check().await?;
            Ok(Test {
                router,
                parts: Arc::new(parts),
                #[cfg(feature = "auth")]
                principal: None,
            })
        })
    }
}

/// A service under test, and the principal of the requests to it: none at first. Cheap to clone.
#[derive(Clone)]
pub struct Test {
    router: Router,
    parts: Arc<Parts>,
    #[cfg(feature = "auth")]
    principal: Option<Principal>,
}

/// State that the clones of a service under test share.
struct Parts {
    app: App,
    model: Model,
    clock: Clock,
    #[cfg(feature = "auth")]
    users: Users,
    #[cfg(feature = "auth")]
    auth: Option<Arc<Auth>>,
    #[cfg(feature = "auth")]
    is_authenticated: bool,
    #[cfg(feature = "jobs")]
    worker: Option<Worker>,
}

impl fmt::Debug for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Test");
        debug.field("app", &self.parts.app);
        #[cfg(feature = "auth")]
        debug.field("principal", &self.principal);
        debug.finish_non_exhaustive()
    }
}

macro_rules! with_body {
    ($($name:ident: $method:ident;)+) => { $(
        #[doc = concat!("A `", stringify!($method), "` request with a JSON body, sent when it is awaited.")]
        pub fn $name(&self, path: impl AsRef<str>, body: impl Serialize) -> TestRequest {
            self.request(Method::$method, path).json(body)
        }
    )+ };
}

impl Test {
    with_body! {
        post: POST;
        put: PUT;
        patch: PATCH;
    }

    /// A `GET` request, sent when it is awaited.
    pub fn get(&self, path: impl AsRef<str>) -> TestRequest {
        self.request(Method::GET, path)
    }

    /// A `DELETE` request, sent when it is awaited.
    pub fn delete(&self, path: impl AsRef<str>) -> TestRequest {
        self.request(Method::DELETE, path)
    }

    /// A request for a path with its query, sent when it is awaited.
    ///
    /// # Panics
    /// When a token for the principal cannot be made: the service has no authentication, for example.
    pub fn request(&self, method: Method, path: impl AsRef<str>) -> TestRequest {
        let request = TestRequest::new(self.router.clone(), method, path.as_ref());
        #[cfg(feature = "auth")]
        match (&self.principal, &self.parts.auth) {
            (None, _) => {}
            // No token names a delegate.
            (Some(principal), _) if principal.delegate().is_some() => return request.acting_as(principal.clone()),
            (Some(principal), Some(auth)) => {
                let (scheme, token) = auth.test_token(principal).expect("a token for the principal");
                return request.with_test_token(scheme, &token);
            }
            (Some(principal), None) => {
                assert!(self.parts.is_authenticated, "a service with authentication, for requests of a principal");
                return request.acting_as(principal.clone());
            }
        }
        request
    }

    /// The service's storage: stores and transactions without a request.
    pub fn app(&self) -> &App {
        &self.parts.app
    }

    /// The resources of the service with their options, its routes and its rules.
    pub fn model(&self) -> &Model {
        &self.parts.model
    }

    /// The store of a resource.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource<Tenant: Tenancy<Kind: StoreOf>>>(&self) -> StoreFor<R> {
        self.parts.app.store::<R>()
    }

    /// The clock of the service, which runs until it is set.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use serde_json::json;
    /// #[derive(Debug, Clone, Resource)]
    /// struct Note { id: i64, #[crud(created_at)] created_at: DateTime<Utc> }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let test = Service::connect("sqlite::memory:").await?.resource::<Note>().test().await?;
    /// test.clock().set("2026-01-31T12:00:00Z".parse().unwrap());
    /// let note = test.post("/notes", json!({})).await.expect(201);
    /// assert_eq!(note.json()["created_at"], "2026-01-31T12:00:00.000000Z");
    /// # Ok(()) }
    /// ```
    pub fn clock(&self) -> &Clock {
        &self.parts.clock
    }

    /// Enqueues the due jobs of the schedules, and runs every job that is due by the service's clock, one after the
    /// other, with the jobs that they enqueue. Returns the number of runs. A failed job is due again later by the
    /// clock.
    ///
    /// # Errors
    /// When the database fails.
    #[cfg(feature = "jobs")]
    pub async fn run_jobs(&self) -> Result<usize> {
        match &self.parts.worker {
            Some(worker) => worker.run_due().await,
            None => Ok(0),
        }
    }
}

#[cfg(feature = "auth")]
impl Test {
    /// A copy of the service whose principal has this role too.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::auth::Auth;
    /// use serde_json::json;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(all(role("staff"))))]
    /// struct Book { id: i64, title: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let test = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>().test().await?;
    /// test.post("/books", json!({ "title": "Emma" })).await.problem("authentication_failed");
    /// test.as_role("guest").post("/books", json!({ "title": "Emma" })).await.problem("permission_denied");
    /// test.as_role("staff").post("/books", json!({ "title": "Emma" })).await.expect(201);
    /// assert_eq!(test.store::<Book>().count(Select::all()).await?, 1);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn as_role(&self, role: impl Into<String>) -> Self {
        let principal = self.principal_or_new();
        let roles: Vec<String> = principal.roles().iter().cloned().chain([role.into()]).collect();
        self.as_principal(principal.with_roles(roles))
    }

    /// A copy of the service whose principal has this claim too, such as its tenant.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::auth::Auth;
    /// use serde_json::json;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Ticket { id: i64, #[crud(tenant)] shop_id: i64, title: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop").build()?;
    /// let test = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Ticket>().test().await?;
    /// let ann = test.as_role("staff").claim("shop", 1);
    /// ann.post("/tickets", json!({ "title": "Broken screen" })).await.expect(201);
    /// ann.claim("shop", 2).get("/tickets/1").await.problem("not_found");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn claim(&self, name: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.as_principal(self.principal_or_new().with_claim(name, value))
    }

    /// A copy of the service, whose requests are those of a principal.
    #[must_use]
    pub fn as_principal(&self, principal: Principal) -> Self {
        Self { principal: Some(principal), ..self.clone() }
    }

    /// A copy of the service, whose requests are those of a user of the service's own table, with the roles and
    /// permissions that it has now.
    ///
    /// # Errors
    /// `not_found` when there is no such user.
    pub async fn as_user(&self, username: &str) -> Result<Self> {
        Ok(self.as_principal(self.parts.users.principal(username).await?))
    }

    /// The users in the service's own table.
    pub fn users(&self) -> &Users {
        &self.parts.users
    }

    /// The principal; if none is set, `test` without roles.
    fn principal_or_new(&self) -> Principal {
        self.principal.clone().unwrap_or_else(|| Principal::new("test"))
    }
}
