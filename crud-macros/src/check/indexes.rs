//! `index(a, b)` and `index(a, b, some(b))`.

use proc_macro2::Ident;

use super::lists::{self, Named};
use crate::attr::container::Index;
use crate::ctxt::Ctxt;
use crate::model::{Model, PartialIndex, Role};

/// Settles which fields are indexed together, and of which records.
pub(super) fn settle(model: &mut Model<'_>, indexes: &[Index], cx: &Ctxt) {
    for index in indexes {
        let columns = lists::group(model, &index.fields, "index", cx);
        match &index.some {
            None => model.indexes.push(columns),
            Some(ident) => {
                let some = some(model, ident, &columns, cx);
                model.partial_indexes.extend(some.map(|some| PartialIndex { columns, some }));
            }
        }
    }
}

/// The field that `some(…)` names.
fn some(model: &Model<'_>, ident: &Ident, columns: &[usize], cx: &Ctxt) -> Option<usize> {
    let Named { index, span } = lists::find(model, ident, cx)?;
    let field = &model.fields[index];
    let name = &field.name;
    if let Some(span) = span {
        if field.role == Role::IsDeleted {
            lists::refuse_state(ident, cx);
        } else if !field.ty.optional {
            let message = format!(
                "`{name}` always has a value, so `some({name})` leaves no record out: remove it, or make the field an `Option`"
            );
            cx.error(span, message);
        } else if !columns.contains(&index) {
            let fields = columns.iter().chain([&index]).map(|column| model.fields[*column].name.as_str());
            let fields = fields.collect::<Vec<_>>().join(", ");
            let message = format!("`{name}` is not a field of this index: write `index({fields}, some({name}))`");
            cx.error(span, message);
        }
    }
    Some(index)
}
