//! The text of the fixed statements. Identifiers are quoted, values bound.

use proc_macro2::TokenStream;
use quote::quote;

use super::descriptor::index;
use crate::model::{Model, Role};

/// How a database spells statements.
#[derive(Debug, Clone, Copy)]
struct Dialect {
    /// What encloses an identifier, doubled within it.
    quote: char,
    /// What comes before the number of a placeholder, or stands for it where there is none.
    placeholder: char,
    numbered: bool,
    /// The values of an insert that binds none.
    no_values: &'static str,
    /// Whether changes return the records.
    returns: bool,
}

const SQLITE: Dialect =
    Dialect { quote: '"', placeholder: '?', numbered: true, no_values: "DEFAULT VALUES", returns: true };
const POSTGRES: Dialect = Dialect { placeholder: '$', ..SQLITE };
const MYSQL: Dialect =
    Dialect { quote: '`', placeholder: '?', numbered: false, no_values: "() VALUES ()", returns: false };

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

/// `Statements` in a dialect.
fn database(model: &Model<'_>, dialect: Dialect) -> TokenStream {
    let table = dialect.quoted(&model.table);
    let columns = columns(model, dialect);
    let id = model.fields.get(model.id).map_or_else(String::new, |field| dialect.quoted(&field.column.value));
    let inserted: Vec<usize> = (0..model.fields.len()).filter(|&column| model.fields[column].is_inserted()).collect();

    let select = format!("SELECT {columns} FROM {table}");
    let key = dialect.placeholder(1);
    let get = format!("{select} WHERE {id} = {key}");
    // Of MySQL and MariaDB, the latter alone executes the comment; it can so return what it inserts.
    let returning =
        if dialect.returns { format!(" RETURNING {columns}") } else { format!(" /*M!100500 RETURNING {columns} */") };
    let of_delete = if dialect.returns { returning.as_str() } else { "" };
    let delete = format!("DELETE FROM {table} WHERE {id} = {key}{of_delete}");
    let insert = insert(model, &table, &inserted, dialect, &returning);
    let insert_columns = inserted.iter().map(|&column| index(column));
    quote! {
        __crud::Statements {
            select: #select,
            get: #get,
            insert: #insert,
            insert_columns: &[#(#insert_columns),*],
            returning: #returning,
            delete: #delete,
        }
    }
}

/// What a record is read from: the columns, and whether there is a deletion timestamp.
fn columns(model: &Model<'_>, dialect: Dialect) -> String {
    let is_deleted = model.soft_delete.as_ref().map(|soft_delete| {
        let deleted_at = &model.fields[soft_delete.deleted_at].column.value;
        format!("{} IS NOT NULL", dialect.quoted(deleted_at))
    });
    let declared = model.fields.iter().map(|field| match &is_deleted {
        Some(is_deleted) if field.role == Role::IsDeleted => is_deleted.clone(),
        _ => dialect.quoted(&field.column.value),
    });
    let declares = model.fields.iter().any(|field| field.role == Role::IsDeleted);
    list(declared.chain(is_deleted.clone().filter(|_| !declares)))
}

fn insert(model: &Model<'_>, table: &str, inserted: &[usize], dialect: Dialect, returning: &str) -> String {
    if inserted.is_empty() {
        return format!("INSERT INTO {table} {}{returning}", dialect.no_values);
    }
    let columns = list(inserted.iter().map(|&column| dialect.quoted(&model.fields[column].column.value)));
    let values = list((1..=inserted.len()).map(|position| dialect.placeholder(position)));
    format!("INSERT INTO {table} ({columns}) VALUES ({values}){returning}")
}

impl Dialect {
    /// An identifier: in quotes, which are doubled inside.
    fn quoted(self, name: &str) -> String {
        let quote = self.quote;
        format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
    }

    /// The placeholder of the value at this position, from 1.
    fn placeholder(self, position: usize) -> String {
        if self.numbered { format!("{}{position}", self.placeholder) } else { self.placeholder.to_string() }
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{MYSQL, SQLITE};

    #[test]
    fn a_quote_in_a_name_is_doubled() {
        assert_eq!(SQLITE.quoted("order"), "\"order\"");
        assert_eq!(SQLITE.quoted("a\"; DROP TABLE x; --"), "\"a\"\"; DROP TABLE x; --\"");
        assert_eq!(MYSQL.quoted("a`b\""), "`a``b\"`");
    }
}
