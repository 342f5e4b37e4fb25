//! Request bodies, deserialized against the descriptor in one pass that reports every error.

pub(crate) mod batch;
mod envelope;
mod expanded;
mod expected;
mod json;
pub(crate) mod nested_item;
mod pointer;
mod record;
mod seed;
pub(crate) mod typed;
mod value;

use crud_shared::operation::{AGGREGATE, SEGMENTS};
use serde_json::Value as Json;

pub(crate) use self::envelope::parse_in;
use self::record::RecordSeed;
pub(crate) use self::record::push_unknown_field;
use self::seed::Seed;
use crate::model::changes::Changes;
use crate::model::descriptor::{Children, Descriptor, Role};
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::Value;
use crate::query::assignments::Assignments;
use crate::query::visibility::FieldVisibility;
use crate::store::mounted::resource::MountedResource;

/// The maximum nesting of arrays and objects.
const MAX_DEPTH: usize = 64;

/// The operation that a body is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// A create: required fields must be present.
    Create,
    /// An update: absent fields keep their values.
    Update,
}

/// A record's body, deserialized.
#[derive(Debug)]
pub(crate) struct RecordBody {
    /// The fields that the client sets.
    pub(crate) changes: Changes,
    /// The key, or parts of it, where the body of an update has them.
    pub(crate) key: Changes,
}

/// The key among these values, if all of its parts are there.
pub(crate) fn whole_key(resource: &Descriptor, values: &Changes) -> Option<Key> {
    let key = resource.key().iter().map(|column| values.get(*column).cloned());
    key.collect::<Option<_>>().map(Key::composite)
}

/// Moves the values of these columns out of changes, where there are any.
pub(crate) fn take_columns(changes: &mut Changes, columns: impl Iterator<Item = usize>) -> Changes {
    let mut taken = Changes::new();
    for column in columns {
        if let Some(value) = changes.take(column) {
            taken.set(column, value);
        }
    }
    taken
}

/// The error of a key field whose value differs from the path's.
pub(crate) fn other_than_path(name: &str) -> FieldError {
    FieldError::field(name, "immutable", "must equal the id in the path")
}

/// Nested records: those in the body of the record that they refer to.
#[derive(Debug)]
pub(crate) struct NestedItems {
    pub(crate) children: &'static Children,
    pub(crate) items: Vec<Json>,
}

/// The body of a record, with the records that refer to it.
#[derive(Debug)]
pub(crate) struct NestingBody {
    pub(crate) record: RecordBody,
    pub(crate) nested: Vec<NestedItems>,
    /// Errors of the record alone.
    pub(crate) errors: FieldErrors,
}

/// Rules for the fields that a body may set.
#[derive(Debug, Clone)]
pub(crate) struct BodyRules<'a> {
    pub(crate) view: &'a FieldVisibility,
    /// The principal of the view.
    pub(crate) principal: Option<&'a Principal>,
    pub(crate) body_kind: BodyKind,
    /// On a create, the values that the principal determines.
    pub(crate) assignments: Assignments,
    /// On a create, the key in the path, which the body may leave out.
    pub(crate) key: Option<&'a Key>,
    /// Whether an enum takes a text that no variant has, since the stored record may have it.
    pub(crate) may_keep: bool,
    /// In a nested record, the column that refers to the record around it, which the body may leave out.
    pub(crate) filled: Option<usize>,
    /// Whether the program sets the values: including fields that bodies do not set.
    pub(crate) by_program: bool,
}

impl<'a> BodyRules<'a> {
    /// Rules of a new object without values that a principal determines.
    pub(crate) fn without_principal(view: &'a FieldVisibility) -> Self {
        let (body_kind, assignments) = (BodyKind::Create, Assignments::default());
        let (key, may_keep, filled, by_program) = (None, false, None, false);
        Self { view, principal: None, body_kind, assignments, key, may_keep, filled, by_program }
    }
}

/// Deserializes the body of a create or an update.
///
/// # Errors
/// `malformed_json` when the bytes are not JSON or nest too deeply; `validation_failed` with every error of the record.
pub(crate) fn parse(mounted: &MountedResource, rules: &BodyRules<'_>, bytes: &[u8]) -> Result<RecordBody, Problem> {
    read(mounted, rules, bytes, FieldErrors::default(), malformed)?.1
}

