//! [`attach`] and [`detach`]: the one transaction by which a record gets or loses its file.

use crud_runtime::Error;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Records, RecordsAnswer};
use serde_json::{Value as Json, json};

use crate::field::FilePlace;
use crate::file::File;
use crate::table::object::Object;

/// A change of a record's file.
#[derive(Debug, Clone, Copy)]
enum Change<'c> {
    Attach(&'c Object, &'c File),
    Detach,
}

/// Makes a whole object the record's file: the record with its audit entry, the object and its former ones change together.
///
/// # Errors
/// Problems of an update of the record.
pub(crate) async fn attach(
    ctx: &Context,
    records: Records,
    place: &FilePlace,
    object: &Object,
    file: &File,
) -> Result<RecordsAnswer, Problem> {
    change(ctx, records, place, Change::Attach(object, file)).await
}

/// Takes the file from a record; its object is kept for a time.
///
/// # Errors
/// Problems of an update of the record.
pub(crate) async fn detach(ctx: &Context, records: Records, place: &FilePlace) -> Result<RecordsAnswer, Problem> {
    change(ctx, records, place, Change::Detach).await
}

async fn change(
    ctx: &Context,
    records: Records,
    place: &FilePlace,
    change: Change<'_>,
) -> Result<RecordsAnswer, Problem> {
    let (app, now) = (ctx.app(), ctx.now());
    let value = match change {
        Change::Attach(_, file) => serde_json::to_value(file).map_err(Problem::internal)?,
        Change::Detach => Json::Null,
    };
    let records = records.set(place.field.name, value);
    let together = app.transaction(async |tx| -> Result<_, Error> {
        let answer = records.clone().within(tx).update(&place.record, json!({})).await?;
        settle(&tx.store::<Object>(), now, place, change).await?;
        Ok(answer)
    });
    match together.await.map_err(Problem::from) {
        // Storage without transactions: the record decides, and the sweep repairs what a crash leaves between the two.
        Err(problem) if problem.code() == Code::UnsupportedHere => {
            let answer = records.update(&place.record, json!({})).await?;
            settle(&app.store::<Object>(), now, place, change).await?;
            Ok(answer)
        }
        answer => answer,
    }
}

async fn settle(
    objects: &Store<Object>,
    now: DateTime<Utc>,
    place: &FilePlace,
    change: Change<'_>,
) -> Result<(), Error> {
    match change {
        Change::Attach(object, _) => object.attach(objects, now, place).await,
        Change::Detach => Object::detach(objects, now, place, None).await,
    }
}
