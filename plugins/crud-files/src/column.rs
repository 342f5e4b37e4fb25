//! [`File`] as a column, with the attribute `file(…)`.

use std::any::Any;

use crud_runtime::Column;
use crud_runtime::column::{ColumnAttribute, ColumnError, FieldLocation, Keywords, Kind, Returned, Value, ValueRef};
use serde_json::{Map, Value as Json, json};

use crate::file::File;
use crate::options::FileOptions;

impl Column for File {
    const KIND: Kind = Kind::Json;
    const READ_ONLY: bool = true;
    const SCHEMA: Option<&'static str> = Some(include_str!("file.schema.json"));
    const KEYWORDS: Option<Keywords> = Some(keywords);
    const RETURNED: Option<Returned> = Some(returned);
    const ATTRIBUTE: Option<&'static str> = Some("file");
    const PLUGIN: Option<&'static str> = Some("files");

    fn into_value(self) -> Value {
        Value::Json(serde_json::to_value(self).unwrap_or_default())
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        let json = serde_json::Value::from_value(value)?;
        serde_json::from_value(json).map_err(|_| ColumnError::new("must be a file's name, type, size and sha256"))
    }
}

impl ColumnAttribute for File {
    type Options = FileOptions;
    const OPTIONS: FileOptions = FileOptions::new();
}

/// The limits of the field, for clients that build forms from the OpenAPI document.
fn keywords(options: &(dyn Any + Send + Sync)) -> Map<String, Json> {
    let options: Option<&FileOptions> = options.downcast_ref();
    let limits = options.map(|options| json!({ "max": options.max, "types": options.types }));
    limits.into_iter().map(|limits| ("x-crud-file".to_owned(), limits)).collect()
}

/// The file with its URL.
fn returned(value: ValueRef<'_>, field: &FieldLocation<'_>) -> Result<Value, ColumnError> {
    let File { name, media_type, size, sha256 } = File::from_value(value)?;
    let url = field.path();
    Ok(Value::Json(json!({ "url": url, "name": name, "type": media_type, "size": size, "sha256": sha256 })))
}
