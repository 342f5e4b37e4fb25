//! Authentication: the security scheme, and the routes for tokens.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::schema::PLAIN_TEXT;
use super::{Security, reference, response};
use crate::model::problem::Code;

/// The tag of the routes.
pub(crate) const TAG: &str = "Authentication";

/// The schemas' names.
pub(crate) const SCHEMAS: [&str; 5] =
    ["TokenRequest", "TokenResponse", "RefreshTokenRequest", "Profile", "PasswordChange"];

/// The ids of the operations.
pub(crate) const OPERATIONS: [&str; 5] = ["login", "refresh", "logout", "getProfile", "changePassword"];

/// The problems of a token.
pub(crate) const TOKEN: [Code; 3] = [Code::AuthenticationFailed, Code::InvalidToken, Code::TokenExpired];

/// The name of the security scheme.
pub(crate) const SCHEME: &str = "bearerAuth";

/// The beginning of a token.
const TOKEN_TEXT: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9…";

/// The tag and its description.
pub(crate) fn tag() -> Value {
    json!({ "name": TAG, "description": "Login, tokens and the authenticated user." })
}

/// The security scheme.
pub(crate) fn scheme(security: &Security) -> Value {
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
pub(crate) fn paths(security: &Security) -> Vec<(String, Value)> {
    let mut paths = Vec::new();
    if security.login {
        paths.push(("/auth/login".to_owned(), json!({ "post": login() })));
        paths.push(("/auth/refresh".to_owned(), json!({ "post": refresh() })));
    }
    if security.logout {
        paths.push(("/auth/logout".to_owned(), json!({ "post": logout() })));
    }
    if security.password {
        paths.push(("/auth/password".to_owned(), json!({ "post": change_password() })));
    }
    paths.push(("/profile".to_owned(), json!({ "get": profile() })));
    paths
}

fn login() -> Value {
    json!({
        "tags": [TAG],
        "summary": "Log in",
        "description": "Returns the tokens of a user with these credentials.",
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
        "description": "Returns a new access token for a refresh token.",
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
        "summary": "Log out",
        "description": "Revokes all tokens of the session that the access token belongs to.",
        "operationId": OPERATIONS[2],
        "security": [{ SCHEME: [] }],
        "responses": response::with_database_problems(
            [(StatusCode::NO_CONTENT, response::empty("The session's tokens are revoked.", &[]))],
            &[&TOKEN[..], &[Code::ValidationFailed]].concat(),
        ),
    })
}

fn change_password() -> Value {
    let changed = "The password is changed: log in again. Refresh tokens issued before are refused.";
    json!({
        "tags": [TAG],
        "summary": "Change the password",
        "description": "Sets the password of the user of the access token, who knows the old one.",
        "operationId": OPERATIONS[4],
        "security": [{ SCHEME: [] }],
        "requestBody": body("The passwords.", SCHEMAS[4]),
        "responses": response::with_database_problems(
            [(StatusCode::NO_CONTENT, response::empty(changed, &[]))],
            &[&response::BODY[..], &TOKEN, &[Code::TooManyRequests]].concat(),
        ),
    })
}

fn profile() -> Value {
    let answer = response::json_body("The authenticated user.", &reference("schemas", SCHEMAS[3]), &[]);
    json!({
        "tags": [TAG],
        "summary": "Get the authenticated user",
        "description": "The user and the roles that the access token names.",
        "operationId": OPERATIONS[3],
        "security": [{ SCHEME: [] }],
        "responses": response::with_database_problems(
            [(StatusCode::OK, answer)],
            &[&TOKEN[..], &[Code::ValidationFailed]].concat(),
        ),
    })
}

pub(crate) fn body(description: &str, schema: &str) -> Value {
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
pub(crate) fn schemas(security: &Security) -> Vec<(String, Value)> {
    let mut schemas = Vec::new();
    if security.login {
        schemas.push((SCHEMAS[0].to_owned(), token_request()));
        schemas.push((SCHEMAS[1].to_owned(), token_response(security)));
        schemas.push((SCHEMAS[2].to_owned(), refresh_token_request()));
    }
    schemas.push((SCHEMAS[3].to_owned(), profile_schema()));
    if security.password {
        schemas.push((SCHEMAS[4].to_owned(), password_change()));
    }
    schemas
}

fn password_change() -> Value {
    json!({
        "description": "The old password and the new one.",
        "type": "object",
        "required": ["old_password", "new_password"],
        "properties": {
            "old_password": {
                "description": "The password until now.",
                "type": "string",
                "format": "password",
                "pattern": PLAIN_TEXT,
            },
            "new_password": {
                "description": "The new password, of at least 8 characters and at most 1024 bytes.",
                "type": "string",
                "format": "password",
                "pattern": PLAIN_TEXT,
                "minLength": 8,
                "maxLength": 1024,
            },
        },
        "examples": [{ "old_password": "a long password", "new_password": "a longer password" }],
        "additionalProperties": false,
    })
}

fn token_request() -> Value {
    json!({
        "description": "The credentials.",
        "type": "object",
        "required": ["username", "password"],
        "properties": {
            "username": { "description": "The user's name.", "type": "string", "pattern": PLAIN_TEXT },
            "password": {
                "description": "The password.",
                "type": "string",
                "format": "password",
                "pattern": PLAIN_TEXT,
            },
        },
        "examples": [{ "username": "admin", "password": "a long password" }],
        "additionalProperties": false,
    })
}

fn token_response(security: &Security) -> Value {
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
        "examples": [
            { "access_token": TOKEN_TEXT, "refresh_token": TOKEN_TEXT, "expires_in": security.access_lifetime },
        ],
    })
}

fn refresh_token_request() -> Value {
    json!({
        "description": "The refresh token.",
        "type": "object",
        "required": ["refresh_token"],
        "properties": {
            "refresh_token": {
                "description": "The refresh token of a login or a refresh.",
                "type": "string",
                "pattern": PLAIN_TEXT,
            },
        },
        "examples": [{ "refresh_token": TOKEN_TEXT }],
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
        "examples": [{ "user_id": "1", "roles": ["admin"] }],
    })
}
