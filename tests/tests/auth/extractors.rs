//! The principal of a request in a program's own handlers.

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::routing::get;
use crud_runtime::auth::Principal;
use crud_tests::{Client, http, on_each_backend};
use tokio::net::TcpListener;

use crate::support::{auth, claims, sign};

async fn required(caller: Principal) -> String {
    assert!(caller.has_role("editor") && caller.permissions().is_empty());
    format!("{} {}", caller.subject(), caller.roles().join(","))
}

async fn optional(caller: Option<Principal>) -> String {
    caller.map_or_else(|| "anonymous".to_owned(), |caller| caller.subject().to_owned())
}

/// The program's routes, without a layer that authenticates.
fn routes() -> Router {
    Router::new().route("/required", get(required)).route("/optional", get(optional))
}

/// Serves a program's own router, and runs a test against it.
async fn with_server(program: Router, test: impl AsyncFn(&str)) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the port's address");
    let server = tokio::spawn(async move { axum::serve(listener, program).await });
    test(&format!("http://{address}")).await;
    server.abort();
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_program(secured: bool, test: impl AsyncFn(&Client)) {
    on_each_backend(async |database| {
        let mut service = database.service().await;
        if secured {
            service = service.auth(auth().build().expect("the authentication"));
        }
        let program = routes().layer(service.state().expect("the state").principals());
        let test = async |origin: &str| test(&Client::of_program(origin.to_owned(), database.secrets())).await;
        with_server(program, test).await;
    });
}

#[test]
fn handler_receives_the_principal() {
    on_program(true, async |program| {
        let good = format!("Bearer {}", sign(&claims()));
        assert_eq!(program.get("/required").header("authorization", &good).await.expect(200).text(), "1 editor");
        assert_eq!(program.get("/optional").header("authorization", &good).await.expect(200).text(), "1");
    });
}

#[test]
fn required_principal_rejects_an_unauthenticated_request() {
    on_program(true, async |program| {
        program.get("/required").await.expect(401).problem("authentication_failed");
        program.get("/required").header("authorization", "Bearer x").await.expect(401).problem("invalid_token");
    });
}

#[test]
fn optional_principal_accepts_no_token_but_not_an_invalid_one() {
    on_program(true, async |program| {
        assert_eq!(program.get("/optional").await.expect(200).text(), "anonymous");
        program.get("/optional").header("authorization", "Bearer x").await.expect(401).problem("invalid_token");
    });
}

#[test]
fn no_principal_is_present_without_authentication() {
    on_program(false, async |program| {
        let good = format!("Bearer {}", sign(&claims()));
        program.get("/required").header("authorization", &good).await.expect(401).problem("authentication_failed");
        assert_eq!(program.get("/optional").header("authorization", &good).await.expect(200).text(), "anonymous");
    });
}

#[test]
fn router_without_a_service_has_the_principals_of_its_layers_alone() {
    http::on_each_backend(async |_| {
        let set = from_fn(async |mut request: Request, next: Next| {
            if request.headers().contains_key("x-user") {
                request.extensions_mut().insert(Principal::new("1").with_roles(["editor"]));
            }
            next.run(request).await
        });
        with_server(routes().layer(set), async |origin| {
            let get = async |path: &str, is_set: bool| {
                let request = reqwest::Client::new().get(format!("{origin}{path}"));
                let request = if is_set { request.header("x-user", "1") } else { request };
                let answer = request.send().await.expect("an answer");
                (answer.status().as_u16(), answer.text().await.expect("a text"))
            };
            assert_eq!(get("/required", true).await, (200, "1 editor".to_owned()));
            assert_eq!(get("/optional", true).await, (200, "1".to_owned()));
            let (status, problem) = get("/optional", false).await;
            assert!(status == 500 && problem.contains("\"internal\""), "{status} {problem}");
        })
        .await;
    });
}
