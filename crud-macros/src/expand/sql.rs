//! The text of the fixed statements. Identifiers are quoted, values bound.

use crud_shared::dialect::{Dialect, MYSQL, POSTGRES, SQLITE};
use crud_shared::statement::{Bound, Identity, Table};
use proc_macro2::TokenStream;
use quote::quote;

use super::tokens::index;
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
    let columns = columns(model, dialect);
    let table = Table { dialect, name: &model.table, columns: &columns };
    let key = model.key.iter().map(|&part| model.fields.get(part).map(bound));
    let key: Vec<Bound<'_>> = key.collect::<Option<_>>().unwrap_or_default();
    let tenant = model.fields.iter().find(|field| field.tenant.is_some()).map(bound);
    let record = Identity { key: &key, tenant };
    let get = table.get(record);
    if model.is_read_only() {
        return quote!(#columns, #get, "", &[], "");
    }
    let inserted: Vec<usize> = (0..model.fields.len()).filter(|&column| model.fields[column].is_inserted()).collect();
    let insert = table.insert(&inserted.iter().map(|&column| bound(&model.fields[column])).collect::<Vec<_>>());
    let delete = table.delete(record);
    let insert_columns = inserted.iter().map(|&column| index(column));
    quote! {
        #columns, #get, #insert, &[#(#insert_columns),*], #delete
    }
}

/// The column of a field, with the cast for its bound value.
fn bound<'f>(field: &'f Field<'_>) -> Bound<'f> {
    Bound { column: &field.column.value, cast: field.text_cast() }
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

/// An identifier in quotes.
fn quoted(name: &str, dialect: Dialect) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    dialect.push_identifier(&mut text, name);
    text
}

/// The expression that a field is read from: its column, its column cast to text, or the expression of a computed
/// field.
fn read(field: &Field<'_>, dialect: Dialect) -> String {
    let mut text = String::new();
    if let Some(computed) = &field.computed {
        return format!("({})", expression(computed, dialect));
    }
    match field.text_cast() {
        Some(sql_type) => {
            let is_list = field.ty.known == Some(Known::TextList);
            dialect.push_as_text(&mut text, &field.column.value, sql_type, is_list);
        }
        None => dialect.push_identifier(&mut text, &field.column.value),
    }
    text
}

/// The expression of a computed field. Rows have null for a field that a function computes.
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

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
