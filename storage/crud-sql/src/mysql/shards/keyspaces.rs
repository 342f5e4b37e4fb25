//! [`Keyspaces`]: the sharded keyspace of a service, and the unsharded one beside it.

use sqlx::{Executor, Row};

use crate::model::adapter_error::AdapterError;
use crate::mysql::connect::Opened;
use crate::mysql::error::general;

/// The name of the unsharded keyspace, unless the URL says otherwise.
const UNSHARDED: &str = "main";

/// The URL's parameter that names the unsharded keyspace.
const PARAMETER: &str = "unsharded";

/// The keyspaces of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::mysql) struct Keyspaces {
    /// The keyspace of the URL, which has several shards.
    pub(super) sharded: String,
    /// The shards of the sharded keyspace, such as `app/-80`.
    pub(super) shards: Vec<String>,
    /// The unsharded keyspace, for tables outside of tenants.
    pub(super) unsharded: String,
    /// The one shard of the unsharded keyspace, such as `main/0`.
    pub(super) outside: String,
}

impl Keyspaces {
    /// Reads the keyspaces of a URL; `None` where the server is not vtgate, or the keyspace has only one shard.
    ///
    /// # Errors
    /// [`AdapterError::Other`] where the sharded keyspace has no unsharded one beside it.
    pub(super) async fn of(opened: &Opened, url: &str) -> Result<Option<Self>, AdapterError> {
        if !opened.is_vtgate {
            return Ok(None);
        }
        let rows = opened.pool.fetch_all("SHOW VITESS_SHARDS").await.map_err(general)?;
        let all: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>().map_err(general)?;
        Self::among(&opened.database, &all, unsharded_of(url)).map_err(|line| AdapterError::Other(line.into()))
    }

    /// Finds a keyspace's shards in vtgate's list of all shards.
    fn among(keyspace: &str, all: &[String], unsharded: Option<String>) -> Result<Option<Self>, String> {
        // The URL's database may also name a tablet type: `app@replica`.
        let (keyspace, _) = keyspace.split_once('@').unwrap_or((keyspace, ""));
        let of = |name: &str| -> Vec<String> {
            let is_of = |shard: &&String| shard.split_once('/').is_some_and(|(of, _)| of == name);
            all.iter().filter(is_of).cloned().collect()
        };
        let shards = of(keyspace);
        if shards.len() < 2 {
            return Ok(None);
        }
        let unsharded = unsharded.unwrap_or_else(|| UNSHARDED.to_owned());
        let mut outside = of(&unsharded);
        let [outside] = outside.as_mut_slice() else {
            let names = shards.iter().filter_map(|shard| shard.split_once('/')).map(|(_, name)| name);
            return Err(format!(
                "the keyspace `{keyspace}` of Vitess has the shards {}, and there is no keyspace `{unsharded}` of one shard for \
                 tables outside of tenants: create it, or name another one by `?{PARAMETER}=…` in the URL",
                names.collect::<Vec<_>>().join(", ")
            ));
        };
        Ok(Some(Self { sharded: keyspace.to_owned(), shards, unsharded, outside: std::mem::take(outside) }))
    }
}

/// The unsharded keyspace that a URL names.
fn unsharded_of(url: &str) -> Option<String> {
    let (_, parameters) = url.split_once('?')?;
    let mut parameters = url::form_urlencoded::parse(parameters.as_bytes());
    parameters.find(|(key, _)| key == PARAMETER).map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Keyspaces, unsharded_of};

    #[test]
    fn shards_are_those_of_the_keyspace() {
        let all = ["app/-80", "app/80-", "apple/0", "main/0"].map(str::to_owned);
        let of = |keyspace: &str| Keyspaces::among(keyspace, &all, None).expect("keyspaces").map(|found| found.shards);
        let both = Some(vec!["app/-80".to_owned(), "app/80-".to_owned()]);
        assert_eq!([of("app"), of("app@replica"), of("main"), of("apple")], [both.clone(), both, None, None]);
    }

    #[test]
    fn tables_outside_of_tenants_need_an_unsharded_keyspace() {
        let all = ["app/-80", "app/80-", "rest/0"].map(str::to_owned);
        let refused = Keyspaces::among("app", &all, None).expect_err("no `main`");
        assert!(
            refused.starts_with("the keyspace `app` of Vitess has the shards -80, 80-") && refused.contains("`main`")
        );
        let named = unsharded_of("mysql://host/app?ssl-mode=DISABLED&unsharded=rest");
        assert_eq!(Keyspaces::among("app", &all, named).expect("keyspaces").expect("shards").outside, "rest/0");
        assert!(Keyspaces::among("app", &all, Some("app".to_owned())).is_err(), "it is sharded itself");
    }
}
