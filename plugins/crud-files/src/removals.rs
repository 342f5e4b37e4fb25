//! [`Removals`]: removes the files of purged records.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::{ChangeObserver, ObservedChange, ObservedKind};

use crate::file::File;
use crate::table::object::Object;

/// Observer of purged records and erased histories: it marks their files, whose bytes the next sweep removes. The sweep
/// finds other removals by itself, from the records.
#[derive(Debug)]
pub(crate) struct Removals;

impl ChangeObserver for Removals {
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool {
        kind == ObservedKind::Remove && resource.columns.iter().any(|column| column.attribute == File::ATTRIBUTE)
    }

    fn changed<'a>(&'a self, change: &'a ObservedChange<'a>, tx: &'a Tx<'_>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let ended = Object::end_record(&tx.store::<Object>(), change.resource().table, &change.key()).await;
            match ended.map_err(Problem::from) {
                // Rows of files are not in a tenant's shard. The sweep will find that the record is gone.
                Err(problem) if problem.code() == Code::UnsupportedHere => Ok(()),
                ended => ended.map(drop),
            }
        })
    }

    fn history_erased<'a>(
        &'a self,
        resource: &'static Descriptor,
        key: &'a str,
        app: &'a App,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move { Ok(Object::end_former(&app.store::<Object>(), resource.table, key).await?) })
    }
}
