//! The one seed that reads a record of any resource.

use crud_shared::spelling;
use serde::de::MapAccess;

use super::Mode;
use super::json::{Discard, Nesting};
use super::object::ReadObject;
use super::value::{Place, ValueSeed};
use crate::model::changes::Changes;
use crate::model::problem::{FieldError, FieldErrors};
use crate::model::scalar;
use crate::model::validation;
use crate::query::visibility::View;
use crate::store::mounted_resource::MountedResource;

/// Reads an object into changes; what is wrong goes to `errors` and reading goes on.
pub(super) struct RecordSeed<'a> {
    pub(super) mounted: &'a MountedResource,
    pub(super) view: &'a View,
    pub(super) mode: Mode,
    pub(super) changes: &'a mut Changes,
    pub(super) errors: &'a mut FieldErrors,
}

impl ReadObject for RecordSeed<'_> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", "must be an object"));
    }

    fn read<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { mounted, view, mode, changes, errors } = self;
        let resource = mounted.resource();
        let mut seen = vec![false; resource.columns.len()];
        if mode == Mode::Create {
            // Most of the columns come, and as many as were asked for are no more work than the first few.
            changes.reserve(resource.columns.len());
        }
        let mut unknown = Vec::<String>::new();
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let Some((index, column)) = resource.json_field(&name).filter(|(index, _)| view.sees(*index)) else {
                map.next_value_seed(Discard(Nesting::body()))?;
                refuse_unknown(mounted, view, &name, &mut unknown, errors);
                continue;
            };
            if std::mem::replace(&mut seen[index], true) {
                map.next_value_seed(Discard(Nesting::body()))?;
                errors.push(FieldError::field(column.json, "duplicate", "must be given only once"));
                continue;
            }
            // A key that storage assigns is read on update alone, to be compared with the path's.
            if column.is_managed() && !(index == resource.id && mode == Mode::Update) {
                map.next_value_seed(Discard(Nesting::body()))?;
                continue;
            }
            let place = Place::Field(column.json);
            if let Some(value) = map.next_value_seed(ValueSeed { column, place, errors })? {
                validation::check(resource, mounted.patterns(), index, &value, |(code, detail)| {
                    errors.push(FieldError::field(column.json, code, detail));
                });
                changes.set(index, value);
            }
        }
        if mode == Mode::Create {
            for (_, column) in resource.columns.iter().enumerate().filter(|(index, _)| !seen[*index]) {
                if column.is_required() && !column.hidden {
                    errors.push(FieldError::field(column.json, "required", "is required"));
                }
            }
        }
        Ok(())
    }
}

/// Each unknown name once, however often it is given.
fn refuse_unknown(
    mounted: &MountedResource,
    view: &View,
    name: &str,
    unknown: &mut Vec<String>,
    errors: &mut FieldErrors,
) {
    if unknown.len() > FieldErrors::LISTED || unknown.iter().any(|known| known == name) {
        return;
    }
    unknown.push(name.to_owned());
    let fields = mounted.resource().columns.iter().enumerate();
    let fields = fields.filter(|(index, column)| !column.hidden && !column.is_managed() && view.sees(*index));
    let hint = scalar::did_you_mean(spelling::nearest(name, fields.map(|(_, column)| column.json)));
    let detail = format!("is not a field of {}{hint}", mounted.resource().name);
    errors.push(FieldError::field(name, "unknown_field", detail));
}
