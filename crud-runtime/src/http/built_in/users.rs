//! The users of the service: `GET` and `POST /auth/users`, `GET` and `PATCH /auth/users/{id}`.

use std::sync::Arc;

use axum::Json;
use serde_json::{Map, Value, json};

use super::NoParameters;
use super::sessions::{passwords, session};
use crate::Schema;
use crate::auth::users::managed::{ManagedUser, UserEdit, UserFilter};
use crate::auth::users::manager_rule::ManagerRule;
use crate::auth::{RESERVED_CLAIMS, Users};
use crate::http::description::documented_type::DocumentedType;
use crate::http::description::example::MOMENT;
use crate::http::description::json_schema::Schema as Document;
use crate::http::description::operation_doc::OperationDoc;
use crate::http::description::record_schema::body;
use crate::http::description::security::Security;
use crate::http::routing::answer::status::{Located, Status};
use crate::http::routing::argument::path::Path;
use crate::http::routing::argument::query::Query;
use crate::http::routing::argument::valid::Valid;
use crate::http::routing::context::Context;
use crate::http::routing::route::{Route, get, patch, post};
use crate::http::routing::rule::role;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, FieldError, Problem};
use crate::store::typed::page::Page;

/// The largest size of a body, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

/// The users that a request asks for.
#[derive(Schema)]
struct UserQuery {
    /// The name of the user.
    #[crud(length(max = 255))]
    username: Option<String>,
    /// A part of the name, in any case.
    #[crud(length(max = 255))]
    q: Option<String>,
    /// The ids of the users: at most 100, with commas between them.
    #[crud(rename = "id__in", validate(pattern = "^[0-9]{1,18}(,[0-9]{1,18}){0,99}$"), length(max = 2000))]
    ids: Option<String>,
    /// Whether the user is disabled.
    disabled: Option<bool>,
    /// The number of users to skip.
    #[crud(default = 0)]
    skip: u32,
    /// The maximum number of users to return.
    #[crud(range(min = 1, max = 100), default = 20)]
    limit: u32,
}

/// A user in the path.
#[derive(Schema)]
struct UserPath {
    /// The `id` of the user.
    id: i64,
}

/// The body that creates a user.
#[derive(Schema)]
struct ServiceUserCreate {
    /// The name that the user logs in with.
    #[crud(length(min = 1, max = 255))]
    username: String,
    /// The password, of at most 1024 bytes.
    #[crud(write_only, length(min = 8, max = 1024))]
    password: String,
    /// The user's roles, such as `editor`.
    #[crud(default(Vec::new()))]
    roles: Vec<String>,
    /// The user's permissions, such as `orders:purge`.
    #[crud(default(Vec::new()))]
    permissions: Vec<String>,
    /// Further claims of the user's tokens, such as a tenant's id: an object.
    claims: Option<Value>,
}

/// The body that changes a user: what it leaves out, or is null, stays.
#[derive(Schema)]
struct ServiceUserPatch {
    /// The new password, of at most 1024 bytes: the user's sessions end.
    #[crud(write_only, length(min = 8, max = 1024))]
    password: Option<String>,
    /// The roles, in place of those until now.
    roles: Option<Vec<String>>,
    /// The permissions, in place of those until now.
    permissions: Option<Vec<String>>,
    /// The further claims of the user's tokens, in place of those until now: an object.
    claims: Option<Value>,
    /// Whether logins and refreshes fail.
    disabled: Option<bool>,
    /// Whether the user's sessions end: refresh tokens issued before are refused.
    end_sessions: Option<bool>,
}

