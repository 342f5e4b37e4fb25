//! Lists of fields and operations: `filter`, `sort`, `default_sort`, `unique`, `only`, `except`.

use crud_shared::list::{OPERATORS, PARAMETERS};
use crud_shared::spelling;
use proc_macro2::{Ident, Span};

use super::types::want;
use crate::attr::Selection;
use crate::attr::access::unknown;
use crate::attr::container::{self, Container, name as unraw};
use crate::ctxt::Ctxt;
use crate::model::{Capability, Field, Model, Operations, Role, SortKey, Wanted};
use crate::symbol;

/// What a list can do by a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Filter,
    Sort,
}

impl Verb {
    const fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Sort => "sort",
        }
    }

    const fn of<'m>(self, field: &'m mut Field<'_>) -> &'m mut Capability {
        match self {
            Self::Filter => &mut field.filterable,
            Self::Sort => &mut field.sortable,
        }
    }
}

/// Settles which fields a list can filter and sort by.
pub(super) fn capabilities(model: &mut Model<'_>, filter: Option<Selection>, sort: Option<Selection>, cx: &Ctxt) {
    select(model, filter, Verb::Filter, cx);
    select(model, sort, Verb::Sort, cx);
    for field in model.fields.iter().filter(|field| field.filterable != Capability::No) {
        check_parameter(field, cx);
    }
}

fn select(model: &mut Model<'_>, selection: Option<Selection>, verb: Verb, cx: &Ctxt) {
    // The fields that say so themselves, and where.
    let flags = model.fields.iter().enumerate().filter_map(|(index, field)| {
        let flag = if verb == Verb::Filter { field.filter_flag } else { field.sort_flag };
        Some(Named { index, span: Some(flag?) })
    });
    let mut named: Vec<Named> = flags.collect();
    match selection {
        Some(Selection { fields: None, .. }) => {
            for field in &mut model.fields {
                // What nobody may see is left out; what cannot be compared is left out by its kind.
                if field.concealed().is_none() {
                    *verb.of(field) = Capability::IfComparable;
                }
            }
        }
        Some(Selection { key, fields: Some(list) }) => named.extend(resolve(model, &list, &unraw(&key), cx)),
        None => {}
    }
    for Named { index, span } in named {
        *verb.of(&mut model.fields[index]) = Capability::Yes;
        if let Some(span) = span {
            check_named(model, index, span, verb, cx);
        }
    }
}

// One field that `filter` or `sort` names.
fn check_named(model: &mut Model<'_>, index: usize, span: Span, verb: Verb, cx: &Ctxt) {
    let (field, verb) = (&model.fields[index], verb.name());
    let name = &field.name;
    if let Some((_, attribute)) = field.concealed() {
        let message = format!(
            "`{name}` is `{attribute}`, and a client that could {verb} by it could guess its value: remove one of the two",
        );
        cx.error(span, message);
    } else {
        let message = format!("`{name}` holds what cannot be compared, so no list can {verb} by it: remove it here");
        want(model, index, Wanted::Comparable, span, message, cx);
    }
}

fn check_parameter(field: &Field<'_>, cx: &Ctxt) {
    let (json, span) = (&field.json.value, field.json.span);
    if PARAMETERS.contains(&json.as_str()) {
        let message = format!(
            "a filter called `{json}` would hide the parameter of that name: choose another with `rename = \"…\"`"
        );
        cx.error(span, message);
    } else if let Some((_, operator)) = json.rsplit_once("__").filter(|(_, end)| OPERATORS.contains(end)) {
        let message = format!(
            "a filter called `{json}` reads as the operator `{operator}`: choose another name with `rename = \"…\"`"
        );
        cx.error(span, message);
    }
}

/// A field that a list names.
pub(super) struct Named {
    pub(super) index: usize,
    /// Where, or `None` for a field that was most likely meant: no more is said of it.
    pub(super) span: Option<Span>,
}

/// The field of each name; what is no field or named twice is reported.
fn resolve(model: &Model<'_>, list: &[Ident], key: &str, cx: &Ctxt) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for ident in list {
        let Some(named) = find(model, ident, cx) else { continue };
        if named.span.is_some() && found.iter().any(|other| other.index == named.index && other.span.is_some()) {
            cx.error(ident.span(), format_args!("`{key}` names `{}` twice: remove one", unraw(ident)));
        } else {
            found.push(named);
        }
    }
    found
}

