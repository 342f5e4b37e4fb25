//! The program's own authentication: a function, and layers that set principals.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use crud_runtime::access::Access;
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::axum::Json;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{self, Context};
use crud_runtime::utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use crud_tests::fixtures::{column, records};
use crud_tests::{Answer, Api, Client, Database, RawConnection, http, on_each_backend};
use reqwest::Method;
use serde_json::{Value, json};

/// A resource with every rule that a principal decides on.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    audit,
    access(read(authenticated), write(role("staff")), delete(permission("orders:delete"))),
    scope(role("customer"), customer_id(claim("customer")))
)]
pub(crate) struct Order {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(owner(except(role("customer"))))]
    author: String,
    customer_id: Option<i64>,
    title: String,
}

/// A resource that everyone reads.
#[derive(Debug, Clone, Resource)]
#[crud(access(read(public), write(authenticated)))]
pub(crate) struct Page {
    id: i64,
    title: String,
}

/// The principals of these tests, by the value of a header or a cookie.
pub(crate) fn known(key: &str) -> Option<Principal> {
    let of_shop = |shop: i64, name: &str| Principal::new(name).with_tenant(shop);
    Some(match key {
        "ann" => of_shop(1, "ann").with_roles(["staff"]).with_permissions(["orders:delete"]),
        "bob" => of_shop(1, "bob").with_roles(["staff"]),
        "eve" => of_shop(2, "eve").with_roles(["staff"]).with_permissions(["orders:delete"]),
        "carl" => of_shop(1, "carl").with_roles(["customer"]).with_claim("customer", 7),
        "admin" => Principal::new("admin").with_roles(["admin"]).with_tenant(1),
        "7" => Principal::new("7"),
        "unnamed" => Principal::new(""),
        "nul" => Principal::new("a\0b"),
        _ => return None,
    })
}

/// The principal that the header `X-Api-Key` names; another key is refused.
pub(crate) async fn by_key(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    match parts.header("x-api-key") {
        None => Ok(None),
        Some("panics") => panic!("a key that panics"),
        Some("hangs") => std::future::pending().await,
        Some("fails") => Err(Problem::new(Code::Unavailable, "the sessions are away")),
        Some(key) => known(key).map(Some).ok_or_else(|| Problem::new(Code::InvalidToken, "the key is not known")),
    }
}

/// A layer that sets the principal that a header names, if it is there.
pub(crate) async fn set_principal(header: &'static str, mut request: Request, next: Next) -> Response {
    let principal = request.headers().get(header).and_then(|key| known(key.to_str().ok()?));
    if let Some(principal) = principal {
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

async fn whoami(ctx: Context) -> Result<Json<Value>, Problem> {
    let subject = ctx.principal().map(|principal| principal.subject().to_owned());
    Ok(Json(json!({ "subject": subject, "actor": ctx.actor().map(|actor| actor.subject().to_owned()) })))
}

async fn hello(caller: Principal) -> String {
    caller.subject().to_owned()
}

pub(crate) async fn service(database: &Database) -> Service {
    let service = database.service().await.resource::<Order>().resource::<Page>();
    let service = service.route("/whoami", routing::get(whoami).access(Access::Authenticated));
    service.merge_with_state(axum::Router::new().route("/hello", axum::routing::get(hello)))
}

pub(crate) fn scheme() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-Api-Key")))
}

/// Runs a test against a service whose program authenticates by a function, and against one with a layer.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_both(test: impl AsyncFn(&Api)) {
    on_each_backend(async |database| {
        for is_function in [true, false] {
            let database = &database.backend().fresh();
            let service = service(database).await.access(|access| access.security_scheme("key", scheme()));
            let service = if is_function {
                service.access(|access| access.authenticate_with(by_key))
            } else {
                service
                    .access(crud_runtime::AccessOptions::principal_from_layers)
                    .layer(from_fn(async |request, next| set_principal("x-api-key", request, next).await))
            };
            let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
            api.check_against_document().await;
            test(&api).await;
            api.stop().await;
        }
    });
}

