//! [`RecordSeed`]: the one seed that deserializes a record of any resource.

use std::collections::HashSet;

use crud_shared::spelling;
use serde::de::MapAccess;
use serde_json::Value as Json;

use super::expanded::Expanded;
use super::json::JsonSeed;
use super::pointer::Pointer;
use super::seed::{Nesting, ReadJson, discard};
use super::value::ValueSeed;
use super::{BodyKind, BodyRules, NestedItems, other_than_path};
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, FieldErrors};
use crate::model::validation::{self, Patterns, Violation};
use crate::model::value::Value;
use crate::query::visibility::FieldVisibility;
use crate::store::mounted::resource::MountedResource;

/// Deserializes an object into `changes`. Errors go to `errors`, and reading continues.
pub(super) struct RecordSeed<'a> {
    pub(super) resource: &'static Descriptor,
    pub(super) checks: Checks<'a>,
    pub(super) rules: &'a BodyRules<'a>,
    pub(super) changes: &'a mut Changes,
    pub(super) errors: &'a mut FieldErrors,
    /// Receives the records that refer to this one, where the body may have them.
    pub(super) nested: Option<&'a mut Vec<NestedItems>>,
}

/// Checks of an object's values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Checks<'a> {
    /// The types and the rules of the fields, with the rules' patterns: for a body.
    Rules(&'a Patterns),
    /// The types alone: the store checks the rules of a typed input when it writes it.
    Types,
}

/// Treatment of a field's value.
enum Treatment {
    Read,
    /// The service sets the field.
    Ignored,
    /// The field keeps its value, and setting it is an error.
    Refused,
}

impl<'a> RecordSeed<'a> {
    /// The seed of a request's body.
    pub(super) fn new(
        mounted: &'a MountedResource,
        rules: &'a BodyRules<'a>,
        changes: &'a mut Changes,
        errors: &'a mut FieldErrors,
    ) -> Self {
        let checks = Checks::Rules(mounted.patterns());
        Self { resource: mounted.resource(), checks, rules, changes, errors, nested: None }
    }

    fn treatment(&self, index: usize) -> Treatment {
        let (column, is_key) = (&self.resource.columns[index], self.resource.is_key(index));
        match (self.checks, self.rules.body_kind) {
            // The key in a body is compared with that in the path, and an immutable field with the stored one.
            (Checks::Rules(_), BodyKind::Update) if is_key => Treatment::Read,
            _ if column.is_assigned() => Treatment::Ignored,
            _ if column.is_managed() && !self.rules.by_program => Treatment::Ignored,
            // A typed patch has neither a path nor a stored record to compare with.
            (Checks::Types, BodyKind::Update) if is_key || column.immutable || self.is_tenant(index) => {
                Treatment::Refused
            }
            _ => Treatment::Read,
        }
    }

    fn is_tenant(&self, index: usize) -> bool {
        self.resource.tenant.is_some_and(|tenant| tenant.column == index)
    }

    /// Whether a new record needs a value of the field.
    fn requires(&self, index: usize) -> bool {
        if self.rules.filled == Some(index) {
            return false;
        }
        let column = &self.resource.columns[index];
        match self.checks {
            Checks::Rules(_) => {
                let is_missing = column.from_principal
                    && !column.is_managed()
                    && column.needs_value()
                    && self.changes.get(index).is_none();
                (column.is_required() || is_missing) && !column.hidden
            }
            // The store sets the tenant.
            Checks::Types => column.needs_value() && !column.is_assigned() && !self.is_tenant(index),
        }
    }

    /// Checks a value, and reports its errors.
    fn check(&mut self, index: usize, value: &Value) {
        let (resource, column) = (self.resource, &self.resource.columns[index]);
        let mut report = |violation: Violation| self.errors.push(violation.at_field(column.json));
        match self.checks {
            // A text that no variant has is compared with the stored one: the rules do not apply to it.
            Checks::Rules(_) if column.is_unknown(value) => {}
            Checks::Rules(patterns) => validation::check(resource, patterns, index, value, &mut report),
            Checks::Types => return validation::check_type(column, value).unwrap_or_else(report),
        }
        if self.rules.body_kind == BodyKind::Create {
            validation::check_new(column, value).unwrap_or_else(report);
        }
    }
}

