//! Views: resources that are read, not written.

use crud_shared::operation::WORDS;
use syn::DeriveInput;

use super::{keys, operations};
use crate::attr::access::Scope;
use crate::attr::container::{OperationsAttribute, StructAttributes};
use crate::attr::operation::Operation;
use crate::attr::view::ViewAttribute;
use crate::ctxt::Ctxt;
use crate::model::View;

/// Further keys that a view can have, on the struct and on its fields.
const ON_STRUCT: [&str; 2] = ["aggregate", "has_many"];
const ON_FIELD: [&str; 1] = ["computed"];

/// A further key in the parentheses of another that a view cannot have: the outer and the inner key.
const NESTED: [(&str, &str); 1] = [("table", "unmanaged")];

/// The operations of a view; `aggregate` only with the attribute.
const OPERATIONS: [&str; 3] = ["list", "get", "aggregate"];

/// Refuses the keys that only a resource with a table has.
pub(crate) fn refuse_table_keys(input: &DeriveInput, cx: &Ctxt) {
    let message = |name: &str, _: &[&str]| {
        match name {
        "unique" | "index" | "search" | "on_delete" | "renamed_from" | "backfill" | "new" => {
            format!("`{name}` is for a table, and a view has none: remove it")
        }
        "unmanaged" => {
            "`unmanaged` reads a view that is there as it is: expected `table(\"its_name\", unmanaged), operations(list, get)` in place of `view`"
                .to_owned()
        }
        _ => format!("`{name}` is for records that are written, and a view is only read: remove it"),
    }
    };
    let on_struct = [&keys::READ_ON_STRUCT[..], &ON_STRUCT].concat();
    let on_field = [&keys::READ_ON_FIELD[..], &ON_FIELD].concat();
    let nested = [&keys::NOT_READ[..], &NESTED].concat();
    keys::refuse(input, &on_struct, &on_field, &nested, message, cx);
}

pub(super) fn option(view: Option<ViewAttribute>, cx: &Ctxt) -> Option<View> {
    let ViewAttribute { key, reads, sql, sqlite, postgres, mysql, existing } = view?;
    // For an existing view, the database lists the tables that it reads.
    if reads.is_none() && !existing {
        cx.error(key, "a view needs `reads(…)`: the resources that its SQL reads, or `reads()` where it reads none");
    }
    Some(View { sql, sqlite, postgres, mysql, existing, reads: reads.unwrap_or_default() })
}

/// The operations of a view that `operations` leaves. Operations that a view cannot have are reported.
pub(super) fn operations(attributes: &StructAttributes, cx: &Ctxt) -> Vec<Operation> {
    let (only, except) = (attributes.only.as_ref(), attributes.except.as_ref());
    if let (Some(_), Some(except)) = (only, except) {
        operations::refuse_both(except, cx);
    }
    for operation in only.into_iter().chain(except).flat_map(|list| &list.operations) {
        if !OPERATIONS.contains(&operation.value.name) {
            let name = operation.value.name;
            cx.error(operation.span, format_args!("a view has the operations `list` and `get`: remove `{name}`"));
        }
    }
    let names = |list: Option<&OperationsAttribute>, operation| {
        list.is_some_and(|list| list.operations.iter().any(|other| other.value == operation))
    };
    let is_left = |operation: &Operation| (only.is_none() || names(only, *operation)) && !names(except, *operation);
    let has_option = |word: &Operation| word.needs.is_none() || attributes.aggregate.is_some();
    WORDS.iter().filter(|word| OPERATIONS.contains(&word.name) && is_left(word) && has_option(word)).collect()
}

/// Checks that `access` of a view names only operations that a view has.
pub(super) fn check_access(attributes: &StructAttributes, cx: &Ctxt) {
    let grants = attributes.access.iter().filter(|_| attributes.view.is_some()).flatten();
    for scope in grants.map(|grant| &grant.scope) {
        let is_read = match scope.value {
            Scope::All | Scope::Read => true,
            Scope::Write => false,
            Scope::One(operation) => OPERATIONS.contains(&operation.name),
        };
        if !is_read {
            let name = scope.value.name();
            cx.error(scope.span, format_args!("a view has the operations `list` and `get`: remove `{name}`"));
        }
    }
}
