//! [`RecordSeed`]: the one seed that deserializes a record of any resource.

use std::collections::HashSet;

use crud_shared::spelling;
use serde::de::MapAccess;

use super::expanded::Expanded;
use super::json::JsonSeed;
use super::pointer::Pointer;
use super::seed::{Nesting, ReadJson, discard};
use super::value::ValueSeed;
use super::{BodyKind, BodyRules};
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, FieldErrors};
use crate::model::validation;
use crate::query::visibility::FieldVisibility;
use crate::store::mounted_resource::MountedResource;

/// Deserializes an object into `changes`. Errors go to `errors`, and reading continues.
pub(super) struct RecordSeed<'a> {
    pub(super) mounted: &'a MountedResource,
    pub(super) rules: &'a BodyRules<'a>,
    pub(super) changes: &'a mut Changes,
    pub(super) errors: &'a mut FieldErrors,
}

impl ReadJson for RecordSeed<'_> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", "must be an object"));
    }

    fn object<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { mounted, rules, changes, errors } = self;
        let (view, body_kind) = (rules.view, rules.body_kind);
        let resource = mounted.resource();
        let mut seen = vec![false; resource.columns.len()];
        if body_kind == BodyKind::Create {
            // A create has most columns: one allocation for all of them.
            changes.reserve(resource.columns.len());
        }
        let mut unknown = HashSet::<String>::new();
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let Some((index, column)) = resource.json_field(&name).filter(|(index, _)| view.shows(*index)) else {
                if let Some(expanded) = Expanded::named(resource, view, &name) {
                    let (pointer, mut ignored) = (Pointer::Field(&name), FieldErrors::default());
                    let seed = JsonSeed { pointer, errors: &mut ignored, nesting: Nesting::body() };
                    match map.next_value_seed(seed)? {
                        Some(value) => expanded.check(&value, rules.principal, pointer, errors),
                        None => expanded.refuse(pointer, errors),
                    }
                    continue;
                }
                map.next_value_seed(discard())?;
                report_unknown(mounted, view, &name, &mut unknown, errors);
                continue;
            };
            if std::mem::replace(&mut seen[index], true) {
                map.next_value_seed(discard())?;
                errors.push_with(|| FieldError::field(column.json, "duplicate", "must be given only once"));
                continue;
            }
            // A key that storage assigns is read on update only, to compare it with the path's.
            if column.is_managed() && !(index == resource.id && body_kind == BodyKind::Update) {
                map.next_value_seed(discard())?;
                continue;
            }
            let pointer = Pointer::Field(column.json);
            let may_keep = rules.may_keep;
            if let Some(value) = map.next_value_seed(ValueSeed { column, pointer, errors, may_keep })? {
                // One that no variant has is compared with the record's: the rules are not about it.
                if !column.is_unknown(&value) {
                    validation::check(resource, mounted.patterns(), index, &value, |(code, detail)| {
                        errors.push(FieldError::field(column.json, code, detail));
                    });
                }
                if body_kind == BodyKind::Create
                    && let Err((code, detail)) = validation::check_new(column, &value)
                {
                    errors.push(FieldError::field(column.json, code, detail));
                }
                changes.set(index, value);
            }
        }
        if let Some(key) = rules.key {
            seen[resource.id] = true;
            if changes.get(resource.id).is_some_and(|other| other != key) {
                let name = resource.id_column().json;
                errors.push(FieldError::field(name, "immutable", "must equal the id in the path"));
            }
            changes.set(resource.id, key.clone());
        }
        if body_kind == BodyKind::Create {
            rules.assignments.apply(resource, changes, errors);
            for (index, column) in resource.columns.iter().enumerate().filter(|(index, _)| !seen[*index]) {
                let is_missing = column.from_principal
                    && !column.is_managed()
                    && column.needs_value()
                    && changes.get(index).is_none();
                if (column.is_required() || is_missing) && !column.hidden {
                    errors.push(FieldError::field(column.json, "required", "is required"));
                }
            }
        }
        Ok(())
    }
}

/// Reports an unknown name, each name once.
fn report_unknown(
    mounted: &MountedResource,
    view: &FieldVisibility,
    name: &str,
    unknown: &mut HashSet<String>,
    errors: &mut FieldErrors,
) {
    if unknown.len() > FieldErrors::LISTED || unknown.contains(name) {
        return;
    }
    unknown.insert(name.to_owned());
    push_unknown_field(mounted.resource(), view, name, errors);
}

/// Adds the error of a name that is no field, with the nearest one that bodies have.
pub(crate) fn push_unknown_field(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    name: &str,
    errors: &mut FieldErrors,
) {
    let nearest = || {
        let fields = resource.columns.iter().enumerate();
        let fields = fields.filter(|(index, column)| !column.hidden && !column.is_managed() && view.shows(*index));
        spelling::nearest(name, fields.map(|(_, column)| column.json)).map(str::to_owned)
    };
    errors.push_unknown(nearest, |hint| {
        FieldError::field(name, "unknown_field", format!("is not a field of {}{hint}", resource.name))
    });
}
