//! The owner of the table, and its name.

use crud_shared::table::joined;

use super::{former, names};
use crate::attr::Spanned;
use crate::attr::container::StructAttributes;
use crate::attr::renamed_from::FormerAttribute;
use crate::ctxt::Ctxt;
use crate::model::{Former, Ownership};

/// The owner of the table. On another program's table, keys that create or rename a table are refused.
pub(super) fn check(attributes: &StructAttributes, cx: &Ctxt) -> Ownership {
    if attributes.unmanaged.is_none() {
        return if attributes.new_table.is_some() { Ownership::NewTable } else { Ownership::Program };
    }
    if let Some(new_table) = attributes.new_table {
        cx.error(new_table, "`unmanaged` creates no table: remove `new`, or `unmanaged`");
    }
    if let Some(table) = attributes.formers.iter().find_map(|former| former.table.as_ref()) {
        cx.error(table.span, "`unmanaged` renames no table: remove `table` here, or `unmanaged`");
    }
    Ownership::Unmanaged
}

/// The table, and the struct's former names, with their tables in the same schema. `named`: the schema, the table and
/// `renamed_from`.
pub(super) fn tables(
    (schema, table, attributes): (Option<&Spanned<String>>, Option<&Spanned<String>>, &[FormerAttribute]),
    name: &str,
    plural: &str,
    cx: &Ctxt,
) -> (String, Vec<Former>) {
    let mut formers = former::all(attributes, cx);
    let table = names::table(table, former::table(&formers, plural), cx);
    former::check(attributes, &formers, name, &table, cx);
    let schema = names::schema(schema, cx);
    for former in &mut formers {
        former.table = joined(schema, &former.table);
    }
    (joined(schema, &table), formers)
}
