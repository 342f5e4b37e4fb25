//! The parameters of lists, a file each: name, parser, schema and sentence. Every error of a request is found in one
//! pass.

mod condition;
mod day;
mod documented_filter;
pub(crate) mod expand;
mod filter;
mod json;
mod keys;
mod operator;
mod page;
mod parser;
mod relation;
mod scope;
mod search;
mod sort;
mod subject;
mod text;
mod value_list;

pub(crate) use self::condition::MAX_CONDITIONS;
pub(crate) use self::documented_filter::filter_members;
pub(crate) use self::json::Json;
use self::parser::{Control, Parser, only};
pub(crate) use self::parser::{EXPAND, Group, ListContext, ListRequest};
pub(crate) use self::search::parse_search;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::ParameterObject;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::problem::Problem;
use crate::model::scalar;
use crate::query::Predicate;
use crate::store::mounted::options::ResourceOptions;

/// The names of the operators of filters on a column.
pub(crate) fn operator_names(column: &ColumnDescriptor) -> Vec<&'static str> {
    operator::Operator::names(column).collect()
}

/// The parameters that are not filters, in the order of the document.
static CONTROLS: [&Control; 11] = [
    &ALL,
    &keys::KEYS,
    &text::Q,
    &sort::SORT,
    &page::SKIP,
    &page::LIMIT,
    &page::CURSOR,
    &expand::EXPAND,
    &scope::INCLUDE_DELETED,
    &scope::ONLY_DELETED,
    &condition::WHERE,
];

/// The parameters of a list.
pub(crate) const LIST: &[Group] =
    &[Group::Condition, Group::Order, Group::Page, Group::Cursor, Group::Expand, Group::Deleted];

/// The parameters of a list that a handler of the program makes.
pub(crate) const PROGRAM: &[Group] = &[Group::Condition, Group::Order, Group::Page, Group::Deleted];

/// The parameters that name deleted records to change.
pub(crate) const SELECTION: &[Group] = &[Group::Condition, Group::All];

static ALL: Control = Control {
    name: "all",
    group: Group::All,
    is_of: |_| true,
    read: |parser, values| match scalar::boolean(only(values)) {
        Ok(all) => parser.all = all,
        Err(error) => parser.reject("all", "type", error.message()),
    },
    read_member: |_, _| {},
    document: |_, _, _| Some(ParameterObject::flag("all", "All deleted records, instead of filters.", false)),
};

/// The parameters, in the document, of requests for a resource that take these groups.
pub(crate) fn document(resource: &DocumentedResource<'_>, takes: &'static [Group]) -> Vec<ParameterObject> {
    let condition = resource.names.schema("Where");
    let controls = documented_controls(resource.options, takes, &condition);
    controls.chain(documented_filter::filters(resource.options.descriptor)).collect()
}

/// The parameters that are not filters in the document; conditions have the schema of this name.
pub(crate) fn documented_controls<'o>(
    options: &'o ResourceOptions,
    takes: &'static [Group],
    condition: &'o str,
) -> impl Iterator<Item = ParameterObject> + 'o {
    let controls = CONTROLS.iter().filter(move |control| takes.contains(&control.group));
    controls.filter_map(move |control| (control.document)(options, takes, condition))
}

/// Reads the parameters of a list. With `lenient`, unknown parameters are ignored.
///
/// # Errors
/// A validation problem that names every invalid parameter, the legal ones, and the nearest spelling.
pub(crate) fn parse(context: ListContext<'_>, query: &str, lenient: bool) -> Result<ListRequest, Problem> {
    let mut parser = Parser::new(context, &CONTROLS);
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
/// Errors of [`parse`].
pub(crate) fn parse_selection(context: ListContext<'_>, query: &str) -> Result<Selection, Problem> {
    let mut parser = Parser::new(context, &CONTROLS);
    parser.read(query);
    context.limits.check(parser.filters, parser.related, parser.depth)?;
    if parser.all && parser.filters > 0 {
        parser.reject("all", "value", "must be absent with filters");
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
