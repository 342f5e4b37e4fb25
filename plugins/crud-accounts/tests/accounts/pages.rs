//! The pages for people, and their session.

use std::time::Duration;

use crud_accounts::Accounts;
use crud_tests::on_sqlite;
use serde_json::json;

use crate::support::{ANN, PASSWORD, Shop, auth, on_shop, service};

/// A request of a page of the service.
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

const PAGES: [&str; 7] = ["sign-in", "sign-up", "forgot", "verify", "invitation", "reset", "address"];

#[test]
fn pages_run_no_script_but_their_own() {
    on_sqlite(async |database| {
        let accounts = |outbox| Accounts::new().home("/shop\"><script>").mailer(outbox);
        let shop =
            Shop::start(async |outbox| service(database, auth(), accounts(outbox)).await.title("A <b>shop</b> & more"));
        let shop = shop.await;
        for page in PAGES {
            let answer = shop.test.get(format!("/account/{page}")).await.expect(200);
            let policy = answer.header("content-security-policy").expect("a policy");
            assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
            assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
            let text = answer.text();
            assert!(text.contains("A &lt;b&gt;shop&lt;/b&gt; &amp; more"), "{text}");
            assert_eq!(text.matches("<script").count(), 1, "{text}");
            assert!(!text.contains('{') && text.contains("data-auth=\"../auth\""), "{text}");
        }
        for file in ["account.js", "account.css"] {
            shop.test.get(format!("/account/{file}")).await.expect(200);
        }
    });
}

#[test]
fn program_replaces_the_style_or_all_pages() {
    on_sqlite(async |database| {
        let styled = |outbox| Accounts::new().path("/people/me").style("h1 { color: red }").mailer(outbox);
        let shop = Shop::start(async |outbox| service(database, auth(), styled(outbox)).await).await;
        assert_eq!(shop.test.get("/people/me/account.css").await.expect(200).text(), "h1 { color: red }");
        let page = shop.test.get("/people/me/sign-in").await.expect(200).text();
        assert!(page.contains("data-auth=\"../../auth\""), "{page}");
        let bare = |outbox| Accounts::new().without_pages().mailer(outbox);
        let shop = Shop::start(async |outbox| service(database, auth(), bare(outbox)).await).await;
        shop.test.get("/account/sign-in").await.problem("route_not_found");
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
    });
}

#[test]
fn session_of_a_page_is_a_cookie_of_the_host() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let adopt = |site: &str| {
            let body = json!({ "refresh_token": tokens.refresh });
            shop.test.post("/account/session/adopt", body).header("sec-fetch-site", site)
        };
        adopt("cross-site").await.problem("permission_denied");
        let answer = adopt(OWN.1).await.expect(200);
        let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
        assert!(cookie.starts_with("__Host-crud-session="), "{cookie}");
        assert!(cookie.ends_with("; Path=/; HttpOnly; Secure; SameSite=Strict"), "{cookie}");
        assert!(answer.json().get("refresh_token").is_none());
        let pair = cookie.split(';').next().expect("a pair");
        assert!(!pair.contains(&tokens.refresh), "it is renewed");
        let again = shop.test.post("/account/session/refresh", json!({})).header(OWN.0, OWN.1).header("cookie", pair);
        let access = again.await.expect(200).json()["access_token"].as_str().expect("a token").to_owned();
        shop.get_as(&access, "/profile").await.expect(200);
        // A cookie alone is no principal of the service's own routes.
        shop.test.get("/profile").header("cookie", pair).await.problem("authentication_failed");
        let login = json!({ "username": ANN, "password": PASSWORD });
        shop.test.post("/account/session/login", login).header(OWN.0, OWN.1).await.expect(200);
    });
}

#[test]
fn logout_with_an_expired_access_token_ends_the_session_of_the_cookie() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        let login = json!({ "username": ANN, "password": PASSWORD });
        let answer = shop.test.post("/account/session/login", login).header(OWN.0, OWN.1).await.expect(200);
        let access = answer.json()["access_token"].as_str().expect("a token").to_owned();
        let pair = answer.header("set-cookie").expect("a cookie").split(';').next().expect("a pair").to_owned();
        shop.test.clock().advance(Duration::from_mins(16));
        let page = |path: &str| {
            let request = shop.test.post(format!("/account/session/{path}"), json!({})).header(OWN.0, OWN.1);
            request.header("cookie", &pair).header("authorization", format!("Bearer {access}"))
        };
        let out = page("logout").await.expect(204);
        assert!(out.header("set-cookie").expect("a cookie").contains("Max-Age=0"));
        // A copy of the cookie has no session any more.
        page("refresh").await.problem("refresh_failed");
    });
}
