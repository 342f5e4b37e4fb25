//! Constraint errors of SQLite in terms of the resource.

use std::sync::OnceLock;
use std::time::Duration;

use chrono::{DateTime, Utc};
use crud_runtime::adapter::Changes;
use crud_runtime::adapter::{
    Adapter, AdapterError, Administration, Outcome, SqliteAdapter, SqlitePoolAdapter, Work, Write,
};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, Literal, OnDelete, Role, Rule, SoftDelete, UniqueGroup, Uniqueness};
use crud_runtime::query::{ListQuery, Predicate};
use rust_decimal::Decimal;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use crate::support::{
    self, Record, changes, column, delete, file, get, id, insert, leak_descriptor, list, memory, resource, text,
    update, url,
};

/// The target of the books' three references.
fn people() -> &'static Descriptor {
    static PEOPLE: OnceLock<&Descriptor> = OnceLock::new();
    PEOPLE.get_or_init(|| leak_descriptor(resource("people", vec![id(), column::<String>("name")])))
}

const TITLE: usize = 1;
const SHELF: usize = 2;
const PLACE: usize = 3;
const AUTHOR: usize = 4;
const READER: usize = 5;
const OWNER: usize = 6;

fn books() -> &'static Descriptor {
    const GROUPS: &[UniqueGroup] = &[UniqueGroup::new(&[SHELF, PLACE], Uniqueness::All)];
    let books = resource(
        "books",
        vec![
            id(),
            column::<String>("title").unique(Uniqueness::All),
            column::<i64>("shelf"),
            column::<i64>("place"),
            column::<i64>("author").references(people, OnDelete::Restrict),
            column::<Option<i64>>("reader").references(people, OnDelete::SetNull),
            column::<Option<i64>>("owner").references(people, OnDelete::Cascade),
        ],
    );
    leak_descriptor(books.uniques(GROUPS))
}

fn book(title: &str, place: i64, author: i64) -> Record {
    let mut book = vec![Value::Null; 7];
    book[TITLE] = text(title);
    book[SHELF] = Value::Int(1);
    book[PLACE] = Value::Int(place);
    book[AUTHOR] = Value::Int(author);
    book
}

/// People 1 and 2, and a book by the first.
async fn library() -> (SqliteAdapter, &'static Descriptor) {
    let books = books();
    let adapter = memory(&[people(), books]).await;
    for name in ["ada", "bob"] {
        insert(&adapter, people(), &[Value::Null, text(name)]).await.unwrap();
    }
    insert(&adapter, books, &book("one", 1, 1)).await.unwrap();
    (adapter, books)
}

async fn change(adapter: &SqliteAdapter, books: &'static Descriptor, id: i64, values: Changes) -> AdapterError {
    update(adapter, books, &Value::Int(id), &values, None).await.unwrap_err()
}

#[tokio::test]
async fn duplicate_value_names_its_column() {
    let (adapter, books) = library().await;
    insert(&adapter, books, &book("two", 2, 1)).await.unwrap();
    let error = insert(&adapter, books, &book("one", 3, 1)).await.unwrap_err();
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [TITLE]), "{error:?}");
    let error = change(&adapter, books, 2, changes([(TITLE, text("one"))])).await;
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [TITLE]), "{error:?}");
}

#[tokio::test]
async fn write_of_all_or_none_stops_at_the_failures_that_it_may_have() {
    let (adapter, books) = library().await;
    let taken: Vec<Record> = (10..60).map(|place| book("one", place, 1)).collect();
    let all = || Write::atomic(Work::Insert(&taken), None);
    for (write, expected) in [
        (all().stopping_after(Some(3)), 3),
        (all(), taken.len()),
        (Write::partial(Work::Insert(&taken), None).stopping_after(Some(3)), taken.len()),
    ] {
        let outcomes = adapter.write(books, write, &mut support::Records::new(books)).await.unwrap();
        let failed = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count();
        assert_eq!((outcomes.len(), failed), (taken.len(), expected));
    }
}

#[tokio::test]
async fn duplicate_composite_value_names_its_columns() {
    let (adapter, books) = library().await;
    let error = insert(&adapter, books, &book("two", 1, 1)).await.unwrap_err();
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [SHELF, PLACE]), "{error:?}");
}

#[tokio::test]
async fn duplicate_key_names_the_key() {
    let tags = leak_descriptor(resource("tags", vec![column::<String>("slug").role(Role::Id)]));
    let adapter = memory(&[tags]).await;
    insert(&adapter, tags, &[text("a")]).await.unwrap();
    let error = insert(&adapter, tags, &[text("a")]).await.unwrap_err();
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [0]), "{error:?}");
}

