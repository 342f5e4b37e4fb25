//! [`Store`]: typed access to a resource's records, for the program's own code.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::page::Page;
use crate::model::adapter_error::AdapterError;
use crate::model::column::{Column, FieldLocation, IntoColumn};
use crate::model::descriptor::{Descriptor, RequestContext};
use crate::model::json;
use crate::model::key::{Key, RecordKey};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, ValueRef};
use crate::query::visibility::FieldVisibility;
use crate::query::{Aggregation, Field, Group, Scope, Select, ToOne};
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::each_row::each_row;
use crate::store::scope::caller::Caller;
use crate::store::scope::store_scope::StoreScope;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::untyped::store::UntypedStore;

impl App {
    /// The store of a resource, limited to the actor's tenant where records have tenants.
    pub(crate) fn own_store<R: Resource>(&self) -> Store<R> {
        Store::new(self.clone(), None)
    }
}

/// Typed access to the records of `R`, with the validation and timestamps of HTTP requests. Cheap to clone.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String, pages: i32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?;
/// let books = service.store::<Book>();
/// let book = books.create(NewBook { title: "Middlemarch".into(), pages: 880 }).await?;
/// let book = books.update(book.id, BookPatch::default().pages(904)).await?;
/// let long = books.list(Book::FIELDS.pages.gt(500).order_by(Book::FIELDS.title.asc()).limit(5)).await?;
/// assert_eq!(long[0].pages, book.pages);
/// # Ok(()) }
/// ```
///
/// Its errors are [`Error::Problem`](crate::storage::error::Error::Problem), the same as over HTTP.
pub struct Store<R> {
    pub(crate) untyped: UntypedStore,
    resource: PhantomData<fn() -> R>,
}

impl<R> Clone for Store<R> {
    fn clone(&self) -> Self {
        Self { untyped: self.untyped.clone(), resource: PhantomData }
    }
}

impl<R: Resource> fmt::Debug for Store<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<R: Resource> Store<R> {
    /// The store of a resource, in a transaction if there is one.
    pub(crate) fn new(app: App, transaction: Option<Arc<SharedTransaction>>) -> Self {
        let mounted = app.mounted::<R>();
        Self { untyped: UntypedStore { app, mounted, transaction }, resource: PhantomData }
    }

