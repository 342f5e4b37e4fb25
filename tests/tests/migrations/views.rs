//! Views in written migrations: created after their tables, made anew with a changed query or table.

use crud_runtime::prelude::*;
use crud_runtime::schema::DifferenceKind;
use crud_tests::{Backend, Database, on_each_sql_backend_and_pool};

use crate::support::{Directory, error_text};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) title: String,
        pub(crate) pages: i16,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "long_books", view("SELECT id, title, pages FROM books WHERE pages > 500", reads(Book)))]
    pub(crate) struct LongBook {
        pub(crate) id: i64,
        pub(crate) title: String,
        pub(crate) pages: i16,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "titles", view("SELECT id, title AS name FROM long_books", reads(LongBook)))]
    pub(crate) struct Title {
        pub(crate) id: i64,
        pub(crate) name: String,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) title: String,
        /// Wider, and checked.
        #[crud(range(min = 0))]
        pub(crate) pages: i64,
    }

    /// A view of fewer books, with another column.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        table = "long_books",
        view("SELECT id, pages * 2 AS sides, title FROM books WHERE pages > 800", reads(Book))
    )]
    pub(crate) struct LongBook {
        pub(crate) id: i64,
        pub(crate) title: String,
        pub(crate) sides: i64,
    }

    /// A view of that view, with other names.
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "titles", view("SELECT id, title AS name FROM long_books", reads(LongBook)))]
    pub(crate) struct Title {
        pub(crate) id: i64,
        pub(crate) name: String,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<v1::Book>().resource::<v1::Title>().resource::<v1::LongBook>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Book>().resource::<v2::Title>().resource::<v2::LongBook>()
}

#[test]
fn views_are_created_replaced_and_reverted() {
    on_each_sql_backend_and_pool(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        let created = directory.write_migration(&service).await;
        let (up, down) = (created.up(), created.down());
        let place = |text: &str, what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}:\n{text}"));
        assert!(place(&up, "CREATE TABLE") < place(&up, "SELECT id, title, pages FROM books"), "{up}");
        assert!(place(&up, "SELECT id, title, pages FROM books") < place(&up, "SELECT id, title AS name"), "{up}");
        assert!(place(&down, "DROP VIEW") < place(&down, "DROP TABLE"), "{down}");
        assert_eq!(directory.apply(&service).await, 1);
        let service = service.migrations_from(directory.path()).migrate().await.expect("the first program starts");
        for (title, pages) in [("Emma", 480), ("Romola", 600), ("Middlemarch", 880)] {
            service.store::<v1::Book>().create(v1::NewBook { title: title.into(), pages }).await.expect("a book");
        }
        assert_eq!(service.store::<v1::Title>().count(Select::all()).await.expect("a count"), 2);
        assert_eq!(service.migrations().write(directory.path()).await.expect("a comparison"), None);

        let changed = second(database).await;
        let differences = changed.migrations().diff().await.expect("a comparison");
        assert!(
            differences
                .iter()
                .any(|difference| difference.table == "long_books" && difference.what == DifferenceKind::ViewChanged),
            "{differences:?}"
        );
        let written = directory.write_migration(&changed).await;
        if database.backend() != Backend::MySql {
            let up = written.up().replace('`', "\"");
            assert!(place(&up, "DROP VIEW \"titles\"") < place(&up, "DROP VIEW \"long_books\""), "{up}");
        }
        // The new type of `pages` is a proposal where values could be lost: it loses none.
        written.review(|line| {
            line.strip_prefix("-- ").filter(|line| line.starts_with("ALTER")).unwrap_or(line).to_owned()
        });
        assert_eq!(directory.apply(&changed).await, 1);
        let service =
            second(database).await.migrations_from(directory.path()).migrate().await.expect("the second starts");
        let long = service.store::<v2::LongBook>().list(Select::all()).await.expect("a list");
        assert_eq!((long.len(), long[0].title.as_str(), long[0].sides), (1, "Middlemarch", 1760));
        assert_eq!(service.store::<v2::Title>().get(3).await.expect("a title").name, "Middlemarch");

        directory.revert(&service).await;
        drop(service);
        let service = first(database).await.migrate().await.expect("the first program starts again");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(service.store::<v1::LongBook>().get(2).await.expect("a book").pages, 600);
    });
}

#[test]
fn view_of_a_removed_struct_stays_beside_another_type_of_its_column_and_is_reverted() {
    on_each_sql_backend_and_pool(async |database| {
        let directory = Directory::new();
        directory.write_migration(&first(database).await).await;
        directory.apply(&first(database).await).await;
        database.execute("INSERT INTO books (title, pages) VALUES ('Romola', 600)").await;
        let books = async || database.service().await.resource::<v2::Book>();
        directory.write_migration(&books().await).await.review(|line| {
            line.strip_prefix("-- ").filter(|line| line.starts_with("ALTER")).unwrap_or(line).to_owned()
        });
        directory.apply(&books().await).await;
        assert_eq!(books().await.migrations().diff().await.expect("a comparison"), []);
        assert_eq!(database.texts("SELECT name FROM titles").await, ["Romola"]);
        directory.revert(&books().await).await;
        let service = first(database).await.migrate().await.expect("the first program starts again");
        assert_eq!(service.store::<v1::LongBook>().get(1).await.expect("a book").pages, 600);
    });
}

#[test]
fn a_program_with_another_query_is_refused_until_it_is_migrated() {
    on_each_sql_backend_and_pool(async |database| {
        #[derive(Debug, Clone, Resource)]
        #[crud(table = "long_books", view("SELECT id FROM books", reads(v1::Book)))]
        struct AnyBook {
            id: i64,
        }
        let directory = Directory::new();
        let service = first(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        drop(service);
        let other = database.service().await.resource::<AnyBook>().migrations_from(directory.path());
        let error = error_text(other.migrate().await);
        assert_eq!(
            error,
            "the database does not fit the resources:\n  view `long_books`: its query is not the struct's"
        );
    });
}

#[test]
fn first_migration_with_views_applies_to_a_database_created_by_the_service() {
    on_each_sql_backend_and_pool(async |database| {
        let directory = Directory::new();
        directory.write_migration(&first(database).await).await;
        let service = first(database).await.migrate().await.expect("the tables and views");
        assert_eq!(directory.apply(&service).await, 1);
        service.migrations_from(directory.path()).migrate().await.map(drop).expect("the program starts");
    });
}
