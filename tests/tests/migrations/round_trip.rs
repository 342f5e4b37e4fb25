//! A program changes its structs; its database is migrated and reverted.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::{Directory, error_text};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 255))]
        pub(crate) title: String,
        pub(crate) isbn: Option<String>,
        pub(crate) shelf: Option<String>,
        #[crud(range(min = 1))]
        pub(crate) pages: i32,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "authors", filter(name))]
    pub(crate) struct Author {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) name: String,
    }

    /// Without `shelf`.
    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(unique, length(max = 255))]
        pub(crate) title: String,
        /// Renamed from `isbn`.
        pub(crate) code: Option<String>,
        #[crud(range(min = 1), filter)]
        pub(crate) pages: i32,
        pub(crate) subtitle: Option<String>,
        #[crud(default = 3, range(max = 5))]
        pub(crate) rating: i32,
        #[crud(references(Author, on_delete(set_null)))]
        pub(crate) author_id: Option<i64>,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Book>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Author>().resource::<v2::Book>()
}

/// The reviewer's edit: `isbn` is renamed to `code`.
fn rename(line: &str) -> String {
    let is_of_code = line.contains(" COLUMN ") && line.contains("code") && !line.contains("RENAME");
    match line.strip_prefix("-- ") {
        Some(statement) if statement.contains("RENAME") && statement.contains("isbn") && statement.contains("code") => {
            statement.to_owned()
        }
        None if is_of_code => String::new(),
        _ => line.to_owned(),
    }
}

#[test]
fn database_is_migrated_and_reverted() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        let created = directory.write_migration(&service).await;
        compare(database.backend(), "first.up", &created.up());
        compare(database.backend(), "first.down", &created.down());
        assert_eq!(directory.apply(&service).await, 1);
        let service = service.migrations_from(directory.path()).migrate().await.expect("the first program starts");
        let book = |title: &str, isbn: &str| v1::NewBook {
            title: title.to_owned(),
            isbn: Some(isbn.to_owned()),
            shelf: Some("A3".to_owned()),
            pages: 880,
        };
        let old = service.store::<v1::Book>().create(book("Middlemarch", "978-1")).await.expect("a book");

        let changed = second(database).await;
        let written = directory.write_migration(&changed).await;
        compare(database.backend(), "second.up", &written.up());
        compare(database.backend(), "second.down", &written.down());
        let error = error_text(second(database).await.migrations_from(directory.path()).migrate().await);
        assert!(error.starts_with("the database is behind: ") && error.contains(".up.sql"), "{error}");
        written.review(rename);
        assert_eq!(directory.apply(&changed).await, 1);

        let service =
            second(database).await.migrations_from(directory.path()).migrate().await.expect("the second starts");
        let store = service.store::<v2::Book>();
        let expected = v2::Book {
            id: old.id,
            title: "Middlemarch".to_owned(),
            code: Some("978-1".to_owned()),
            pages: 880,
            subtitle: None,
            rating: 3,
            author_id: None,
        };
        assert_eq!(store.get(old.id).await.expect("the book"), expected, "a stored value changed");
        let author =
            service.store::<v2::Author>().create(v2::NewAuthor { name: "Eliot".into() }).await.expect("an author");
        store.update(old.id, v2::BookPatch::default().author_id(author.id)).await.expect("the book's author");
        let new_book = |title: &str| v2::NewBook {
            title: title.to_owned(),
            code: None,
            pages: 1,
            subtitle: None,
            rating: None,
            author_id: None,
        };
        let error = error_text(store.create(new_book("Middlemarch")).await);
        assert!(error.contains("title"), "titles must be unique: {error}");
        store.create(new_book("Romola")).await.expect("another book");

        let error = error_text(first(database).await.migrations_from(Directory::new().path()).migrate().await);
        assert!(error.contains("this program is older than the migrations"), "{error}");
        directory.revert(&service).await;
        drop(service);
        let status = first(database).await.migrations().status(directory.path()).await.expect("a status").to_string();
        assert_eq!(status.matches("applied  ").count(), 1, "{status}");
        assert!(status.contains("pending  "), "{status}");
        let service = first(database).await.migrate().await.expect("the first program starts again");
        let store = service.store::<v1::Book>();
        assert_eq!(store.get(old.id).await.expect("the book"), old, "a value was lost");
        store.create(book("Middlemarch", "978-2")).await.expect("titles need not be unique");
    });
}

#[test]
fn migration_without_a_difference_is_not_written() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await.migrate().await.expect("the tables");
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        assert_eq!(service.migrations().write(directory.path()).await.expect("a comparison"), None);
        assert_eq!(directory.files(), [] as [&str; 0]);
        assert!(!directory.path().exists(), "the directory was created");
    });
}

#[test]
fn pending_migration_is_not_written_again() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        directory.write_migration(&service).await;
        let files = directory.files();
        let error = error_text(service.migrations().write(directory.path()).await);
        assert_eq!(error, format!("the database is behind: `{}` has not been applied", files[1]));
        assert_eq!(directory.files(), files);
    });
}

#[test]
fn rejected_proposal_is_not_written_again() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await.migrate().await.expect("the tables");
        drop(service);
        let service = second(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        assert_eq!(
            service.migrations().diff().await.expect("a comparison").len(),
            2,
            "`isbn` and `shelf` are in no field"
        );
        assert_eq!(service.migrations().write(directory.path()).await.expect("a comparison"), None);
        second(database).await.migrations_from(directory.path()).migrate().await.map(drop).expect("the program starts");
    });
}

#[test]
fn first_migration_applies_to_a_database_created_by_the_service() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&first(database).await).await;
        let service = first(database).await.migrate().await.expect("the tables");
        assert_eq!(directory.apply(&service).await, 1);
        service.migrations_from(directory.path()).migrate().await.map(drop).expect("the program starts");
    });
}
