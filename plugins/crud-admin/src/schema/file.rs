//! [`SeenFile`]: the limits of a field that holds a file, and the operations on it.

use crud_runtime::ServedResource;
use crud_runtime::access::AccessTable;
use crud_runtime::auth::Principal;
use crud_runtime::descriptor::{ColumnDescriptor, Operation};
use serde::Serialize;
use serde_json::Value as Json;

use super::is_false;

/// Keyword in the schema of a field that holds a file: `{"max": 10000000, "types": ["image/png"]}`. The file itself is
/// at the field's path below the record.
const KEYWORD: &str = "x-crud-file";

/// The limits of a file, and what the caller may do with it.
#[derive(Serialize)]
pub(super) struct SeenFile {
    /// The limits from the schema.
    #[serde(flatten)]
    limits: Json,
    #[serde(skip_serializing_if = "is_false")]
    put: bool,
    #[serde(skip_serializing_if = "is_false")]
    delete: bool,
    /// Whether the caller may create URLs that need no token.
    #[serde(skip_serializing_if = "is_false")]
    link: bool,
}

impl SeenFile {
    /// The limits of a column's files; `None` if the column does not hold files.
    pub(super) fn of(
        resource: ServedResource<'_>,
        column: &ColumnDescriptor,
        table: &AccessTable,
        caller: Option<&Principal>,
    ) -> Option<Self> {
        let limits = column.schema_keywords().remove(KEYWORD).filter(Json::is_object)?;
        let path = format!("{}/{{id}}/{}", resource.prefix(), column.json);
        let reaches = |method: &str, path: &str| {
            let mut routes = table.routes().iter();
            routes.any(|route| route.method == method && route.path == path && route.is_reached == Some(true))
        };
        let is_changed = resource.admits(Operation::Update, caller) && !resource.descriptor().presentation.read_only;
        Some(Self {
            limits,
            put: is_changed && reaches("PUT", &path),
            delete: is_changed && reaches("DELETE", &path),
            link: reaches("POST", &format!("{path}/link")),
        })
    }
}
