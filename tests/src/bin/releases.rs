//! A program of several releases, by its variable `RELEASE`: for tests of the commands that migrate its database.

use std::env;

use crud_runtime::migrations::DataMigration;
use crud_runtime::{Result, Tx};

mod base {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts")]
    pub(super) struct Contact {
        pub(super) id: i64,
        pub(super) name: String,
    }
}

/// A release with tables that the service keeps for itself.
mod kept {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts", audit)]
    pub(super) struct Contact {
        id: i64,
        name: String,
    }
}

/// A branch renames a column and makes it optional, for which SQLite rebuilds the table.
mod mine {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts")]
    pub(super) struct Contact {
        id: i64,
        #[crud(column(renamed_from = "name"))]
        full_name: Option<String>,
    }
}

/// Another branch adds a column.
mod theirs {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts")]
    pub(super) struct Contact {
        id: i64,
        name: String,
        loyalty: Option<i64>,
    }
}

/// Both branches, merged.
mod both {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts")]
    pub(super) struct Contact {
        id: i64,
        #[crud(column(renamed_from = "name"))]
        full_name: Option<String>,
        loyalty: Option<i64>,
    }
}

async fn shout(contact: base::Contact, tx: Tx<'static>) -> Result<()> {
    let patch = base::ContactPatch::default().name(contact.name.to_uppercase());
    tx.store::<base::Contact>().update(contact.id, patch).await.map(drop)
}

#[tokio::main]
async fn main() -> Result<()> {
    crud_runtime::config::run(|service| match env::var("RELEASE").unwrap_or_default().as_str() {
        "base" => service.resource::<base::Contact>(),
        "shouting" => service.resource::<base::Contact>().data_migration(DataMigration::each("shout", shout)),
        "kept" => service.resource::<kept::Contact>().extend(crud_runtime::ExtensionOptions::counters),
        "mine" => service.resource::<mine::Contact>(),
        "theirs" => service.resource::<theirs::Contact>(),
        "both" => service.resource::<both::Contact>(),
        other => panic!("there is no release `{other}`"),
    })
    .await
}
