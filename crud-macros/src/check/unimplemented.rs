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
    refuse(options.access.as_ref().map(|option| option.key.into()), "access");
    for field in &model.fields {
        refuse(field.owner.as_ref().map(|owner| owner.key.into()), "owner");
        refuse(field.visible, "visible");
    }
}
