//! The index of a full-text search follows the struct: created, made anew with other fields, and dropped.

use crud_runtime::prelude::*;
use crud_runtime::schema::DifferenceKind;
use crud_tests::{Backend, Database, on_each_sql_backend};

use crate::support::Directory;

mod none {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "books")]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) title: String,
        pub(crate) summary: Option<String>,
    }
}

mod title {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "books", search(title))]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) title: String,
        pub(crate) summary: Option<String>,
    }
}

mod both {
    use super::*;

    /// With a change that makes SQLite rebuild the table.
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "books", search(title, summary))]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 100, min = 1))]
        pub(crate) title: String,
        pub(crate) summary: Option<String>,
    }
}

mod unindexed {
    use super::*;

    /// Without the field that was searched before.
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "books", search(title))]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(length(max = 100, min = 1))]
        pub(crate) title: String,
    }
}

async fn service<R: Resource>(database: &Database) -> Service {
    database.service().await.resource::<R>()
}

async fn fill(service: &Service) {
    for (title, summary) in [("Emma", Some("a novel")), ("Romola", None)] {
        let new = none::NewBook { title: title.to_owned(), summary: summary.map(str::to_owned) };
        service.store::<none::Book>().create(new).await.expect("a book");
    }
}

/// Number of books that a search finds.
macro_rules! count {
    ($service:expr, $of:ty, $text:literal) => {
        $service.store::<$of>().count(Select::all().search($text)).await.expect("a count")
    };
}

#[test]
fn migrate_creates_the_index_of_the_records_that_are_there_and_keeps_it() {
    on_each_sql_backend(async |database| {
        let before = service::<none::Book>(database).await.migrate().await.expect("the table");
        fill(&before).await;
        let titles = service::<title::Book>(database).await;
        assert!(!titles.plan().await.expect("a plan").is_empty());
        let titles = titles.migrate().await.expect("the index");
        assert_eq!((count!(titles, title::Book, "emma"), count!(titles, title::Book, "novel")), (1, 0));
        assert_eq!(titles.plan().await.expect("a plan"), Vec::<String>::new());
        // Another set of fields, and none.
        let both = service::<both::Book>(database).await.migrate().await.expect("another index");
        assert_eq!((count!(both, both::Book, "emma"), count!(both, both::Book, "novel")), (1, 1));
        assert_eq!(both.plan().await.expect("a plan"), Vec::<String>::new());
        let after = service::<none::Book>(database).await.migrate().await.expect("no index");
        fill(&after).await;
        assert_eq!(after.plan().await.expect("a plan"), Vec::<String>::new());
        let again = service::<title::Book>(database).await.migrate().await.expect("the index once more");
        assert_eq!(count!(again, title::Book, "emma"), 2);
    });
}

#[test]
fn written_migrations_create_replace_and_drop_the_index() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let first = service::<title::Book>(database).await;
        let created = directory.write_migration(&first).await;
        assert!(created.up().contains("search_") && created.down().contains("search_"), "{}", created.up());
        assert_eq!(directory.apply(&first).await, 1);
        let first = first.migrations_from(directory.path()).migrate().await.expect("the first program starts");
        fill(&first).await;
        assert_eq!(count!(first, title::Book, "emma"), 1);
        assert_eq!(first.migrations().write(directory.path()).await.expect("a comparison"), None);

        let second = service::<both::Book>(database).await;
        let found = second.migrations().diff().await.expect("a comparison");
        let missing = DifferenceKind::SearchMissing { columns: vec!["title", "summary"] };
        assert!(found.iter().any(|difference| difference.what == missing), "{found:?}");
        let unused = found.iter().find(|difference| matches!(difference.what, DifferenceKind::SearchUnused { .. }));
        let unused = unused.expect("the old index").to_string();
        assert!(unused.starts_with("table `books`: has the search index `search_"), "{unused}");
        directory.write_migration(&second).await;
        assert_eq!(directory.apply(&second).await, 1);
        let second = second.migrations_from(directory.path()).migrate().await.expect("the second program starts");
        fill(&second).await;
        assert_eq!((count!(second, both::Book, "emma"), count!(second, both::Book, "novel")), (2, 2));

        let third = service::<none::Book>(database).await;
        directory.write_migration(&third).await;
        assert_eq!(directory.apply(&third).await, 1);
        assert!(third.migrations().diff().await.expect("a comparison").is_empty());
        fill(&third).await;

        // Back, step by step.
        directory.revert(&third).await;
        let second = service::<both::Book>(database).await.migrate().await.expect("the second program starts again");
        assert_eq!(second.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!(count!(second, both::Book, "novel"), 3);
        directory.revert(&second).await;
        let first = service::<title::Book>(database).await.migrate().await.expect("the first program starts again");
        assert_eq!(first.plan().await.expect("a plan"), Vec::<String>::new());
        assert_eq!((count!(first, title::Book, "emma"), count!(first, title::Book, "novel")), (3, 0));
        fill(&first).await;
        directory.revert(&first).await;
    });
}

