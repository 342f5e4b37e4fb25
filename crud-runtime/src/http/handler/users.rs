//! The users of the service: `GET` and `POST /auth/users`, `GET` and `PATCH /auth/users/{id}`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::{MethodRouter, any};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::authorization::authorize_role;
use super::{BodyReader, response};
use crate::auth::managed_users::{ManagedUser, UserEdit};
use crate::auth::manager_rule::ManagerRule;
use crate::auth::user_bodies::{NewServiceUser, ServiceUserPatch};
use crate::auth::{Auth, Users};
use crate::http::body::{self, BodyRules};
use crate::http::frame::{self, Frame};
use crate::http::param;
use crate::http::param::query_string;
use crate::http::param::users::{PARAMETERS, UserQuery};
use crate::http::state::ServiceState;
use crate::model::principal::Principal;
use crate::model::problem::{FieldError, Problem};
use crate::model::schema::Schema;
use crate::query::visibility::FieldVisibility;
use crate::storage::error::Error;
use crate::store::app::App;
use crate::store::caller::Caller;
use crate::store::mounted_resource::MountedResource;
use crate::store::owned_record::OwnedRecord;
use crate::store::record_values;
use crate::store::resource_options::ResourceOptions;

/// The maximum size of a body, in bytes.
const MAX_BODY: usize = 64 * 1024;

/// Adds the routes, which need a role.
pub(crate) fn add(router: Router, state: &ServiceState, role: &Arc<str>) -> Router {
    let Some(auth) = state.auth() else { return router };
    let rule = Arc::new(ManagerRule { role: role.to_string(), tenant_claim: auth.tenant_claim.clone() });
    let managing = Managing { state: state.clone(), auth: auth.clone(), rule };
    router
        .route_service("/auth/users", route(managing.clone(), Path::Collection))
        .route_service("/auth/users/{id}", route(managing, Path::User))
}

/// Context of the routes.
#[derive(Clone)]
struct Managing {
    state: ServiceState,
    auth: Arc<Auth>,
    rule: Arc<ManagerRule>,
}

#[derive(Clone, Copy)]
enum Path {
    Collection,
    User,
}

impl Path {
    const fn methods(self) -> &'static [Method] {
        match self {
            Self::Collection => &[Method::GET, Method::POST],
            Self::User => &[Method::GET, Method::PATCH],
        }
    }
}

fn route(managing: Managing, path: Path) -> MethodRouter {
    any(move |request: Request| async move {
        let method = frame::method(&request);
        if !path.methods().contains(method) {
            return frame::not_allowed(path.methods(), request.method());
        }
        let frame = Frame::new(*method == Method::GET).no_store();
        frame.answer(&managing.state, request, |request, deadline| managing.respond(path, request, deadline)).await
    })
}

impl Managing {
    async fn respond(&self, path: Path, request: Request, deadline: Instant) -> Result<Response, Problem> {
        let (mut parts, body) = request.into_parts();
        let admin = self.authorize(&self.users(self.state.app())?, &parts).await?;
        let caller = Caller::of_request(Some(admin.clone()), self.state.enforcement());
        let app = self.state.app().of_caller(caller, Some(&admin.actor()));
        let (users, admin) = (self.users(&app)?, admin.subject());
        if matches!(path, Path::Collection) && parts.method != Method::POST {
            return list(&users, parts.uri.query().unwrap_or_default()).await;
        }
        query_string::check_names(parts.uri.query(), &[])?;
        let limits = self.state.limits();
        let mut body =
            BodyReader::new(body, limits.body_idle, deadline, self.state.memory_of(&parts.headers, &parts.extensions));
        let max_size = MAX_BODY.min(limits.body);
        match path {
            Path::Collection => {
                let user = create(&users, &body.json(&parts, max_size).await?).await?;
                tracing::info!(user = user.id, admin, "a user is created");
                let mut response = answer(StatusCode::CREATED, &user);
                let original = parts.extensions.get::<OriginalUri>().map_or(parts.uri.path(), |uri| uri.path());
                if let Ok(location) = HeaderValue::from_str(&format!("{original}/{}", user.id)) {
                    response.headers_mut().insert(header::LOCATION, location);
                }
                Ok(response)
            }
            Path::User => {
                let id = user_id(&mut parts).await?;
                if parts.method != Method::PATCH {
                    return Ok(answer(StatusCode::OK, &users.managed(id).await.map_err(problem)?));
                }
                let (edit, fields) = read_edit(&body.json(&parts, max_size).await?)?;
                let user = users.edit(&app, id, edit, &self.rule).await.map_err(problem)?;
                tracing::info!(user = user.id, admin, ?fields, "a user is changed");
                Ok(answer(StatusCode::OK, &user))
            }
        }
    }

