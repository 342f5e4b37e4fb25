//! [`TypeAttribute`]: an attribute that the field's type defines, such as `file(max = "10MB", types("image/png"))`.

use proc_macro2::Ident;
use syn::Type;
use syn::ext::IdentExt;

use super::entry::{self, Form};
use super::{name as unraw, unknown};
use crate::ctxt::Ctxt;
use crate::key::{AttributeKey, FieldKey};
use crate::ty::FieldType;

/// An attribute that the field's type defines. Only the type knows the options: the derive passes them on.
#[derive(Debug)]
pub(crate) struct TypeAttribute {
    pub(crate) name: Ident,
    /// The options, in the order of the source.
    pub(crate) options: Vec<(Ident, Form)>,
}

impl TypeAttribute {
    /// Takes an unknown key as the attribute of the field's type: `key(…)` on a type that the derive does not know. A
    /// second such key is reported.
    ///
    /// # Errors
    /// Returns the key, where it cannot be the type's.
    pub(super) fn take(found: &mut Option<Self>, ty: &Type, key: Ident, value: Form, cx: &Ctxt) -> Result<(), Ident> {
        let is_foreign = FieldType::new(ty).known.is_none();
        match value {
            Form::List(_, tokens) if is_foreign && unknown::may_be_of_type(&unraw(&key), FieldKey::PLACE) => {
                if let Some(first) = found {
                    let first = unraw(&first.name);
                    cx.error(key.span(), format_args!("a type has one attribute, and `{first}` is there: remove one"));
                    return Ok(());
                }
                let options = entry::separated(tokens, cx, |input| {
                    let option = input.call(Ident::parse_any)?;
                    Ok((option, entry::form(input)?))
                });
                *found = Some(Self { name: key, options });
                Ok(())
            }
            _ => Err(key),
        }
    }
}