#[test]
fn a_program_without_its_index_is_refused_until_it_is_migrated() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = service::<none::Book>(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let other = self::service::<title::Book>(database).await.migrations_from(directory.path());
        let error = other.migrate().await.expect_err("no index").to_string();
        assert!(error.contains("table `books`: has no search index on `title`"), "{error}");
    });
}

#[test]
fn a_column_that_was_searched_can_be_dropped() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let both = service::<both::Book>(database).await;
        directory.write_migration(&both).await;
        directory.apply(&both).await;
        fill(&both).await;
        let less = service::<unindexed::Book>(database).await;
        let written = directory.write_migration(&less).await;
        // The reviewer accepts the proposal.
        written.review(|line| {
            let is_drop =
                line.starts_with("-- ALTER TABLE") && line.contains("DROP COLUMN") && !line.contains("crud_search");
            line.strip_prefix("-- ").filter(|_| is_drop).unwrap_or(line).to_owned()
        });
        assert!(written.up().contains("\nALTER TABLE") || database.backend() == Backend::MySql, "{}", written.up());
        assert_eq!(directory.apply(&less).await, 1);
        let less = less.migrations_from(directory.path()).migrate().await.expect("the program starts");
        assert_eq!(count!(less, unindexed::Book, "emma"), 1);
        let new = unindexed::NewBook { title: "Emma".to_owned() };
        less.store::<unindexed::Book>().create(new).await.expect("a book");
        assert_eq!(count!(less, unindexed::Book, "emma"), 2);
    });
}

#[test]
fn index_that_lacks_a_trigger_is_reported_and_made_anew() {
    on_each_sql_backend(async |database| {
        // Elsewhere, an index follows its records by itself.
        if database.backend() != Backend::Sqlite {
            return;
        }
        let service = service::<title::Book>(database).await;
        let plan = service.plan().await.expect("the statements").join("\n");
        let trigger = plan.split('`').find(|name| name.ends_with("_update")).expect("a trigger").to_owned();
        let directory = Directory::new();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        fill(&service).await;
        database.execute(&format!("DROP TRIGGER {trigger}")).await;
        database.execute("UPDATE books SET title = 'Persuasion'").await;
        let found = service.migrations().diff().await.expect("a comparison");
        assert!(found.len() == 1 && found[0].to_string().contains("lacks a trigger"), "{found:?}");
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        assert!(count!(service, title::Book, "persuasion") > 0);
        directory.revert(&service).await;
        let found = service.migrations().diff().await.expect("a comparison");
        assert!(found.len() == 1 && found[0].to_string().contains("lacks a trigger"), "{found:?}");
        directory.apply(&service).await;

        // One with another body loses changes, too.
        database.execute(&format!("DROP TRIGGER {trigger}")).await;
        database.execute(&format!("CREATE TRIGGER {trigger} AFTER UPDATE ON books BEGIN SELECT 1; END")).await;
        let found = service.migrations().diff().await.expect("a comparison");
        assert!(found.len() == 1 && found[0].to_string().contains("lacks a trigger"), "{found:?}");
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
    });
}
