//! The members of the club, who log in with axum-login.

use std::fmt;

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use axum_login::{AuthManagerLayer, AuthManagerLayerBuilder, AuthUser, AuthnBackend};
use crud_runtime::auth::Principal;
use serde::Deserialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row, SqlitePool};
use tokio::task::spawn_blocking;
use tower_sessions::{MemoryStore, SessionManagerLayer};
use utoipa::ToSchema;

use crate::error::{BoxError, ClubError};

pub(crate) type AuthSession = axum_login::AuthSession<Members>;

/// A member of the club.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) id: i64,
    pub(crate) name: String,
    password_hash: String,
    is_librarian: bool,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

impl FromRow<'_, SqliteRow> for Member {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            password_hash: row.try_get("password_hash")?,
            is_librarian: row.try_get("is_librarian")?,
        })
    }
}

impl AuthUser for Member {
    type Id = i64;

    fn id(&self) -> i64 {
        self.id
    }

    fn session_auth_hash(&self) -> &[u8] {
        self.password_hash.as_bytes()
    }
}

/// Name and password of a login.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Credentials {
    name: String,
    password: String,
}

/// The members in the database.
#[derive(Debug, Clone)]
pub(crate) struct Members(SqlitePool);

impl AuthnBackend for Members {
    type User = Member;
    type Credentials = Credentials;
    type Error = sqlx::Error;

    async fn authenticate(&self, credentials: Credentials) -> sqlx::Result<Option<Member>> {
        let Credentials { name, password } = credentials;
        let Some(member) = find(&self.0, &name).await? else { return Ok(None) };
        let hash = member.password_hash.clone();
        let verify = move || Argon2::default().verify_password(password.as_bytes(), hash.as_str()).is_ok();
        let is_right = spawn_blocking(verify).await.unwrap_or(false);
        Ok(Some(member).filter(|_| is_right))
    }

    async fn get_user(&self, id: &i64) -> sqlx::Result<Option<Member>> {
        sqlx::query_as("SELECT * FROM members WHERE id = ?").bind(id).fetch_optional(&self.0).await
    }
}

/// The member of a name.
pub(crate) async fn find(pool: &SqlitePool, name: &str) -> sqlx::Result<Option<Member>> {
    sqlx::query_as("SELECT * FROM members WHERE name = ?").bind(name).fetch_optional(pool).await
}

/// Adds a member, unless there is one of the name.
///
/// # Errors
/// Errors of the database.
pub async fn add_member(pool: &SqlitePool, name: &str, password: &str, is_librarian: bool) -> Result<(), BoxError> {
    let hash = Argon2::default().hash_password(password.as_bytes())?.to_string();
    let insert = "INSERT OR IGNORE INTO members (name, password_hash, is_librarian) VALUES (?, ?, ?)";
    sqlx::query(insert).bind(name).bind(hash).bind(is_librarian).execute(pool).await?;
    Ok(())
}

/// The layer of the sessions, which are in memory. Its cookie is `Secure`, `HttpOnly` and `SameSite=Strict`.
pub(crate) fn sessions(pool: SqlitePool) -> AuthManagerLayer<Members, MemoryStore> {
    AuthManagerLayerBuilder::new(Members(pool), SessionManagerLayer::new(MemoryStore::default())).build()
}

/// The member of a session.
pub(crate) fn member(session: AuthSession) -> Result<Member, ClubError> {
    session.user.ok_or(ClubError::NotLoggedIn)
}

/// Makes the member who is logged in the principal of the request.
pub(crate) async fn set_principal(session: AuthSession, mut request: Request, next: Next) -> Response {
    if let Some(member) = session.user {
        let roles = ["member"].into_iter().chain(member.is_librarian.then_some("librarian"));
        request.extensions_mut().insert(Principal::new(member.id.to_string()).with_roles(roles));
    }
    next.run(request).await
}