/// The routes, where a role manages users; `auth` is the path that they are below.
pub(super) fn routes(security: &Security, auth: &str) -> Vec<(&'static str, Route)> {
    let Some(users_role) = &security.users_role else { return Vec::new() };
    let of_role = |route: Route, id: &str, summary: &str, description: &str| {
        let (checked, of_any_source) = (users_role.clone(), security.users_role_of_any_source);
        let route = session(route, id, summary, description).body_limit(BODY_LIMIT);
        route
            .access(role(users_role.clone()))
            .personal()
            .check(move |ctx| may_manage(ctx, checked.clone(), of_any_source))
    };
    let (collection, user) = ("/auth/users", "/auth/users/{id}");
    let change = {
        let role = users_role.clone();
        move |ctx: Context, _: Query<NoParameters>, path: Path<UserPath>, body: Valid<ServiceUserPatch>| {
            update(ctx, role, path.id, body.0)
        }
    };
    let create = {
        let at = format!("{auth}/users");
        move |ctx: Context, _: Query<NoParameters>, body: Valid<ServiceUserCreate>| create(ctx, at, body.0)
    };
    let description = "The users in the service's own table, by name.";
    let list = of_role(get(list), "listServiceUsers", "List users", description)
        .reworded(|words| words.answered_with("The users."));
    let description = "Creates a user, who can then log in.";
    let create = of_role(post(create), "createServiceUser", "Create a user", description)
        .problems([Code::Conflict])
        .reworded(|words| {
            let example = json!({ "username": "ada", "password": "a long password", "roles": ["editor"] });
            let words = with_body(words, "The user.", ServiceUserCreate::DESCRIPTOR, example);
            words.answered_with("The new user.")
        });
    let get = of_role(get(read), "getServiceUser", "Get a user", "The user with this id.")
        .problems([Code::NotFound])
        .reworded(|words| words.answered_with("The user."));
    let description = "Changes a user: absent fields keep their values. New roles, permissions and claims are in tokens from the \
                       next login or refresh on. A new password and `end_sessions` end the user's sessions: refresh tokens issued before are refused. \
                       Neither can a disabled user log in or refresh. 409 `conflict` when no enabled user would have the role that \
                       these routes need.";
    let change = of_role(patch(change), "updateServiceUser", "Change a user", description)
        .problems([Code::NotFound, Code::Conflict])
        .reworded(|words| {
            let example = json!({ "roles": ["editor", "author"] });
            let words = with_body(words, "The fields to change.", ServiceUserPatch::DESCRIPTOR, example);
            words.answered_with("The changed user.")
        });
    vec![(collection, list), (collection, create), (user, get), (user, change)]
}

/// Refuses a principal that has the role in its token but not in the table of users. So a disabled administrator cannot
/// enable itself with an old token. A role from another issuer does not count, unless the program says so.
///
/// Users belong to no tenant, so a principal of a tenant has no access. Where memberships state the tenants, a user
/// whose row has the role has access.
async fn may_manage(ctx: Context, role: Arc<str>, of_any_source: bool) -> Result<(), Problem> {
    let admin = ctx.principal().ok_or_else(|| Problem::denied(true))?;
    let has_tenant = admin.tenant().is_some();
    let is_admitted = match users(&ctx)?.manages(admin, &rule(&ctx, &role)?).await? {
        Some(of_row) => of_row && (!has_tenant || ctx.memberships().is_some()),
        None => !has_tenant && of_any_source,
    };
    if is_admitted { Ok(()) } else { Err(Problem::denied(false)) }
}

async fn list(ctx: Context, Query(query): Query<UserQuery>) -> Result<Json<Page<ManagedUser>>, Problem> {
    let UserQuery { username, q, ids, disabled, skip, limit } = query;
    // The pattern admits what fits an `i64`.
    let ids = ids.map(|ids| ids.split(',').filter_map(|id| id.parse().ok()).collect());
    let filter = UserFilter { username, part: q, ids, disabled };
    Ok(Json(users(&ctx)?.page(filter, skip.into(), limit.into()).await?))
}

async fn create(
    ctx: Context,
    at: String,
    body: ServiceUserCreate,
) -> Result<Located<Status<201, Json<ManagedUser>>>, Problem> {
    let ServiceUserCreate { username, password, roles, permissions, claims } = body;
    let users = users(&ctx)?;
    let new = users.create_user(&username, &password).roles(roles).permissions(permissions);
    let new = object(claims)?.into_iter().flatten().fold(new, |new, (name, value)| new.claim(name, value));
    let id = new.await?.id()?;
    tracing::info!(user = id, admin = admin(&ctx), "a user is created");
    Ok(Located(format!("{at}/{id}"), Status(Json(users.managed(id).await?))))
}

