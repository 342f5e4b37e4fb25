//! The query parameters of a list, checked against the resource: every mistake is found in one pass.

mod condition;
mod filter;
mod json;
mod operator;
mod page;
mod parser;
mod query_string;
mod relation;
mod search;
mod sort;
mod unknown_text;
mod value_list;

pub(crate) use condition::MAX_CONDITIONS;
pub(crate) use json::Json;
pub(crate) use operator::{MAX_PATTERN, Operator};
pub(crate) use parser::ListRequest;
pub(crate) use query_string::{check_bounds, check_names, first_parameter, pairs};
pub(crate) use search::parse_search;
pub(crate) use value_list::MAX_LIST;

use parser::{Parser, Purpose};

use super::Predicate;
use super::limits::QueryLimits;
use super::reach::Reach;
use super::visibility::FieldVisibility;
use crate::model::descriptor::{Descriptor, Pagination};
use crate::model::problem::Problem;

/// Reads the parameters of a list. With `lenient`, unknown ones are ignored.
///
/// # Errors
/// A validation problem that names every parameter that is wrong, what is allowed, and the nearest spelling.
pub(crate) fn parse(
    resource: &'static Descriptor,
    pagination: Option<Pagination>,
    view: &FieldVisibility,
    reach: Reach<'_>,
    query: &str,
    lenient: bool,
    limits: QueryLimits,
) -> Result<ListRequest, Problem> {
    let mut parser = Parser::new(resource, pagination, view, reach, limits, Purpose::List);
    parser.lenient = lenient;
    parser.read(query);
    parser.finish()
}

/// The soft-deleted records that a bulk restore or purge names.
#[derive(Debug, PartialEq)]
pub(crate) enum Selection {
    /// Records that satisfy a filter; with `all=true`, all of them.
    Filter(Predicate),
    /// The request has neither a filter nor `all=true`.
    Nothing,
}

/// Reads the parameters of a bulk restore or purge: filters, or `all=true`.
///
/// # Errors
/// Those of [`parse`].
pub(crate) fn parse_selection(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    reach: Reach<'_>,
    query: &str,
    limits: QueryLimits,
) -> Result<Selection, Problem> {
    let mut parser = Parser::new(resource, None, view, reach, limits, Purpose::Selection);
    parser.read(query);
    limits.check(parser.filters, parser.related, parser.depth)?;
    if parser.all && parser.filters > 0 {
        parser.reject("all", "value", "must not stand beside filters");
    }
    let selection = match (parser.all, parser.filters) {
        (true, _) => Selection::Filter(Predicate::All),
        (false, 0) => Selection::Nothing,
        (false, _) => Selection::Filter(std::mem::replace(&mut parser.filter, Predicate::All)),
    };
    parser.errors.into_result(selection)
}

#[cfg(test)]
mod tests;
