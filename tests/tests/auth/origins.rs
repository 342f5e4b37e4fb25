//! Requests with cookies: which pages may send them.

use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_tests::{Answer, Api, http};
use reqwest::Method;
use serde_json::json;

use crate::elsewhere::{known, service};
use crate::support::{auth, claims, sign};

async fn by_cookie(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    Ok(parts.cookie("session").and_then(known))
}

/// Creates a page with these headers.
async fn create(api: &Api, headers: &[(&str, &str)]) -> Answer {
    let request = api.post("/pages", &json!({ "title": "a" }));
    headers.iter().fold(request, |request, (name, value)| request.header(name, value)).await
}

#[test]
fn page_of_another_origin_cannot_use_a_cookie() {
    http::on_each_backend(async |database| {
        let cors = Cors::origins(["https://app.example"]).credentials();
        let service = service(database)
            .await
            .access(|access| access.authenticate_with(by_cookie))
            .server(|server| server.cors(cors));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let own = format!("http://{}", api.address());
        let session = ("cookie", "session=7");
        for headers in [
            vec![session, ("origin", own.as_str())],
            vec![session, ("sec-fetch-site", "same-origin")],
            vec![session, ("origin", "https://app.example"), ("sec-fetch-site", "cross-site")],
        ] {
            create(&api, &headers).await.created();
        }
        for headers in [
            vec![session],
            vec![session, ("origin", "https://evil.example")],
            vec![session, ("origin", "null")],
            vec![session, ("sec-fetch-site", "same-site")],
            vec![session, ("sec-fetch-site", "cross-site"), ("origin", own.as_str())],
            vec![session, ("x-forwarded-host", "evil.example"), ("origin", "https://evil.example")],
        ] {
            let problem = create(&api, &headers).await.expect(403).problem("permission_denied");
            assert!(problem.detail.contains("`Origin`"), "{headers:?}: {}", problem.detail);
        }
        // A cookie that names no principal decides nothing, and neither does a page that only reads.
        create(&api, &[("cookie", "session=x"), ("origin", "https://evil.example")])
            .await
            .problem("authentication_failed");
        let read = api.get("/whoami").header("cookie", "session=7").header("origin", "https://evil.example").await;
        assert_eq!(read.expect(200).header("access-control-allow-origin"), None);
        let form = api.request(Method::POST, "/pages").body("application/x-www-form-urlencoded", "title=a");
        form.header("cookie", "session=7").header("origin", "https://evil.example").await.problem("permission_denied");
        api.stop().await;
    });
}

#[test]
fn page_of_another_origin_may_use_a_token_that_it_knows() {
    http::on_each_backend(async |database| {
        let service = service(database).await.access(|access| access.authenticate_with(by_cookie));
        let service = service.auth(auth().build().expect("the authentication"));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let bearer = format!("Bearer {}", sign(&claims()));
        let evil = ("origin", "https://other.example");
        create(&api, &[("authorization", &bearer), evil]).await.created();
        create(&api, &[("authorization", &bearer), ("cookie", "theme=dark"), evil]).await.created();
        create(&api, &[("cookie", "session=7"), evil]).await.problem("permission_denied");
        api.stop().await;
    });
}
