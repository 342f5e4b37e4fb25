//! The file of a resource for a table, formatted as rustfmt would.

use std::collections::BTreeSet;

use super::enum_file;
use super::naming;
use super::resource::{Field, ResourceFile, Role};
use crate::names::{self, article};
use crate::rust_layout::{self, attribute, call, head};

/// The width of a line.
const WIDTH: usize = 100;

/// The text of the file.
pub(super) fn text(file: &ResourceFile<'_>) -> String {
    let name = &file.name.name;
    let mut lines = head(name, imports(file), &options(file), allowed(file));
    let names_each = !lists_all(file);
    let listed = |field: &Field<'_>| names_each && !field.is_secret() && !(field.is_key && file.key.len() == 1);
    lines.extend(file.fields.iter().flat_map(|field| self::field(file, field, listed(field))));
    lines.push("}".to_owned());
    lines.extend(file.fields.iter().flat_map(|field| own_enum(field, name)));
    lines.join("\n") + "\n"
}

/// The lines that import types of other files.
fn imports(file: &ResourceFile<'_>) -> Vec<String> {
    let line = |(module, types): (&String, &BTreeSet<String>)| {
        let module = names::identifier(module);
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        match types[..] {
            [ty] => format!("use super::{module}::{ty};"),
            _ => format!("use super::{module}::{{{}}};", types.join(", ")),
        }
    };
    file.imports.iter().map(line).collect()
}

/// The options of `#[crud(…)]` on the struct.
fn options(file: &ResourceFile<'_>) -> Vec<String> {
    let mut table = vec![format!("{:?}", file.table.name)];
    table.extend(file.schema.map(|schema| format!("schema = {schema:?}")));
    table.push("unmanaged".to_owned());
    table.extend(file.key.is_empty().then(|| "no_key".to_owned()));
    let mut options = vec![call("table", "    ", &table)];
    options.extend(file.name.prefix.as_ref().map(|prefix| format!("prefix = \"/{prefix}\"")));
    if lists_all(file) {
        options.extend(["filter", "sort"].map(str::to_owned));
    }
    if file.key.is_empty() {
        options.push("pagination".to_owned());
    } else {
        options.push("pagination(cursor)".to_owned());
        if file.is_read_only() {
            options.push("operations(list, get)".to_owned());
        }
    }
    options.extend(file.soft_delete.then(|| "soft_delete".to_owned()));
    for unique in &file.uniques {
        let fields: Vec<String> = unique.iter().map(|field| names::identifier(field)).collect();
        options.push(call("unique", "    ", &fields));
    }
    if !file.children.is_empty() {
        options.push(call("has_many", "    ", &children(file)));
    }
    options
}

/// The arguments of `has_many`.
fn children(file: &ResourceFile<'_>) -> Vec<String> {
    let limit = file.children_limit().map_or_else(String::new, |limit| format!(", limit = {limit}"));
    let child = |child: &super::resource::Child| {
        let field = names::identifier(&child.field);
        format!("{}({}::{field}{limit})", names::identifier(&child.name), child.resource)
    };
    file.children.iter().map(child).collect()
}

/// Whether every field whose values the runtime can compare is a filter and a sort key.
fn lists_all(file: &ResourceFile<'_>) -> bool {
    let is_compared = |field: &Field<'_>| {
        !field.is_secret() && !field.ty.rust.starts_with("Vec<") && field.ty.rust != "serde_json::Value"
    };
    file.fields.iter().filter(|field| is_compared(field)).all(|field| field.ty.comparable && field.ty.sortable)
}

/// The lines of a field. `listed`: whether the field is named as a filter and a sort key.
pub(super) fn field(file: &ResourceFile<'_>, field: &Field<'_>, listed: bool) -> Vec<String> {
    let options = field_options(file, field, listed);
    let ty = field.enumeration.as_ref().map_or(&field.ty.rust, |enumeration| &enumeration.name);
    let ty = if field.nullable { format!("Option<{ty}>") } else { ty.clone() };
    let name = names::identifier(&field.name);
    let line = format!("    pub {name}: {ty},");
    let mut lines: Vec<String> = attribute("    ", &options).into_iter().collect();
    if line.len() > WIDTH {
        lines.extend([format!("    pub {name}:"), format!("        {ty},")]);
    } else {
        lines.push(line);
    }
    lines
}

