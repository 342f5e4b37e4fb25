//! Opening: the client of a URL, with the options that the adapter relies on.

use std::time::Duration;

use mongodb::Client;
use mongodb::options::{Acknowledgment, ClientOptions, ReadPreference, SelectionCriteria, WriteConcern};

use super::database::Database;
use super::error::{adapter_error, failed};
use crate::model::adapter_error::AdapterError;

/// Time that a request waits for a server, unless the URL sets another.
const SELECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for opening a connection, unless the URL sets another.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The database of a URL. No connection is opened yet.
///
/// # Errors
/// When the URL is malformed, names no database, or asks for writes that are not acknowledged.
pub(super) async fn open(url: &str) -> Result<Database, AdapterError> {
    let mut options = ClientOptions::parse(url).await.map_err(adapter_error)?;
    let name = options.default_database.clone().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| failed("the URL names no database: it ends like `mongodb://host/shop`"))?;
    options.app_name.get_or_insert_with(|| "crud-runtime".to_owned());
    options.server_selection_timeout.get_or_insert(SELECTION_TIMEOUT);
    options.connect_timeout.get_or_insert(CONNECT_TIMEOUT);
    options.write_concern = Some(durable(options.write_concern)?);
    if is_elsewhere(options.selection_criteria.as_ref()) {
        return Err(failed("`readPreference` must be `primary`: a service reads what it has written"));
    }
    Ok(Database::new(Client::with_options(options).map_err(adapter_error)?.database(&name)))
}

/// The write concern of a durable change: by default a majority, and the journal in any case.
fn durable(concern: Option<WriteConcern>) -> Result<WriteConcern, AdapterError> {
    let mut concern = concern.unwrap_or_default();
    if concern.w == Some(Acknowledgment::Nodes(0)) || concern.journal == Some(false) {
        return Err(failed("`w=0` and `journal=false` lose changes that were acknowledged: leave them out of the URL"));
    }
    concern.w.get_or_insert(Acknowledgment::Majority);
    concern.journal = Some(true);
    Ok(concern)
}

fn is_elsewhere(criteria: Option<&SelectionCriteria>) -> bool {
    match criteria {
        None | Some(SelectionCriteria::ReadPreference(ReadPreference::Primary)) => false,
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_url_that_weakens_durability_is_refused() {
        for parameters in ["w=0", "journal=false", "readPreference=secondary"] {
            assert!(open(&format!("mongodb://127.0.0.1/shop?{parameters}")).await.is_err(), "{parameters}");
        }
        assert!(open("mongodb://127.0.0.1/shop?w=2").await.is_ok());
    }

    #[tokio::test]
    async fn a_url_names_a_database() {
        assert!(open("mongodb://127.0.0.1").await.is_err());
    }

    #[test]
    fn a_change_is_journaled_by_a_majority() {
        let concern = durable(None).unwrap();
        assert_eq!((concern.w, concern.journal), (Some(Acknowledgment::Majority), Some(true)));
    }
}