/// Sends a request as a principal.
async fn send(client: &Client, key: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
    let request = client.request(method, path).header("x-api-key", key);
    match body {
        Some(body) => request.json(&body).await,
        None => request.await,
    }
}

async fn get(client: &Client, key: &str, path: &str) -> Answer {
    send(client, key, Method::GET, path, None).await
}

#[test]
fn access_rules_take_the_programs_principals() {
    on_both(async |api| {
        let order = json!({ "title": "a" });
        api.post("/orders", &order).await.problem("authentication_failed");
        api.get("/orders").await.problem("authentication_failed");
        send(api, "7", Method::POST, "/orders", Some(order.clone())).await.problem("permission_denied");
        let created = send(api, "ann", Method::POST, "/orders", Some(order.clone())).await.created();
        assert_eq!((&created["shop_id"], &created["author"]), (&json!(1), &json!("ann")));
        let path = format!("/orders/{}", created["id"]);
        let mine = send(api, "bob", Method::POST, "/orders", Some(order)).await.created();
        send(api, "bob", Method::DELETE, &format!("/orders/{}", mine["id"]), None).await.problem("permission_denied");
        send(api, "ann", Method::DELETE, &path, None).await.ok();
        get(api, "ann", &path).await.problem("not_found");
    });
}

#[test]
fn owners_tenants_and_scopes_take_the_programs_principals() {
    on_both(async |api| {
        let create = async |key: &str, title: &str, customer: Option<i64>| {
            let body = json!({ "title": title, "customer_id": customer });
            send(api, key, Method::POST, "/orders", Some(body)).await.created()["id"].clone()
        };
        let ids = async |key: &str| column(&get(api, key, "/orders").await.ok(), "id");
        let (ann, bob) = (create("ann", "a", Some(7)).await, create("bob", "b", Some(8)).await);
        let eve = create("eve", "e", Some(7)).await;
        assert_eq!(ids("ann").await, std::slice::from_ref(&ann));
        assert_eq!(ids("bob").await, std::slice::from_ref(&bob));
        assert_eq!(ids("eve").await, std::slice::from_ref(&eve));
        assert_eq!(ids("carl").await, std::slice::from_ref(&ann), "a customer has its own");
        for (key, id) in [("ann", &eve), ("eve", &ann), ("bob", &ann), ("carl", &bob), ("carl", &eve)] {
            get(api, key, &format!("/orders/{id}")).await.problem("not_found");
        }
        get(api, "7", "/orders").await.problem("tenant_required");
        send(api, "eve", Method::DELETE, &format!("/orders/{eve}"), None).await.ok();
    });
}

#[test]
fn audit_log_and_own_routes_name_the_programs_principals() {
    on_both(async |api| {
        let order = send(api, "ann", Method::POST, "/orders", Some(json!({ "title": "a" }))).await.created();
        let history = get(api, "ann", &format!("/orders/{}/history", order["id"])).await.ok();
        assert_eq!(records(&history)[0]["actor"], "ann");
        get(api, "ann", "/audit-logs").await.problem("permission_denied");
        let log = get(api, "admin", "/audit-logs").await.ok();
        assert_eq!(records(&log)[0]["actor"], "ann");
        assert_eq!(*get(api, "bob", "/whoami").await.expect(200).json(), json!({ "subject": "bob", "actor": "bob" }));
        api.get("/whoami").await.problem("authentication_failed");
        let user = get(api, "carl", "/profile").await.ok();
        assert_eq!(user, json!({ "user_id": "carl", "roles": ["customer"] }));
        assert_eq!(api.stream("/hello").await.status(), 401);
        for path in ["/auth/login", "/auth/refresh", "/auth/logout", "/auth/password"] {
            api.post(path, &json!({})).await.problem("route_not_found");
        }
    });
}

#[test]
fn principal_without_a_name_is_none() {
    on_both(async |api| {
        for key in ["unnamed", "nul"] {
            get(api, key, "/whoami").await.problem("authentication_failed");
        }
    });
}

