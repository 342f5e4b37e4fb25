//! Aggregate: `GET {prefix}/aggregate`, groups of the records of a list with sums, averages and extremes.

use std::io::Write;

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::list;
use super::route::{OperationRoute, handler};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::description::{name::GROUP, value_schema};
use crate::http::handler::{ResourceRequest, response};
use crate::http::param;
use crate::http::param::header::prefer::Prefer;
use crate::http::param::list::{Group, parse};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Aggregate, Descriptor, Operation};
use crate::model::json::write_value;
use crate::model::problem::{Code, Problem};
use crate::model::value::Value;
use crate::query::{AggregateQuery, Function, Group as RecordGroup};
use crate::store::time_zone;

pub(super) fn route() -> OperationRoute {
    OperationRoute {
        parameters: None,
        more_access: list::deleted,
        ..OperationRoute::new(
            Method::GET,
            "/aggregate",
            Operation::Aggregate,
            "aggregate{many}",
            handler!(aggregate),
            document,
        )
    }
}

/// The parameters of the list whose records are grouped.
const PARAMETERS: &[Group] = &[Group::Condition, Group::Deleted];

async fn aggregate(request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let resource = request.resource();
    let Some(options) = resource.aggregate else {
        return Err(Problem::internal(format!("{} has no aggregates", resource.name)));
    };
    let prefer = request.prefer();
    let groups = param::aggregate::parse(resource, options, &request.identity.view, request.query())?;
    let mut list = parse(request.list_context(PARAMETERS), &groups.rest, prefer.lenient)?;
    list::restrict(&request, &mut list).await?;
    let most = u64::from(options.max_groups);
    let mut query = AggregateQuery::new(list.query.filter, most + 1);
    (query.group_by, query.measures, query.zone) = (groups.group_by, groups.measures, groups.zone);
    let grouped = async {
        time_zone::resolve(request.adapter(), resource, &mut query).await?;
        request.adapter().aggregate(resource, &query).await
    };
    let found = grouped.await.map_err(|error| match error {
        AdapterError::Constraint { column } => beyond(resource, column),
        error => request.problem(error),
    })?;
    if found.len() as u64 > most {
        let detail = format!("there are more than {most} groups: group by fewer fields, or narrow the condition");
        return Err(Problem::new(Code::TooManyGroups, detail));
    }
    let mut response = response::json(StatusCode::OK, json(resource, &query, &found));
    if prefer.lenient {
        Prefer::applied(response.headers_mut(), "handling=lenient");
    }
    Ok(response)
}

/// The problem of a sum that is beyond the numbers of its column's type.
fn beyond(resource: &Descriptor, column: Option<usize>) -> Problem {
    let name = column.map_or("a field", |column| resource.columns[column].json);
    Problem::new(Code::ConstraintFailed, format!("a sum or average of `{name}` is beyond the numbers of its type"))
}

/// The groups as JSON: `{"data":[{"status":"open","count":12,"sum":{"price":"190.00"}}],"groups":1}`.
fn json(resource: &'static Descriptor, query: &AggregateQuery, groups: &[RecordGroup]) -> Vec<u8> {
    let mut out = b"{\"data\":[".to_vec();
    for (position, group) in groups.iter().enumerate() {
        out.extend_from_slice(if position > 0 { b",{" } else { b"{" });
        for (key, value) in query.group_by.iter().zip(&group.keys) {
            let column = key.values_of(resource);
            out.extend_from_slice(column.key.as_bytes());
            write_value(&mut out, &column, value.borrow());
            out.push(b',');
        }
        // Writing to memory cannot fail.
        let _ = write!(out, "\"count\":{}", group.count);
        for (name, function) in Function::ALL {
            write_measures(&mut out, resource, query, name, function, &group.measures);
        }
        out.push(b'}');
    }
    let _ = write!(out, "],\"groups\":{}}}", groups.len());
    out
}

/// Writes the results of a function, if the request asks for it.
fn write_measures(
    out: &mut Vec<u8>,
    resource: &'static Descriptor,
    query: &AggregateQuery,
    name: &str,
    function: Function,
    values: &[Value],
) {
    let of_function = query.measures.iter().zip(values).filter(|(measure, _)| measure.function == function);
    let mut is_any = false;
    for (measure, value) in of_function {
        if std::mem::replace(&mut is_any, true) {
            out.push(b',');
        } else {
            let _ = write!(out, ",\"{name}\":{{");
        }
        let column = measure.values_of(resource);
        out.extend_from_slice(column.key.as_bytes());
        write_value(out, &column, value.borrow());
    }
    if is_any {
        out.push(b'}');
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let descriptor = resource.options.descriptor;
    let Some(aggregate) = descriptor.aggregate else { return OperationDoc::default() };
    let groups = Schema::array(Schema::named(&resource.names.schema(GROUP), group(descriptor, aggregate)));
    let answer = Schema::object()
        .member("data", groups.about("The groups, in the order of their keys; nulls come first."))
        .member("groups", Schema::count().about("The number of groups."));
    let description = "The number of the records that satisfy all filters, and sums, averages and extremes of their values, for \
                       each group of them.";
    OperationDoc::about(format!("Aggregate {}", resource.plural()), description)
        .parameters(param::aggregate::document(descriptor, aggregate))
        .parameters(param::list::document(resource, PARAMETERS))
        .answer(StatusCode::OK, Answer::json("The groups.", answer).headers(&["Preference-Applied"]))
        .problems(&resource.list_problems())
        .problems(&[Code::TooManyGroups, Code::ConstraintFailed])
}

/// The schema of a group.
fn group(descriptor: &'static Descriptor, aggregate: Aggregate) -> Schema {
    let keys = param::aggregate::documented_keys(descriptor, aggregate).into_iter();
    let object = Schema::object().about("A group of records.");
    let object = keys.fold(object, |object, (name, column)| object.optional(name, value_schema::result(&column)));
    let object = object.member("count", Schema::count().about("The number of records."));
    let functions = param::aggregate::documented_measures(descriptor, aggregate).into_iter();
    functions.fold(object, |object, (name, measures)| {
        let measures = measures
            .into_iter()
            .fold(Schema::object(), |object, (name, column)| object.optional(&name, value_schema::result(&column)));
        object.optional(name, measures)
    })
}
