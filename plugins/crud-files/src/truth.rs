//! [`Truths`]: whether records still have their objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::Result;
use crud_runtime::prelude::*;
use serde_json::Value as Json;

use crate::field::{FileField, FilePlace};
use crate::file_service::FileService;
use crate::table::object::Object;

/// Relation of an object to its record, by the record's value.
#[derive(Debug)]
pub(crate) enum Truth {
    /// The record has the object's bytes.
    Has(FilePlace),
    /// The record has another file, or none. Former files of the field are kept for this time.
    HasAnother(Duration),
    /// The record is purged.
    Gone,
    /// The service no longer has the field. The objects of the field stay as they are.
    Unknown,
}

/// The stored files of the records of some objects.
#[derive(Debug)]
pub(crate) struct Truths(Vec<(Arc<FileField>, BTreeMap<String, Json>)>);

impl Truths {
    /// Reads the records of a page of objects, of every tenant, including soft-deleted ones.
    pub(crate) async fn of(files: &FileService, app: &App, objects: &[Object]) -> Result<Self> {
        let mut truths = Vec::new();
        for field in files.known_fields() {
            let keys: BTreeSet<&str> =
                objects.iter().filter(|one| is_of(one, field)).map(|one| one.record.as_str()).collect();
            if !keys.is_empty() {
                let values = app.stored_records(&field.prefix)?.values(field.name, keys).await?;
                truths.push((field.clone(), values));
            }
        }
        Ok(Self(truths))
    }

    pub(crate) fn about(&self, object: &Object) -> Truth {
        let Some((field, values)) = self.0.iter().find(|(field, _)| is_of(object, field)) else {
            return Truth::Unknown;
        };
        let Some(value) = values.get(&object.record) else { return Truth::Gone };
        let sha256 = value.get("sha256").and_then(Json::as_str);
        if sha256.is_some() && sha256 == object.sha256.as_deref() {
            let (record, tenant) = (object.record.clone(), object.tenant.clone());
            return Truth::Has(FilePlace { field: field.clone(), record, tenant });
        }
        Truth::HasAnother(field.keep)
    }
}

fn is_of(object: &Object, field: &FileField) -> bool {
    object.resource == field.table && object.field == field.column
}
