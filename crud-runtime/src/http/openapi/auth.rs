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

/// The problems of a token.
pub(crate) const TOKEN: [Code; 3] = [Code::AuthenticationFailed, Code::InvalidToken, Code::TokenExpired];

/// The name of the security scheme.
pub(crate) const SCHEME: &str = "bearerAuth";

/// The beginning of a token.
const TOKEN_TEXT: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9…";

/// Writes an operation of the document.
type Operation = fn(&Security) -> Words;

/// The paths.
pub(crate) fn paths(security: &Security) -> Vec<Path> {
    let operations: [(&str, Method, bool, Operation); 5] = [
        ("/auth/login", Method::POST, security.login, login),
        ("/auth/refresh", Method::POST, security.login, refresh),
        ("/auth/logout", Method::POST, security.logout, |_| logout()),
        ("/auth/password", Method::POST, security.password, |_| change_password()),
        ("/profile", Method::GET, true, |_| profile()),
    ];
    let offered = operations.into_iter().filter(|(_, _, is_offered, _)| *is_offered);
    offered.map(|(template, method, _, words)| Path::of(template, method, words(security).of_database())).collect()
}

fn login(security: &Security) -> Words {
    let credentials = Schema::object()
        .about("The credentials.")
        .member("username", Schema::plain_text().about("The user's name."))
        .member("password", password().about("The password."))
        .closed()
        .example(json!({ "username": "admin", "password": "a long password" }));
    Words::new(TAG, "login", "Log in", "Returns the tokens of a user with these credentials.")
        .json("The credentials.", Schema::named("TokenRequest", credentials))
        .answer(StatusCode::OK, tokens(security))
        .problems(&[Code::InvalidCredentials, Code::TooManyRequests])
}

fn refresh(security: &Security) -> Words {
    let token = Schema::object()
        .about("The refresh token.")
        .member("refresh_token", Schema::plain_text().about("The refresh token of a login or a refresh."))
        .closed()
        .example(json!({ "refresh_token": TOKEN_TEXT }));
    Words::new(TAG, "refresh", "Get a new access token", "Returns a new access token for a refresh token.")
        .json("The refresh token.", Schema::named("RefreshTokenRequest", token))
        .answer(StatusCode::OK, tokens(security))
        .problems(&[Code::RefreshFailed])
}

fn logout() -> Words {
    let description = "Revokes all tokens of the session that the access token belongs to.";
    with_token(Words::new(TAG, "logout", "Log out", description))
        .answer(StatusCode::NO_CONTENT, Answer::empty("The session's tokens are revoked."))
        .problems(&[Code::ValidationFailed])
}

fn change_password() -> Words {
    let new = "The new password, of at least 8 characters and at most 1024 bytes.";
    let change = Schema::object()
        .about("The old password and the new one.")
        .member("old_password", password().about("The password until now."))
        .member("new_password", password().with("minLength", 8).with("maxLength", 1024).about(new))
        .closed()
        .example(json!({ "old_password": "a long password", "new_password": "a longer password" }));
    let description = "Sets the password of the user of the access token, who knows the old one.";
    let changed = "The password is changed: log in again. Refresh tokens issued before are refused.";
    with_token(Words::new(TAG, "changePassword", "Change the password", description))
        .json("The passwords.", Schema::named("PasswordChange", change))
        .answer(StatusCode::NO_CONTENT, Answer::empty(changed))
        .problems(&[Code::TooManyRequests])
}

fn profile() -> Words {
    let user = Schema::object()
        .about("The authenticated user.")
        .member("user_id", Schema::text().about("The `sub` of the token."))
        .member("roles", Schema::array(Schema::text()).about("The user's roles, such as `admin`."))
        .example(json!({ "user_id": "1", "roles": ["admin"] }));
    let description = "The user and the roles that the access token names.";
    with_token(Words::new(TAG, "getProfile", "Get the authenticated user", description))
        .answer(StatusCode::OK, Answer::json("The authenticated user.", Schema::named("Profile", user)))
        .problems(&[Code::ValidationFailed])
}

fn with_token(words: Words) -> Words {
    Words { token: Token::Required, ..words }.problems(&TOKEN)
}

fn tokens(security: &Security) -> Answer {
    let lifetime = security.access_lifetime;
    let tokens = Schema::object()
        .about("The tokens of a user.")
        .member("access_token", Schema::text().about("The access token, for `Authorization: Bearer …`."))
        .member("refresh_token", Schema::text().about("The refresh token, for a new access token."))
        .member("expires_in", Schema::count().about("The lifetime of the access token, in seconds."))
        .example(json!({ "access_token": TOKEN_TEXT, "refresh_token": TOKEN_TEXT, "expires_in": lifetime }));
    Answer::json("The tokens.", Schema::named("TokenResponse", tokens))
}

fn password() -> Schema {
    Schema::plain_text().with("format", "password")
}