/// Deserializes the body of a create or an update that may have nested records.
///
/// # Errors
/// `malformed_json` when the bytes are not JSON or nest too deeply.
pub(crate) fn parse_nesting(
    mounted: &MountedResource,
    rules: &BodyRules<'_>,
    bytes: &[u8],
) -> Result<NestingBody, Problem> {
    let (mut changes, mut errors, mut nested) = (Changes::new(), FieldErrors::default(), Vec::new());
    let seed = RecordSeed::new(mounted, rules, &mut changes, &mut errors);
    let seed = RecordSeed { nested: Some(&mut nested), ..seed };
    Seed(seed).read_all(bytes).map_err(|error| malformed(&error))?;
    let record = finish(mounted.resource(), rules.body_kind, changes, &mut errors);
    Ok(NestingBody { record, nested, errors })
}

/// Parses a line of a file like a body. `searches`: the nearest-spelling searches that remain for the whole file.
///
/// # Errors
/// Errors of [`parse`].
pub(crate) fn parse_line(
    mounted: &MountedResource,
    rules: &BodyRules<'_>,
    bytes: &[u8],
    searches: &mut usize,
) -> Result<RecordBody, Problem> {
    let (remaining, body) = read(mounted, rules, bytes, FieldErrors::with_searches(*searches), malformed_line)?;
    *searches = remaining;
    body
}

/// Reads the new record of an upsert. A record with a text that no variant of an enum has is returned with its refusal,
/// which applies unless the stored record has that text.
///
/// # Errors
/// Other errors of the record.
pub(crate) fn parse_kept(
    rules: BodyRules<'_>,
    mut parse: impl FnMut(&BodyRules<'_>) -> Result<RecordBody, Problem>,
) -> Result<(RecordBody, Option<Problem>), Problem> {
    let refusal = match parse(&rules) {
        Ok(body) => return Ok((body, None)),
        Err(refusal) => refusal,
    };
    match parse(&BodyRules { may_keep: true, ..rules }) {
        Ok(body) => Ok((body, Some(refusal))),
        Err(_) => Err(refusal),
    }
}

/// Deserializes a record, and returns how many nearest-spelling searches remain.
fn read(
    mounted: &MountedResource,
    rules: &BodyRules<'_>,
    bytes: &[u8],
    mut errors: FieldErrors,
    malformed: fn(&serde_json::Error) -> Problem,
) -> Result<(usize, Result<RecordBody, Problem>), Problem> {
    let mut changes = Changes::new();
    let seed = RecordSeed::new(mounted, rules, &mut changes, &mut errors);
    Seed(seed).read_all(bytes).map_err(|error| malformed(&error))?;
    let body = finish(mounted.resource(), rules.body_kind, changes, &mut errors);
    Ok((errors.searches(), errors.into_result(body)))
}

/// The body with these values; a reserved id is reported.
fn finish(resource: &Descriptor, body_kind: BodyKind, mut changes: Changes, errors: &mut FieldErrors) -> RecordBody {
    if body_kind == BodyKind::Update {
        let key = take_columns(&mut changes, resource.key().iter().copied());
        return RecordBody { changes, key };
    }
    refuse_reserved_id(resource, &changes, errors);
    RecordBody { changes, key: Changes::new() }
}

/// The problem of a malformed line, without serde's line number: lines are counted in the file.
fn malformed_line(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    Problem::new(Code::MalformedJson, format!("is not valid JSON at column {}: {what}", error.column()))
}

pub(crate) fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new(Code::MalformedJson, format!("the body is not valid JSON: {error}"))
}

fn refuse_reserved_id(resource: &Descriptor, changes: &Changes, errors: &mut FieldErrors) {
    // A composite key has a comma in its path, as no route has.
    let [column] = resource.key() else { return };
    let column = &resource.columns[*column];
    // In a body that is not a record's, the first field has the index of the key, but not its role.
    let is_key = |_: &&Value| column.role == Role::Id;
    if let Some(Value::Text(id)) = changes.get(resource.id).filter(is_key) {
        let name = column.json;
        if SEGMENTS.contains(&id.as_str()) || id == AGGREGATE && resource.aggregate.is_some() {
            errors.push(FieldError::field(name, "reserved", format!("must not be `{id}`, which is a route")));
        } else if id.is_empty() || id == "." || id == ".." {
            errors.push(FieldError::field(
                name,
                "reserved",
                "must be usable as a path segment: not empty, `.` or `..`",
            ));
        }
    }
}

#[cfg(test)]
mod tests;