async fn read(ctx: Context, _: Query<NoParameters>, path: Path<UserPath>) -> Result<Json<ManagedUser>, Problem> {
    Ok(Json(users(&ctx)?.managed(path.id).await?))
}

async fn update(ctx: Context, role: Arc<str>, id: i64, patch: ServiceUserPatch) -> Result<Json<ManagedUser>, Problem> {
    let ServiceUserPatch { password, roles, permissions, claims, disabled, end_sessions } = patch;
    let end_sessions = end_sessions.unwrap_or_default();
    let set = [
        ("password", password.is_some()),
        ("roles", roles.is_some()),
        ("permissions", permissions.is_some()),
        ("claims", claims.is_some()),
        ("disabled", disabled.is_some()),
        ("end_sessions", end_sessions),
    ];
    let fields: Vec<&str> = set.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect();
    let edit = UserEdit { password, roles, permissions, claims: object(claims)?, disabled, end_sessions };
    let user = users(&ctx)?.edit(ctx.app(), id, edit, &rule(&ctx, &role)?).await?;
    tracing::info!(user = id, admin = admin(&ctx), ?fields, "a user is changed");
    Ok(Json(user))
}

/// The users, whose hooks act as the sender of the request.
fn users(ctx: &Context) -> Result<Users, Problem> {
    ctx.auth()?.own_users(ctx.app()).ok_or_else(|| Problem::internal("the users are elsewhere"))
}

fn rule(ctx: &Context, role: &str) -> Result<ManagerRule, Problem> {
    let roles = ctx.roles_with(role);
    Ok(ManagerRule { role: role.to_owned(), roles, tenant_claim: ctx.auth()?.tenant_claim.clone() })
}

/// The id of the sender of the request.
fn admin(ctx: &Context) -> &str {
    ctx.principal().map_or("", |principal| principal.subject())
}

fn object(claims: Option<Value>) -> Result<Option<Map<String, Value>>, Problem> {
    match claims {
        None => Ok(None),
        Some(Value::Object(claims)) => Ok(Some(claims)),
        Some(_) => Err(Problem::validation([FieldError::field("claims", "type", "must be an object")])),
    }
}

/// The description of a route with this body, whose schema has the struct's own name.
fn with_body(words: OperationDoc, description: &str, of: &'static Descriptor, example: Value) -> OperationDoc {
    let mut body = passwords(body(of), &["password"]);
    let names = json!({ "not": { "enum": RESERVED_CLAIMS } });
    body.change("claims", |claims| {
        let about = claims.description().to_owned();
        Document::map().nullable().with("propertyNames", names).about(&about)
    });
    words.json(description, Document::named(of.name, body.example(example)))
}

crate::__documented! {
    ManagedUser, "ServiceUser", DocumentedType::new("ServiceUser", &user());
}

fn user() -> Document {
    let texts = |description: &str| Document::array(Document::text()).about(description);
    let id = Document::integer().with("format", "int64").about("The `sub` of the user's tokens, as a number.");
    Document::object()
        .about("A user of the service. No answer has a password.")
        .member("id", id)
        .member("username", Document::text().about("The name that the user logs in with."))
        .member("roles", texts("The user's roles."))
        .member("permissions", texts("The user's permissions."))
        .member("claims", Document::map().about("Further claims of the user's tokens."))
        .member("disabled", Document::boolean().about("Whether logins and refreshes fail."))
        .member("created_at", Document::date_time().about("When the user was created."))
        .member("updated_at", Document::date_time().about("When the user was last changed."))
        .example(json!({
            "id": 1, "username": "ada", "roles": ["editor"], "permissions": [], "claims": {}, "disabled": false,
            "created_at": MOMENT, "updated_at": MOMENT,
        }))
}