/// The field of this name; what is no field is reported.
pub(super) fn find(model: &Model<'_>, ident: &Ident, cx: &Ctxt) -> Option<Named> {
    cx.hint_field(ident);
    let name = unraw(ident);
    let index_of = |name: &str| model.fields.iter().position(|field| field.name == name);
    if let Some(index) = index_of(&name) {
        return Some(Named { index, span: Some(ident.span()) });
    }
    let fields = model.fields.iter().map(|field| field.name.as_str());
    let meant = spelling::nearest(&name, fields.clone());
    let hint = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("expected {}", spelling::alternatives(fields)),
    };
    cx.error(ident.span(), format_args!("`{}` has no field `{name}`: {hint}", model.name));
    Some(Named { index: index_of(meant?)?, span: None })
}

/// Settles the default order.
pub(super) fn default_sort(model: &mut Model<'_>, keys: &[container::SortKey], cx: &Ctxt) {
    let names: Vec<Ident> = keys.iter().map(|key| key.field.clone()).collect();
    for Named { index, span } in resolve(model, &names, "default_sort", cx) {
        let Some(span) = span else { continue };
        let name = &model.fields[index].name;
        let descending = keys.iter().any(|key| key.descending && unraw(&key.field) == *name);
        model.default_sort.push(SortKey { column: index, descending });
        check_default_sort(model, index, span, cx);
    }
}

fn check_default_sort(model: &mut Model<'_>, index: usize, span: Span, cx: &Ctxt) {
    let requests_sort = model.fields.iter().any(|field| field.sortable != Capability::No);
    let field = &model.fields[index];
    let name = &field.name;
    if let Some((_, attribute)) = field.concealed() {
        let message =
            format!("`{name}` is `{attribute}`, and an order by it would tell its value: remove one of the two");
        cx.error(span, message);
    } else if requests_sort && field.sortable == Capability::No && index != model.id {
        cx.error(span, format_args!("`{name}` is not sortable: add it to `sort(…)`"));
    } else if field.sortable != Capability::Yes {
        let message = format!("`{name}` holds what cannot be compared, so no list can sort by it: remove it here");
        want(model, index, Wanted::Comparable, span, message, cx);
    }
}

/// The fields of `unique(a, b)` or `index(a, b)`.
pub(super) fn group(model: &Model<'_>, names: &[Ident], key: &str, cx: &Ctxt) -> Vec<usize> {
    for ident in names {
        let field = model.fields.iter().find(|field| field.name == unraw(ident));
        if field.is_some_and(|field| field.role == Role::IsDeleted) {
            refuse_state(ident, cx);
        }
    }
    resolve(model, names, key, cx).iter().map(|named| named.index).collect()
}

/// Reports that the state of deletion, which this names, is not in storage.
pub(super) fn refuse_state(ident: &Ident, cx: &Ctxt) {
    cx.error(ident.span(), format_args!("`{}` is told by the deletion timestamp: name that instead", unraw(ident)));
}

/// The operations that `only` and `except` leave.
pub(super) fn operations(container: &Container, cx: &Ctxt) -> Operations {
    match (&container.only, &container.except) {
        (None, None) => Operations::All,
        (Some(names), None) => Operations::Only(operation_names(names, container, cx)),
        (None, Some((_, names))) => Operations::Except(operation_names(names, container, cx)),
        (Some(_), Some((key, _))) => {
            cx.error(key.span(), "`only` and `except` exclude each other: remove one");
            Operations::All
        }
    }
}

fn operation_names(names: &[Ident], container: &Container, cx: &Ctxt) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for ident in names {
        let name = unraw(ident);
        let Some(&operation) = symbol::OPERATIONS.iter().find(|operation| **operation == name) else {
            cx.error(ident.span(), unknown(&name, symbol::OPERATIONS, "operation"));
            continue;
        };
        let (variants, needs): (&[&str], _) = match operation {
            "list" => (&["List"], None),
            "get" => (&["Get"], None),
            "create" => (&["Create"], None),
            "update" => (&["Update"], None),
            "delete" => (&["Delete"], None),
            "restore" => (&["Restore", "RestoreMany"], container.soft_delete.is_none().then_some("soft_delete")),
            "purge" => (&["Purge", "PurgeMany"], container.soft_delete.is_none().then_some("soft_delete")),
            "batch" => (&["BatchCreate", "BatchUpdate", "BatchDelete"], container.batch.is_none().then_some("batch")),
            _ => (&["History"], container.audit.is_none().then_some("audit")),
        };
        if let Some(option) = needs {
            cx.error(
                ident.span(),
                format_args!("the operation `{operation}` needs the option `{option}`: add that or remove this"),
            );
        } else if found.contains(&variants[0]) {
            cx.error(ident.span(), format_args!("`{operation}` stands here twice: remove one"));
        } else {
            found.extend(variants);
        }
    }
    found
}
