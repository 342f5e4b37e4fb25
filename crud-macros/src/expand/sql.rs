//! The text of the fixed statements. Identifiers are quoted, values bound.

use crud_shared::dialect::{Dialect, MYSQL, POSTGRES, Returning, SQLITE};
use proc_macro2::TokenStream;
use quote::quote;

use super::descriptor::index;
use crate::model::{Model, Role};

/// The statements for each database whose feature is on.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let mut statements = TokenStream::new();
    if cfg!(feature = "sqlite") {
        let sqlite = database(model, SQLITE);
        statements.extend(quote!(.sqlite(#sqlite)));
    }
    if cfg!(feature = "postgres") {
        let postgres = database(model, POSTGRES);
        statements.extend(quote!(.postgres(#postgres)));
    }
    if cfg!(feature = "mysql") {
        let mysql = database(model, MYSQL);
        statements.extend(quote!(.mysql(#mysql)));
    }
    statements
}

/// The statements in a dialect, in the order of the fields of `Statements`.
fn database(model: &Model<'_>, dialect: Dialect) -> TokenStream {
    let table = quoted(&model.table, dialect);
    let columns = columns(model, dialect);
    let id = model.fields.get(model.id).map_or_else(String::new, |field| quoted(&field.column.value, dialect));
    let inserted: Vec<usize> = (0..model.fields.len()).filter(|&column| model.fields[column].is_inserted()).collect();

    let select = format!("SELECT {columns} FROM {table}");
    let key = placeholder(1, dialect);
    let get = format!("{select} WHERE {id} = {key}");
    if model.view.is_some() {
        return quote!(#select, #get, "", &[], "", "");
    }
    let returning = match dialect.returning {
        Returning::Always => format!(" RETURNING {columns}"),
        Returning::MariaDbInserts => format!(" /*M!100500 RETURNING {columns} */"),
    };
    let deleted = match dialect.returning {
        Returning::Always => returning.as_str(),
        Returning::MariaDbInserts => "",
    };
    let delete = format!("DELETE FROM {table} WHERE {id} = {key}{deleted}");
    let insert = insert(model, &table, &inserted, dialect, &returning);
    let insert_columns = inserted.iter().map(|&column| index(column));
    quote! {
        #select, #get, #insert, &[#(#insert_columns),*], #returning, #delete
    }
}

/// The expressions that a record is read from: the columns, and whether there is a deletion timestamp.
fn columns(model: &Model<'_>, dialect: Dialect) -> String {
    let is_deleted = model.soft_delete.as_ref().map(|soft_delete| {
        let deleted_at = &model.fields[soft_delete.deleted_at].column.value;
        format!("{} IS NOT NULL", quoted(deleted_at, dialect))
    });
    let declared = model.fields.iter().map(|field| match &is_deleted {
        Some(is_deleted) if field.role == Role::IsDeleted => is_deleted.clone(),
        _ => quoted(&field.column.value, dialect),
    });
    let declares = model.fields.iter().any(|field| field.role == Role::IsDeleted);
    list(declared.chain(is_deleted.clone().filter(|_| !declares)))
}

fn insert(model: &Model<'_>, table: &str, inserted: &[usize], dialect: Dialect, returning: &str) -> String {
    if inserted.is_empty() {
        return format!("INSERT INTO {table} {}{returning}", dialect.no_values);
    }
    let columns = list(inserted.iter().map(|&column| quoted(&model.fields[column].column.value, dialect)));
    let values = list((1..=inserted.len()).map(|number| placeholder(number, dialect)));
    format!("INSERT INTO {table} ({columns}) VALUES ({values}){returning}")
}

/// An identifier in quotes.
fn quoted(name: &str, dialect: Dialect) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    dialect.push_identifier(&mut text, name);
    text
}

/// The placeholder of the value with this number, from 1.
fn placeholder(number: usize, dialect: Dialect) -> String {
    let mut text = String::new();
    dialect.push_placeholder(&mut text, number);
    text
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
