//! A field with another name keeps its column's values, and a new required one is filled in.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};

use crate::golden::compare;
use crate::support::{Directory, error_text};

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "authors")]
struct Author {
    id: i64,
}

mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "books", filter(pages, author_id), sort(pages), search(note), soft_delete, index(author_id, pages))]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(unique, length(max = 255))]
        pub(crate) title: String,
        #[crud(range(min = 1))]
        pub(crate) pages: i32,
        #[crud(references(super::Author))]
        pub(crate) author_id: i64,
        pub(crate) note: String,
        #[crud(length(max = 20))]
        pub(crate) shelf: Option<String>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(
        table = "books",
        filter(page_count, writer_id),
        sort(page_count),
        search(summary),
        soft_delete,
        index(writer_id, page_count)
    )]
    pub(crate) struct Book {
        pub(crate) id: i64,
        #[crud(unique, length(max = 255), column(renamed_from = "title"))]
        pub(crate) heading: String,
        #[crud(range(min = 1), column(renamed_from = "pages"))]
        pub(crate) page_count: i32,
        #[crud(references(super::Author), column(renamed_from = "author_id"))]
        pub(crate) writer_id: i64,
        #[crud(column(renamed_from = "note"))]
        pub(crate) summary: String,
        #[crud(length(max = 20), column(backfill = "none"))]
        pub(crate) shelf: String,
        #[crud(length(max = 35), column(backfill = "en"))]
        pub(crate) language: String,
        #[crud(default = false, column(backfill = true))]
        pub(crate) is_old: bool,
        #[crud(column(renamed_from = "never"))]
        pub(crate) colour: Option<String>,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

async fn first(database: &Database) -> Service {
    database.service().await.resource::<Author>().resource::<v1::Book>()
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<Author>().resource::<v2::Book>()
}

fn books(title: &str, author_id: i64) -> v1::NewBook {
    let (title, note) = (title.to_owned(), format!("about {title}"));
    v1::NewBook { title, pages: 880, author_id, note, shelf: None }
}

#[test]
fn renamed_columns_keep_their_values_and_new_ones_are_filled_in() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = first(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the first program starts");
        let author = service.store::<Author>().create(NewAuthor {}).await.expect("an author").id;
        let old = service.store::<v1::Book>().create(books("Middlemarch", author)).await.expect("a book");

        let error = error_text(second(database).await.migrate().await);
        let line = "table `books`, column `heading`: is still called `title`: `migrate diff` writes the rename";
        assert!(error.contains(line), "{error}");
        let service = second(database).await;
        let written = directory.write_migration(&service).await;
        compare(database.backend(), "renames.up", &written.up());
        compare(database.backend(), "renames.down", &written.down());
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "everything follows");

        let service = service.migrations_from(directory.path()).migrate().await.expect("the second program starts");
        let store = service.store::<v2::Book>();
        let kept = store.get(old.id).await.expect("the book");
        let expected = v2::Book {
            id: old.id,
            heading: "Middlemarch".to_owned(),
            page_count: 880,
            writer_id: author,
            summary: "about Middlemarch".to_owned(),
            shelf: "none".to_owned(),
            language: "en".to_owned(),
            is_old: true,
            colour: None,
            deleted_at: None,
        };
        assert_eq!(kept, expected);
        let found = store.list(Select::all().search("middlemarch")).await.expect("a search");
        assert_eq!(found.len(), 1, "the index of words follows");
        let book = |heading: &str, page_count, writer_id| v2::NewBook {
            heading: heading.to_owned(),
            page_count,
            writer_id,
            summary: String::new(),
            shelf: "A".to_owned(),
            language: "de".to_owned(),
            is_old: None,
            colour: None,
        };
        let refused = async |book: v2::NewBook, field: &str| {
            let error = error_text(service.store::<v2::Book>().create(book).await);
            assert!(error.contains(field), "{error}");
        };
        refused(book("Middlemarch", 1, author), "heading").await;
        refused(book("Romola", 1, author + 1), "writer_id").await;
        assert!(!store.create(book("Romola", 1, author)).await.expect("another book").is_old);
        let unchecked = "INSERT INTO books (heading, page_count, writer_id, summary, shelf, language, is_old) \
                         VALUES ('x', 0, 1, '', '', '', FALSE)";
        assert!(!database.try_execute(unchecked).await, "the check follows");

        directory.revert(&service).await;
        drop(service);
        let service = first(database).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), [], "everything is as it was");
        let service = service.migrate().await.expect("the first program starts again");
        let back = service.store::<v1::Book>().get(old.id).await.expect("the book");
        assert_eq!((back.title, back.pages, back.author_id), (old.title, old.pages, old.author_id));
        assert_eq!(service.store::<v1::Book>().list(Select::all().search("romola")).await.expect("a search").len(), 0);
    });
}

mod both {
    use super::*;

