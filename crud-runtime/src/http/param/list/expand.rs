//! The parameter `expand`: the records to return with each.

use super::json::texts;
use super::parser::{Control, EXPAND as NAME, Group, only};
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{EXPAND_PATH, Names};
use crate::http::description::operation_doc::ParameterObject;
use crate::http::description::relation::expand_paths;
use crate::http::param::query_string::pairs;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::query::expansion::{Expansion, Expansions, expandable};
use crate::store::mounted::options::ResourceOptions;

pub(super) static EXPAND: Control = Control {
    name: NAME,
    group: Group::Expand,
    is_of: |parser| !expandable(parser.context.resource, parser.context.view, parser.context.visibility).is_empty(),
    read: |parser, values| parser.expand = only(values).split(',').map(str::to_owned).collect(),
    read_member: |parser, value| match texts(value) {
        Some(paths) => parser.expand = paths.into_iter().map(str::to_owned).collect(),
        None => parser.reject(NAME, "type", "must be an array of strings"),
    },
    document: |options, _, _| document(options),
};

/// The records that the parameter asks for with one record; other parameters are ignored.
///
/// # Errors
/// `validation_failed` where it names anything else; `query_too_complex`.
pub(crate) fn parse(mut expansions: Expansions<'_>, query: &str) -> Result<Vec<Expansion>, Problem> {
    let mut given = pairs(query).filter(|(name, _)| name.as_deref() == Ok(NAME)).map(|(_, value)| value);
    let Some(paths) = given.next() else { return Ok(Vec::new()) };
    let wrong = |code, detail: &str| Problem::validation([FieldError::parameter(NAME, code, detail)]);
    let paths = paths.map_err(|()| wrong("encoding", "must be percent-encoded UTF-8"))?;
    if given.next().is_some() {
        return Err(wrong("duplicate", "must be given only once"));
    }
    let mut errors = FieldErrors::default();
    for path in paths.split(',') {
        if let Err((code, detail)) = expansions.add(path) {
            errors.push(FieldError::parameter(NAME, code, detail));
        }
    }
    errors.into_result(())?;
    expansions.finish(1)
}

/// The parameter in the document, where there are records that it can ask for.
pub(crate) fn document(options: &ResourceOptions) -> Option<ParameterObject> {
    let paths = expand_paths(options.descriptor);
    if paths.is_empty() {
        return None;
    }
    let names = Names::new(options);
    let path = Schema::named(&names.schema(EXPAND_PATH), Schema::choice(paths));
    let schema = Schema::array(path).with("minItems", 1);
    let expand = ParameterObject::list(NAME, "The related records to return within each record.", schema);
    Some(expand.component(format!("{NAME}.{}", names.record())))
}
