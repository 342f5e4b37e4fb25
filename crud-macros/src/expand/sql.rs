//! The text of the fixed statements. Identifiers are quoted, values bound.

use proc_macro2::TokenStream;
use quote::quote;

use super::descriptor::index;
use crate::model::{Model, Role};

/// The statements for each database whose feature is on.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let mut statements = TokenStream::new();
    if cfg!(feature = "sqlite") {
        let sqlite = database(model, '?');
        statements.extend(quote!(.sqlite(#sqlite)));
    }
    if cfg!(feature = "postgres") {
        let postgres = database(model, '$');
        statements.extend(quote!(.postgres(#postgres)));
    }
    statements
}

/// `Statements` whose placeholders are this character and a number.
fn database(model: &Model<'_>, placeholder: char) -> TokenStream {
    let table = quoted(&model.table);
    let columns = columns(model);
    let id = model.fields.get(model.id).map_or_else(String::new, |field| quoted(&field.column.value));
    let inserted: Vec<usize> = (0..model.fields.len()).filter(|&column| model.fields[column].is_inserted()).collect();

    let select = format!("SELECT {columns} FROM {table}");
    let count = format!("SELECT COUNT(*) FROM {table}");
    let get = format!("{select} WHERE {id} = {placeholder}1");
    let update = format!("UPDATE {table} SET ");
    let returning = format!(" RETURNING {columns}");
    let delete = format!("DELETE FROM {table} WHERE {id} = {placeholder}1{returning}");
    let insert = insert(model, &table, &inserted, placeholder, &returning);
    let insert_columns = inserted.iter().map(|&column| index(column));
    quote! {
        __crud::Statements {
            select: #select,
            count: #count,
            get: #get,
            insert: #insert,
            insert_columns: &[#(#insert_columns),*],
            update: #update,
            returning: #returning,
            delete: #delete,
        }
    }
}

/// What a record is read from: the columns, and whether there is a deletion timestamp.
fn columns(model: &Model<'_>) -> String {
    let is_deleted = model.soft_delete.as_ref().map(|soft_delete| {
        let deleted_at = &model.fields[soft_delete.deleted_at].column.value;
        format!("{} IS NOT NULL", quoted(deleted_at))
    });
    let declared = model.fields.iter().map(|field| match &is_deleted {
        Some(is_deleted) if field.role == Role::IsDeleted => is_deleted.clone(),
        _ => quoted(&field.column.value),
    });
    let declares = model.fields.iter().any(|field| field.role == Role::IsDeleted);
    list(declared.chain(is_deleted.clone().filter(|_| !declares)))
}

fn insert(model: &Model<'_>, table: &str, inserted: &[usize], placeholder: char, returning: &str) -> String {
    if inserted.is_empty() {
        return format!("INSERT INTO {table} DEFAULT VALUES{returning}");
    }
    let columns = list(inserted.iter().map(|&column| quoted(&model.fields[column].column.value)));
    let values = list((1..=inserted.len()).map(|position| format!("{placeholder}{position}")));
    format!("INSERT INTO {table} ({columns}) VALUES ({values}){returning}")
}

/// An identifier as SQL has it: in double quotes, which are doubled inside.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_quote_in_a_name_is_doubled() {
        assert_eq!(quoted("order"), "\"order\"");
        assert_eq!(quoted("a\"; DROP TABLE x; --"), "\"a\"\"; DROP TABLE x; --\"");
    }
}
