//! Hand-written descriptors, and operations on an adapter.

use std::sync::Arc;

use crud_runtime::Column;
use crud_runtime::adapter::Changes;
use crud_runtime::adapter::{
    self, Adapter, AdapterError, Administration, Guard, Row, RowSink, SqliteAdapter, Target, Update, Work, Write,
    WriteSink,
};
use crud_runtime::column::{Kind, Value, owned_value};
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor, Role, SortKey, Statements};
use crud_runtime::query::{ListQuery, Predicate, total_order};

/// A record's values, in the order of the columns.
pub type Record = Vec<Value>;

/// A column with the same name in Rust, JSON and storage.
pub fn column<T: Column>(name: &'static str) -> ColumnDescriptor {
    ColumnDescriptor::new::<T>(name, name, leak(format!("\"{name}\":")), name)
}

/// An integer key that storage assigns.
pub fn id() -> ColumnDescriptor {
    column::<i64>("id").role(Role::Id)
}

/// The time of the last change.
pub fn updated_at() -> ColumnDescriptor {
    column::<chrono::DateTime<chrono::Utc>>("updated_at").role(Role::UpdatedAt)
}

/// A resource with SQLite's statements; its first column is the key.
pub fn resource(table: &'static str, columns: Vec<ColumnDescriptor>) -> Descriptor {
    let columns: &'static [ColumnDescriptor] = Vec::leak(columns);
    let mut resource = Descriptor::new(table, "tests", leak(format!("/{table}")), table, columns, 0);
    resource.sqlite = Some(statements(table, columns));
    resource
}

/// Waits until so many changes wait to be written.
pub async fn wait_for_waiting(adapter: &SqliteAdapter, changes: u64) {
    while adapter.status().expect("the status").waiting < changes {
        tokio::task::yield_now().await;
    }
}

pub fn leak_descriptor(descriptor: Descriptor) -> &'static Descriptor {
    Box::leak(Box::new(descriptor))
}

pub fn leak(text: String) -> &'static str {
    String::leak(text)
}

fn statements(table: &str, columns: &'static [ColumnDescriptor]) -> Statements {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let list = |columns: &mut dyn Iterator<Item = &'static ColumnDescriptor>| {
        columns.map(|column| quoted(column.column)).collect::<Vec<_>>().join(", ")
    };
    let table = quoted(table);
    let id = quoted(columns[0].column);
    let all = list(&mut columns.iter());
    let assigned = matches!(columns[0].kind, Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32);
    let insert_columns: &'static [usize] = Vec::leak((usize::from(assigned)..columns.len()).collect());
    let inserted = list(&mut insert_columns.iter().map(|column| &columns[*column]));
    let places = vec!["?"; insert_columns.len()].join(", ");
    Statements::new(
        leak(all.clone()),
        leak(format!("SELECT {all} FROM {table} WHERE {id} = ?1")),
        leak(format!("INSERT INTO {table} ({inserted}) VALUES ({places}) RETURNING {all}")),
        insert_columns,
        leak(format!("DELETE FROM {table} WHERE {id} = ?1 RETURNING {all}")),
    )
}

/// A sink that keeps records as owned values.
#[derive(Debug)]
pub struct Records {
    resource: &'static Descriptor,
    pub received: Vec<Record>,
    /// Number of records at the mark, where the sink has marks.
    mark: Option<usize>,
}

impl Records {
    pub fn new(resource: &'static Descriptor) -> Self {
        Self { resource, received: Vec::new(), mark: None }
    }

    pub fn with_marks(resource: &'static Descriptor) -> Self {
        Self { mark: Some(0), ..Self::new(resource) }
    }
}

impl RowSink for Records {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let values = self.resource.columns.iter().enumerate().map(|(index, column)| {
            let value = row.value(index)?;
            owned_value(column.kind, value).map_err(|error| AdapterError::Corrupt { column: column.column, error })
        });
        self.received.push(values.collect::<Result<_, _>>()?);
        Ok(())
    }

    fn mark(&mut self) -> bool {
        self.mark = self.mark.map(|_| self.received.len());
        self.mark.is_some()
    }

    fn return_to_mark(&mut self) {
        self.received.truncate(self.mark.expect("a mark"));
    }
}