#[tokio::test]
async fn nulls_are_not_duplicates() {
    let resource =
        leak_descriptor(resource("codes", vec![id(), column::<Option<String>>("code").unique(Uniqueness::All)]));
    let adapter = memory(&[resource]).await;
    for _ in 0..2 {
        insert(&adapter, resource, &[Value::Null, Value::Null]).await.unwrap();
    }
}

#[tokio::test]
async fn value_of_a_soft_deleted_record_may_be_free() {
    let users = resource(
        "users",
        vec![id(), column::<String>("email").unique(Uniqueness::Active), column::<Option<DateTime<Utc>>>("deleted_at")],
    );
    let mut users = users;
    users.soft_delete = Some(SoftDelete::new(2));
    let users = leak_descriptor(users);
    let adapter = memory(&[users]).await;
    let gone = Value::DateTime(DateTime::UNIX_EPOCH);
    for deleted_at in [gone.clone(), gone, Value::Null] {
        insert(&adapter, users, &[Value::Null, text("a@b"), deleted_at]).await.unwrap();
    }
    let error = insert(&adapter, users, &[Value::Null, text("a@b"), Value::Null]).await.unwrap_err();
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [1]), "{error:?}");
}

#[tokio::test]
async fn missing_reference_names_its_columns() {
    let (adapter, books) = library().await;
    let error = insert(&adapter, books, &book("two", 2, 9)).await.unwrap_err();
    assert!(matches!(&error, AdapterError::ReferenceNotFound { columns } if *columns == [AUTHOR]), "{error:?}");
    let mut missing = book("two", 2, 9);
    missing[READER] = Value::Int(8);
    missing[OWNER] = Value::Int(2);
    let error = insert(&adapter, books, &missing).await.unwrap_err();
    assert!(matches!(&error, AdapterError::ReferenceNotFound { columns } if *columns == [AUTHOR, READER]), "{error:?}");
    let error = change(&adapter, books, 1, changes([(READER, Value::Int(9)), (PLACE, Value::Int(5))])).await;
    assert!(matches!(&error, AdapterError::ReferenceNotFound { columns } if *columns == [READER]), "{error:?}");
    assert_eq!(get(&adapter, books, &Value::Int(1)).await.unwrap()[PLACE], Value::Int(1));
}

#[tokio::test]
async fn referenced_record_is_not_deleted() {
    let (adapter, books) = library().await;
    let error = delete(&adapter, people(), &Value::Int(1), None).await.unwrap_err();
    assert!(matches!(error, AdapterError::Referenced), "{error:?}");
    assert!(get(&adapter, people(), &Value::Int(1)).await.is_some());
    assert!(get(&adapter, books, &Value::Int(1)).await.is_some());
}

#[tokio::test]
async fn set_null_and_cascade_apply() {
    let (adapter, books) = library().await;
    let mut lent = book("lent", 2, 1);
    lent[READER] = Value::Int(2);
    let mut owned = book("owned", 3, 1);
    owned[OWNER] = Value::Int(2);
    insert(&adapter, books, &lent).await.unwrap();
    insert(&adapter, books, &owned).await.unwrap();
    delete(&adapter, people(), &Value::Int(2), None).await.unwrap();
    let left = list(&adapter, books, &ListQuery::all(books)).await.unwrap();
    assert_eq!(left.iter().map(|book| &book[TITLE]).collect::<Vec<_>>(), [&text("one"), &text("lent")]);
    assert_eq!(left[1][READER], Value::Null);
}

#[tokio::test]
async fn null_in_a_required_column_names_it() {
    let (adapter, books) = library().await;
    let mut nameless = book("two", 2, 1);
    nameless[SHELF] = Value::Null;
    let error = insert(&adapter, books, &nameless).await.unwrap_err();
    assert!(matches!(error, AdapterError::Constraint { column: Some(SHELF) }), "{error:?}");
    let error = change(&adapter, books, 1, changes([(PLACE, Value::Null)])).await;
    assert!(matches!(error, AdapterError::Constraint { column: Some(PLACE) }), "{error:?}");
}

#[tokio::test]
async fn value_of_another_type_names_its_column() {
    let (adapter, books) = library().await;
    let error = change(&adapter, books, 1, changes([(PLACE, text("x"))])).await;
    assert!(matches!(error, AdapterError::Constraint { column: Some(PLACE) }), "{error:?}");
}

