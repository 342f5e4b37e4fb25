//! The operations that HTTP offers, by `operations` and `internal`.

use super::{no_key, view};
use crate::attr::container::{OperationsAttribute, StructAttributes};
use crate::attr::operation::Operation;
use crate::ctxt::Ctxt;
use crate::model::Operations;

/// The operations that HTTP offers.
pub(super) fn offered(attributes: &StructAttributes, cx: &Ctxt) -> Operations {
    if attributes.internal.is_some() {
        for list in attributes.only.iter().chain(&attributes.except) {
            cx.error(list.key, "`internal` offers no operation: remove this or `internal`");
        }
        return Operations::Only(Vec::new());
    }
    if attributes.no_key.is_some() {
        return Operations::Only(no_key::operations(attributes, cx));
    }
    if attributes.view.is_some() {
        return Operations::Only(view::operations(attributes, cx));
    }
    match (&attributes.only, &attributes.except) {
        (None, None) => Operations::All,
        (Some(only), None) => Operations::Only(available(only, attributes, cx)),
        (None, Some(except)) => Operations::Except(available(except, attributes, cx)),
        (Some(_), Some(except)) => {
            refuse_both(except, cx);
            Operations::All
        }
    }
}

/// Reports `except` beside the names of operations.
pub(super) fn refuse_both(except: &OperationsAttribute, cx: &Ctxt) {
    cx.error(except.key, "`except` offers all other operations: remove it, or the names beside it");
}

/// The operations that the struct's options provide. Another one is reported.
fn available(list: &OperationsAttribute, attributes: &StructAttributes, cx: &Ctxt) -> Vec<Operation> {
    let mut available = Vec::new();
    for operation in &list.operations {
        let has_option = match operation.value.needs {
            Some("soft_delete") => attributes.soft_delete.is_some(),
            Some("batch") => attributes.batch.is_some(),
            Some("audit") => attributes.audit.is_some(),
            Some("aggregate") => attributes.aggregate.is_some(),
            _ => true,
        };
        if has_option {
            available.push(operation.value);
        } else {
            let (name, option) = (operation.value.name, operation.value.needs.unwrap_or_default());
            let message = format!(
                "the operation `{name}` needs the attribute `{option}`: add the attribute or remove the operation"
            );
            cx.error(operation.span, message);
        }
    }
    available
}
