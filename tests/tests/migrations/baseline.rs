//! The first migration of a database that a service created without any.

use std::fs;

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::Directory;

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "authors", filter, sort, audit)]
    pub(crate) struct Author {
        pub(crate) id: i64,
        #[crud(length(max = 100), unique)]
        pub(crate) name: String,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books", filter(pages), sort(pages), soft_delete, search(title))]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(unique, length(max = 255))]
        pub(crate) title: String,
        #[crud(range(min = 1), default = 5)]
        pub(crate) pages: i32,
        #[crud(references(Author))]
        pub(crate) author_id: i64,
        pub(crate) price: Decimal,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "shelves")]
    pub(crate) struct Shelf {
        pub(crate) id: i64,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books", filter(pages), sort(pages), soft_delete, search(title))]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(unique, length(max = 255))]
        pub(crate) title: String,
        #[crud(range(min = 1), default = 5)]
        pub(crate) pages: i32,
        #[crud(references(super::v1::Author))]
        pub(crate) author_id: i64,
        pub(crate) price: Decimal,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
        #[crud(default = "en", length(max = 35))]
        pub(crate) language: String,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Book>().resource::<v1::Author>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Shelf>().resource::<v2::Book>().resource::<v1::Author>()
}

#[test]
fn tables_without_migrations_get_a_baseline_that_builds_an_empty_database() {
    on_each_sql_backend(async |database| {
        let service = first(database).await.migrate().await.expect("the tables");
        let author = v1::NewAuthor { name: "Eliot".to_owned() };
        let author = service.store::<v1::Author>().create(author).await.expect("an author");
        let book = |title: &str| v1::NewBook {
            title: title.to_owned(),
            pages: Some(880),
            author_id: author.id,
            price: Decimal::new(1250, 2),
        };
        let old = service.store::<v1::Book>().create(book("Middlemarch")).await.expect("a book");
        drop(service);

        let directory = Directory::new();
        let service = second(database).await;
        let written = service.migrations().write(directory.path()).await.expect("it can be written");
        let written = written.expect("a migration is needed");
        let further = written.changes.len() - 1;
        assert_eq!(directory.files().len(), 4 + 2 * further, "{:?}", directory.files());
        let baseline = written.baseline.expect("a baseline");
        compare(database.backend(), "baseline.up", &fs::read_to_string(&baseline).expect("the file"));
        assert_eq!(directory.apply(&service).await, 2 + further);
        let service = service.migrations_from(directory.path()).migrate().await.expect("the second program starts");
        let kept = service.store::<v2::Book>().get(old.id).await.expect("the book");
        assert_eq!((kept.title, kept.price, kept.language.as_str()), (old.title, old.price, "en"));

        let empty = database.backend().fresh();
        let service = second(&empty).await;
        assert_eq!(directory.apply(&service).await, 2 + further);
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        let service =
            service.migrations_from(directory.path()).migrate().await.expect("the program starts on the new one");
        let author = v1::NewAuthor { name: "Eliot".to_owned() };
        let author = service.store::<v1::Author>().create(author).await.expect("an author");
        assert_eq!(author.id, 1);
        let book = v2::NewBook {
            title: "Middlemarch".to_owned(),
            pages: None,
            author_id: author.id,
            price: Decimal::new(1250, 2),
            language: None,
        };
        service.store::<v2::Book>().create(book.clone()).await.expect("a book");
        let error = service.store::<v2::Book>().create(book).await.expect_err("titles are unique").to_string();
        assert!(error.contains("title"), "{error}");

        // The baseline reverts nothing: what was there before the first migration stays.
        directory.revert(&service).await;
        directory.revert(&service).await;
        let tables = service.migrations().diff().await.expect("a comparison");
        assert!(tables.iter().any(|difference| difference.to_string().contains("`language`")), "{tables:?}");
    });
}