/// A column for each rule that SQLite can check.
fn ruled() -> &'static Descriptor {
    leak_descriptor(resource(
        "ruled",
        vec![
            id(),
            column::<Option<i64>>("whole").rules(&[Rule::Min(Literal::Int(1)), Rule::Max(Literal::Float(9.5))]),
            column::<Option<f64>>("float").rules(&[Rule::Min(Literal::Float(0.1)), Rule::Max(Literal::Int(9))]),
            column::<Option<Decimal>>("money")
                .digits(6, 2)
                .rules(&[Rule::Min(Literal::Float(0.01)), Rule::Max(Literal::Text("99.5"))]),
            column::<Option<String>>("name").rules(&[Rule::MinLength(2), Rule::MaxLength(3)]),
            column::<Option<Vec<u8>>>("bytes").rules(&[Rule::MaxLength(3)]),
            column::<Option<Vec<String>>>("list").rules(&[Rule::MinLength(1), Rule::MaxLength(2)]),
            column::<Option<String>>("size").rules(&[Rule::OneOf(&[Literal::Text("it's"), Literal::Text("L")])]),
            column::<Option<i32>>("step").rules(&[Rule::OneOf(&[Literal::Int(-1), Literal::Int(1)])]),
            column::<Option<String>>("mail").rules(&[Rule::Email, Rule::Url, Rule::Pattern("^$")]),
        ],
    ))
}

