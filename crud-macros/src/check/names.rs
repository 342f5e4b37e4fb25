//! The names of fields in JSON and in storage, the prefix, the table.

use std::collections::HashMap;

use crate::attr::Spanned;
use crate::ctxt::Ctxt;
use crate::model::{Field, Role};

/// Refuses empty names, names that two fields share and, on a resource, names that answers use for something else.
pub(super) fn check(fields: &[Field<'_>], is_resource: bool, cx: &Ctxt) {
    if is_resource {
        refuse_reserved(fields, cx);
    }
    let mut json = HashMap::new();
    let mut columns = HashMap::new();
    for field in fields {
        refuse_malformed(&field.json, "rename", cx);
        refuse_malformed(&field.column, "column", cx);
        refuse_shared(&mut json, &field.json.value, &field.json, &field.name, "JSON name", "rename", cx);
        // SQL compares column names without regard to case.
        let column = field.column.value.to_lowercase();
        refuse_shared(&mut columns, &column, &field.column, &field.name, "column", "column", cx);
    }
    check_renamed(fields, cx);
}

/// Refuses `unreadable` as a name in JSON: answers use it to list the fields whose values cannot be read.
fn refuse_reserved(fields: &[Field<'_>], cx: &Ctxt) {
    for field in fields.iter().filter(|field| field.json.value == "unreadable") {
        let message = "the JSON name `unreadable` lists the fields whose values cannot be read: choose another";
        cx.error(field.json.span, message);
    }
}

/// Refuses former names of columns that do not lead to a rename.
fn check_renamed(fields: &[Field<'_>], cx: &Ctxt) {
    let mut former: HashMap<String, &str> = HashMap::new();
    for field in fields {
        let Some(renamed) = &field.renamed_from else { continue };
        refuse_malformed(renamed, "renamed_from", cx);
        let old = renamed.value.to_lowercase();
        let holder = fields.iter().find(|other| other.column.value.to_lowercase() == old);
        let message = match (field.role, holder) {
            (Role::Id, _) => format!("a key keeps its column: expected `column = \"{}\"`", renamed.value),
            (Role::IsDeleted, _) => "this field has no column: remove `renamed_from`".to_owned(),
            _ if field.tenant.is_some() => {
                format!("other tables refer to the tenant's column: expected `column = \"{}\"`", renamed.value)
            }
            (_, Some(other)) if other.name == field.name => {
                "this is the name that the column has: expected the one that it had, or remove `renamed_from`"
                    .to_owned()
            }
            (_, Some(other)) => format!(
                "`{}` is the column of `{}`: expected a name that no column of the struct has",
                renamed.value, other.name
            ),
            (_, None) => match former.insert(old, &field.name) {
                Some(other) => format!("`{other}` was renamed from `{}` already: remove one", renamed.value),
                None => continue,
            },
        };
        cx.error(renamed.span, message);
    }
}

fn refuse_malformed(name: &Spanned<String>, key: &str, cx: &Ctxt) {
    if name.value.is_empty() || name.value.contains('\0') {
        cx.error(name.span, format_args!("a name cannot be empty or contain NUL: expected `{key} = \"name\"`"));
    }
}

fn refuse_shared<'a>(
    seen: &mut HashMap<String, &'a str>,
    compared: &str,
    written: &Spanned<String>,
    field: &'a str,
    what: &str,
    key: &str,
    cx: &Ctxt,
) {
    if let Some(other) = seen.insert(compared.to_owned(), field) {
        let name = &written.value;
        let message = format!("the {what} `{name}` is already that of `{other}`: choose another with `{key} = \"…\"`");
        cx.error(written.span, message);
    }
}

/// Checks the name of schemas and operations: it is the name of a type, as client generators write it.
pub(super) fn api_name(name: Spanned<String>, cx: &Ctxt) -> String {
    let is_type = name.value.starts_with(|first: char| first.is_ascii_uppercase())
        && name.value.chars().all(|letter| letter.is_ascii_alphanumeric());
    if !is_type {
        cx.error(name.span, "expected the name of a type in ASCII: `api_name = \"CatalogueProduct\"`");
    }
    name.value
}

/// The path prefix: from the attribute, or the plural.
pub(super) fn prefix(attribute: Option<&Spanned<String>>, plural: &str, cx: &Ctxt) -> String {
    let Some(prefix) = attribute else { return format!("/{plural}") };
    if let Err(problem) = check_prefix(&prefix.value) {
        cx.error(prefix.span, format_args!("{problem}: expected `prefix = \"/v1/products\"`"));
    }
    prefix.value.clone()
}

/// Former prefixes of a resource. None may be the present prefix, above it or below it.
pub(super) fn former_prefixes(attributes: &[Spanned<String>], prefix: &str, cx: &Ctxt) -> Vec<String> {
    for old in attributes {
        let is_below = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if let Err(problem) = check_prefix(&old.value) {
            cx.error(old.span, format_args!("{problem}: expected `moved_from(\"/v1/products\")`"));
        } else if is_below(&old.value, prefix) || is_below(prefix, &old.value) {
            cx.error(old.span, format_args!("the resource is at `{prefix}`: expected another prefix"));
        }
    }
    attributes.iter().map(|old| old.value.clone()).collect()
}

fn check_prefix(prefix: &str) -> Result<(), &'static str> {
    let Some(segments) = prefix.strip_prefix('/') else { return Err("a prefix must start with a slash") };
    if segments.is_empty() || segments.split('/').any(|segment| segment.is_empty() || segment == "." || segment == "..")
    {
        return Err("a prefix must have a name after each slash");
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
    if segments.chars().all(legal) { Ok(()) } else { Err("a prefix can have letters, digits, `-`, `.`, `_` and `~`") }
}

/// The table: from the attribute, or the plural.
pub(super) fn table(attribute: Option<&Spanned<String>>, plural: &str, cx: &Ctxt) -> String {
    let Some(table) = attribute else { return plural.to_owned() };
    refuse_malformed(table, "table", cx);
    if let Some((schema, own)) = table.value.split_once('.') {
        let form = format!("expected `table(\"{own}\", schema = \"{schema}\")`");
        cx.error(table.span, format_args!("a table's name has no dot, and its schema has a key: {form}"));
    }
    if table.value.to_lowercase().starts_with("sqlite_") {
        cx.error(table.span, "SQLite reserves names that start with `sqlite_`: choose another");
    }
    table.value.clone()
}

/// The schema of the table, if the struct states one.
pub(super) fn schema<'a>(attribute: Option<&'a Spanned<String>>, cx: &Ctxt) -> Option<&'a str> {
    let schema = attribute?;
    refuse_malformed(schema, "schema", cx);
    if schema.value.contains('.') {
        cx.error(schema.span, "a schema's name has no dot: expected `table(\"invoices\", schema = \"sales\")`");
    }
    Some(&schema.value)
}

#[cfg(test)]
mod tests {
    use super::check_prefix;

    #[test]
    fn a_prefix_has_a_legal_name_after_each_slash() {
        for good in ["/products", "/v1/products", "/a-b_c.d~e"] {
            assert_eq!(check_prefix(good), Ok(()), "{good}");
        }
        for bad in ["", "/", "products", "/products/", "//products", "/a b", "/{id}", "/a/../b", "/é"] {
            assert!(check_prefix(bad).is_err(), "{bad}");
        }
    }
}
