//! Authentication: the routes for tokens.

use axum::http::{Method, StatusCode};
use serde_json::json;

use super::Security;
use super::json_schema::Schema;
use super::words::{Answer, Path, Token, Words};
use crate::model::problem::Code;

/// The tag of the routes.
pub(crate) const TAG: &str = "Authentication";

/// The description of the tag.
pub(crate) const ABOUT: &str = "Login, tokens and the authenticated user.";

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

/// The paths.
pub(crate) fn paths(security: &Security) -> Vec<Path> {
    let path = |template: &str, method, words: Words| Path::of(template, method, words.of_database());
    let mut paths = Vec::new();
    if security.login {
        paths.push(path("/auth/login", Method::POST, login()));
        paths.push(path("/auth/refresh", Method::POST, refresh()));
    }
    if security.logout {
        paths.push(path("/auth/logout", Method::POST, logout()));
    }
    if security.password {
        paths.push(path("/auth/password", Method::POST, change_password()));
    }
    paths.push(path("/profile", Method::GET, profile()));
    paths
}

fn login() -> Words {
    Words::new(TAG, OPERATIONS[0], "Log in", "Returns the tokens of a user with these credentials.")
        .json("The credentials.", Schema::reference(SCHEMAS[0]))
        .answer(StatusCode::OK, tokens())
        .problems(&[Code::InvalidCredentials, Code::TooManyRequests])
}

fn refresh() -> Words {
    let description = "Returns a new access token for a refresh token.";
    Words::new(TAG, OPERATIONS[1], "Get a new access token", description)
        .json("The refresh token.", Schema::reference(SCHEMAS[2]))
        .answer(StatusCode::OK, tokens())
        .problems(&[Code::RefreshFailed])
}

fn logout() -> Words {
    let description = "Revokes all tokens of the session that the access token belongs to.";
    with_token(Words::new(TAG, OPERATIONS[2], "Log out", description))
        .answer(StatusCode::NO_CONTENT, Answer::empty("The session's tokens are revoked."))
        .problems(&[Code::ValidationFailed])
}

fn change_password() -> Words {
    let description = "Sets the password of the user of the access token, who knows the old one.";
    let changed = "The password is changed: log in again. Refresh tokens issued before are refused.";
    with_token(Words::new(TAG, OPERATIONS[4], "Change the password", description))
        .json("The passwords.", Schema::reference(SCHEMAS[4]))
        .answer(StatusCode::NO_CONTENT, Answer::empty(changed))
        .problems(&[Code::TooManyRequests])
}

fn profile() -> Words {
    let description = "The user and the roles that the access token names.";
    with_token(Words::new(TAG, OPERATIONS[3], "Get the authenticated user", description))
        .answer(StatusCode::OK, Answer::json("The authenticated user.", Schema::reference(SCHEMAS[3])))
        .problems(&[Code::ValidationFailed])
}

fn with_token(words: Words) -> Words {
    Words { token: Token::Required, ..words }.problems(&TOKEN)
}

fn tokens() -> Answer {
    Answer::json("The tokens.", Schema::reference(SCHEMAS[1]))
}

/// The schemas by name.
pub(crate) fn schemas(security: &Security) -> Vec<(String, Schema)> {
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

fn password() -> Schema {
    Schema::plain_text().with("format", "password")
}

fn password_change() -> Schema {
    let new = "The new password, of at least 8 characters and at most 1024 bytes.";
    Schema::object()
        .about("The old password and the new one.")
        .member("old_password", password().about("The password until now."))
        .member("new_password", password().with("minLength", 8).with("maxLength", 1024).about(new))
        .closed()
        .example(json!({ "old_password": "a long password", "new_password": "a longer password" }))
}

fn token_request() -> Schema {
    Schema::object()
        .about("The credentials.")
        .member("username", Schema::plain_text().about("The user's name."))
        .member("password", password().about("The password."))
        .closed()
        .example(json!({ "username": "admin", "password": "a long password" }))
}

fn token_response(security: &Security) -> Schema {
    let lifetime = security.access_lifetime;
    Schema::object()
        .about("The tokens of a user.")
        .member("access_token", Schema::text().about("The access token, for `Authorization: Bearer …`."))
        .member("refresh_token", Schema::text().about("The refresh token, for a new access token."))
        .member("expires_in", Schema::count().about("The lifetime of the access token, in seconds."))
        .example(json!({ "access_token": TOKEN_TEXT, "refresh_token": TOKEN_TEXT, "expires_in": lifetime }))
}

fn refresh_token_request() -> Schema {
    Schema::object()
        .about("The refresh token.")
        .member("refresh_token", Schema::plain_text().about("The refresh token of a login or a refresh."))
        .closed()
        .example(json!({ "refresh_token": TOKEN_TEXT }))
}

fn profile_schema() -> Schema {
    Schema::object()
        .about("The authenticated user.")
        .member("user_id", Schema::text().about("The `sub` of the token."))
        .member("roles", Schema::array(Schema::text()).about("The user's roles, such as `admin`."))
        .example(json!({ "user_id": "1", "roles": ["admin"] }))
}
