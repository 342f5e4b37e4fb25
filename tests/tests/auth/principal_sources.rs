//! Several sources of principals, each with its scheme.

use std::future::ready;

use crud_runtime::access::Access;
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get};
use crud_runtime::testing::Test;
use crud_runtime::utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use crud_runtime::{Service, ServiceState};
use crud_tests::fixtures::records;
use crud_tests::{Database, http};
use serde_json::{Value, json};

use crate::support::auth;

/// A door, whose changes are logged.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(read(public), write(role("staff"))))]
struct Door {
    id: i64,
    name: String,
}

/// A sensor in the database, by its secret.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Sensor {
    id: i64,
    name: String,
    #[crud(unique, length(max = 50))]
    secret: String,
}

fn header(name: &str) -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)))
}

/// The sensor whose secret is in `Authorization: Bearer sensor-…`, from the service's database.
async fn sensor(state: ServiceState, parts: AuthParts) -> Result<Option<Principal>, Problem> {
    let given = parts.header("authorization").and_then(|value| value.strip_prefix("Bearer sensor-"));
    let Some(secret) = given else { return Ok(None) };
    let found = state.app().store::<Sensor>().list(Sensor::FIELDS.secret.eq(secret).limit(1)).await?.pop();
    let sensor = found.ok_or_else(|| Problem::of(Code::InvalidToken))?;
    let principal = Principal::new("7").with_roles(["staff", "admin"]);
    Ok(Some(principal.via(format!("sensor:{}", sensor.name)).limited_to(["staff"], [""; 0])))
}

/// The principal that a header names; `nobody` is refused.
fn named(parts: &AuthParts, header: &str) -> Result<Option<Principal>, Problem> {
    match parts.header(header) {
        Some("nobody") => Err(Problem::new(Code::InvalidToken, "there is nobody of this name")),
        name => Ok(name.map(|name| Principal::new(name).with_roles(["staff"]))),
    }
}

async fn whoami(ctx: Context) -> String {
    ctx.principal().map(|principal| principal.actor().into_owned()).unwrap_or_default()
}

async fn service(database: &Database) -> Service {
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let service = database.service().await.resource::<Door>().table::<Sensor>();
    let service = service.route("/whoami", get(whoami).access(Access::Authenticated));
    let service = service.route("/me/secrets", get(whoami).access(Access::Authenticated).personal());
    service.access(|access| access.principal_source("sensor", bearer, sensor))
}

async fn with_sensor(service: Service) -> Test {
    let test = service.test().await.expect("the service");
    let sensor = NewSensor { name: "door".to_owned(), secret: "s3".to_owned() };
    test.app().store::<Sensor>().create(sensor).await.expect("a sensor");
    test
}

#[test]
fn sources_are_asked_in_their_order_until_one_has_or_refuses_a_principal() {
    http::on_each_backend(async |database| {
        let service = service(database).await.access(|access| {
            let access =
                access.principal_source("first", header("x-first"), |_, parts| ready(named(&parts, "x-first")));
            access.authenticate_with(|parts| ready(named(&parts, "x-second")))
        });
        let test = with_sensor(service.auth(auth().build().expect("the authentication"))).await;
        let subject = async |headers: &[(&str, &str)]| {
            let request =
                headers.iter().fold(test.get("/whoami"), |request, (name, value)| request.header(name, value));
            request.await
        };
        let sensor = ("authorization", "Bearer sensor-s3");
        assert_eq!(subject(&[sensor, ("x-first", "ann")]).await.text(), "sensor:door of 7");
        assert_eq!(subject(&[("x-first", "ann"), ("x-second", "bob")]).await.text(), "ann");
        assert_eq!(subject(&[("x-second", "bob")]).await.text(), "bob");
        subject(&[("authorization", "Bearer sensor-s4"), ("x-first", "ann")]).await.problem("invalid_token");
        subject(&[("x-first", "nobody"), ("x-second", "bob")]).await.problem("invalid_token");
        subject(&[("authorization", "Bearer x")]).await.problem("invalid_token");
        subject(&[]).await.problem("authentication_failed");
        let open = test.get("/doors").header("x-first", "nobody").await;
        assert_eq!(records(&open.expect(200).json()), &[] as &[Value], "an open route answers a stranger");
    });
}

#[test]
fn each_scheme_is_in_the_document_and_in_the_challenge() {
    http::on_each_backend(async |database| {
        let service = service(database).await.access(|access| {
            access.principal_source("first", header("x-first"), |_, parts| ready(named(&parts, "x-first")))
        });
        let test = with_sensor(service.auth(auth().build().expect("the authentication"))).await;
        let document = test.get("/openapi.json").await.expect(200).json();
        let security = &document["paths"]["/doors"]["post"]["security"];
        assert_eq!(*security, json!([{ "bearerAuth": [] }, { "first": [] }, { "sensor": [] }]));
        let refused = test.get("/whoami").await;
        let challenges: Vec<_> = refused.headers().get_all("www-authenticate").iter().collect();
        assert_eq!(challenges, ["Bearer realm=\"api\"", "ApiKey realm=\"api\""]);
        assert_eq!(refused.status(), 401);
    });
}

#[test]
fn answers_are_private_only_where_credentials_are_outside_of_authorization() {
    http::on_each_backend(async |database| {
        let test = with_sensor(service(database).await).await;
        assert_eq!(test.get("/doors").await.expect(200).header("cache-control"), None);
        let database = database.backend().fresh();
        let with_header = service(&database).await.access(|access| {
            access.principal_source("first", header("x-first"), |_, parts| ready(named(&parts, "x-first")))
        });
        let test = with_sensor(with_header).await;
        assert_eq!(test.get("/doors").await.expect(200).header("cache-control"), Some("private"));
        let forged = test
            .post("/doors", json!({ "name": "a" }))
            .header("x-first", "ann")
            .header("origin", "https://evil.example");
        forged.await.problem("permission_denied");
    });
}

#[test]
fn delegate_has_the_limited_roles_and_is_named_with_its_user() {
    http::on_each_backend(async |database| {
        let test = with_sensor(service(database).await).await;
        let sensor = |request: crud_runtime::testing::TestRequest| request.header("authorization", "Bearer sensor-s3");
        let door = sensor(test.post("/doors", json!({ "name": "front" }))).await.expect(201).json();
        sensor(test.get("/audit-logs")).await.problem("permission_denied");
        let history = sensor(test.get(format!("/doors/{}/history", door["id"]))).await.expect(200).json();
        let entry = &records(&history)[0];
        assert_eq!((&entry["actor"], &entry["user_id"]), (&json!("sensor:door of 7"), &json!(7)));
        let refused = sensor(test.get("/me/secrets")).await.problem("permission_denied");
        assert_eq!(refused["detail"], "this is for users themselves, not for `sensor:door`");
        let user = test.as_principal(Principal::new("7"));
        assert_eq!(user.get("/me/secrets").await.expect(200).text(), "7");
    });
}

#[test]
fn schemes_of_one_name_are_an_error_at_start() {
    http::on_each_backend(async |database| {
        let twice = service(database).await.access(|access| access.security_scheme("sensor", header("x-other")));
        let error = twice.test().await.expect_err("two schemes of one name").to_string();
        assert!(error.contains("two security schemes have the name `sensor`"), "{error}");
    });
}