    /// The records of a query: a condition or a whole [`Select`]. Without a limit, all of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, query: impl Into<Select<R>>) -> Result<Vec<R>> {
        let mut sink = RecordSink(Vec::new());
        self.untyped.list(&query.into().into_list_query(), &mut sink).await?;
        Ok(sink.0)
    }

    /// The records of a query, each with the record that it refers to: `None` where that does not exist, is
    /// soft-deleted, or is not in the store's scope. This takes one more query for each 500 different records that are
    /// referred to.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::query::Select;
    /// # #[derive(Debug, Clone, Resource)] struct Author { id: i64, name: String }
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64, title: String, #[crud(references(Author, expand))] author_id: Option<i64> }
    /// # async fn example(books: Store<Book>) -> crud_runtime::Result<()> {
    /// for (book, author) in books.list_with(Select::all().limit(20), Book::FIELDS.author).await? {
    ///     println!("{} by {}", book.title, author.map_or("unknown".into(), |author| author.name));
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_with<S: Resource + Clone>(
        &self,
        query: impl Into<Select<R>>,
        relation: ToOne<R, S>,
    ) -> Result<Vec<(R, Option<S>)>> {
        let column = relation.column();
        let mut records: Vec<(R, Key)> = Vec::new();
        let mut sink = each_row(|row| {
            let value = |column| stored_value(R::DESCRIPTOR, column, row);
            let reference = R::DESCRIPTOR.columns[column].references;
            let key = reference.map(|reference| reference.key(column, value)).transpose()?.flatten();
            records.push((R::from_row(row)?, key.unwrap_or_else(|| Value::Null.into())));
            Ok(())
        });
        self.untyped.list(&query.into().into_list_query(), &mut sink).await?;
        let keys = records.iter().map(|(_, key)| (key.to_string(), key.clone()));
        let keys: BTreeMap<_, _> = keys.filter(|(_, key)| !key.is_null()).collect();
        let mut found = RecordSink::<S>(Vec::new());
        self.untyped.list_keys(S::DESCRIPTOR, keys.into_values().collect(), &mut found).await?;
        let keyed = found.0.into_iter().map(|record| (record.id().into_key().to_string(), record));
        let found: HashMap<_, _> = keyed.collect();
        Ok(records.into_iter().map(|(record, key)| (record, found.get(&key.to_string()).cloned())).collect())
    }

    /// The values of one field of a query's records.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64, title: String, pages: i32 }
    /// # async fn example(books: Store<Book>) -> crud_runtime::Result<()> {
    /// let titles: Vec<String> = books.pluck(Book::FIELDS.title, Book::FIELDS.pages.gt(500)).await?;
    /// # let _ = titles; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pluck<T: Column>(&self, field: Field<R, T>, query: impl Into<Select<R>>) -> Result<Vec<T>> {
        let index = field.column();
        let mut values = Vec::new();
        let mut sink = each_row(|row| {
            values.push(stored_value(R::DESCRIPTOR, index, row)?);
            Ok(())
        });
        self.untyped.list(&query.into().into_list_query(), &mut sink).await?;
        let read = |value: Value| T::from_value(value.borrow());
        let values: std::result::Result<Vec<T>, _> = values.into_iter().map(read).collect();
        let column = R::DESCRIPTOR.columns[index].column;
        let corrupt = |error| Problem::from_adapter(R::DESCRIPTOR, AdapterError::Corrupt { column, error });
        Ok(values.map_err(corrupt)?)
    }

    /// The first record of a query, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn first(&self, query: impl Into<Select<R>>) -> Result<Option<R>> {
        Ok(self.list(query.into().limit(1)).await?.pop())
    }

    /// The first record of a query.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub async fn get_where(&self, query: impl Into<Select<R>>) -> Result<R> {
        let missing = || Problem::new(Code::NotFound, format!("{} not found", R::DESCRIPTOR.name));
        Ok(self.first(query).await?.ok_or_else(missing)?)
    }

    /// A page of a query's records, with the exact total, whatever the resource's lists count. Without a limit, the resource's default limit, or 20.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page(&self, query: impl Into<Select<R>>) -> Result<Page<R>> {
        let mut query = query.into().into_list_query();
        let default = self.untyped.mounted.options().pagination.map_or(20, |pages| u64::from(pages.default_limit));
        let limit = query.limit.unwrap_or(default).max(1);
        query.limit = Some(limit);
        let mut sink = RecordSink(Vec::new());
        self.untyped.list(&query, &mut sink).await?;
        let total = self.untyped.count(&query, None).await?;
        let (page, pages) = (query.skip / limit + 1, total.div_ceil(limit));
        Ok(Page { data: sink.0, total, page, pages, limit, skip: query.skip })
    }

    /// The record with this key, unless it is soft-deleted.
    ///
    /// # Errors
    /// `not_found` when there is none; a handler can return it as the response.
    pub async fn get(&self, id: impl IntoColumn<R::Id>) -> Result<R> {
        let id = id.into_column().into_key();
        let mut sink = RecordSink(Vec::new());
        self.untyped.find(&id, Scope::Active, &mut sink).await?;
        sink.0.pop().ok_or_else(|| Problem::record_not_found(R::DESCRIPTOR, &id).into())
    }

    /// The record with this key, if it exists and is not soft-deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, id: impl IntoColumn<R::Id>) -> Result<Option<R>> {
        let id = id.into_column().into_key();
        let mut sink = RecordSink(Vec::new());
        self.untyped.find(&id, Scope::Active, &mut sink).await?;
        Ok(sink.0.pop())
    }

    /// The records that a principal sees over HTTP: those of its tenant, its own where records have owners, and those
    /// that a scope of the resource admits by its claims. New records get these values. Audit entries name the
    /// principal. Its access to operations is not checked.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Self {
        let principal = Arc::new(principal.clone());
        let app = self.untyped.app.acting_as_maybe(Some(&principal));
        self.with_app(app.scoped(StoreScope::of_caller(Caller::named(principal))))
    }

    /// The records of one tenant; in a store [of a principal](Self::of), those of them that the principal sees.
    #[must_use]
    pub fn tenant(&self, tenant: impl IntoColumn<R::Tenant>) -> Self
    where
        R::Tenant: Column,
    {
        let app = &self.untyped.app;
        self.with_app(app.scoped(app.scope().in_tenant(tenant.into_column().into_value())))
    }

    /// The records of every tenant; a new record names its own. In a store [of a principal](Self::of), those of them
    /// that the principal sees.
    #[must_use]
    pub fn across_tenants(&self) -> Self {
        let app = &self.untyped.app;
        self.with_app(app.scoped(app.scope().across_tenants()))
    }

    fn with_app(&self, app: App) -> Self {
        Self { untyped: UntypedStore { app, ..self.untyped.clone() }, resource: PhantomData }
    }

    /// A copy of the store, whose audit entries name this principal.
    #[must_use]
    pub fn acting_as(&self, actor: impl Into<Principal>) -> Self {
        self.with_app(self.untyped.app.acting_as(actor))
    }

    /// A record as HTTP writes it, as it is stored now: with the service's formats of times and decimals, and without
    /// hidden fields. In a store [of a principal](Self::of), only fields that the principal sees.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Part { id: i64, #[crud(decimal(18, 2))] price: Decimal, #[crud(hidden)] note: Option<String> }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// let parts = service.store::<Part>();
    /// let part = parts.create(NewPart::new(Decimal::ONE)).await?;
    /// assert_eq!(parts.json(&part).await?, serde_json::json!({ "id": 1, "price": "1.00" }));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `not_found` when it was removed since.
    pub async fn json(&self, record: &R) -> Result<serde_json::Value> {
        let id = record.id().into_key();
        let mut found = None;
        let mut sink = each_row(|row| {
            found = Some(json_of(R::DESCRIPTOR, row)?);
            Ok(())
        });
        self.untyped.find_in_state(&id, Scope::All, &mut sink).await?;
        let mut json = found.ok_or_else(|| Problem::record_not_found(R::DESCRIPTOR, &id))?;
        let view = self.untyped.app.scope().view(R::DESCRIPTOR);
        for (_, column) in R::DESCRIPTOR.columns.iter().enumerate().filter(|(index, _)| !view.shows(*index)) {
            json.shift_remove(column.json);
        }
        Ok(serde_json::Value::Object(json))
    }

    /// The number of records that satisfy a condition; of all records with `Select::all()`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count(&self, condition: impl Into<Select<R>>) -> Result<u64> {
        Ok(self.untyped.count(&condition.into().into_list_query(), None).await?)
    }

    /// Groups of the records that satisfy a condition, with their numbers and values: see [`Aggregation`]. The
    /// condition's order and limit do not matter.
    ///
    /// # Errors
    /// `constraint_failed` where a sum is beyond its type; `validation_failed` for a function or a span that a field
    /// does not support, such as a field in another program's spelling; when the database fails.
    pub async fn aggregate(&self, condition: impl Into<Select<R>>, aggregation: Aggregation<R>) -> Result<Vec<Group>> {
        let query = condition.into().into_list_query();
        Ok(self.untyped.aggregate(&query, aggregation.into_query()).await?)
    }

    /// The number of records that satisfy a condition, up to a limit, at which the count stops: its cost does not grow
    /// with the table.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)] struct Order { id: i64, open: bool }
    /// # async fn example(orders: Store<Order>) -> crud_runtime::Result<()> {
    /// let are_many = orders.count_up_to(Order::FIELDS.open.eq(true), 1_001).await? > 1_000;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_up_to(&self, condition: impl Into<Select<R>>, limit: u64) -> Result<u64> {
        Ok(self.untyped.count(&condition.into().into_list_query(), Some(limit)).await?)
    }
}

