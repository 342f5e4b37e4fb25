//! Typed inputs of programs: serde's `Deserialize` of `NewProduct` and `ProductPatch`, by the parser of bodies.

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error};

use super::record::{Checks, RecordSeed};
use super::seed::Seed;
use super::{BodyKind, BodyRules};
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::FieldErrors;
use crate::model::row::{Decoded, Row, RowReader};
use crate::model::value::ValueRef;
use crate::query::visibility::FieldVisibility;

tokio::task_local! {
    /// The sender of the request whose arguments are read, if there is one.
    static SENDER: Option<Arc<Principal>>;
}

/// Reads the arguments of a handler: inputs have the fields that the sender of the request sees, as over HTTP. Elsewhere, as in
/// a job, they have every field.
pub(crate) fn for_sender<F: Future>(sender: Option<Arc<Principal>>, read: F) -> impl Future<Output = F::Output> {
    SENDER.scope(sender, read)
}

/// Deserializes a new record, which `read` makes of the fields; called by expansions.
///
/// # Errors
/// One error that lists every invalid field.
pub fn deserialize_new<'de, D: Deserializer<'de>, T>(
    resource: &'static Descriptor,
    deserializer: D,
    read: fn(&RowReader<'_>) -> Decoded<T>,
) -> Result<T, D::Error> {
    let input = Input(deserialize(resource, deserializer, BodyKind::Create)?);
    read(&RowReader::new(&input, resource)).map_err(D::Error::custom)
}

/// Deserializes a patch: a field that is absent keeps its value, and null clears one. Called by expansions.
///
/// # Errors
/// One error that lists every invalid field.
pub fn deserialize_patch<'de, D: Deserializer<'de>, T: From<Changes>>(
    resource: &'static Descriptor,
    deserializer: D,
) -> Result<T, D::Error> {
    deserialize(resource, deserializer, BodyKind::Update).map(T::from)
}

fn deserialize<'de, D: Deserializer<'de>>(
    resource: &'static Descriptor,
    deserializer: D,
    body_kind: BodyKind,
) -> Result<Changes, D::Error> {
    let of_sender = |sender: &Option<Arc<Principal>>| FieldVisibility::new(resource, sender.as_deref());
    let view = SENDER.try_with(of_sender).unwrap_or_default();
    let (mut changes, mut errors) = (Changes::new(), FieldErrors::default());
    let rules = BodyRules { body_kind, ..BodyRules::without_principal(&view) };
    let (changes_of, errors_of) = (&mut changes, &mut errors);
    let (checks, nested) = (Checks::Types, None);
    let seed = RecordSeed { resource, checks, rules: &rules, changes: changes_of, errors: errors_of, nested };
    Seed(seed).deserialize(deserializer)?;
    errors.into_result(changes).map_err(|problem| D::Error::custom(listed(problem.errors())))
}

/// The errors as one text.
fn listed(errors: &[impl Display]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The fields of a new record; absent fields are null.
struct Input(Changes);

impl Row for Input {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        Ok(self.0.get(column).map_or(ValueRef::Null, |value| value.borrow()))
    }

    fn is_given(&self, column: usize) -> bool {
        self.0.get(column).is_some()
    }
}