#[test]
fn document_has_the_programs_security_schemes() {
    on_both(async |api| {
        let document = api.get("/openapi.json").await.ok();
        let schemes = &document["components"]["securitySchemes"];
        assert_eq!(*schemes, json!({ "key": { "type": "apiKey", "name": "X-Api-Key", "in": "header" } }));
        assert_eq!(document["paths"]["/orders"]["post"]["security"], json!([{ "key": [] }]));
        assert_eq!(document["paths"]["/pages"]["get"]["security"], json!([]));
        assert!(document["paths"]["/orders"]["post"]["responses"].get("403").is_some());
    });
}

#[test]
fn problem_of_the_function_is_the_answer() {
    http::on_each_backend(async |database| {
        let service = service(database)
            .await
            .access(|access| access.authenticate_with(by_key))
            .limits(|limits| limits.request_timeout(Duration::from_millis(300)));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        get(&api, "unknown", "/whoami").await.problem("invalid_token");
        get(&api, "fails", "/whoami").await.problem("unavailable");
        get(&api, "panics", "/whoami").await.problem("internal");
        get(&api, "hangs", "/whoami").await.problem("timeout");
        // Open to everyone: an invalid key is no key, and a failure is one.
        get(&api, "unknown", "/pages").await.ok();
        get(&api, "fails", "/pages").await.problem("unavailable");
        api.get("/pages").await.ok();
        let hello = get(&api, "ann", "/hello").await.expect(200);
        assert_eq!(hello.text(), "ann", "an extractor of a merged router");
        get(&api, "unknown", "/hello").await.problem("invalid_token");
        api.stop().await;
    });
}

#[test]
fn answers_are_private() {
    http::on_each_backend(async |database| {
        let service = service(database).await.access(|access| access.authenticate_with(by_key));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        for path in ["/orders", "/whoami", "/profile", "/hello", "/pages", "/no/such/path"] {
            let answer = get(&api, "ann", path).await;
            let expected = if path == "/profile" { "no-store" } else { "private" };
            assert_eq!(answer.header("cache-control"), Some(expected), "{path}");
        }
        assert_eq!(api.get("/orders").await.header("cache-control"), Some("private"), "a refusal too");
        api.stop().await;
    });
}

#[test]
fn innermost_of_two_layers_counts() {
    http::on_each_backend(async |database| {
        let layer = |header: &'static str| from_fn(move |request, next| set_principal(header, request, next));
        let service = service(database).await.access(|access| access.principal_from_layers().authenticate_with(by_key));
        // The last one is the outermost.
        let service = service.layer(layer("x-inner")).layer(layer("x-outer"));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let subject = async |headers: &[(&str, &str)]| {
            let request = headers.iter().fold(api.get("/whoami"), |request, (name, value)| request.header(name, value));
            request.await.expect(200).json()["subject"].clone()
        };
        assert_eq!(subject(&[("x-outer", "ann")]).await, "ann");
        assert_eq!(subject(&[("x-outer", "admin"), ("x-inner", "bob")]).await, "bob");
        assert_eq!(
            subject(&[("x-inner", "bob"), ("x-api-key", "admin")]).await,
            "bob",
            "a layer goes before a function"
        );
        let fails = api.get("/whoami").header("x-inner", "bob").header("x-api-key", "fails");
        assert_eq!(fails.await.expect(200).json()["subject"], "bob");
        api.stop().await;
    });
}

#[test]
fn principal_of_a_layer_counts_only_where_the_service_takes_it() {
    http::on_each_backend(async |database| {
        let layer = || from_fn(|request, next| set_principal("x-api-key", request, next));
        let service =
            service(database).await.access(|access| access.authenticate_with(async |_| Ok(None))).layer(layer());
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        get(&api, "admin", "/whoami").await.problem("authentication_failed");
        api.stop().await;
        let open = database.service().await.resource::<Page>().layer(layer());
        let error = open.into_router().expect_err("nothing checks the rules").to_string();
        assert!(error.contains("has no authentication"), "{error}");
    });
}

