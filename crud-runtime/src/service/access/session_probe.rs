//! The check of session variables at the start: whether the statements of a transaction reach one connection.

use std::sync::Arc;

use crate::model::adapter_error::AdapterError;
use crate::model::column::Column as _;
use crate::model::problem::chain;
use crate::model::value::ValueRef;
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::RawStatement;
use crate::store::each_row::each_row;

const NAME: &str = "crud.probe";
const READ: &str = "SELECT current_setting('crud.probe', true)";

const POOLER: &str = "`session_variables` needs transactions, and the database is behind a pooler that gives each statement another \
                      connection: set its `pool_mode` to `transaction` or `session`, or connect to the server itself";

/// Sets a variable in a transaction, and reads it there.
///
/// # Errors
/// [`Error::Setup`] where it is not there, as behind a pooler of statements; [`Error::Database`].
pub(in crate::service) async fn check(adapter: &Arc<dyn Adapter>) -> Result<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| Error::Setup(error.to_string()))?;
    let expected = u64::from_ne_bytes(random).to_string();
    match read_back(adapter, &expected).await {
        Ok(found) if found.as_deref() == Some(&*expected) => Ok(()),
        Ok(_) => Err(Error::Setup(POOLER.to_owned())),
        // pgbouncer: "transaction blocks not allowed in statement pooling mode".
        Err(error) if chain(&error).contains("statement pooling") => Err(Error::Setup(POOLER.to_owned())),
        Err(error) => Err(Error::Database(error)),
    }
}

async fn read_back(adapter: &Arc<dyn Adapter>, value: &str) -> Result<Option<String>, AdapterError> {
    let variables = Arc::new(SessionVariables::new().set(NAME, value));
    let unsupported = AdapterError::Unsupported { what: "session variables" };
    let mut transaction = adapter.session(&variables).ok_or(unsupported)?.begin().await?;
    let mut found = None;
    let mut sink = each_row(|row| {
        if let ValueRef::Text(text) = row.value(0)? {
            found = Some(text.to_owned());
        }
        Ok(())
    });
    transaction.fetch(RawStatement::new(READ), &[Option::<String>::TYPE], &mut sink).await?;
    transaction.rollback().await?;
    Ok(found)
}