fn field_options(file: &ResourceFile<'_>, field: &Field<'_>, listed: bool) -> Vec<String> {
    let mut options = Vec::new();
    if field.role == Role::ClientKey {
        options.push("id(client)".to_owned());
    } else if field.is_key && (file.key.len() > 1 || field.name != "id") {
        // A field `id` that alone is the key needs no attribute.
        options.push("id".to_owned());
    }
    options.extend(column(field));
    options.extend(naming::renamed(&field.name).map(|name| format!("rename = {name:?}")));
    let off = |managed: &str| format!("{managed}(off)");
    options.extend(concealed(field).iter().map(|&word| word.to_owned()));
    match field.role {
        Role::Client | Role::ClientKey => {}
        Role::Default => options.push("default(database)".to_owned()),
        Role::Generated if field.is_secret() => options.push("default(database)".to_owned()),
        Role::Generated => options.extend(["read_only", "default(database)"].map(str::to_owned)),
        Role::Service(managed) => options.push(managed.to_owned()),
        Role::Off(managed) => options.push(off(managed)),
        Role::OffDefault(managed) => options.extend([off(managed), "default(database)".to_owned()]),
    }
    if let Some(reference) = &field.reference {
        let target = &reference.target;
        let mut arguments = vec![target.clone()];
        arguments.extend(reference.unconstrained.then(|| "unconstrained".to_owned()));
        let by: Vec<String> = reference.by.iter().map(|field| names::identifier(field)).collect();
        arguments.extend((!by.is_empty()).then(|| format!("by({})", by.join(", "))));
        arguments.push("expand".to_owned());
        arguments.extend(reference.relation.as_ref().map(|name| format!("relation({})", names::identifier(name))));
        arguments.extend(reference.on_delete.map(|action| format!("on_delete({action})")));
        options.push(call("references", "        ", &arguments));
    }
    options.extend(field.unique.then(|| "unique".to_owned()));
    // Fields that the database or the service sets are not validated.
    let is_set = matches!(field.role, Role::Generated | Role::Service(_)) || file.is_read_only();
    let is_rule = |attribute: &&String| attribute.starts_with("length(");
    options.extend(field.ty.attributes.iter().filter(|attribute| !(is_set && is_rule(attribute))).cloned());
    options.extend((listed && field.ty.comparable).then(|| "filter".to_owned()));
    options.extend((listed && field.ty.sortable).then(|| "sort".to_owned()));
    options
}

/// The attributes that keep a secret out of answers.
fn concealed(field: &Field<'_>) -> &'static [&'static str] {
    if field.is_set_once() {
        &["write_only", "immutable"]
    } else if field.is_secret() {
        &["hidden"]
    } else {
        &[]
    }
}

/// The attribute of a column whose name differs from the field's, or whose values have another form.
fn column(field: &Field<'_>) -> Option<String> {
    let name = (field.column.name != field.name).then(|| format!("{:?}", field.column.name));
    let sql_type = field.ty.sql_type.as_ref().map(|name| format!("sql_type = {name:?}"));
    let more: Vec<String> = sql_type.into_iter().chain(field.ty.column.iter().cloned()).collect();
    let options: Vec<String> = name.into_iter().chain(more.iter().cloned()).collect();
    match options.as_slice() {
        [] => None,
        [name] if more.is_empty() => Some(format!("column = {name}")),
        options => Some(call("column", "        ", options)),
    }
}

/// The enum of a field, unless it is a type of the database, after an empty line.
pub(super) fn own_enum(field: &Field<'_>, model: &str) -> Vec<String> {
    let Some(enumeration) = field.enumeration.as_ref().filter(|enumeration| !enumeration.is_shared) else {
        return Vec::new();
    };
    let words = names::words(model);
    let head = format!("/// The {} of {} {words}.", field.name.replace('_', " "), article(&words));
    let mut lines = vec![String::new(), head];
    lines.extend(enum_file::declaration(&enumeration.name, &field.ty.labels));
    lines
}

/// The lints of clippy to allow on the struct, which is data.
fn allowed(file: &ResourceFile<'_>) -> Option<String> {
    let flags = file.fields.iter().filter(|field| field.ty.rust == "bool" && !field.nullable).count();
    let names: Vec<Vec<&str>> = file.fields.iter().map(|field| field.name.split('_').collect()).collect();
    let share = |word: fn(&Vec<&str>) -> Option<String>| {
        names.len() > 2 && names.iter().all(|other| other.len() > 1 && word(other) == word(&names[0]))
    };
    let shares = share(|words| words.first().map(|word| (*word).to_owned()))
        || share(|words| words.last().map(|word| (*word).to_owned()));
    rust_layout::allowed(&file.name.name, file.fields.iter().map(|field| field.name.as_str()), flags, shares)
}
