//! Lists of fields and operations: `filter`, `sort`, `default_sort`, `unique`, `index`, `only`, `except`.

use proc_macro2::{Ident, Span};

use crate::attr::access::unknown;
use crate::attr::container::{self, name as unraw};
use crate::attr::{Selection, field::Rule};
use crate::ctxt::Ctxt;
use crate::model::{Assert, Capability, Field, Model, Operations, SortKey, Wanted};
use crate::nearest;
use crate::symbol;
use crate::ty::Known;

/// The parameters of a list request that are no fields.
const CONTROL_PARAMETERS: &[&str] = &["sort", "skip", "limit", "include_deleted", "only_deleted", "all"];

/// What may follow a field's name and `__` in a parameter.
const OPERATORS: &[&str] = &["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "like", "ilike", "isnull"];

/// Settles which fields a list can filter and sort by.
pub(super) fn capabilities(model: &mut Model<'_>, filter: Option<Selection>, sort: Option<Selection>, cx: &Ctxt) {
    select(model, filter, Wanted::Filterable, cx);
    select(model, sort, Wanted::Sortable, cx);
    for field in model.fields.iter().filter(|field| field.filterable != Capability::No) {
        check_parameter(field, cx);
    }
}

fn slot<'m>(field: &'m mut Field<'_>, wanted: Wanted) -> &'m mut Capability {
    if wanted == Wanted::Filterable { &mut field.filterable } else { &mut field.sortable }
}

fn select(model: &mut Model<'_>, selection: Option<Selection>, wanted: Wanted, cx: &Ctxt) {
    let verb = if wanted == Wanted::Filterable { "filter" } else { "sort" };
    let mut places: Vec<(usize, Span)> = Vec::new();
    for (index, field) in model.fields.iter_mut().enumerate() {
        if *slot(field, wanted) == Capability::Yes {
            places.push((index, field.ident.span()));
        }
    }
    match selection {
        Some(Selection { fields: None, .. }) => {
            for field in &mut model.fields {
                // What nobody may see is left out; what cannot be compared is left out by its kind.
                if *slot(field, wanted) == Capability::No && field.concealed().is_none() {
                    *slot(field, wanted) = Capability::IfComparable;
                }
            }
        }
        Some(Selection { key, fields: Some(names) }) => {
            let listed = resolve(model, &names, &unraw(&key), cx);
            for &(index, _) in &listed {
                *slot(&mut model.fields[index], wanted) = Capability::Yes;
            }
            places.extend(listed);
        }
        None => {}
    }
    for (index, span) in places {
        check_named(model, index, span, wanted, verb, cx);
    }
}

// One field that `filter` or `sort` names.
fn check_named(model: &mut Model<'_>, index: usize, span: Span, wanted: Wanted, verb: &str, cx: &Ctxt) {
    let field = &model.fields[index];
    if let Some((_, attribute)) = field.concealed() {
        let message = format!(
            "`{}` is `{attribute}`, and a client that could {verb} by it could guess its value: remove one of the two",
            field.name,
        );
        cx.error(span, message);
    } else if field.ty.known.is_some_and(|known| !known.is_comparable()) {
        cx.error(span, format_args!("`{}` cannot be compared, so no list can {verb} by it", field.name));
    } else if field.ty.known.is_none() {
        model.asserts.push(Assert { field: index, wanted, span });
    }
}

fn check_parameter(field: &Field<'_>, cx: &Ctxt) {
    let (json, span) = (&field.json.value, field.json.span);
    if CONTROL_PARAMETERS.contains(&json.as_str()) {
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

/// The index of each name, and where it stands; what is no field or named twice is reported.
fn resolve(model: &Model<'_>, names: &[Ident], key: &str, cx: &Ctxt) -> Vec<(usize, Span)> {
    let mut found: Vec<(usize, Span)> = Vec::new();
    for ident in names {
        let Some(index) = find(model, ident, cx) else { continue };
        if found.iter().any(|(other, _)| *other == index) {
            cx.error(ident.span(), format_args!("`{key}` names `{}` twice: remove one", unraw(ident)));
        } else {
            found.push((index, ident.span()));
        }
    }
    found
}

fn find(model: &Model<'_>, ident: &Ident, cx: &Ctxt) -> Option<usize> {
    let name = unraw(ident);
    let found = model.fields.iter().position(|field| field.name == name);
    if found.is_none() {
        let fields = model.fields.iter().map(|field| field.name.as_str());
        let hint = nearest::to(&name, fields.clone())
            .map_or_else(|| format!("expected {}", nearest::list(fields)), |near| format!("did you mean `{near}`?"));
        cx.error(ident.span(), format_args!("`{}` has no field `{name}`: {hint}", model.name));
    }
    found
}

/// Settles the default order.
pub(super) fn default_sort(model: &mut Model<'_>, keys: &[container::SortKey], cx: &Ctxt) {
    let names: Vec<Ident> = keys.iter().map(|key| key.field.clone()).collect();
    let found = resolve(model, &names, "default_sort", cx);
    for (index, span) in found {
        let descending =
            keys.iter().find(|key| unraw(&key.field) == model.fields[index].name).is_some_and(|key| key.descending);
        model.default_sort.push(SortKey { column: index, descending });
        check_default_sort(model, index, span, cx);
    }
}

fn check_default_sort(model: &mut Model<'_>, index: usize, span: Span, cx: &Ctxt) {
    let sortable_by_request = model.fields.iter().any(|field| field.sortable != Capability::No);
    let field = &model.fields[index];
    let name = &field.name;
    if let Some((_, attribute)) = field.concealed() {
        cx.error(
            span,
            format_args!("`{name}` is `{attribute}`, and an order by it would show its value: remove one of the two"),
        );
    } else if field.ty.known.is_some_and(|known| !known.is_comparable()) {
        cx.error(span, format_args!("`{name}` cannot be compared, so no list can sort by it"));
    } else if sortable_by_request && field.sortable == Capability::No && index != model.id {
        cx.error(span, format_args!("`{name}` is not sortable: add it to `sort(…)`"));
    } else if field.ty.known.is_none() && field.sortable != Capability::Yes {
        model.asserts.push(Assert { field: index, wanted: Wanted::Sortable, span });
    }
}

/// The groups of `unique(a, b)` or `index(a, b)`.
pub(super) fn groups(model: &Model<'_>, groups: &[Vec<Ident>], key: &str, cx: &Ctxt) -> Vec<Vec<usize>> {
    let indices = |names: &Vec<Ident>| resolve(model, names, key, cx).into_iter().map(|(index, _)| index).collect();
    groups.iter().map(indices).collect()
}

/// The operations that `only` and `except` leave.
pub(super) fn operations(only: Option<&[Ident]>, except: Option<&(Ident, Vec<Ident>)>, cx: &Ctxt) -> Operations {
    match (only, except) {
        (None, None) => Operations::All,
        (Some(names), None) => Operations::Only(operation_names(names, cx)),
        (None, Some((_, names))) => Operations::Except(operation_names(names, cx)),
        (Some(_), Some((key, _))) => {
            cx.error(key.span(), "`only` and `except` exclude each other: remove one");
            Operations::All
        }
    }
}

fn operation_names(names: &[Ident], cx: &Ctxt) -> Vec<&'static str> {
    let mut found = Vec::new();
    for ident in names {
        let name = unraw(ident);
        let Some(&operation) = symbol::OPERATIONS.iter().find(|operation| **operation == name) else {
            cx.error(ident.span(), unknown(&name, symbol::OPERATIONS, "operation"));
            continue;
        };
        match variant(operation) {
            None => cx.error(ident.span(), format_args!("`{operation}` is not implemented yet: remove it")),
            Some(variant) if found.contains(&variant) => {
                cx.error(ident.span(), format_args!("`{operation}` stands here twice: remove one"));
            }
            Some(variant) => found.push(variant),
        }
    }
    found
}

fn variant(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "list" => "List",
        "get" => "Get",
        "create" => "Create",
        "update" => "Update",
        "delete" => "Delete",
        _ => return None,
    })
}

impl Known {
    /// Whether values can be tested for equality, and sorted by.
    pub(crate) const fn is_comparable(self) -> bool {
        !matches!(self, Self::Bytes | Self::TextList | Self::Json)
    }
}

/// Whether a rule bounds the length of text from above.
pub(super) const fn bounds_length(rule: &Rule) -> bool {
    matches!(rule, Rule::MaxLength(_))
}