/// Collects typed records.
pub(crate) struct RecordSink<R>(pub(crate) Vec<R>);

impl<R: Resource> RowSink for RecordSink<R> {
    fn row(&mut self, row: &dyn Row) -> std::result::Result<(), AdapterError> {
        self.0.push(R::from_row(row)?);
        Ok(())
    }
}

/// The JSON of a record in answers, with its computed and converted fields.
fn json_of(resource: &Descriptor, row: &dyn Row) -> Result<serde_json::Map<String, serde_json::Value>, AdapterError> {
    let mut record = json::json_record(resource, row)?;
    if let Some(compute) = resource.computing {
        // Without a request, a URL is its path.
        let columns = resource.columns.iter().filter(|column| column.is_of_function());
        for (column, value) in columns.zip(compute(row, &RequestContext::default())?) {
            record.insert(column.json.to_owned(), json::json_value(column, value.borrow()));
        }
    }
    for (index, column) in resource.columns.iter().enumerate().filter(|(_, column)| column.is_returned()) {
        let Some(convert) = column.returned else { continue };
        let value = row.value(index)?;
        if !matches!(value, ValueRef::Null) {
            let path = FieldVisibility::default().path_of(resource, &Key::of_row(resource, row)?);
            let converted = convert(value, &FieldLocation::new(&path, column.json)).unwrap_or(Value::Null);
            record.insert(column.json.to_owned(), json::json_value(column, converted.borrow()));
        }
    }
    Ok(record)
}
