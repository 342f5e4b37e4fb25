//! Filters in the document.

use std::borrow::Cow;

use super::filter::ME;
use super::operator::{Operator, ValuePlace};
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::relation::{filterable, is_documented, paths, relations};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::query::Comparison;

/// The filters of a list.
pub(super) fn filters(descriptor: &'static Descriptor) -> impl Iterator<Item = ParameterObject> {
    let related = relations(descriptor).flat_map(move |(index, name, target)| {
        paths(descriptor, index, target)
            .flat_map(move |column| of_column(target, column, &format!("{name}.")).collect::<Vec<_>>())
    });
    // Deleted records can always be filtered by the time of deletion.
    let deletion_time = descriptor.soft_delete.map(|soft_delete| &descriptor.columns[soft_delete.deleted_at]);
    let deletion_time = deletion_time.filter(|column| column.is_deletion_time() && !column.filterable);
    let deletion_time = deletion_time.filter(|column| column.is_returned() && is_documented(column)).into_iter();
    let own = filterable(descriptor).flat_map(move |column| of_column(descriptor, column, ""));
    own.chain(related).chain(deletion_time.flat_map(move |column| of_column(descriptor, column, "")))
}

/// The names and the schemas of the filters of a resource, as the members of a condition have them. Their descriptions are
/// those of the parameters.
pub(crate) fn filter_members(
    descriptor: Option<&'static Descriptor>,
    columns: impl Iterator<Item = &'static ColumnDescriptor>,
) -> impl Iterator<Item = (String, Schema)> {
    columns.flat_map(move |column| {
        operators(column).map(move |(name, operator)| {
            (name, operator.schema(column, ValuePlace::Json).about(&of_caller(descriptor, column, operator)))
        })
    })
}

/// The sentence about `me`, the word for the caller, where a filter by a column takes it.
fn of_caller(descriptor: Option<&Descriptor>, column: &'static ColumnDescriptor, operator: Operator) -> String {
    let index = descriptor.and_then(|of| of.columns.iter().position(|own| std::ptr::eq(own, column)));
    let has_subjects = descriptor.zip(index).is_some_and(|(of, index)| of.has_subjects(index));
    let takes_ids = matches!(operator, Operator::Compare(_) | Operator::In { .. });
    if has_subjects && takes_ids { format!("`{ME}` is the caller's own id.") } else { String::new() }
}

/// A field's filters, one for each operator of its type. A filter without an operator is equality.
fn of_column(
    descriptor: &'static Descriptor,
    column: &'static ColumnDescriptor,
    prefix: &str,
) -> impl Iterator<Item = ParameterObject> {
    operators(column).map(move |(name, operator)| {
        let name = format!("{prefix}{name}");
        let of_caller = of_caller(Some(descriptor), column, operator);
        let is_general = of_caller.is_empty() && !column.deprecated;
        let description = format!("{} {of_caller}", operator.sentence());
        let (description, schema) = (description.trim().to_owned(), operator.schema(column, ValuePlace::Query));
        ParameterObject {
            component: is_general.then(|| operator.component(&name, column)).flatten().map(Cow::Owned),
            is_list: matches!(operator, Operator::In { .. }),
            is_deprecated: column.deprecated,
            ..ParameterObject::query(name, description, schema)
        }
    })
}

/// The names of a field's filters, with their operators. Equality is documented once, by the field's bare name.
fn operators(column: &'static ColumnDescriptor) -> impl Iterator<Item = (String, Operator)> {
    let equality = Operator::Compare(Comparison::Eq);
    let named = Operator::ALL.into_iter().filter(move |(_, it, _)| it.applies(column) && *it != equality);
    let named = named.map(|(name, operator, _)| (format!("{}__{name}", column.json), operator));
    let bare = equality.applies(column).then(|| (column.json.to_owned(), equality));
    bare.into_iter().chain(named)
}
