//! Metrics for Prometheus, on a separate address or behind a role; compressed responses.

use crud_runtime::auth::Auth;
use crud_tests::fixtures::create_all;
use crud_tests::{Api, Client, RawConnection, free_address, on_each_backend, on_each_backend_with_url, start_lines};
use serde_json::json;

/// The media types that Prometheus asks for.
const SCRAPE: &str = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,\
                      text/plain;version=0.0.4;q=0.2,*/*;q=0.1";

/// The value of a metric's line.
fn value(text: &str, line: &str) -> f64 {
    let found = text.lines().find_map(|other| other.strip_prefix(line)?.trim().parse().ok());
    found.unwrap_or_else(|| panic!("no line `{line}` in\n{text}"))
}

#[test]
fn log_has_the_address_of_the_metrics_and_that_of_the_service() {
    on_each_backend_with_url(async |database| {
        let metrics = free_address().to_string();
        let lines = start_lines(env!("CARGO_BIN_EXE_renamed"), &[("METRICS", &metrics)], database).await;
        let [.., of_metrics, of_service] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!(of_metrics, &format!("INFO metrics on http://{metrics}/metrics"));
        assert_eq!(of_service, "INFO listening on http://ADDRESS");
        let listens = |line: &&String| line.contains("listening on");
        assert_eq!(lines.iter().filter(listens).count(), 1, "{lines:?}");
    });
}

#[test]
fn metrics_are_on_their_own_address() {
    on_each_backend(async |database| {
        let address = free_address().to_string();
        let service = shop::open_shop(database.service().await).server(|server| server.metrics(&address));
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        for name in ["a", "b", "c"] {
            shop.post("/categories", &json!({ "name": name })).await.created();
        }
        shop.post("/categories", &json!({ "name": "a" })).await.problem("conflict");
        shop.get("/categories/1").await.ok();
        shop.get("/categories/99").await.problem("not_found");
        for number in 0..20 {
            shop.get(format!("/no/such/path/{number}")).await.problem("route_not_found");
        }
        let mut odd = RawConnection::connect(shop.address()).await;
        odd.send("BREW /categories HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(odd.answer().await.expect("an answer").status, 405);
        shop.get("/metrics").await.problem("route_not_found");

        let metrics = Client::of_program(format!("http://{address}"), database.secrets());
        let answer = metrics.get("/metrics").header("accept", SCRAPE).await.expect(200);
        assert!(answer.require("content-type").starts_with("application/openmetrics-text"));
        assert!(answer.text().ends_with("# EOF\n"));
        let plain = metrics.get("/metrics").await.expect(200);
        assert_eq!(plain.require("content-type"), "text/plain; version=0.0.4; charset=utf-8");
        let plain = plain.text();
        assert!(plain.contains("# TYPE http_requests_total counter\n") && !plain.contains("# EOF"), "{plain}");
        for name in ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"] {
            assert!(value(&plain, name) > 0.0, "{name}");
        }
        assert!(plain.contains("crud_build_info{service=\"Shop"), "{plain}");
        let text = answer.text();
        for (line, expected) in [
            (r#"http_requests_total{route="/categories",method="POST",status="2xx"}"#, 3.0),
            (r#"http_requests_total{route="/categories",method="POST",status="4xx"}"#, 1.0),
            (r#"http_requests_total{route="/categories/{id}",method="GET",status="2xx"}"#, 1.0),
            (r#"http_requests_total{route="/categories",method="other",status="4xx"}"#, 1.0),
            (r#"http_requests_total{route="-",method="GET",status="4xx"}"#, 21.0),
            (r#"http_request_duration_seconds_count{route="/categories",method="POST"}"#, 4.0),
            ("http_requests_in_flight", 0.0),
        ] {
            assert!((value(&text, line) - expected).abs() < 0.1, "{line}\n{text}");
        }
        assert!(value(&text, r#"crud_database_duration_seconds_count{call="write"}"#) >= 4.0);
        assert!(!text.contains("/no/such/path"), "no label is a client's");
        shop.stop().await;
    });
}

#[test]
fn metrics_on_the_service_need_a_role() {
    on_each_backend(async |database| {
        let auth = || Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
        let service = shop::shop(database.service().await).auth(auth()).access(|access| access.metrics_role("ops"));
        let service = service.migrate().await.expect("the shop's tables");
        let users = service.users();
        users.create_user("ada", "correct horse").await.expect("a user");
        users.create_user("grace", "correct horse").await.expect("a user");
        users.set_roles("grace", ["ops"]).await.expect("its roles");
        let shop = Api::start(database, service).await;
        let login = async |name: &str, password: &str| {
            shop.post("/auth/login", &json!({ "username": name, "password": password })).await
        };
        let token = async |name: &str| {
            format!("Bearer {}", login(name, "correct horse").await.ok()["access_token"].as_str().expect("a token"))
        };
        let (ada, grace) = (token("ada").await, token("grace").await);
        login("ada", "wrong password").await.expect(401);
        shop.get("/metrics").await.problem("authentication_failed");
        shop.get("/metrics").header("authorization", &ada).await.problem("permission_denied");
        let text = shop.get("/metrics").header("authorization", &grace).await.expect(200).text();
        assert!((value(&text, r#"crud_logins_total{result="success"}"#) - 2.0).abs() < 0.1, "{text}");
        assert!((value(&text, r#"crud_logins_total{result="failure"}"#) - 1.0).abs() < 0.1, "{text}");
        shop.stop().await;
    });
}

#[test]
fn metrics_role_needs_authentication() {
    on_each_backend(async |database| {
        let service = database.service().await.access(|access| access.metrics_role("ops"));
        let error = service.into_router().expect_err("it is open to everyone").to_string();
        assert!(error.contains("`metrics_role` states the role `ops`"), "{error}");
        assert!(error.contains("has no authentication"), "{error}");
    });
}

#[test]
fn compression_is_for_clients_that_accept_it() {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).server(crud_runtime::ServerOptions::compression);
        let shop = Api::start(database, service.migrate().await.expect("the shop's tables")).await;
        let bodies =
            (0..40).map(|number| json!({ "name": format!("category {number}"), "description": "x".repeat(40) }));
        create_all(&shop, "/categories", bodies).await;
        let raw = async |accept: &str| {
            let mut connection = RawConnection::connect(shop.address()).await;
            connection.send(format!("GET /categories?limit=40 HTTP/1.1\r\nHost: x\r\n{accept}\r\n")).await;
            connection.answer().await.expect("an answer")
        };
        let plain = raw("").await;
        assert_eq!((plain.status, plain.headers.get("content-encoding")), (200, None));
        let compressed = raw("Accept-Encoding: gzip\r\n").await;
        assert_eq!(compressed.headers["content-encoding"], "gzip");
        assert_eq!(compressed.headers["content-range"], plain.headers["content-range"]);
        let varies = compressed.headers["vary"].to_str().expect("text").to_ascii_lowercase();
        assert!(varies.contains("accept-encoding"), "{varies}");
        assert!(compressed.body.len() < plain.body.len() / 4, "{} bytes", compressed.body.len());
        shop.stop().await;
    });
}

#[test]
fn what_has_secrets_is_never_compressed() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").logout().build().expect("the keys");
        let service = shop::shop(database.service().await)
            .auth(auth)
            .server(crud_runtime::ServerOptions::compression)
            .access(|access| access.users_role("admin"));
        let service = service.migrate().await.expect("the shop's tables");
        // Long enough to be compressed.
        let roles: Vec<String> = (0..200).map(|number| format!("role-{number}")).chain(["admin".to_owned()]).collect();
        service.users().create_user("ada", "correct horse").roles(roles).await.expect("a user");
        let shop = Api::start(database, service).await;
        let send = async |method: &str, path: &str, token: &str, body: &str| {
            let mut connection = RawConnection::connect(shop.address()).await;
            let length = body.len();
            let head = format!(
                "{method} {path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            connection.send(if token.is_empty() { head.replace("Authorization: Bearer \r\n", "") } else { head }).await;
            connection.answer().await.expect("an answer")
        };
        let login = send("POST", "/auth/login", "", r#"{"username":"ada","password":"correct horse"}"#).await;
        let tokens: serde_json::Value = serde_json::from_slice(&login.body).expect("the tokens");
        let (token, refresh) = (tokens["access_token"].as_str().expect("a token"), &tokens["refresh_token"]);
        let refresh = json!({ "refresh_token": refresh }).to_string();
        let wrong = format!("{}{}{}", r#"{"old_password":"x","new_password":""#, "y".repeat(2_000), r#""}"#);
        let new = r#"{"username":"bob","password":"correct horse","roles":["x"]}"#;
        let roles = json!({ "permissions": vec!["a permission"; 200] }).to_string();
        for (method, path, body, status) in [
            ("POST", "/auth/refresh", refresh.as_str(), 200),
            ("GET", "/profile", "", 200),
            ("POST", "/auth/password", &wrong, 422),
            ("POST", "/auth/users", new, 201),
            ("GET", "/auth/users", "", 200),
            ("GET", "/auth/users/1", "", 200),
            ("PATCH", "/auth/users/1", &roles, 200),
        ] {
            let answer = send(method, path, if path == "/auth/refresh" { "" } else { token }, body).await;
            assert_eq!(answer.status, status, "{method} {path}");
            assert_eq!(answer.headers.get("content-encoding"), None, "{method} {path}");
            let is_long = answer.body.len() > 1_000;
            assert_eq!(is_long, !["/auth/password"].contains(&path) && status != 201, "{method} {path}");
        }
        assert_eq!((login.status, login.headers.get("content-encoding")), (200, None));
        // Answers without secrets are still compressed.
        let document = send("GET", "/openapi.json", "", "").await;
        assert_eq!(document.headers["content-encoding"], "gzip");
        shop.stop().await;
    });
}
