//! What the grammar takes and the runtime does not do yet: refused, never silently accepted.

use crate::ctxt::{Ctxt, SpanRange};
use crate::model::Model;

/// Refuses each.
pub(super) fn check(model: &Model<'_>, cx: &Ctxt) {
    let refuse = |span: Option<SpanRange>, name: &str| {
        if let Some(span) = span {
            cx.error(span, format_args!("`{name}` is not implemented yet: remove it"));
        }
    };
    let options = &model.options;
    refuse(options.soft_delete.as_ref().map(|option| option.key.into()), "soft_delete");
    refuse(options.batch.as_ref().map(|option| option.key.into()), "batch");
    refuse(options.audit.as_ref().map(|option| option.key.into()), "audit");
    refuse(options.access.as_ref().map(|option| option.key.into()), "access");
    for field in &model.fields {
        refuse(field.unique_active, "unique(active)");
        refuse(field.owner.as_ref().map(|owner| owner.key.into()), "owner");
        refuse(field.visible, "visible");
    }
}
