//! Letters to the members: a job of the service's puts them into the club's own table.

use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use serde::{Deserialize, Serialize};
use sqlx::SqlitePool;
use utoipa::ToSchema;

use crate::books::Book;

/// A letter to a member.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct Letter {
    pub(crate) to: i64,
    pub(crate) text: String,
}

/// The letters to a member.
pub(crate) async fn of(pool: &SqlitePool, member: i64) -> sqlx::Result<Vec<Letter>> {
    let letters = "SELECT member_id, text FROM letters WHERE member_id = ? ORDER BY id";
    let letters: Vec<(i64, String)> = sqlx::query_as(letters).bind(member).fetch_all(pool).await?;
    Ok(letters.into_iter().map(|(to, text)| Letter { to, text }).collect())
}

/// Delivers a letter. A job runs at least once: a letter may come twice.
impl Job for Letter {
    const KIND: &str = "letter";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let insert = sqlx::query("INSERT INTO letters (member_id, text) VALUES (?, ?)").bind(self.to).bind(self.text);
        insert.execute(app.extension::<SqlitePool>()?).await?;
        Ok(())
    }
}

/// Writes to every member how many books there are.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Weekly;

impl Job for Weekly {
    const KIND: &str = "weekly";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let text = format!("There are {} books.", app.store::<Book>().count(Select::all()).await?);
        let members: Vec<(i64,)> =
            sqlx::query_as("SELECT id FROM members").fetch_all(app.extension::<SqlitePool>()?).await?;
        for (to,) in members {
            app.enqueue(Letter { to, text: text.clone() }).await?;
        }
        Ok(())
    }
}
