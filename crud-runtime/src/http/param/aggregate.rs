//! The parameters of aggregates: `group_by`, and a list of fields for each function.

use std::borrow::Cow;

use crud_shared::spelling;
use serde_json::json;

use super::query_string::pairs;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::relation::is_documented;
use crate::model::descriptor::{Aggregate, ColumnDescriptor, Descriptor};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::value::Kind;
use crate::query::visibility::FieldVisibility;
use crate::query::{Bucket, Function, GroupKey, Measure};
use crate::store::time_zone;

/// The parameter with the keys to group by.
const GROUP_BY: &str = "group_by";

/// The parameter with the time zone of time spans, such as months.
const TIME_ZONE: &str = "tz";

/// The groups that a request asks for.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    pub(crate) group_by: Vec<GroupKey>,
    pub(crate) measures: Vec<Measure>,
    /// The name of the time zone of time spans.
    pub(crate) zone: Option<String>,
    /// The other parameters, which are those of a list.
    pub(crate) rest: String,
}

/// Reads the parameters; the values of a repeated parameter are one list.
///
/// # Errors
/// A validation problem with every invalid field, the legal values, and the nearest spelling.
pub(crate) fn parse(
    resource: &'static Descriptor,
    aggregate: Aggregate,
    view: &FieldVisibility,
    query: &str,
) -> Result<Groups, Problem> {
    let (mut groups, mut errors) = (Groups::default(), FieldErrors::default());
    let is_shown = |column: usize| view.shows(column);
    let mut rest: Vec<&str> = Vec::new();
    for part in query.split('&') {
        let Some((Ok(name), value)) = pairs(part).next() else {
            rest.push(part);
            continue;
        };
        if name == TIME_ZONE && has_instants(resource, aggregate, is_shown) {
            match value.map_err(|()| "must be percent-encoded UTF-8".to_owned()).and_then(zone) {
                Ok(_) if groups.zone.is_some() => {
                    errors.push(FieldError::parameter(TIME_ZONE, "duplicate", "is given twice"));
                }
                Ok(zone) => groups.zone = Some(zone),
                Err(detail) => errors.push(FieldError::parameter(TIME_ZONE, "time_zone", detail)),
            }
            continue;
        }
        let function = Function::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, function)| function);
        let parameter = if name == GROUP_BY { GROUP_BY } else { function.map_or("", function_name) };
        if parameter.is_empty() {
            rest.push(part);
            continue;
        }
        let Ok(value) = value else {
            errors.push(FieldError::parameter(parameter, "encoding", "must be percent-encoded UTF-8"));
            continue;
        };
        for name in value.split(',') {
            let is_new = match function {
                Some(function) => find(measures(resource, aggregate, function, is_shown), name, parameter, &mut errors)
                    .map(|measure| push_new(&mut groups.measures, measure, |one, other| one == other)),
                None => find(keys(resource, aggregate, is_shown), name, parameter, &mut errors)
                    .map(|key| push_new(&mut groups.group_by, key, |one, other| one.column == other.column)),
            };
            if is_new == Some(false) {
                errors.push(FieldError::parameter(parameter, "duplicate", format!("`{name}` is given twice")));
            }
        }
    }
    groups.rest = rest.join("&");
    let has_spans = || groups.group_by.iter().any(|key| key.bucket.is_some() && is_instant(resource, key.column));
    if groups.zone.is_some() && !has_spans() {
        let detail = "needs a span of a time in `group_by`, such as `:day`";
        errors.push(FieldError::parameter(TIME_ZONE, "time_zone", detail));
    }
    errors.into_result(groups)
}

/// The name of a time zone, checked to be known.
fn zone(name: Cow<'_, str>) -> Result<String, String> {
    time_zone::check(&name).map(|()| name.into_owned())
}

/// Whether a column's values are instants, whose day or month depends on a time zone.
const fn is_instant(resource: &Descriptor, column: usize) -> bool {
    matches!(resource.columns[column].kind, Kind::DateTime) && Bucket::Day.is_of(&resource.columns[column])
}

/// Whether records can be grouped by days, months and other spans of instants.
fn has_instants(resource: &Descriptor, aggregate: Aggregate, is_shown: impl Fn(usize) -> bool) -> bool {
    aggregate.group_by.iter().any(|column| is_shown(*column) && is_instant(resource, *column))
}

/// The name of a function's parameter.
fn function_name(function: Function) -> &'static str {
    Function::ALL.into_iter().find(|(_, known)| *known == function).map_or("", |(name, _)| name)
}

/// Appends an item unless there is an equal one, and returns whether it was appended.
fn push_new<T>(items: &mut Vec<T>, item: T, is_alike: fn(&T, &T) -> bool) -> bool {
    let is_new = !items.iter().any(|other| is_alike(other, &item));
    if is_new {
        items.push(item);
    }
    is_new
}