    /// A program that had both fields for a while.
    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "notes")]
    pub(crate) struct Before {
        pub(crate) id: i64,
        pub(crate) text: Option<String>,
        pub(crate) body: Option<String>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "notes")]
    pub(crate) struct After {
        pub(crate) id: i64,
        #[crud(column(renamed_from = "text"))]
        pub(crate) body: Option<String>,
        #[crud(column(renamed_from = "title"))]
        pub(crate) heading: Option<String>,
    }
}

#[test]
fn nothing_is_renamed_where_both_columns_are_there_or_neither() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = database.service().await.resource::<both::Before>();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the tables");
        let note = both::NewBefore { text: Some("old".to_owned()), body: Some("new".to_owned()) };
        let id = service.store::<both::Before>().create(note).await.expect("a note").id;

        let service = database.service().await.resource::<both::After>();
        let up = directory.write_migration(&service).await.up();
        assert!(!up.lines().any(|line| line.contains("RENAME") && !line.starts_with("--")), "{up}");
        assert!(up.contains("are both there, so that nothing is renamed."), "{up}");
        assert!(up.contains("-- There is no column ") && up.contains(" to rename.\n"), "{up}");
        directory.apply(&service).await;
        let service = service.migrate().await.expect("the program starts");
        let note = service.store::<both::After>().get(id).await.expect("the note");
        assert_eq!((note.body.as_deref(), note.heading), (Some("new"), None));
        let service = database.service().await.resource::<both::Before>().migrate().await.expect("the old one too");
        let note = service.store::<both::Before>().get(id).await.expect("the note");
        assert_eq!(note.text.as_deref(), Some("old"), "the old values are kept");
    });
}

mod stops {
    pub(super) mod first {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "stops", filter(near, far), sort(near, far))]
        pub(in super::super) struct Stop {
            pub(in super::super) id: i64,
            #[crud(unique)]
            pub(in super::super) code: i64,
            #[crud(range(min = 1))]
            pub(in super::super) near: i64,
            #[crud(range(min = 1))]
            pub(in super::super) far: i64,
        }
    }

    /// A field that is neither in a list nor has rules any more gets another name.
    pub(super) mod second {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "stops", filter(near), sort(near))]
        pub(in super::super) struct Stop {
            pub(in super::super) id: i64,
            #[crud(column(renamed_from = "code"))]
            pub(in super::super) number: i64,
            #[crud(range(min = 1))]
            pub(in super::super) near: i64,
            #[crud(column(renamed_from = "far"))]
            pub(in super::super) end: i64,
        }
    }

    /// Another field gets its former name, and a new one is unique by that of a third.
    pub(super) mod third {
        use crud_runtime::prelude::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "stops", filter(far), sort(far))]
        pub(in super::super) struct Stop {
            pub(in super::super) id: i64,
            pub(in super::super) number: i64,
            #[crud(unique)]
            pub(in super::super) code: Option<i64>,
            #[crud(range(min = 1), column(renamed_from = "near"))]
            pub(in super::super) far: i64,
            pub(in super::super) end: i64,
        }
    }
}

#[test]
fn former_name_of_a_field_is_free_for_another_one_with_its_indexes_and_constraints() {
    on_each_sql_backend(async |database| {
        let first = async || database.service().await.resource::<stops::first::Stop>();
        let second = async || database.service().await.resource::<stops::second::Stop>();
        let third = async || database.service().await.resource::<stops::third::Stop>();
        let directory = Directory::new();
        let write = async |service: Service| {
            directory.write_migration(&service).await;
            directory.apply(&service).await;
            let found = service.migrations().diff().await.expect("a comparison");
            let needed: Vec<_> = found.into_iter().filter(|difference| !difference.is_unused()).collect();
            assert_eq!(needed, []);
            assert_eq!(service.migrations().unwritten(directory.path()).await.expect("a comparison"), None);
        };
        write(first().await).await;
        let old = stops::first::NewStop { code: 1, near: 2, far: 3 };
        let old = first().await.store::<stops::first::Stop>().create(old).await.expect("a stop");
        write(second().await).await;
        let store = second().await.store::<stops::second::Stop>();
        let free = stops::second::NewStop { number: 7, near: 1, end: 0 };
        let free = store.create(free).await.expect("the rule of the former name is gone");
        store.delete(free.id).await.expect("it is deleted");

        write(third().await).await;
        let kept = third().await.store::<stops::third::Stop>().get(old.id).await.expect("the stop");
        assert_eq!(kept, stops::third::Stop { id: old.id, number: 1, code: None, far: 2, end: 3 });
        directory.revert(&third().await).await;
        directory.revert(&second().await).await;
        assert_eq!(first().await.migrations().diff().await.expect("a comparison"), [], "everything is as it was");
        assert_eq!(first().await.store::<stops::first::Stop>().get(old.id).await.expect("the stop"), old);
    });
}
