//! [`attach`] and [`detach`]: the transaction that adds a file to a record or removes it.

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

/// Makes a complete object the record's file. The record, its audit entry, the object and former objects change in one
/// transaction.
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

/// Removes the file from a record. The object is kept for the field's `keep`.
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
        // Without transactions, the record is changed first and decides. The sweep repairs the objects after a crash in
        // between.
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
