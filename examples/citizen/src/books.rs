//! The resources, and the club's route on one of them.

use axum::Json;
use axum::extract::{Path, State};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Route, Status, post, role};
use serde::Deserialize;
use sqlx::SqlitePool;
use utoipa::ToSchema;

use crate::club::Club;
use crate::error::{ClubError, Failure};
use crate::letters::Letter;
use crate::members;

/// A book of the club.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, audit, access(read(public), write(role("librarian"))))]
pub(crate) struct Book {
    pub(crate) id: i64,
    #[crud(length(min = 1, max = 200))]
    pub(crate) title: String,
    #[crud(length(min = 1, max = 200))]
    pub(crate) author: String,
}

/// A note of a member on a book, which no other member sees.
#[derive(Debug, Clone, Resource)]
#[crud(filter(book_id), pagination, access(all(role("member"))))]
pub(crate) struct Note {
    pub(crate) id: i64,
    #[crud(owner)]
    pub(crate) member_id: i64,
    #[crud(references(Book))]
    pub(crate) book_id: i64,
    #[crud(length(min = 1))]
    pub(crate) text: String,
}

#[derive(Deserialize, ToSchema)]
struct Recommendation {
    /// The name of the member to write to.
    to: String,
}

/// Recommends a book to another member by letter: `POST /books/7/recommend`.
pub(crate) fn recommend() -> Route<Club> {
    let route = post(send_recommendation).access(role("member")).responses::<Failure>();
    route.summary("Recommend a book to another member")
}

async fn send_recommendation(
    ctx: Context,
    State(pool): State<SqlitePool>,
    Path(id): Path<i64>,
    Json(Recommendation { to }): Json<Recommendation>,
) -> Result<Status<202, Json<Letter>>, ClubError> {
    let book = ctx.store::<Book>().get(id).await?;
    let member = members::find(&pool, &to).await?.ok_or(ClubError::NoMember(to))?;
    let letter = Letter { to: member.id, text: format!("Read “{}” by {}!", book.title, book.author) };
    ctx.app().enqueue(letter.clone()).await?;
    Ok(Status(Json(letter)))
}
