//! Members of a body that are named after relations: records that `expand` returned can be sent back, and change
//! nothing.

use crud_shared::spelling;
use serde_json::{Map, Value as Json};

use super::pointer::{Pointer, Segment};
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, ManyToMany};
use crate::model::principal::Principal;
use crate::model::problem::FieldErrors;
use crate::query::expansion::relation;
use crate::query::visibility::FieldVisibility;

/// The members of a page of records that refer to another one.
const PAGE: [&str; 3] = ["data", "limit", "more"];

/// Member of a body that `expand` returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expanded {
    /// The record that a field refers to.
    Referenced(&'static ColumnDescriptor, &'static Descriptor),
    /// A page of the records that refer to this one.
    Children(&'static Children),
    /// A page of the records that a junction links to this one.
    Linked(&'static ManyToMany, &'static Descriptor),
}

impl Expanded {
    /// The records that a member's name stands for.
    pub(super) fn named(resource: &'static Descriptor, view: &FieldVisibility, name: &str) -> Option<Self> {
        let children = resource.children.iter().find(|children| children.name == name).map(Self::Children);
        let linked = || {
            let many = resource.many_to_many.iter().find(|many| many.name == name)?;
            Some(Self::Linked(many, many.junction(resource)?.target))
        };
        children.or_else(linked).or_else(|| {
            let columns = resource.columns.iter().enumerate().filter(|(index, _)| view.shows(*index));
            let mut referenced = columns.filter_map(|(_, column)| Some((column, relation(column)?)));
            referenced
                .find(|(_, (member, _))| *member == name)
                .map(|(column, (_, target))| Self::Referenced(column, target))
        })
    }

    /// The records that refer to this one, where its bodies may have them.
    pub(super) const fn nested(self) -> Option<&'static Children> {
        match self {
            Self::Children(children) if children.nested => Some(children),
            _ => None,
        }
    }

    /// Reports a value that `expand` does not return.
    pub(super) fn check(
        self,
        value: &Json,
        principal: Option<&Principal>,
        pointer: Pointer<'_>,
        errors: &mut FieldErrors,
    ) {
        match (self, value) {
            (Self::Referenced(..), Json::Null) => {}
            (Self::Referenced(_, target), Json::Object(record)) if record.contains_key(target.id_column().json) => {
                check_record(target, record, principal, pointer, errors);
            }
            (Self::Children(children), Json::Object(page)) if page.get("data").is_some_and(Json::is_array) => {
                check_page((children.resource)(), page, principal, pointer, errors);
            }
            (Self::Linked(_, target), Json::Object(page)) if page.get("data").is_some_and(Json::is_array) => {
                check_page(target, page, principal, pointer, errors);
            }
            _ => self.refuse(pointer, errors),
        }
    }

    /// Reports that the value is not the one that `expand` returns.
    pub(super) fn refuse(self, pointer: Pointer<'_>, errors: &mut FieldErrors) {
        let detail = match self {
            Self::Referenced(column, _) => {
                format!(
                    "must be the record that `expand` returned, or null: to refer to another, set `{}`",
                    column.json
                )
            }
            Self::Children(children) => {
                let other = (children.resource)().name;
                let how = if children.nested {
                    "is written with one record, by a create or an update of it, or by its own routes"
                } else {
                    "is written by its own routes"
                };
                format!("must be the records that `expand` returned: each {other} {how}")
            }
            Self::Linked(many, _) => {
                format!("must be the records that `expand` returned: `PUT …{}` links others", many.path)
            }
        };
        errors.push_with(|| pointer.error("expanded", detail));
    }
}

fn check_record(
    resource: &'static Descriptor,
    record: &Map<String, Json>,
    principal: Option<&Principal>,
    pointer: Pointer<'_>,
    errors: &mut FieldErrors,
) {
    let view = FieldVisibility::new(resource, principal);
    for (name, value) in record {
        let pointer = Pointer::Inner(&pointer, Segment::Name(name));
        if resource.json_field(name).is_some_and(|(index, column)| column.is_returned() && view.shows(index)) {
            continue;
        }
        if let Some(expanded) = Expanded::named(resource, &view, name) {
            expanded.check(value, principal, pointer, errors);
            continue;
        }
        let names = || view.returned(resource).map(|(_, column)| column.json);
        let nearest = || spelling::nearest(name, names()).map(str::to_owned);
        errors.push_unknown(nearest, |hint| {
            pointer.error("unknown_field", format!("is not a field of {}{hint}", resource.name))
        });
    }
}

fn check_page(
    resource: &'static Descriptor,
    page: &Map<String, Json>,
    principal: Option<&Principal>,
    pointer: Pointer<'_>,
    errors: &mut FieldErrors,
) {
    for (name, value) in page {
        let pointer = Pointer::Inner(&pointer, Segment::Name(name));
        if !PAGE.contains(&name.as_str()) {
            errors.push_with(|| pointer.error("unknown_field", "is not a member of a page of records"));
        }
        for (index, record) in value.as_array().into_iter().flatten().enumerate() {
            let pointer = Pointer::Inner(&pointer, Segment::Index(index));
            match record {
                Json::Object(record) => check_record(resource, record, principal, pointer, errors),
                _ => errors.push_with(|| pointer.error("type", "must be an object")),
            }
        }
    }
}