/// The item of a name. An unknown name is reported.
fn find<T>(
    legal: impl Iterator<Item = (String, T)>,
    name: &str,
    parameter: &'static str,
    errors: &mut FieldErrors,
) -> Option<T> {
    let mut names = Vec::new();
    for (legal, item) in legal {
        if legal == name {
            return Some(item);
        }
        names.push(legal);
    }
    let legal = || names.iter().map(String::as_str);
    let nearest = || spelling::nearest(name, legal()).map(str::to_owned);
    errors.push_unknown(nearest, |hint| {
        let detail = if names.is_empty() {
            "is not a parameter of this request: no field has it".to_owned()
        } else {
            format!("`{name}` is not one of {}{hint}", scalar::listed(legal()))
        };
        FieldError::parameter(parameter, "unknown_field", detail)
    });
    None
}

/// The keys of groups by their names: `status`, `created_at`, `created_at:month`.
fn keys(
    resource: &'static Descriptor,
    aggregate: Aggregate,
    is_shown: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (String, GroupKey)> {
    let columns = aggregate.group_by.iter().copied().filter(move |column| is_shown(*column));
    columns.flat_map(move |index| {
        let column = &resource.columns[index];
        let buckets = Bucket::ALL.into_iter().filter(move |(_, bucket)| bucket.is_of(column));
        let buckets =
            buckets.map(move |(name, bucket)| (format!("{}:{name}", column.json), GroupKey::by(index, bucket)));
        std::iter::once((column.json.to_owned(), GroupKey::new(index))).chain(buckets)
    })
}

/// The measures of a function by the names of their fields.
fn measures(
    resource: &'static Descriptor,
    aggregate: Aggregate,
    function: Function,
    is_shown: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (String, Measure)> {
    let columns = aggregate.over.iter().copied().filter(move |column| is_shown(*column));
    let columns = columns.filter(move |column| function.is_of(&resource.columns[*column]));
    columns.map(move |column| (resource.columns[column].json.to_owned(), Measure::new(function, column)))
}

/// The parameters in the document.
pub(crate) fn document(resource: &'static Descriptor, aggregate: Aggregate) -> Vec<ParameterObject> {
    let is_shown = |column: usize| is_documented(&resource.columns[column]);
    let list = |name: &'static str, description: &str, names: Vec<String>| {
        let schema = Schema::array(Schema::choice(names.clone())).with("minItems", 1);
        (!names.is_empty()).then(|| ParameterObject::list(name, description, schema))
    };
    let description = "The fields whose values make a group; of a time, by its `year`, `month`, `week`, `day` or `hour`, \
                       in UTC or in the time zone of `tz`. Without any, all records are one group.";
    let group_by = list(GROUP_BY, description, keys(resource, aggregate, is_shown).map(|(name, _)| name).collect());
    let functions = Function::ALL.into_iter().filter_map(|(name, function)| {
        let names = measures(resource, aggregate, function, is_shown).map(|(name, _)| name);
        list(name, description_of(function), names.collect())
    });
    let zone = (cfg!(feature = "time-zones") && has_instants(resource, aggregate, is_shown)).then(|| {
        let description =
            "The time zone of years, months, weeks, days and hours, by its name in the IANA database; UTC without it.";
        ParameterObject::query(TIME_ZONE, description, Schema::text().with("examples", json!(["Europe/Berlin"])))
    });
    group_by.into_iter().chain(functions).chain(zone).collect()
}

const fn description_of(function: Function) -> &'static str {
    match function {
        Function::Sum => "The fields to sum in each group.",
        Function::Avg => "The fields to average in each group.",
        Function::Min => "The fields whose least value each group has.",
        Function::Max => "The fields whose greatest value each group has.",
    }
}

/// The keys that a group can have in the document, each with the column of its values.
pub(crate) fn documented_keys(
    resource: &'static Descriptor,
    aggregate: Aggregate,
) -> Vec<(&'static str, ColumnDescriptor)> {
    let columns = aggregate.group_by.iter().copied().filter(|column| is_documented(&resource.columns[*column]));
    let key = |index: usize| {
        let column = &resource.columns[index];
        // A time has several forms: its value, and spans such as its month.
        let span = Bucket::ALL.into_iter().find(|(_, bucket)| bucket.is_of(column));
        let key = span.map_or(GroupKey::new(index), |(_, bucket)| GroupKey::by(index, bucket));
        (column.json, key.values_of(resource))
    };
    columns.map(key).collect()
}

/// The measures of each function in the document, each with the column of its values.
pub(crate) fn documented_measures(
    resource: &'static Descriptor,
    aggregate: Aggregate,
) -> Vec<(&'static str, Vec<(String, ColumnDescriptor)>)> {
    let is_shown = |column: usize| is_documented(&resource.columns[column]);
    let functions = Function::ALL.into_iter().map(|(name, function)| {
        let measures = measures(resource, aggregate, function, is_shown);
        (name, measures.map(|(name, measure)| (name, measure.values_of(resource))).collect())
    });
    functions.filter(|(_, measures): &(_, Vec<_>)| !measures.is_empty()).collect()
}
