//! The routes that the club had before it had resources.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::get;
use crud_runtime::Store;
use crud_runtime::prelude::Select;
use serde::Serialize;
use sqlx::SqlitePool;
use utoipa::{OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::books::Book;
use crate::club::Club;
use crate::error::{ClubError, Failure};
use crate::letters::{self, Letter};
use crate::members::{AuthSession, Credentials, member};

#[derive(OpenApi)]
#[openapi(info(title = "Reading club"))]
struct Document;

pub(crate) fn router() -> OpenApiRouter<Club> {
    OpenApiRouter::with_openapi(Document::openapi())
        .route("/", get(home))
        .route("/health", get(async || "fine"))
        .routes(routes!(log_in))
        .routes(routes!(log_out))
        .routes(routes!(profile))
        .routes(routes!(letters))
}

/// A page of the club.
async fn home(State(books): State<Store<Book>>) -> Result<Html<String>, ClubError> {
    Ok(Html(format!("<h1>Reading club</h1><p>{} books</p>", books.count(Select::all()).await?)))
}

/// The page for every path that there is not.
pub(crate) async fn not_found() -> (StatusCode, Html<&'static str>) {
    (StatusCode::NOT_FOUND, Html("<h1>There is no such page</h1>"))
}

/// Log in.
#[utoipa::path(post, path = "/login", responses((status = 204, description = "The session's cookie."), Failure))]
async fn log_in(mut session: AuthSession, Json(credentials): Json<Credentials>) -> Result<StatusCode, ClubError> {
    let member = session.authenticate(credentials).await?.ok_or(ClubError::WrongPassword)?;
    session.login(&member).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Log out.
#[utoipa::path(post, path = "/logout", responses((status = 204, description = "The session is over.")))]
async fn log_out(mut session: AuthSession) -> Result<StatusCode, ClubError> {
    session.logout().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
struct Profile {
    id: i64,
    name: String,
}

/// The member who is logged in.
#[utoipa::path(
    get, path = "/profile", security(("session" = [])),
    responses((status = 200, description = "The member.", body = Profile), Failure),
)]
async fn profile(session: AuthSession) -> Result<Json<Profile>, ClubError> {
    let member = member(session)?;
    Ok(Json(Profile { id: member.id, name: member.name }))
}

/// The letters to the member who is logged in.
#[utoipa::path(
    get, path = "/letters", security(("session" = [])),
    responses((status = 200, description = "The letters.", body = [Letter]), Failure),
)]
async fn letters(session: AuthSession, State(pool): State<SqlitePool>) -> Result<Json<Vec<Letter>>, ClubError> {
    Ok(Json(letters::of(&pool, member(session)?.id).await?))
}
