//! Sessions where users belong to tenants: the login for one, `POST /auth/tenant`, and `GET /profile` with the memberships.

use axum::Json;
use serde::Serialize;
use serde_json::{Value, json};

use super::NoParameters;
use super::sessions::{passwords, session, with_credentials, with_tokens};
use crate::Schema;
use crate::auth::IssuedTokens;
use crate::auth::memberships::Membership;
use crate::http::description::documented_type::DocumentedType;
use crate::http::description::json_schema::Schema as Document;
use crate::http::description::operation_doc::Answer;
use crate::http::description::record_schema::body;
use crate::http::description::security::Security;
use crate::http::description::value_schema::value_schema;
use crate::http::routing::argument::query::Query;
use crate::http::routing::argument::valid::Valid;
use crate::http::routing::context::Context;
use crate::http::routing::route::{Route, get, post};
use crate::model::access::Access;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::problem::{Code, FieldError, Problem};

/// The credentials, and a tenant of the user.
#[derive(Schema)]
struct TenantTokenRequest {
    /// The user's name.
    username: String,
    /// The password.
    #[crud(write_only)]
    password: String,
    /// A tenant that the user is a member of; without one, that of the user's first membership.
    tenant: Option<Value>,
}

/// Another tenant of the user.
#[derive(Schema)]
struct TenantChange {
    /// A tenant that the user is a member of.
    tenant: Value,
}

/// The authenticated user, with the tenants that it belongs to.
#[derive(Serialize)]
struct MemberProfile {
    user_id: String,
    roles: Vec<String>,
    tenant: Option<Value>,
    memberships: Vec<Membership>,
}

/// The route to another tenant, where the service issues tokens and users belong to tenants.
pub(super) fn routes(security: &Security, tenant: Option<&'static ColumnDescriptor>) -> Option<(&'static str, Route)> {
    let column = tenant.filter(|_| security.login)?;
    Some(("/auth/tenant", tenant_route(security.access_lifetime, column)))
}

/// The login, whose body may name a tenant.
pub(super) fn login_route(lifetime: u64, column: &'static ColumnDescriptor) -> Route {
    let description = "Returns the tokens of a user with these credentials, for one of its tenants: the one that the body names, \
                       or that of its first membership. 404 `not_found` where the user is no member of that tenant.";
    session(post(login), "login", "Log in", description)
        .access(Access::Public)
        .problems([Code::InvalidCredentials, Code::TooManyRequests, Code::NotFound])
        .reworded(move |words| {
            let mut body = passwords(body(TenantTokenRequest::DESCRIPTOR), &["password"]);
            body.change("tenant", |tenant| of_column(&tenant, column).nullable());
            with_credentials(words, body, lifetime)
        })
}

async fn login(
    ctx: Context,
    _: Query<NoParameters>,
    Valid(body): Valid<TenantTokenRequest>,
) -> Result<Json<IssuedTokens>, Problem> {
    let TenantTokenRequest { username, password, tenant } = body;
    Ok(Json(ctx.log_in(&username, password, tenant).await?))
}

fn tenant_route(lifetime: u64, column: &'static ColumnDescriptor) -> Route {
    let description = "Returns the tokens of the user of the access token, for another of its tenants. Those that it has stay \
                       valid for theirs. 404 `not_found` where the user is no member of the tenant, whether it exists or not.";
    session(post(change_tenant), "changeTenant", "Get the tokens for another tenant", description)
        .access(Access::Authenticated)
        .problems([Code::NotFound])
        .reworded(move |words| {
            let mut body = body(TenantChange::DESCRIPTOR);
            body.change("tenant", |tenant| of_column(&tenant, column));
            with_tokens(words.json("The tenant.", Document::named("TenantChange", body)), lifetime)
        })
}

async fn change_tenant(
    ctx: Context,
    _: Query<NoParameters>,
    Valid(body): Valid<TenantChange>,
) -> Result<Json<IssuedTokens>, Problem> {
    if body.tenant.is_null() {
        return Err(Problem::validation([FieldError::field("tenant", "type", "must be a tenant, not null")]));
    }
    let memberships = ctx.memberships().ok_or_else(|| Problem::internal("the service has no memberships"))?;
    Ok(Json(ctx.auth()?.change_tenant(ctx.headers(), memberships, &body.tenant).await?))
}

/// The profile, with the memberships.
pub(super) fn profile_route(column: &'static ColumnDescriptor) -> Route {
    let description = "The user and its roles in the tenant of the request, and the tenants that it belongs to.";
    session(get(profile), "getServiceProfile", "Get the authenticated user", description)
        .access(Access::Authenticated)
        .reworded(move |mut words| {
            let schema = Document::named("ServiceProfile", member_profile(&value_schema(column)));
            for (_, answer) in &mut words.answers {
                *answer = Answer::json("The authenticated user.", schema.clone());
            }
            words
        })
}

async fn profile(ctx: Context, _: Query<NoParameters>) -> Result<Json<MemberProfile>, Problem> {
    let user = ctx.principal().ok_or_else(|| Problem::denied(true))?;
    let memberships = match ctx.memberships() {
        Some(memberships) => memberships.of(user.subject()).await?,
        None => Vec::new(),
    };
    Ok(Json(MemberProfile {
        user_id: user.subject().to_owned(),
        roles: user.roles().to_vec(),
        tenant: user.tenant().cloned(),
        memberships,
    }))
}

/// The schema of a tenant, with the description of its member in the body.
fn of_column(member: &Document, column: &ColumnDescriptor) -> Document {
    value_schema(column).about(member.description())
}

fn member_profile(tenant: &Document) -> Document {
    let roles = |about: &str| Document::array(Document::text()).about(about);
    let membership = Document::object()
        .about("A membership of the user.")
        .member("tenant", tenant.clone().about("The tenant."))
        .member("roles", roles("The roles of the user in the tenant, in addition to its own."));
    Document::object()
        .about("The authenticated user.")
        .member("user_id", Document::text().about("The `sub` of the token."))
        .member("roles", roles("The user's roles in the tenant of the request, such as `admin`."))
        .member("tenant", tenant.clone().nullable().about("The tenant of the request."))
        .member("memberships", Document::array(membership).about("The tenants that the user belongs to."))
        .example(json!({ "user_id": "1", "roles": ["admin"], "tenant": null, "memberships": [] }))
}

crate::__documented! {
    MemberProfile, "ServiceProfile", DocumentedType::new("ServiceProfile", &member_profile(&Document::any()));
}
