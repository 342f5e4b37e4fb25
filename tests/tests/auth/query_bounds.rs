//! The bounds of query strings, on the routes of authentication.

use reqwest::Method;

use crate::support::{auth, on_service};

#[test]
fn query_strings_are_bounded_on_every_route() {
    on_service(
        || auth().logout(),
        async |api, _| {
            let (too_long, too_complex) = ("x".repeat(8_193), "x&".repeat(201));
            for (method, path) in [
                (Method::POST, "/auth/login"),
                (Method::POST, "/auth/refresh"),
                (Method::POST, "/auth/logout"),
                (Method::GET, "/profile"),
            ] {
                let send = |query: &str| api.request(method.clone(), format!("{path}?{query}"));
                send(&too_long).await.problem("query_too_long");
                send(&too_complex).await.problem("query_too_complex");
                let status = send(&"x".repeat(8_192)).await.status();
                assert!(matches!(status, 401 | 422), "{path}: {status}");
            }
        },
    );
}
