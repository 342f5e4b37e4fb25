//! The body of a record with records that refer to it: `{"customer_id": 1, "lines": [{…}, {…}]}`.

use serde_json::Value as Json;

use super::record::RecordSeed;
use super::seed::Seed;
use super::{BodyRules, RecordBody, finish, malformed};
use crate::model::changes::Changes;
use crate::model::descriptor::Children;
use crate::model::problem::{FieldErrors, Problem};
use crate::store::mounted::resource::MountedResource;

/// Records in the body of the one that they refer to.
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

/// Deserializes the body of a create or an update that may have records that refer to its own.
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
