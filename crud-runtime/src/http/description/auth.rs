//! Authentication: the tag of its routes, and the scheme of its tokens.

use crate::model::problem::Code;

/// The tag of the routes.
pub(crate) const TAG: &str = "Authentication";

/// The description of the tag.
pub(crate) const ABOUT: &str = "Login, tokens and the authenticated user.";

/// The problems of a token.
pub(crate) const TOKEN: [Code; 3] = [Code::AuthenticationFailed, Code::InvalidToken, Code::TokenExpired];

/// The name of the security scheme.
pub(crate) const SCHEME: &str = "bearerAuth";
