//! A request's body, read against the descriptor in one pass that finds every mistake.

pub(crate) mod batch;
mod json;
mod object;
mod seed;
#[cfg(feature = "auth")]
mod texts;
mod value;

use serde::de::DeserializeSeed;
#[cfg(feature = "auth")]
pub(crate) use texts::texts;

use self::object::Object;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::Value;
use crate::query::visibility::View;
use crate::store::mounted_resource::MountedResource;

/// How deep arrays and objects may nest.
const MAX_DEPTH: usize = 64;

/// What a body is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Every required field must be there.
    Create,
    /// What is not there stays.
    Update,
}

/// What a body says.
#[derive(Debug)]
pub(crate) struct Body {
    /// The fields that the client sets.
    pub(crate) changes: Changes,
    /// The key, where an update names it.
    pub(crate) id: Option<Value>,
}

/// Reads the body of a create or an update.
///
/// # Errors
/// `malformed_json` when the bytes are no JSON or nest too deeply; `validation_failed` with every place that
/// does not fit the resource.
pub(crate) fn parse(mounted: &MountedResource, view: &View, bytes: &[u8], mode: Mode) -> Result<Body, Problem> {
    let mut errors = FieldErrors::default();
    let mut changes = Changes::new();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let seed = seed::RecordSeed { mounted, view, mode, changes: &mut changes, errors: &mut errors };
    Object(seed).deserialize(&mut deserializer).and_then(|()| deserializer.end()).map_err(|error| malformed(&error))?;
    let resource = mounted.resource();
    let id = if mode == Mode::Update { changes.take(resource.id) } else { None };
    if mode == Mode::Create {
        refuse_reserved_id(resource, &changes, &mut errors);
    }
    errors.into_result(Body { changes, id })
}

fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new(Code::MalformedJson, format!("the body is not valid JSON: {error}"))
}

/// The words that routes use in the place of a key.
pub(crate) const RESERVED_IDS: [&str; 3] = ["batch", "restore", "deleted"];

fn refuse_reserved_id(resource: &Descriptor, changes: &Changes, errors: &mut FieldErrors) {
    if let Some(Value::Text(id)) = changes.get(resource.id) {
        let name = resource.id_column().json;
        if RESERVED_IDS.contains(&id.as_str()) {
            errors.push(FieldError::field(name, "reserved", format!("must not be `{id}`, which is a route")));
        } else if id.is_empty() || id == "." || id == ".." {
            errors.push(FieldError::field(name, "reserved", "must be able to stand in a path: not empty, `.` or `..`"));
        }
    }
}

#[cfg(test)]
mod tests;
