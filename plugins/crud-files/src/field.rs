//! [`FileField`]: a field of a resource that holds a file, and [`FilePlace`], that field of one record.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::descriptor::ColumnDescriptor;
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;
use crud_runtime::{Error, Model, Result, ServedResource};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value as Json;

use crate::file::File;
use crate::options::FileOptions;
use crate::refusal::missing;

/// The bytes that are percent-encoded in a segment of a path: all but the unreserved ones of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A field of a resource that holds a file.
#[derive(Debug)]
pub(crate) struct FileField {
    /// The name of the resource.
    pub(crate) resource: &'static str,
    /// Whether the key has several parts, which are percent-encoded in its text.
    has_composite_key: bool,
    /// The path of the resource, such as `/products`.
    pub(crate) prefix: String,
    /// The table of the resource, which stays the same when paths change.
    pub(crate) table: &'static str,
    /// The field's name in JSON and in paths.
    pub(crate) name: &'static str,
    /// The field's name in the table.
    pub(crate) column: &'static str,
    pub(crate) index: usize,
    /// The field of the tenant in JSON, where records have tenants.
    tenant: Option<&'static str>,
    pub(crate) options: &'static FileOptions,
    /// The time for which a former file is kept.
    pub(crate) keep: Duration,
    /// Whether anyone may read the file.
    pub(crate) is_public: bool,
    /// Whether records can be updated over HTTP.
    pub(crate) is_changed: bool,
}

/// The fields of a service that hold files.
///
/// # Errors
/// `Error::Setup` for a field whose options are missing or wrong, with the options to write.
pub(crate) fn fields_of(model: &Model, keep: Duration) -> Result<Vec<Arc<FileField>>> {
    let mut fields = Vec::new();
    for resource in model.resources() {
        for (index, column) in resource.descriptor().columns.iter().enumerate() {
            if let Some(options) = options_of(column) {
                check(resource, column, options)?;
                fields.push(Arc::new(FileField::new(resource, index, options, keep)));
            }
        }
    }
    Ok(fields)
}

fn check(resource: ServedResource<'_>, column: &ColumnDescriptor, options: &FileOptions) -> Result<()> {
    let descriptor = resource.descriptor();
    let field = format!("`{}::{}`", descriptor.name, column.name);
    let refused = |words: String| Err(Error::Setup(words));
    if options.types.is_empty() {
        let words = "must say the types of its files, such as `#[crud(file(types(\"image/png\", \"image/jpeg\")))]`, or \
                     `types(\"*/*\")` for every one";
        return refused(format!("{field} {words}"));
    }
    if !descriptor.offers(Operation::Get) {
        return refused(format!(
            "{field} needs the operation `get` of {}: its file is read where the record is",
            descriptor.name
        ));
    }
    Ok(())
}

impl FileField {
    fn new(resource: ServedResource<'_>, index: usize, options: &'static FileOptions, keep: Duration) -> Self {
        let descriptor = resource.descriptor();
        let column = &descriptor.columns[index];
        let is_public = resource.admits(Operation::Get, None) && !descriptor.restricts_records();
        Self {
            resource: descriptor.name,
            has_composite_key: descriptor.key().len() > 1,
            prefix: resource.prefix().to_owned(),
            table: descriptor.table,
            name: column.json,
            column: column.column,
            index,
            tenant: descriptor.tenant.map(|tenant| descriptor.columns[tenant.column].json),
            options,
            keep,
            is_public: is_public && column.visible.is_none(),
            is_changed: descriptor.offers(Operation::Update),
        }
    }

    /// The resource, as the service of a request has it.
    pub(crate) fn served<'c>(&self, ctx: &'c Context) -> Result<ServedResource<'c>, Problem> {
        let found = ctx.model().resources().find(|resource| resource.prefix() == self.prefix);
        found.ok_or_else(|| Problem::internal(format!("the service has no resource at {}", self.prefix)))
    }

    /// Refuses a sender that does not see the field, as if the record had no file.
    pub(crate) fn check_visible(&self, ctx: &Context) -> Result<(), Problem> {
        if self.served(ctx)?.shows(self.index, ctx.principal()) { Ok(()) } else { Err(missing(self.name)) }
    }

    /// The file in a record's JSON.
    pub(crate) fn file(&self, record: &Json) -> Result<Option<File>, Problem> {
        match record.get(self.name) {
            None | Some(Json::Null) => Ok(None),
            Some(file) => serde_json::from_value(file.clone()).map(Some).map_err(Problem::internal),
        }
    }

    /// The place of a record's file.
    pub(crate) fn of_record(self: &Arc<Self>, key: String, record: &Json) -> FilePlace {
        let tenant = self.tenant.and_then(|tenant| record.get(tenant)).filter(|tenant| !tenant.is_null());
        FilePlace { field: self.clone(), record: key, tenant: tenant.map(ToString::to_string).unwrap_or_default() }
    }
}

/// The field of one record.
#[derive(Debug, Clone)]
pub(crate) struct FilePlace {
    pub(crate) field: Arc<FileField>,
    /// The key of the record, as in paths.
    pub(crate) record: String,
    /// The tenant of the record, in JSON; empty if records have none.
    pub(crate) tenant: String,
}

impl FilePlace {
    /// The path of the file.
    pub(crate) fn path(&self) -> String {
        let FileField { prefix, name, .. } = &*self.field;
        if self.field.has_composite_key {
            return format!("{prefix}/{}/{name}", self.record);
        }
        format!("{prefix}/{}/{name}", utf8_percent_encode(&self.record, SEGMENT))
    }
}

/// The options of a column that holds files. A field without options has default ones, which name no types.
fn options_of(column: &ColumnDescriptor) -> Option<&'static FileOptions> {
    const UNSTATED: &FileOptions = &FileOptions::new();
    let is_file = column.attribute == File::ATTRIBUTE;
    is_file.then(|| column.attribute_options().unwrap_or(UNSTATED))
}
