//! A program whose structs change, and its database with them, there and back.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::{Directory, refusal};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(max_length = 255)]
        pub(crate) title: String,
        pub(crate) isbn: Option<String>,
        pub(crate) shelf: Option<String>,
        #[crud(min = 1)]
        pub(crate) pages: i32,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "authors", filter(name))]
    pub(crate) struct Author {
        pub(crate) id: i64,
        #[crud(max_length = 100)]
        pub(crate) name: String,
    }

    /// It has no shelf any more.
    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(unique, max_length = 255)]
        pub(crate) title: String,
        /// It was called `isbn`.
        pub(crate) code: Option<String>,
        #[crud(min = 1, filter)]
        pub(crate) pages: i32,
        pub(crate) subtitle: Option<String>,
        #[crud(default = 3, max = 5)]
        pub(crate) rating: i32,
        #[crud(references = Author, on_delete = set_null)]
        pub(crate) author_id: Option<i64>,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Book>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Author>().resource::<v2::Book>()
}

/// What the reader of the file does who knows that `isbn` is called `code` now.
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
fn a_database_follows_its_structs_and_goes_back() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        let created = directory.written(&service).await;
        compare(database.backend(), "first.up", &created.up());
        compare(database.backend(), "first.down", &created.down());
        assert_eq!(directory.apply(&service).await, 1);
        let service = service.migrations(directory.path()).migrate().await.expect("the first program starts");
        let book = |title: &str, isbn: &str| v1::NewBook {
            title: title.to_owned(),
            isbn: Some(isbn.to_owned()),
            shelf: Some("A3".to_owned()),
            pages: 880,
        };
        let old = service.store::<v1::Book>().create(book("Middlemarch", "978-1")).await.expect("a book");

        let changed = second(database).await;
        let written = directory.written(&changed).await;
        compare(database.backend(), "second.up", &written.up());
        compare(database.backend(), "second.down", &written.down());
        let refused = refusal(second(database).await.migrations(directory.path()).migrate().await);
        assert!(refused.starts_with("the database is behind: ") && refused.contains(".up.sql"), "{refused}");
        written.review(rename);
        assert_eq!(directory.apply(&changed).await, 1);

        let service = second(database).await.migrations(directory.path()).migrate().await.expect("the second starts");
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
        assert_eq!(store.get(old.id).await.expect("the book"), expected, "what was stored is kept");
        let author = service.store::<v2::Author>().create(v2::NewAuthor { name: "Eliot".into() }).await.expect("her");
        store.update(old.id, v2::BookPatch::default().author_id(author.id)).await.expect("her book");
        let new_book = |title: &str| v2::NewBook {
            title: title.to_owned(),
            code: None,
            pages: 1,
            subtitle: None,
            rating: None,
            author_id: None,
        };
        let refused = refusal(store.create(new_book("Middlemarch")).await);
        assert!(refused.contains("title"), "titles are unique now: {refused}");
        store.create(new_book("Romola")).await.expect("another book");

        let refused = refusal(first(database).await.migrations(Directory::new().path()).migrate().await);
        assert!(refused.starts_with("the database is ahead: "), "{refused}");
        directory.revert(&service).await;
        drop(service);
        let status = first(database).await.migration_status(directory.path()).await.expect("a status").to_string();
        assert_eq!(status.matches("applied  ").count(), 1, "{status}");
        assert_eq!(status.matches("pending  ").count(), 1, "{status}");
        let service = first(database).await.migrate().await.expect("the first program starts again");
        let store = service.store::<v1::Book>();
        assert_eq!(store.get(old.id).await.expect("the book"), old, "nothing is lost on the way back");
        store.create(book("Middlemarch", "978-2")).await.expect("titles need not be unique again");
    });
}

#[test]
fn without_a_difference_nothing_is_written() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await.migrate().await.expect("the tables");
        assert_eq!(service.diff().await.expect("a comparison"), []);
        assert_eq!(service.write_migration(directory.path()).await.expect("a comparison"), None);
        assert_eq!(directory.files(), [] as [&str; 0]);
        assert!(!directory.path().exists(), "not even a directory");
    });
}

#[test]
fn what_is_pending_is_not_written_twice() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        directory.written(&service).await;
        let files = directory.files();
        let refused = refusal(service.write_migration(directory.path()).await);
        assert_eq!(refused, format!("the database is behind: `{}` has not been applied", files[1]));
        assert_eq!(directory.files(), files);
    });
}

#[test]
fn a_proposal_that_nobody_followed_is_made_once() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await.migrate().await.expect("the tables");
        drop(service);
        let service = second(database).await;
        directory.written(&service).await;
        directory.apply(&service).await;
        assert_eq!(service.diff().await.expect("a comparison").len(), 2, "`isbn` and `shelf` are in no field");
        assert_eq!(service.write_migration(directory.path()).await.expect("a comparison"), None);
        second(database)
            .await
            .migrations(directory.path())
            .migrate()
            .await
            .map(drop)
            .expect("the program starts all the same");
    });
}

#[test]
fn a_database_that_the_service_made_takes_the_first_migration() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.written(&first(database).await).await;
        let service = first(database).await.migrate().await.expect("the tables");
        assert_eq!(directory.apply(&service).await, 1);
        service
            .migrations(directory.path())
            .migrate()
            .await
            .map(drop)
            .expect("the database is what the migration makes");
    });
}
