//! Statements that are prepared before they run, and the check of a connection after a statement was given up.
//!
//! sqlx expects the result of a statement before it prepares the statement. If the statement is given up in between,
//! the answer to the preparation is read as the result, and the wait for its rest may never end:
//!
//! ```text
//! sent      PREPARE SELECT `id` FROM `tags` WHERE `slug` = ?
//! queued    result                                              nothing, when it is prepared first
//! arrives   OK, definition of `?`, definition of `id`
//! ```
//!
//! A statement that the connection has cached is prepared without a message.

use std::future::ready;

use futures_util::{TryStreamExt, stream};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row, SqlSafeStr};

use super::argument::{Argument, bind};
use super::as_text;
use super::text_protocol;
use super::transaction_guard;
use crate::over_sqlx::{self, Steps};
use crate::statement::Text;
use crate::storage::trace;

/// Asks for a row that no other statement returns.
const ASK: &str = "SELECT 'in step'";

const IN_STEP: &str = "in step";

/// Begins a statement.
pub(super) fn steps(connection: &mut MySqlConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::MySql> {
    if as_text::is_wanted() {
        return text_steps(connection, &text, &arguments);
    }
    let text = transaction_guard::guarded(connection, text).into_sql_str();
    trace::statement(text.as_str());
    let prepared = async move {
        Executor::prepare(&mut *connection, text.clone()).await?;
        Ok::<_, sqlx::Error>(over_sqlx::run::<sqlx::MySql>(connection, text, bind(arguments)))
    };
    Box::pin(stream::once(prepared).try_flatten().and_then(|step| ready(transaction_guard::confirmed(step))))
}

/// Begins a statement with its values in the text, which is not prepared.
fn text_steps<'c>(connection: &'c mut MySqlConnection, text: &Text, arguments: &[Argument]) -> Steps<'c, sqlx::MySql> {
    trace::statement(text.as_str());
    let with_values = text_protocol::with_values(text.as_str(), arguments);
    connection.fetch_many(sqlx::raw_sql(AssertSqlSafe(with_values)))
}

/// Whether the next answer of a connection belongs to the next statement. After a preparation was given up, the next
/// answer is the rest of its answer instead, which has no row with this text.
pub(super) async fn is_in_step(connection: &mut MySqlConnection) -> sqlx::Result<bool> {
    let row = connection.fetch_optional(ASK).await?;
    Ok(row.is_some_and(|row| row.try_get::<String, _>(0).is_ok_and(|text| text == IN_STEP)))
}