/// The principal that a proxy names, whose address is this one.
fn of_proxy(proxy: IpAddr) -> impl Fn(AuthParts) -> std::future::Ready<Result<Option<Principal>, Problem>> {
    move |parts| {
        let is_proxy = parts.peer().is_some_and(|peer| peer.ip() == proxy);
        std::future::ready(Ok(parts.header("x-user").filter(|_| is_proxy).and_then(known)))
    }
}

#[test]
fn header_of_a_trusted_proxy_is_refused_from_elsewhere() {
    http::on_each_backend(async |database| {
        let (proxy, other) = (IpAddr::from([127, 0, 0, 2]), IpAddr::from([127, 0, 0, 3]));
        let service = service(database).await.access(|access| access.authenticate_with(of_proxy(proxy)));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        for (from, headers, expected) in [
            (proxy, "X-User: ann\r\n", 200),
            (other, "X-User: ann\r\n", 401),
            (proxy, "", 401),
            // The client's own header, which the proxy passes on beside its.
            (proxy, "X-User: admin\r\nX-User: ann\r\n", 401),
            (proxy, "X-User: \r\n", 401),
            (other, "X-User: ann\r\nX-Forwarded-For: 127.0.0.2\r\n", 401),
            (other, "X-User: ann\r\nForwarded: for=127.0.0.2\r\nX-Real-IP: 127.0.0.2\r\n", 401),
            (other, "Principal: ann\r\nX-Principal: ann\r\nX_User: ann\r\n", 401),
        ] {
            let mut connection = RawConnection::connect_from(from, api.address()).await;
            connection.send(format!("GET /whoami HTTP/1.1\r\nHost: x\r\n{headers}\r\n")).await;
            assert_eq!(connection.answer().await.expect("an answer").status, expected, "{from} {headers}");
        }
        api.stop().await;
    });
}

#[test]
fn service_under_test_acts_as_any_principal() {
    http::on_each_backend(async |database| {
        let test = service(database)
            .await
            .access(|access| access.authenticate_with(by_key))
            .test()
            .await
            .expect("the service");
        test.post("/orders", json!({ "title": "a" })).await.problem("authentication_failed");
        let staff = test.as_principal(known("ann").expect("a principal"));
        assert_eq!(staff.post("/orders", json!({ "title": "a" })).await.expect(201).json()["author"], "ann");
        test.as_role("guest").get("/orders").await.problem("tenant_required");
        test.get("/orders").header("x-api-key", "ann").await.expect(200);
    });
}

#[test]
fn challenge_is_that_of_the_programs_own_scheme() {
    http::on_each_backend(async |database| {
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("session")));
        let basic = SecurityScheme::Http(Http::new(HttpAuthScheme::Basic));
        for (own, challenge) in [
            (Some(cookie), "Cookie realm=\"api\""),
            (Some(scheme()), "ApiKey realm=\"api\""),
            (Some(basic), "Basic realm=\"api\""),
            (None, "Custom realm=\"api\""),
        ] {
            let database = &database.backend().fresh();
            let service = service(database).await.access(|access| access.authenticate_with(by_key));
            let service = match own {
                Some(own) => service.access(|access| access.security_scheme("own", own)),
                None => service,
            };
            let api = Api::start(database, service.migrate().await.expect("the tables")).await;
            for path in ["/orders", "/whoami", "/hello", "/profile", "/audit-logs"] {
                let refused = api.stream(path).await;
                let header = refused.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
                assert_eq!((refused.status().as_u16(), header), (401, Some(challenge)), "{path}");
            }
            let denied = send(&api, "7", Method::POST, "/orders", Some(json!({ "title": "a" }))).await;
            assert_eq!((denied.status(), denied.header("www-authenticate")), (403, None), "no token would help");
            api.stop().await;
        }
    });
}
