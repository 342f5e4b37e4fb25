//! [`Directory`]: the row that identifies the storage of the database's files.

use crud_runtime::Result;
use crud_runtime::prelude::*;

/// The storage of the service's files, in the table `files_directory`, which has one row.
#[derive(Debug, Clone, PartialEq, Eq, Resource)]
#[crud(table = "files_directory", internal)]
pub(crate) struct Directory {
    #[crud(length(max = 10))]
    pub(crate) id: String,
    /// The name that the storage's marker has as well.
    #[crud(length(max = 36))]
    pub(crate) name: String,
    /// The number of claims, which orders copies of the row.
    pub(crate) claims: i64,
    /// The random text of the last claim.
    #[crud(length(max = 36))]
    pub(crate) claim: String,
    /// That of the claim before: a crash may have kept the last one from the marker.
    #[crud(length(max = 36))]
    pub(crate) former_claim: String,
}

/// The key of the row.
const ONE: &str = "files";

impl Directory {
    pub(crate) async fn find(app: &App) -> Result<Option<Self>> {
        app.store::<Self>().find(ONE).await
    }

    /// Creates the row; `None` if another server has created it.
    pub(crate) async fn make(app: &App) -> Result<Option<Self>> {
        let claim = Uuid::new_v4().to_string();
        let new = NewDirectory {
            id: ONE.to_owned(),
            name: Uuid::new_v4().to_string(),
            claims: 1,
            former_claim: claim.clone(),
            claim,
        };
        app.store::<Self>().create_if_absent(new).await
    }

    /// Claims the storage in the row; `None` if another server has claimed it meanwhile.
    pub(crate) async fn claim(&self, app: &App) -> Result<Option<Self>> {
        let patch = DirectoryPatch::default().claims(self.claims + 1).claim(Uuid::new_v4().to_string());
        let same = Self::FIELDS.claim.eq(self.claim.as_str());
        app.store::<Self>().update_if(ONE, same, patch.former_claim(self.claim.clone())).await
    }

    /// Gives the row a new name, so that a copy of the database no longer matches the storage.
    pub(crate) async fn rename(&self, app: &App, claims: i64) -> Result<Self> {
        let (name, claim) = (Uuid::new_v4().to_string(), Uuid::new_v4().to_string());
        let patch = DirectoryPatch::default().name(name).claims(claims).former_claim(claim.clone()).claim(claim);
        app.store::<Self>().update(ONE, patch).await
    }
}