    /// The users, whose hooks work with this handle.
    fn users(&self, app: &App) -> Result<Users, Problem> {
        self.auth.own_users(app).ok_or_else(|| Problem::internal("the users are elsewhere"))
    }

    /// A principal that has the role: in its token, and in the table, if it is one of these users. So an
    /// administrator that is disabled cannot enable itself with a token that it still has.
    ///
    /// Users belong to no tenant, so that a principal of a tenant has no access.
    async fn authorize(&self, users: &Users, parts: &Parts) -> Result<Arc<Principal>, Problem> {
        let denied = || Problem::denied(false);
        let admin = authorize_role(&self.state, &parts.headers, &self.rule.role).await?.ok_or_else(denied)?;
        if admin.tenant().is_some() || !users.may_manage(&admin, &self.rule).await.map_err(problem)? {
            return Err(denied());
        }
        Ok(Arc::new(admin))
    }
}

async fn list(users: &Users, query: &str) -> Result<Response, Problem> {
    let mut parsed = UserQuery::default();
    param::read(query, &[PARAMETERS], &mut parsed)?;
    let UserQuery { filter, skip, limit } = parsed;
    let page = users.page(filter, skip, limit).await.map_err(problem)?;
    Ok(answer(
        StatusCode::OK,
        &json!({
            "data": page.data, "total": page.total, "total_relation": "eq", "page": page.page, "pages": page.pages,
            "limit": page.limit, "skip": page.skip,
        }),
    ))
}

async fn create(users: &Users, bytes: &[u8]) -> Result<ManagedUser, Problem> {
    let NewServiceUser { username, password, roles, permissions, claims } = read(bytes)?;
    let new = users.create_user(&username, &password).roles(roles).permissions(permissions);
    let claims = claims.map(object).transpose()?.unwrap_or_default();
    let new = claims.into_iter().fold(new, |new, (name, value)| new.claim(name, value));
    let user = new.await.map_err(problem)?;
    let id = user.subject.parse().map_err(|_| Problem::internal("the id of a new user is not a number"))?;
    users.managed(id).await.map_err(problem)
}

/// A change of a user, and the names of what it sets.
fn read_edit(bytes: &[u8]) -> Result<(UserEdit, Vec<&'static str>), Problem> {
    let ServiceUserPatch { password, roles, permissions, claims, disabled } = read(bytes)?;
    let set = [
        ("password", password.is_some()),
        ("roles", roles.is_some()),
        ("permissions", permissions.is_some()),
        ("claims", claims.is_some()),
        ("disabled", disabled.is_some()),
    ];
    let fields = set.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect();
    let claims = claims.map(object).transpose()?;
    Ok((UserEdit { password, roles, permissions, claims, disabled }, fields))
}

fn object(claims: Value) -> Result<Map<String, Value>, Problem> {
    match claims {
        Value::Object(claims) => Ok(claims),
        _ => Err(Problem::validation([FieldError::field("claims", "type", "must be an object")])),
    }
}

/// Reads a body by its rules.
fn read<B: Schema>(bytes: &[u8]) -> Result<B, Problem> {
    let mounted = MountedResource::new(ResourceOptions::new(B::DESCRIPTOR)).map_err(Problem::internal)?;
    let view = FieldVisibility::default();
    let rules = BodyRules::without_principal(&view);
    let body = body::parse(&mounted, &rules, bytes)?;
    let record = OwnedRecord::new(record_values::with_defaults(B::DESCRIPTOR, body.changes));
    B::from_row(&record).map_err(|error| Problem::from_adapter(B::DESCRIPTOR, error))
}

/// The id in the path.
async fn user_id(parts: &mut Parts) -> Result<i64, Problem> {
    let refuse = || Problem::validation([FieldError::parameter("id", "type", "must be an integer")]);
    let params = RawPathParams::from_request_parts(parts, &()).await.map_err(|_| refuse())?;
    // The last parameter is the id: earlier ones belong to outer routers.
    params.iter().last().and_then(|(_, text)| text.parse().ok()).ok_or_else(refuse)
}

fn answer(status: StatusCode, body: &impl Serialize) -> Response {
    response::json(status, serde_json::to_vec(body).unwrap_or_default())
}

fn problem(error: Error) -> Problem {
    match error {
        Error::Problem(problem) => problem,
        other => Problem::internal(other),
    }
}
