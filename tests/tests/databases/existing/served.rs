//! Resources that the `crud` command wrote for a database, served as they are: every list, order, filter and relation answers what
//! SQL answers.

use std::collections::HashMap;

use crud_runtime::Service;
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor, Role};
use crud_runtime::prelude::Resource as _;
use crud_tests::{Api, Backend, Database, on_each_sql_backend, on_each_sql_server, query};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::existing::descriptions::{make, run};
use crate::existing::{mysql, postgres, sqlite};

/// Number of records of a page.
const LIMIT: usize = 7;

/// The greatest number of values of a column that are filtered by.
const VALUES: usize = 12;

/// A resource, its records in the order of their keys, and the same order in SQL.
struct Listed<'a> {
    api: &'a Api,
    database: &'a Database,
    resource: &'static Descriptor,
    records: Vec<Value>,
    /// The position of each record, by its key.
    positions: HashMap<String, usize>,
    /// `WITH numbered AS (…)`: the table with the position of each row.
    numbered: String,
}

/// The records of a list, page by page.
async fn all(api: &Api, path: &str, parameters: &[(String, String)]) -> Vec<Value> {
    let mut records = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let limit = ("limit".to_owned(), LIMIT.to_string());
        let next = cursor.iter().map(|cursor| ("cursor".to_owned(), cursor.clone()));
        let parameters: Vec<_> = parameters.iter().cloned().chain([limit]).chain(next).collect();
        let page = api.get(query(path, parameters)).await.ok();
        records.extend(page["data"].as_array().expect("records").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return records,
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value as a parameter or a part of a path has it.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl<'a> Listed<'a> {
    async fn new(api: &'a Api, database: &'a Database, resource: &'static Descriptor) -> Self {
        let key: Vec<&ColumnDescriptor> = resource.columns.iter().filter(|column| column.role == Role::Id).collect();
        let order: Vec<String> = key.iter().map(|column| quoted(column.column)).collect();
        let table = resource.table.split('.').map(quoted).collect::<Vec<_>>().join(".");
        let numbered = format!(
            "WITH numbered AS (SELECT t.*, row_number() OVER (ORDER BY {}) AS crud_position FROM {table} t)",
            order.join(", ")
        );
        let records = all(api, resource.prefix, &[]).await;
        let positions = records.iter().enumerate().map(|(index, record)| (Self::key_of(resource, record), index + 1));
        let positions = positions.collect();
        Self { api, database, resource, records, positions, numbered }
    }

    fn key_of(resource: &Descriptor, record: &Value) -> String {
        let parts = resource.columns.iter().filter(|column| column.role == Role::Id);
        let parts: Vec<String> = parts.map(|column| text(&record[column.json])).collect();
        match &parts[..] {
            [part] => part.clone(),
            parts => parts.iter().map(|part| encoded(part)).collect::<Vec<_>>().join(","),
        }
    }

    /// The positions of records.
    fn positions(&self, records: &[Value]) -> Vec<usize> {
        records.iter().map(|record| self.positions[&Self::key_of(self.resource, record)]).collect()
    }

    /// The positions that SQL selects by each of these ends of a statement.
    async fn selected(&self, rests: &[String]) -> Vec<Vec<usize>> {
        let cast = if self.database.backend() == Backend::MySql { "CHAR" } else { "TEXT" };
        let select = |rest: &String| {
            format!("{} SELECT CAST(crud_position AS {cast}) AS crud_text FROM numbered {rest}", self.numbered)
        };
        let selects: Vec<String> = rests.iter().map(select).collect();
        let positions = |texts: Vec<String>| texts.iter().map(|text| text.parse().expect("a number")).collect();
        self.database.texts_of_each(&selects).await.into_iter().map(positions).collect()
    }

    /// Asserts that lists with these parameters have the records that SQL selects by these ends of a statement.
    async fn assert_lists(&self, lists: Vec<((String, String), String)>) {
        let (parameters, rests): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
        for (parameter, selected) in parameters.into_iter().zip(self.selected(&rests).await) {
            let found = self.positions(&all(self.api, self.resource.prefix, std::slice::from_ref(&parameter)).await);
            assert_eq!(found, selected, "{} by {parameter:?}", self.resource.name);
        }
    }

    async fn check(&self) {
        let expected: Vec<usize> = (1..=self.records.len()).collect();
        assert_eq!(self.selected(&["ORDER BY crud_position".to_owned()]).await, [expected], "{}", self.resource.name);
        for record in self.records.iter().take(VALUES) {
            let path = format!("{}/{}", self.resource.prefix, encoded(&Self::key_of(self.resource, record)));
            assert_eq!(&self.api.get(&path).await.ok(), record, "{path}");
        }
        for column in self.resource.columns {
            if column.sortable {
                self.check_orders(column).await;
            }
            if column.filterable {
                self.check_filters(column).await;
            }
            if column.references.is_some_and(|reference| reference.expand) {
                self.check_relation(column).await;
            }
        }
    }

    async fn check_orders(&self, column: &ColumnDescriptor) {
        let name = quoted(column.column);
        // Ties are in the order of the key, in the direction of the last one.
        let nulls_first = ("", format!("ORDER BY {name} IS NOT NULL, {name}, crud_position"));
        let nulls_last = ("-", format!("ORDER BY {name} IS NULL, {name} DESC, crud_position DESC"));
        let sort = |(sign, order)| (("sort".to_owned(), format!("{sign}{}", column.json)), order);
        self.assert_lists([nulls_first, nulls_last].map(sort).into()).await;
    }

    async fn check_filters(&self, column: &ColumnDescriptor) {
        let name = quoted(column.column);
        let (mut seen, mut lists): (Vec<&Value>, Vec<_>) = (Vec::new(), Vec::new());
        for (index, record) in self.records.iter().enumerate() {
            let value = &record[column.json];
            if value.is_null() || seen.contains(&value) || seen.len() == VALUES {
                continue;
            }
            seen.push(value);
            let same = format!("(SELECT {name} FROM numbered WHERE crud_position = {})", index + 1);
            for (operator, sql) in [("", "="), ("__gte", ">="), ("__lt", "<")] {
                // Values without an order have neither.
                let is_ordered = column.sortable && column.kind.is_ordered();
                if !(operator.is_empty() || is_ordered) {
                    continue;
                }
                let filter = (format!("{}{operator}", column.json), text(value));
                lists.push((filter, format!("WHERE {name} {sql} {same} ORDER BY crud_position")));
            }
        }
        if column.nullable {
            let filter = (format!("{}__isnull", column.json), "true".to_owned());
            lists.push((filter, format!("WHERE {name} IS NULL ORDER BY crud_position")));
        }
        self.assert_lists(lists).await;
    }

    async fn check_relation(&self, column: &ColumnDescriptor) {
        let Some(reference) = column.references else { return };
        let Some(relation) = reference.relation else { return };
        let target = (reference.target)().id_column().json;
        let expand = ("expand".to_owned(), relation.to_owned());
        for record in all(self.api, self.resource.prefix, &[expand]).await {
            let (field, found) = (&record[column.json], &record[relation]);
            // Without a foreign key, there may be no such record.
            if !(found.is_null() && (field.is_null() || reference.unconstrained)) {
                assert_eq!(&found[target], field, "{} of {}", relation, self.resource.name);
            }
        }
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Lists of records without a key have every record, and filters those that SQL selects.
async fn check_without_key(api: &Api, database: &Database, resource: &'static Descriptor) {
    let table = resource.table.split('.').map(quoted).collect::<Vec<_>>().join(".");
    let cast = if database.backend() == Backend::MySql { "CHAR" } else { "TEXT" };
    let count = |condition: &str| format!("SELECT CAST(count(*) AS {cast}) FROM {table} {condition}");
    let total = async |path: String| text(&api.get(path).await.ok()["total"]);
    assert_eq!(vec![total(resource.prefix.to_owned()).await], database.texts(&count("")).await, "{}", resource.name);
    for column in resource.columns.iter().filter(|column| column.filterable && column.nullable) {
        let path = query(resource.prefix, [(format!("{}__isnull", column.json), "true")]);
        let condition = format!("WHERE {} IS NULL", quoted(column.column));
        assert_eq!(vec![total(path).await], database.texts(&count(&condition)).await, "{}", resource.name);
    }
    for column in resource.columns.iter().filter(|column| column.sortable) {
        api.get(query(resource.prefix, [("sort", column.json)])).await.ok();
    }
}

/// Serves resources on a database that is there, and compares every answer with SQL's.
pub(crate) async fn check(
    database: &Database,
    add: impl FnOnce(Service) -> Service,
    resources: &[&'static Descriptor],
) {
    let service = add(Service::connect(database.url()).await.expect("it opens"));
    let api = Api::start(database, service.check_schema().await.expect("the tables fit")).await;
    for resource in resources {
        if resource.columns.iter().any(|column| column.role == Role::Id) {
            Listed::new(&api, database, resource).await.check().await;
        } else {
            check_without_key(&api, database, resource).await;
        }
    }
}

/// The descriptors of resources, by their files and names.
macro_rules! descriptors {
    ($module:ident: $($file:ident::$name:ident),+) => { &[$($module::$file::$name::DESCRIPTOR),+] };
}

const POSTGRES: &[&Descriptor] = descriptors!(postgres: access_token::AccessToken, account::Account,
    account_extra::AccountExtra, account_list_record::AccountListRecord, sign_in::SignIn, squared::Squared, author::Author, authorship::Authorship, book::Book, lent_book::LentBook,
    loan::Loan, price::Price, publisher::Publisher, reader::Reader, readers::Readers, review::Review, review_text::ReviewText,
    shelf::Shelf, visit::Visit);
const SQLITE: &[&Descriptor] = descriptors!(sqlite: account::Account, account_extra::AccountExtra, sign_in::SignIn,
    visited::Visited, author::Author, authorship::Authorship, book::Book, long_book::LongBook,
    publisher::Publisher, visit::Visit);
const MYSQL: &[&Descriptor] = descriptors!(mysql: account::Account, counted::Counted, session::Session, sign_in::SignIn,
    authorship::Authorship, book::Book, long_book::LongBook,
    publisher::Publisher, visit::Visit);

#[test]
fn resources_answer_what_sql_answers() {
    on_each_sql_backend(async |database| {
        make(database).await;
        match database.backend() {
            Backend::Postgres => {
                run(database, "postgres.rows.sql").await;
                check(database, postgres::add, POSTGRES).await;
            }
            Backend::MySql => {
                run(database, "mysql.rows.sql").await;
                check(database, mysql::add, MYSQL).await;
            }
            _ => check(database, sqlite::add, SQLITE).await,
        }
    });
}

#[test]
fn resources_answer_what_sql_answers_in_the_order_of_a_language() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        let Some(english) = database.in_english().await else { return };
        let ordered =
            english.texts("SELECT word FROM (VALUES ('b'), ('A'), ('B'), ('a')) words (word) ORDER BY 1").await;
        assert_eq!(ordered, ["a", "A", "b", "B"], "it is not by code point");
        make(&english).await;
        run(&english, "postgres.rows.sql").await;
        check(&english, postgres::add, POSTGRES).await;
    });
}