impl WriteSink for Records {
    fn record(&mut self, _: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.row(row)
    }
}

/// A database in memory with tables for these resources.
pub async fn memory(resources: &[&'static Descriptor]) -> SqliteAdapter {
    let adapter = SqliteAdapter::connect("sqlite::memory:").await.expect("the database opens");
    adapter.migrate(resources).await.expect("the tables");
    adapter
}

/// A database in a file of this directory with tables for these resources.
pub async fn file(directory: &tempfile::TempDir, resources: &[&'static Descriptor]) -> SqliteAdapter {
    let adapter = SqliteAdapter::connect(&url(directory)).await.expect("the database opens");
    adapter.migrate(resources).await.expect("the tables");
    adapter
}

pub fn url(directory: &tempfile::TempDir) -> String {
    format!("sqlite://{}", directory.path().join("test.db").display())
}

/// The outcome of a write of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Missing,
    WrongState,
    Refused,
}

/// Writes one change; returns its outcome and the record that the adapter returned.
pub async fn write(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    work: Work<'_>,
) -> Result<(Outcome, Option<Record>), AdapterError> {
    let mut sink = Records::new(resource);
    let mut outcomes = adapter.write(resource, Write::atomic(work, None), &mut sink).await?;
    let outcome = match outcomes.pop().expect("an outcome for the change") {
        adapter::Outcome::Done => Outcome::Done,
        adapter::Outcome::Missing => Outcome::Missing,
        adapter::Outcome::WrongState => Outcome::WrongState,
        adapter::Outcome::Refused => Outcome::Refused,
        adapter::Outcome::Failed(error) => return Err(error),
    };
    assert!(outcomes.is_empty());
    assert_eq!(outcome == Outcome::Done, sink.received.len() == 1);
    Ok((outcome, sink.received.pop()))
}

pub async fn insert(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    record: &[Value],
) -> Result<Record, AdapterError> {
    let (_, record) = write(adapter, resource, Work::Insert(&[record.to_vec()])).await?;
    Ok(record.expect("an insert returns its record"))
}

pub async fn get(adapter: &dyn Adapter, resource: &'static Descriptor, id: &Value) -> Option<Record> {
    let mut sink = Records::new(resource);
    let found = adapter.get(resource, &id.clone().into(), None, &mut sink).await.expect("the record is read");
    assert_eq!(found, sink.received.len() == 1);
    sink.received.pop()
}

pub async fn list(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    query: &ListQuery,
) -> Result<Vec<Record>, AdapterError> {
    let mut sink = Records::new(resource);
    adapter.list(resource, query, &mut sink).await?;
    Ok(sink.received)
}

/// The ids of the records that satisfy a predicate, ascending; checks that `count` agrees.
pub async fn matching(adapter: &dyn Adapter, resource: &'static Descriptor, filter: Predicate) -> Vec<i64> {
    let query = ListQuery::all(resource).filter(filter);
    let records = list(adapter, resource, &query).await.expect("the list");
    let count = adapter.count(resource, &query.filter).await.expect("the count");
    assert_eq!(count, records.len() as u64, "{query:?}");
    records.iter().map(|record| int(&record[0])).collect()
}

pub async fn update(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Value,
    changes: &Changes,
    guard: Option<Arc<dyn Guard>>,
) -> Result<(Outcome, Option<Record>), AdapterError> {
    write(adapter, resource, Work::Update(&[Update::new(&id.clone().into(), changes, guard)])).await
}

pub async fn delete(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Value,
    guard: Option<Arc<dyn Guard>>,
) -> Result<(Outcome, Option<Record>), AdapterError> {
    write(adapter, resource, Work::Delete(&[Target::new(&id.clone().into(), guard)])).await
}

pub fn changes(values: impl IntoIterator<Item = (usize, Value)>) -> Changes {
    let mut changes = Changes::new();
    for (column, value) in values {
        changes.set(column, value);
    }
    changes
}

/// A query for every record in this order.
pub fn sorted(resource: &'static Descriptor, keys: &[SortKey]) -> ListQuery {
    ListQuery::all(resource).sort(total_order(resource, keys.to_vec()))
}

pub fn int(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is not an integer"),
    }
}

pub fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}
