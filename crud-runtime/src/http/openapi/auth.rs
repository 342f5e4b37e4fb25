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
    json!({ "name": TAG, "description": "Tokens, and who has one." })
}

/// The security scheme.
pub(super) fn scheme() -> Value {
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
        "requestBody": body("Who logs in.", SCHEMAS[0]),
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
        "summary": "End the session: none of its tokens is good any more",
        "operationId": OPERATIONS[2],
        "security": [{ SCHEME: [] }],
        "responses": response::with_database_problems(
            [(StatusCode::NO_CONTENT, response::empty("The session is over.", &[]))],
            &[Code::InvalidToken],
        ),
    })
}

fn profile() -> Value {
    let answer = response::json_body("Who sends the request.", &reference("schemas", SCHEMAS[3]), &[]);
    json!({
        "tags": [TAG],
        "summary": "Who sends the request",
        "operationId": OPERATIONS[3],
        "security": [{ SCHEME: [] }],
        "responses": response::with_database_problems([(StatusCode::OK, answer)], &[Code::InvalidToken]),
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
        "description": "Who logs in.",
        "type": "object",
        "required": ["username", "password"],
        "properties": {
            "username": { "description": "The name.", "type": "string" },
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
            "access_token": { "description": "What requests carry: `Authorization: Bearer …`.", "type": "string" },
            "refresh_token": { "description": "What gives a new access token.", "type": "string" },
            "expires_in": {
                "description": "How long the access token is good, in seconds.",
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
            "refresh_token": { "description": "As a login or a refresh gave it.", "type": "string" },
        },
        "additionalProperties": false,
    })
}

fn profile_schema() -> Value {
    json!({
        "description": "Who sends a request.",
        "type": "object",
        "required": ["user_id", "roles"],
        "properties": {
            "user_id": { "description": "The `sub` of the token.", "type": "string" },
            "roles": { "description": "What they are, such as `admin`.", "type": "array", "items": { "type": "string" } },
        },
    })
}