impl ReadJson for RecordSeed<'_> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", "must be an object"));
    }

    fn object<'de, A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let (resource, rules) = (self.resource, self.rules);
        let (view, body_kind) = (rules.view, rules.body_kind);
        let mut seen = vec![false; resource.columns.len()];
        if body_kind == BodyKind::Create {
            // A create has most columns: one allocation for all of them.
            self.changes.reserve(resource.columns.len());
        }
        let mut unknown = HashSet::<String>::new();
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let Some((index, column)) = resource.json_field(&name).filter(|(index, _)| view.shows(*index)) else {
                if let Some(expanded) = Expanded::named(resource, view, &name) {
                    let (pointer, mut ignored) = (Pointer::Field(&name), FieldErrors::default());
                    let seed = JsonSeed { pointer, errors: &mut ignored, nesting: Nesting::body() };
                    let value = map.next_value_seed(seed)?;
                    match (value, expanded.nested().zip(self.nested.as_deref_mut())) {
                        (Some(Json::Array(items)), Some((children, nested))) => {
                            if nested.iter().any(|other| other.children.name == children.name) {
                                self.errors.push_with(|| pointer.error("duplicate", "must be given only once"));
                            } else {
                                nested.push(NestedItems { children, items });
                            }
                        }
                        (None, Some(_)) => self.errors.append(ignored, std::convert::identity),
                        (Some(value), _) => expanded.check(&value, rules.principal, pointer, self.errors),
                        (None, None) => expanded.refuse(pointer, self.errors),
                    }
                    continue;
                }
                map.next_value_seed(discard())?;
                report_unknown(resource, view, &name, &mut unknown, self.errors);
                continue;
            };
            if std::mem::replace(&mut seen[index], true) {
                map.next_value_seed(discard())?;
                self.errors.push_with(|| FieldError::field(column.json, "duplicate", "must be given only once"));
                continue;
            }
            match self.treatment(index) {
                Treatment::Read => {}
                Treatment::Ignored => {
                    map.next_value_seed(discard())?;
                    continue;
                }
                Treatment::Refused => {
                    map.next_value_seed(discard())?;
                    self.errors.push_with(|| FieldError::field(column.json, "immutable", "cannot be changed"));
                    continue;
                }
            }
            let (pointer, may_keep) = (Pointer::Field(column.json), rules.may_keep);
            let seed = ValueSeed { column, pointer, errors: self.errors, may_keep };
            if let Some(value) = map.next_value_seed(seed)? {
                self.check(index, &value);
                self.changes.set(index, value);
            }
        }
        if let Some(key) = rules.key {
            for (&column, value) in resource.key().iter().zip(key.values()) {
                seen[column] = true;
                if self.changes.get(column).is_some_and(|other| other != value) {
                    self.errors.push(other_than_path(resource.columns[column].json));
                }
                self.changes.set(column, value.clone());
            }
        }
        if body_kind == BodyKind::Create {
            rules.assignments.apply(resource, self.changes, self.errors);
            for (index, column) in resource.columns.iter().enumerate().filter(|(index, _)| !seen[*index]) {
                if self.requires(index) {
                    self.errors.push(FieldError::field(column.json, "required", "is required"));
                }
            }
        }
        Ok(())
    }
}

/// Reports an unknown name, each name once.
fn report_unknown(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    name: &str,
    unknown: &mut HashSet<String>,
    errors: &mut FieldErrors,
) {
    if unknown.len() > FieldErrors::LISTED || unknown.contains(name) {
        return;
    }
    unknown.insert(name.to_owned());
    push_unknown_field(resource, view, name, errors);
}

/// Adds the error of a name that is not a field, with the nearest field that bodies have.
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
