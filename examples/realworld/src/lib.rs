//! Conduit's API: articles with tags, comments and favorites, and profiles to follow. Its paths, envelopes, errors and
//! `Token` header are those of `RealWorld`; the tables are resources that HTTP does not offer.

mod articles;
mod comments;
mod profiles;
mod tables;
mod users;

use std::collections::BTreeMap;

use crud_runtime::ProblemFormat;
use crud_runtime::auth::Auth;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;
use serde_json::json;

use tables::{Account, Article, ArticleTag, Comment, Favorite, Follow};

/// The service on a database, whose tokens are signed with a secret.
///
/// # Errors
/// When the secret has fewer than 32 bytes.
pub fn service(service: Service, secret: &str) -> crud_runtime::Result<Service> {
    let auth = Auth::builder().secret(secret).scheme("Token");
    let auth = auth.users_in(service.store::<Account>(), Account::FIELDS.email, users::user);
    let service = service
        .title("Conduit API")
        .auth(auth.build()?)
        .server(|server| server.problem_format(problems()).cors(Cors::any()))
        .resource::<Account>()
        .resource::<Follow>()
        .resource::<Article>()
        .resource::<ArticleTag>()
        .resource::<Favorite>()
        .resource::<Comment>();
    Ok(service.routes(users::routes()).routes(profiles::routes()).routes(articles::routes()).routes(comments::routes()))
}

/// Errors as clients expect them: `{"errors": {"title": ["is required"]}}`.
fn problems() -> ProblemFormat {
    let format = |problem: &Problem| {
        let mut errors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for error in problem.errors() {
            let name = error.location().and_then(|location| location.rsplit('/').next());
            errors.entry(name.unwrap_or("body")).or_default().push(error.detail());
        }
        if errors.is_empty() {
            errors.insert("body", vec![problem.detail()]);
        }
        json!({ "errors": errors })
    };
    let messages = json!({ "type": "array", "items": { "type": "string" } });
    let errors = json!({ "type": "object", "additionalProperties": messages });
    ProblemFormat::new(format)
        .schema(json!({ "type": "object", "required": ["errors"], "properties": { "errors": errors } }))
}

/// The key of the sender's account; without a token 0, which no account has.
fn me(ctx: &Context) -> i64 {
    ctx.principal().and_then(Principal::user_id).unwrap_or_default()
}

/// Requires the sender to be the author.
fn require_author(author: i64, ctx: &Context) -> Result<(), Problem> {
    if author == me(ctx) { Ok(()) } else { Err(Problem::new(Code::PermissionDenied, "only its author may do this")) }
}
