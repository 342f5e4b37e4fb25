//! Fields that are named like the timestamps that the service sets.

use super::roles;
use crate::attr::item::RawStruct;
use crate::ctxt::Ctxt;

/// Reports fields with the name of a timestamp and without its attribute: clients would have to set them.
pub(super) fn check(raw: &RawStruct<'_>, cx: &Ctxt) {
    for field in &raw.fields {
        let (name, attributes) = (&field.name, &field.attributes);
        let has_role = roles::written(attributes).is_some();
        if let Some(key) = &attributes.managed_off {
            if has_role || key != name {
                cx.error(
                    key.span(),
                    format_args!("`{key}(off)` is for a field `{key}` without another role: remove it"),
                );
            }
            continue;
        }
        let is_named = ["created_at", "updated_at"].contains(&name.as_str());
        // Views have no bodies.
        let in_bodies = !raw.attributes.is_read_only()
            && attributes.exposure.read_only.is_none()
            && attributes.exposure.hidden.is_none();
        if is_named && in_bodies && !has_role {
            cx.error(
                field.ident.span(),
                format_args!(
                    "expected `#[crud({name})]`, by which the service sets `{name}`, or `#[crud({name}(off))]`, by which \
                     clients do"
                ),
            );
        }
    }
}
