//! The text of the fixed statements. Identifiers are quoted, values bound.

use crud_shared::dialect::{Dialect, MYSQL, POSTGRES, Returning, SQLITE};
use proc_macro2::TokenStream;
use quote::quote;

use super::descriptor::index;
use crate::attr::computed::{Computed, Expressions};
use crate::model::{Field, Model, Role};
use crate::ty::Known;

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
    let mut table = String::with_capacity(model.table.len() + 5);
    dialect.push_table(&mut table, &model.table);
    let columns = columns(model, dialect);
    let inserted: Vec<usize> = (0..model.fields.len()).filter(|&column| model.fields[column].is_inserted()).collect();

    let select = format!("SELECT {columns} FROM {table}");
    let get = key(model, dialect).map_or_else(String::new, |key| format!("{select} WHERE {key}"));
    if model.is_read_only() {
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
    let delete =
        key(model, dialect).map_or_else(String::new, |key| format!("DELETE FROM {table} WHERE {key}{deleted}"));
    let insert = insert(model, &table, &inserted, dialect, &returning);
    let insert_columns = inserted.iter().map(|&column| index(column));
    quote! {
        #select, #get, #insert, &[#(#insert_columns),*], #returning, #delete
    }
}

/// The condition on the record of a key: `"order_id" = $1 AND "line" = $2`.
fn key(model: &Model<'_>, dialect: Dialect) -> Option<String> {
    let part = |(position, &part): (usize, &usize)| {
        let field = model.fields.get(part)?;
        Some(format!("{} = {}", quoted(&field.column.value, dialect), placeholder(position + 1, field, dialect)))
    };
    let parts: Option<Vec<String>> = model.key.iter().enumerate().map(part).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" AND "))
}

/// The expressions that a record is read from: the columns, and whether there is a deletion timestamp.
fn columns(model: &Model<'_>, dialect: Dialect) -> String {
    let is_deleted = model.soft_delete.as_ref().map(|soft_delete| {
        let deletion = &model.fields[soft_delete.deleted_at];
        let name = quoted(&deletion.column.value, dialect);
        if deletion.ty.known == Some(Known::Bool) { name } else { format!("{name} IS NOT NULL") }
    });
    let declared = model.fields.iter().map(|field| match &is_deleted {
        Some(is_deleted) if field.role == Role::IsDeleted => is_deleted.clone(),
        _ => read(field, dialect),
    });
    let declares = model.fields.iter().any(|field| field.role == Role::IsDeleted);
    list(declared.chain(is_deleted.clone().filter(|_| !declares)))
}

fn insert(model: &Model<'_>, table: &str, inserted: &[usize], dialect: Dialect, returning: &str) -> String {
    if inserted.is_empty() {
        return format!("INSERT INTO {table} {}{returning}", dialect.no_values);
    }
    let columns = list(inserted.iter().map(|&column| quoted(&model.fields[column].column.value, dialect)));
    let values = inserted.iter().enumerate();
    let values = list(values.map(|(position, &column)| placeholder(position + 1, &model.fields[column], dialect)));
    format!("INSERT INTO {table} ({columns}) VALUES ({values}){returning}")
}

/// An identifier in quotes.
fn quoted(name: &str, dialect: Dialect) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    dialect.push_identifier(&mut text, name);
    text
}

/// The expression that a field is read from: its column, that as text, or its own expression.
fn read(field: &Field<'_>, dialect: Dialect) -> String {
    let mut text = String::new();
    if let Some(computed) = &field.computed {
        return format!("({})", expression(computed, dialect));
    }
    match field.text_cast() {
        Some(_) => dialect.push_as_text(&mut text, &field.column.value, field.ty.known == Some(Known::TextList)),
        None => dialect.push_identifier(&mut text, &field.column.value),
    }
    text
}

/// The expression of a computed field. Of one that a function computes, rows have null.
fn expression(computed: &Computed, dialect: Dialect) -> &str {
    const NULL: &str = "NULL";
    let Some(Expressions { sql, sqlite, postgres, mysql }) = computed.expressions() else { return NULL };
    let own = match dialect {
        SQLITE => sqlite,
        POSTGRES => postgres,
        _ => mysql,
    };
    own.as_ref().or(sql.as_ref()).map_or(NULL, |written| written.value.as_str())
}

/// The placeholder of a field's value, which has this number, from 1.
fn placeholder(number: usize, field: &Field<'_>, dialect: Dialect) -> String {
    let mut text = String::new();
    dialect.push_placeholder(&mut text, number);
    if let Some(sql_type) = field.text_cast() {
        dialect.push_cast(&mut text, sql_type);
    }
    text
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
