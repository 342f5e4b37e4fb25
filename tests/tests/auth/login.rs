//! `POST /auth/login`

use std::time::Duration;

use serde_json::json;

use crate::support::{ADA, PASSWORD, auth, login, on_service, part, try_login};

#[test]
fn login_returns_the_specified_tokens() {
    on_service(auth, async |api, _| {
        let answer = try_login(api, ADA, PASSWORD).await.expect(200);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let body = answer.json();
        let names: Vec<_> = body.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["access_token", "refresh_token", "expires_in"]);
        assert_eq!(body["expires_in"], 900);
        assert_eq!(part(body["access_token"].as_str().expect("a token"), 0), json!({ "typ": "JWT", "alg": "HS256" }));
    });
}

#[test]
fn tokens_carry_the_specified_claims() {
    on_service(auth, async |api, _| {
        let tokens = login(api).await;
        let access = part(&tokens.access, 1);
        let iat = access["iat"].as_u64().expect("a time");
        assert!(jsonwebtoken::get_current_timestamp() - iat < 60);
        let expected = json!({
            "sub": "1", "roles": ["editor"], "permissions": ["orders:purge"],
            "iat": iat, "exp": iat + 900, "type": "access",
        });
        assert_eq!(access, expected);
        let refresh = part(&tokens.refresh, 1);
        let iat = refresh["iat"].as_u64().expect("a time");
        let expected = json!({
            "sub": "1", "permissions": ["orders:purge"],
            "iat": iat, "exp": iat + 7 * 24 * 60 * 60, "type": "refresh",
        });
        assert_eq!(refresh, expected);
    });
}

#[test]
fn lifetimes_issuer_and_audience_are_configurable() {
    let auth = || {
        auth()
            .access_token_lifetime(Duration::from_mins(5))
            .refresh_token_lifetime(Duration::from_hours(24))
            .issuer("shop")
            .audience("web")
    };
    on_service(auth, async |api, _| {
        let body = try_login(api, ADA, PASSWORD).await.ok();
        assert_eq!(body["expires_in"], 300);
        let access = part(body["access_token"].as_str().expect("a token"), 1);
        assert_eq!((&access["iss"], &access["aud"]), (&json!("shop"), &json!("web")));
        let refresh = part(body["refresh_token"].as_str().expect("a token"), 1);
        let lifetime = refresh["exp"].as_u64().expect("a time") - refresh["iat"].as_u64().expect("a time");
        assert_eq!(lifetime, 24 * 60 * 60);
    });
}

#[test]
fn every_failed_login_has_the_same_answer() {
    on_service(auth, async |api, users| {
        users.create_user("bob", PASSWORD).await.expect("a user");
        users.disable("bob").await.expect("a disabled user");
        let mut answers = Vec::new();
        for (username, password) in
            [(ADA, "wrong password"), ("unknown", PASSWORD), ("bob", PASSWORD), (ADA, ""), ("", "")]
        {
            let answer = try_login(api, username, password).await.expect(401);
            answers.push(answer.text());
            assert_eq!(answer.problem("invalid_credentials").detail, "invalid credentials");
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        users.enable("bob").await.expect("an enabled user");
        try_login(api, "bob", PASSWORD).await.ok();
    });
}

#[test]
fn usernames_match_exactly() {
    on_service(auth, async |api, _| {
        for name in ["Ada", "ADA", "ada ", " ada", "ada%", "ad_", "' OR 1=1 --", "ada\u{301}", &"a".repeat(5000)] {
            try_login(api, name, PASSWORD).await.problem("invalid_credentials");
        }
    });
}

#[test]
fn passwords_match_in_every_byte() {
    on_service(auth, async |api, users| {
        let long = "x".repeat(1024);
        users.set_password(ADA, &long).await.expect("a long password");
        try_login(api, ADA, &long).await.ok();
        try_login(api, ADA, &long[1..]).await.problem("invalid_credentials");
        try_login(api, ADA, &format!("{long}x")).await.problem("invalid_credentials");
        try_login(api, ADA, PASSWORD).await.problem("invalid_credentials");
    });
}

#[test]
fn malformed_bodies_are_rejected() {
    on_service(auth, async |api, _| {
        for path in ["/auth/login", "/auth/refresh"] {
            for body in ["", "{", "{}x", "nonsense"] {
                api.post_bytes(path, body).await.expect(400).problem("malformed_json");
            }
            let text = api.request(reqwest::Method::POST, path).body("text/plain", "{}").await;
            text.expect(415).problem("unsupported_media_type");
            let large = json!({ "username": "x".repeat(40_000) });
            api.post(path, &large).await.expect(413).problem("body_too_large");
            for body in [json!([]), json!(1), json!("x"), json!(null)] {
                assert_eq!(api.post(path, &body).await.expect(422).problem("validation_failed").pointers(), [""]);
            }
        }
        let body = json!({ "username": 1, "user": "x", "nul\u{0}": 1 });
        let problem = api.post("/auth/login", &body).await.expect(422).problem("validation_failed");
        assert_eq!(problem.pointers(), ["/nul\u{0}", "/password", "/user", "/username"]);
        let problem = api.post("/auth/login", &json!({ "username": "a\u{0}", "password": "b" })).await;
        assert_eq!(problem.problem("validation_failed").pointers(), ["/username"]);
        let twice = r#"{"username":"ada","password":"x","password":"correct horse"}"#;
        assert_eq!(api.post_bytes("/auth/login", twice).await.problem("validation_failed").pointers(), ["/password"]);
        let problem = api.post("/auth/refresh", &json!({})).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/refresh_token"]);
    });
}

#[test]
fn authentication_routes_report_their_methods() {
    on_service(auth, async |api, _| {
        for path in ["/auth/login", "/auth/refresh"] {
            assert_eq!(api.get(path).await.expect(405).allow(), ["OPTIONS", "POST"]);
            assert_eq!(api.options(path).await.expect(204).allow(), ["OPTIONS", "POST"]);
        }
        assert_eq!(api.delete("/profile").await.expect(405).allow(), ["GET", "HEAD", "OPTIONS"]);
        api.post("/auth/logout", &json!({})).await.expect(404);
        // A query string is not read as credentials, and is not logged.
        api.request(reqwest::Method::POST, "/auth/login?username=ada&password=correct%20horse")
            .await
            .problem("validation_failed");
    });
}
