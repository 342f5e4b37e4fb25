//! The current user in a program's own handlers.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use crud_runtime::ServiceState;
use crud_runtime::auth::CurrentUser;
use crud_tests::{Client, on_each_backend};
use tokio::net::TcpListener;

use crate::support::{auth, claims, sign};

/// The state of a program that contains a service's state.
#[derive(Clone)]
struct App {
    crud: ServiceState,
}

impl FromRef<App> for ServiceState {
    fn from_ref(app: &App) -> Self {
        app.crud.clone()
    }
}

async fn required(user: CurrentUser) -> String {
    assert!(user.has_role("editor") && user.permissions().is_empty());
    format!("{} {}", user.user_id(), user.roles().join(","))
}

async fn optional(user: Option<CurrentUser>) -> String {
    user.map_or_else(|| "anonymous".to_owned(), |user| user.user_id().to_owned())
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_program(secured: bool, test: impl AsyncFn(&Client)) {
    on_each_backend(async |database| {
        let mut service = database.service().await;
        if secured {
            service = service.auth(auth().build().expect("the authentication"));
        }
        let crud = service.state().expect("the state");
        let program = Router::new().route("/required", get(required)).route("/optional", get(optional));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let program = program.with_state(App { crud });
        let server = tokio::spawn(async move { axum::serve(listener, program).await });
        test(&Client::of_program(format!("http://{address}"), database.secrets())).await;
        server.abort();
    });
}

#[test]
fn handler_receives_the_current_user() {
    on_program(true, async |program| {
        let good = format!("Bearer {}", sign(&claims()));
        assert_eq!(program.get("/required").header("authorization", &good).await.expect(200).text(), "1 editor");
        assert_eq!(program.get("/optional").header("authorization", &good).await.expect(200).text(), "1");
    });
}

#[test]
fn required_user_rejects_an_unauthenticated_request() {
    on_program(true, async |program| {
        program.get("/required").await.expect(401).problem("authentication_failed");
        program.get("/required").header("authorization", "Bearer x").await.expect(401).problem("invalid_token");
    });
}

#[test]
fn optional_user_accepts_no_token_but_not_an_invalid_one() {
    on_program(true, async |program| {
        assert_eq!(program.get("/optional").await.expect(200).text(), "anonymous");
        program.get("/optional").header("authorization", "Bearer x").await.expect(401).problem("invalid_token");
    });
}

#[test]
fn no_user_is_present_without_authentication() {
    on_program(false, async |program| {
        let good = format!("Bearer {}", sign(&claims()));
        program.get("/required").header("authorization", &good).await.expect(401).problem("authentication_failed");
        assert_eq!(program.get("/optional").header("authorization", &good).await.expect(200).text(), "anonymous");
    });
}