#[tokio::test]
async fn rules_are_check_constraints_too() {
    let ruled = ruled();
    let adapter = memory(&[ruled]).await;
    let decimal = |v: &str| Value::Decimal(v.parse().unwrap());
    let list = |v: &[&str]| Value::TextList(v.iter().map(|&v| v.to_owned()).collect());
    let bytes = |v: usize| Value::Bytes(vec![0; v]);
    let cases: [(&[Value], &[Value]); 9] = [
        (&[Value::Int(1), Value::Int(9)], &[Value::Int(0), Value::Int(10)]),
        (
            &[Value::Float(0.1), Value::Float(9.0)],
            &[Value::Float(0.1_f64.next_down()), Value::Float(9.0_f64.next_up())],
        ),
        (&[decimal("0.01"), decimal("99.50")], &[decimal("0"), decimal("99.51")]),
        (&[text("üé"), text("日本語")], &[text("ü"), text("日本語x")]),
        (&[bytes(0), bytes(3)], &[bytes(4)]),
        (&[list(&["a"]), list(&["a", "b"])], &[list(&[]), list(&["a", "b", "c"])]),
        (&[text("it's"), text("L")], &[text("l"), text("")]),
        (&[Value::Int(-1), Value::Int(1)], &[Value::Int(0)]),
        (&[text("anything")], &[]),
    ];
    for (column, (good, bad)) in (1..).zip(cases) {
        let record = |value: &Value| {
            let mut record = vec![Value::Null; 10];
            record[column] = value.clone();
            record
        };
        for value in good {
            insert(&adapter, ruled, &record(value)).await.unwrap();
        }
        for value in bad {
            let error = insert(&adapter, ruled, &record(value)).await.unwrap_err();
            assert!(
                matches!(error, AdapterError::Constraint { column: Some(at) } if at == column),
                "{value:?}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn defaults_apply_to_other_programs() {
    let directory = tempfile::tempdir().unwrap();
    let defaults = leak_descriptor(resource(
        "defaults",
        vec![
            id(),
            column::<bool>("flag").default(|| Value::Bool(true)),
            column::<i64>("number").default(|| Value::Int(-7)),
            column::<f64>("float").default(|| Value::Float(-12.345_678_9)),
            column::<String>("status").default(|| text("it's pending")),
            column::<Decimal>("price").digits(6, 2).default(|| Value::Decimal(Decimal::new(15, 1))),
            column::<serde_json::Value>("json").default(|| Value::Json(serde_json::json!({"a": "'"}))),
            column::<Vec<u8>>("bytes").default(|| Value::Bytes(vec![0, 255])),
            column::<Vec<String>>("list").default(|| Value::TextList(vec!["a".to_owned()])),
            // SQLite has no literal that is exactly this number.
            column::<Option<f64>>("huge").default(|| Value::Float(1.5e300)),
            column::<Option<DateTime<Utc>>>("made").default(|| Value::DateTime(Utc::now())),
        ],
    ));
    let adapter = file(&directory, &[defaults]).await;
    let other = sqlx::SqlitePool::connect(&url(&directory)).await.unwrap();
    sqlx::raw_sql("INSERT INTO defaults DEFAULT VALUES").execute(&other).await.unwrap();
    let record = get(&adapter, defaults, &Value::Int(1)).await.unwrap();
    for (column, value) in defaults.columns.iter().zip(&record).skip(1) {
        let constant = !matches!(column.name, "made" | "huge");
        let expected = if constant { column.default.unwrap()() } else { Value::Null };
        assert_eq!(*value, expected, "{}", column.name);
    }
}

/// A table whose constraints are not in the resource.
#[tokio::test]
async fn constraints_outside_the_resource_are_reported_as_far_as_known() {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let table = "
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        CREATE TABLE Things (
            ID INTEGER PRIMARY KEY, Name TEXT NOT NULL, size INTEGER NOT NULL, other INTEGER,
            CONSTRAINT small CHECK (size < 10), FOREIGN KEY (other) REFERENCES other DEFERRABLE INITIALLY DEFERRED
        );
        CREATE UNIQUE INDEX by_both ON things (size, name);
        CREATE UNIQUE INDEX by_expression ON things (lower(name));
        CREATE TRIGGER no_seven BEFORE INSERT ON things WHEN NEW.size = 7 BEGIN SELECT RAISE(ABORT, 'not seven'); END;";
    sqlx::raw_sql(table).execute(&pool).await.unwrap();
    let columns = vec![id(), column::<String>("name"), column::<i64>("size"), column::<Option<i64>>("other")];
    let things = leak_descriptor(resource("things", columns));
    let adapter = SqlitePoolAdapter::new(pool);
    adapter.migrate(&[things]).await.unwrap();
    let thing = |name: &str, size: i64, other: Value| vec![Value::Null, text(name), Value::Int(size), other];
    insert(&adapter, things, &thing("a", 1, Value::Null)).await.unwrap();
    let error = insert(&adapter, things, &thing("a", 1, Value::Null)).await.unwrap_err();
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [1] || *columns == [2, 1]), "{error:?}");
    let error = insert(&adapter, things, &thing("A", 2, Value::Null)).await.unwrap_err();
    assert!(matches!(&error, AdapterError::Unique { columns } if *columns == [1]), "{error:?}");
    let error = insert(&adapter, things, &thing("b", 10, Value::Null)).await.unwrap_err();
    assert!(matches!(error, AdapterError::Constraint { column: None }), "{error:?}");
    let error = insert(&adapter, things, &thing("b", 7, Value::Null)).await.unwrap_err();
    assert!(matches!(error, AdapterError::Constraint { column: None }), "{error:?}");
    // Deferred: the statement succeeds and its commit fails.
    let error = insert(&adapter, things, &thing("b", 2, Value::Int(5))).await.unwrap_err();
    assert!(matches!(&error, AdapterError::ReferenceNotFound { columns } if columns.is_empty()), "{error:?}");
    assert_eq!(adapter.count(things, &Predicate::All).await.unwrap(), 1);
}

#[tokio::test]
async fn locked_database_is_unavailable() {
    let directory = tempfile::tempdir().unwrap();
    let people = people();
    file(&directory, &[people]).await;
    let options =
        SqliteConnectOptions::new().filename(directory.path().join("test.db")).busy_timeout(Duration::from_millis(50));
    let pool = SqlitePoolOptions::new().connect_with(options).await.unwrap();
    let adapter = SqlitePoolAdapter::new(pool.clone());
    let lock = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let error = insert(&adapter, people, &[Value::Null, text("eve")]).await.unwrap_err();
    assert!(matches!(error, AdapterError::Unavailable(_)), "{error:?}");
    assert_eq!(adapter.count(people, &Predicate::All).await.unwrap(), 0);
    lock.rollback().await.unwrap();
    insert(&adapter, people, &[Value::Null, text("eve")]).await.unwrap();
    pool.close().await;
    let error = support::list(&adapter, people, &ListQuery::all(people)).await.unwrap_err();
    assert!(matches!(error, AdapterError::Unavailable(_)), "{error:?}");
}

#[tokio::test]
async fn missing_table_is_an_error_that_says_so() {
    let adapter = memory(&[]).await;
    let error = adapter.count(people(), &Predicate::All).await.unwrap_err();
    assert!(matches!(error, AdapterError::MissingTable(_)), "{error:?}");
}
