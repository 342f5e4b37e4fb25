//! Users over HTTP: their schemas and routes.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::example::MOMENT;
use super::{Security, access, auth, reference, response, schema};
use crate::auth::RESERVED_CLAIMS;
use crate::auth::user_bodies::{NewServiceUser, ServiceUserPatch};
use crate::http::param;
use crate::http::param::users::{DEFAULT_LIMIT, PARAMETERS};
use crate::model::problem::Code;
use crate::model::schema::Schema;

/// The names of the schemas: a user, a page, the body of a create, that of a change. They begin with `Service` or `New`, as
/// programs have users of their own.
const SCHEMAS: [&str; 4] = ["ServiceUser", "ServiceUserList", "NewServiceUser", "ServiceUserPatch"];

/// The paths, where a role manages users.
pub(crate) fn paths(security: &Security) -> Vec<(String, Value)> {
    let Some(role) = &security.users_role else { return Vec::new() };
    let requirement = [format!("the role `{role}`")];
    let secured = |mut operation: Value| {
        access::secure(&mut operation, &requirement);
        operation
    };
    let id = json!({
        "name": "id", "in": "path", "required": true, "description": "The `id` of the user.",
        "schema": { "type": "integer", "format": "int64" },
    });
    vec![
        ("/auth/users".to_owned(), json!({ "get": secured(list()), "post": secured(create()) })),
        (
            "/auth/users/{id}".to_owned(),
            json!({ "parameters": [id], "get": secured(get()), "patch": secured(update()) }),
        ),
    ]
}

fn list() -> Value {
    json!({
        "tags": [auth::TAG],
        "summary": "List users",
        "description": "The users in the service's own table, by name.",
        "operationId": "listServiceUsers",
        "parameters": param::document(&[PARAMETERS]),
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The users.", &reference("schemas", SCHEMAS[1]), &[]))],
            &[Code::ValidationFailed],
        ),
    })
}

fn create() -> Value {
    json!({
        "tags": [auth::TAG],
        "summary": "Create a user",
        "description": "Creates a user, who can then log in.",
        "operationId": "createServiceUser",
        "requestBody": auth::body("The user.", SCHEMAS[2]),
        "responses": response::with_database_problems(
            [(StatusCode::CREATED, response::json_body("The new user.", &reference("schemas", SCHEMAS[0]), &["Location"]))],
            &[&response::BODY[..], &[Code::Conflict]].concat(),
        ),
    })
}

fn get() -> Value {
    json!({
        "tags": [auth::TAG],
        "summary": "Get a user",
        "operationId": "getServiceUser",
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The user.", &reference("schemas", SCHEMAS[0]), &[]))],
            &[Code::NotFound, Code::ValidationFailed],
        ),
    })
}

fn update() -> Value {
    let description = "Changes a user: absent fields keep their values. New roles, permissions and claims are in tokens \
                       from the next login or refresh on. A new password ends the user's sessions: refresh tokens issued \
                       before are refused. Neither can a disabled user log in or refresh. 409 `conflict` when no enabled \
                       user would have the role that these routes need.";
    json!({
        "tags": [auth::TAG],
        "summary": "Change a user",
        "description": description,
        "operationId": "updateServiceUser",
        "requestBody": auth::body("The fields to change.", SCHEMAS[3]),
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The changed user.", &reference("schemas", SCHEMAS[0]), &[]))],
            &[&response::BODY[..], &[Code::NotFound, Code::Conflict]].concat(),
        ),
    })
}

/// The schemas by name, where a role manages users.
pub(crate) fn schemas(security: &Security) -> Vec<(String, Value)> {
    if security.users_role.is_none() {
        return Vec::new();
    }
    let (mut new, mut patch) = (schema::body(NewServiceUser::DESCRIPTOR), schema::body(ServiceUserPatch::DESCRIPTOR));
    for body in [&mut new, &mut patch] {
        let claims = &mut body["properties"]["claims"];
        claims["type"] = json!(["object", "null"]);
        claims["propertyNames"] = json!({ "not": { "enum": RESERVED_CLAIMS } });
        body["properties"]["password"]["format"] = "password".into();
    }
    new["examples"] = json!([{ "username": "ada", "password": "a long password", "roles": ["editor"] }]);
    patch["examples"] = json!([{ "roles": ["editor", "author"] }]);
    let mut page = schema::page(SCHEMAS[0], false);
    page["examples"] = json!([{
        "data": [example()], "total": 1, "total_relation": "eq", "page": 1, "pages": 1, "limit": DEFAULT_LIMIT, "skip": 0,
    }]);
    SCHEMAS.map(str::to_owned).into_iter().zip([user(), page, new, patch]).collect()
}

fn example() -> Value {
    json!({
        "id": 1, "username": "ada", "roles": ["editor"], "permissions": [], "claims": {}, "disabled": false,
        "created_at": MOMENT, "updated_at": MOMENT,
    })
}

fn user() -> Value {
    let texts =
        |description: &str| json!({ "description": description, "type": "array", "items": { "type": "string" } });
    let time = |description: &str| json!({ "description": description, "type": "string", "format": "date-time" });
    json!({
        "description": "A user of the service. No answer has a password.",
        "type": "object",
        "required": ["id", "username", "roles", "permissions", "claims", "disabled", "created_at", "updated_at"],
        "properties": {
            "id": { "description": "The `sub` of the user's tokens, as a number.", "type": "integer", "format": "int64" },
            "username": { "description": "The name that the user logs in with.", "type": "string" },
            "roles": texts("The user's roles."),
            "permissions": texts("The user's permissions."),
            "claims": { "description": "Further claims of the user's tokens.", "type": "object" },
            "disabled": { "description": "Whether logins and refreshes fail.", "type": "boolean" },
            "created_at": time("When the user was created."),
            "updated_at": time("When the user was last changed."),
        },
        "examples": [example()],
    })
}
