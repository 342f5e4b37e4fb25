//! A body in a member of an object: `{"article": {"title": "…"}}`.

use std::borrow::Cow;

use serde::de::MapAccess;

use super::record::RecordSeed;
use super::seed::{ReadJson, Seed, discard};
use super::{BodyRules, RecordBody, malformed};
use crate::model::changes::Changes;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::store::mounted::resource::MountedResource;

/// Deserializes the body in the member `name`.
///
/// # Errors
/// `malformed_json`; `validation_failed` with every error, whose pointers are into the member.
pub(crate) fn parse_in(
    name: &'static str,
    mounted: &MountedResource,
    rules: &BodyRules<'_>,
    bytes: &[u8],
) -> Result<RecordBody, Problem> {
    let (mut errors, mut changes) = (FieldErrors::default(), Changes::new());
    let seed = EnvelopeSeed { name, mounted, rules, changes: &mut changes, errors: &mut errors };
    Seed(seed).read_all(bytes).map_err(|error| malformed(&error))?;
    errors.into_result(RecordBody { changes, key: Changes::new() })
}

struct EnvelopeSeed<'a> {
    name: &'static str,
    mounted: &'a MountedResource,
    rules: &'a BodyRules<'a>,
    changes: &'a mut Changes,
    errors: &'a mut FieldErrors,
}

impl ReadJson for EnvelopeSeed<'_> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", "must be an object"));
    }

    fn object<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { name, mounted, rules, changes, errors } = self;
        let mut seen = false;
        while let Some(given) = map.next_key::<Cow<'de, str>>()? {
            if given != name {
                map.next_value_seed(discard())?;
                errors.push_with(|| FieldError::field(&given, "unknown_field", format!("must be `{name}`")));
            } else if std::mem::replace(&mut seen, true) {
                map.next_value_seed(discard())?;
                errors.push_with(|| FieldError::field(name, "duplicate", "must be given only once"));
            } else {
                let mut inner = FieldErrors::default();
                let seed = RecordSeed::new(mounted, rules, changes, &mut inner);
                map.next_value_seed(Seed(seed))?;
                errors.append(inner, |error| error.below(name));
            }
        }
        if !seen {
            errors.push(FieldError::field(name, "required", "is required"));
        }
        Ok(())
    }
}
