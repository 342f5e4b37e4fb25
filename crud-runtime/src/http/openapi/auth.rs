//! Authentication: the security scheme, and the routes for tokens.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{Security, reference, response};
use crate::model::problem::Code;

/// The tag of the routes.
pub(super) const TAG: &str = "Authentication";

/// The schemas' names.
pub(super) const SCHEMAS: [&str; 4] = ["TokenRequest", "TokenResponse", "RefreshTokenRequest", "Profile"];

/// The ids of the operations.
pub(super) const OPERATIONS: [&str; 4] = ["login", "refresh", "logout", "getProfile"];

/// The name of the security scheme.
pub(super) const SCHEME: &str = "bearerAuth";

/// The tag and its description.
pub(super) fn tag() -> Value {
    json!({ "name": TAG, "description": "Login, tokens and the authenticated user." })
}

/// The security scheme.
pub(super) fn scheme(security: &Security) -> Value {
    if &*security.scheme != "Bearer" {
        return json!({
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": format!("An access token: `{} <token>`.", security.scheme),
        });
    }
    json!({
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "An access token.",
    })
}

/// The paths.
pub(super) fn paths(security: &Security) -> Vec<(String, Value)> {
    let mut paths = Vec::new();
    if security.login {
        paths.push(("/auth/login".to_owned(), json!({ "post": login() })));
        paths.push(("/auth/refresh".to_owned(), json!({ "post": refresh() })));
    }
    if security.logout {
        paths.push(("/auth/logout".to_owned(), json!({ "post": logout() })));
    }
    paths.push(("/profile".to_owned(), json!({ "get": profile() })));
    paths
}

fn login() -> Value {
    json!({
        "tags": [TAG],
        "summary": "Log in",
        "operationId": OPERATIONS[0],
        "requestBody": body("The credentials.", SCHEMAS[0]),
        "responses": response::with_database_problems(
            [(StatusCode::OK, tokens())],
            &[&response::BODY[..], &[Code::InvalidCredentials, Code::TooManyRequests]].concat(),
        ),
    })
}

fn refresh() -> Value {
    json!({
        "tags": [TAG],
        "summary": "Get a new access token",
        "operationId": OPERATIONS[1],
        "requestBody": body("The refresh token.", SCHEMAS[2]),
        "responses": response::with_database_problems(
            [(StatusCode::OK, tokens())],
            &[&response::BODY[..], &[Code::RefreshFailed]].concat(),
        ),
    })
}

fn logout() -> Value {
    json!({
        "tags": [TAG],
        "summary": "Log out: revoke the session's tokens",
        "operationId": OPERATIONS[2],
        "security": [{ SCHEME: [] }],
        "responses": response::with_database_problems(
            [(StatusCode::NO_CONTENT, response::empty("The session's tokens are revoked.", &[]))],
            &[Code::InvalidToken, Code::ValidationFailed],
        ),
    })
}

fn profile() -> Value {
    let answer = response::json_body("The authenticated user.", &reference("schemas", SCHEMAS[3]), &[]);
    json!({
        "tags": [TAG],
        "summary": "Get the authenticated user",
        "operationId": OPERATIONS[3],
        "security": [{ SCHEME: [] }],
        "responses": response::with_database_problems([(StatusCode::OK, answer)], &[Code::InvalidToken, Code::ValidationFailed]),
    })
}

fn body(description: &str, schema: &str) -> Value {
    json!({
        "description": description,
        "required": true,
        "content": { "application/json": { "schema": reference("schemas", schema) } },
    })
}

fn tokens() -> Value {
    response::json_body("The tokens.", &reference("schemas", SCHEMAS[1]), &[])
}

/// The schemas by name.
pub(super) fn schemas(security: &Security) -> Vec<(String, Value)> {
    let mut schemas = Vec::new();
    if security.login {
        schemas.push((SCHEMAS[0].to_owned(), token_request()));
        schemas.push((SCHEMAS[1].to_owned(), token_response()));
        schemas.push((SCHEMAS[2].to_owned(), refresh_token_request()));
    }
    schemas.push((SCHEMAS[3].to_owned(), profile_schema()));
    schemas
}

fn token_request() -> Value {
    json!({
        "description": "The credentials.",
        "type": "object",
        "required": ["username", "password"],
        "properties": {
            "username": { "description": "The user's name.", "type": "string" },
            "password": { "description": "The password.", "type": "string", "format": "password", "writeOnly": true },
        },
        "additionalProperties": false,
    })
}

fn token_response() -> Value {
    json!({
        "description": "The tokens of a user.",
        "type": "object",
        "required": ["access_token", "refresh_token", "expires_in"],
        "properties": {
            "access_token": { "description": "The access token, for `Authorization: Bearer …`.", "type": "string" },
            "refresh_token": { "description": "The refresh token, for a new access token.", "type": "string" },
            "expires_in": {
                "description": "The lifetime of the access token, in seconds.",
                "type": "integer",
                "format": "int64",
                "minimum": 0,
            },
        },
    })
}

fn refresh_token_request() -> Value {
    json!({
        "description": "The refresh token.",
        "type": "object",
        "required": ["refresh_token"],
        "properties": {
            "refresh_token": { "description": "The refresh token of a login or a refresh.", "type": "string" },
        },
        "additionalProperties": false,
    })
}

fn profile_schema() -> Value {
    json!({
        "description": "The authenticated user.",
        "type": "object",
        "required": ["user_id", "roles"],
        "properties": {
            "user_id": { "description": "The `sub` of the token.", "type": "string" },
            "roles": { "description": "The user's roles, such as `admin`.", "type": "array", "items": { "type": "string" } },
        },
    })
}
