//! Partial indexes: in new tables, and beside existing indexes.

use crud_runtime::prelude::*;
use crud_runtime::schema::DifferenceKind;
use crud_tests::{Backend, on_each_sql_backend};

use crate::golden::compare;
use crate::support::Directory;

/// The index of all records, which serves every query that the partial one serves.
mod all {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "notes", index(author, size))]
    pub(crate) struct Note {
        pub(crate) id: i64,
        pub(crate) author: Option<i64>,
        pub(crate) size: Option<i32>,
    }
}

mod some {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "notes", index(author, size, some(author)))]
    pub(crate) struct Note {
        pub(crate) id: i64,
        pub(crate) author: Option<i64>,
        pub(crate) size: Option<i32>,
    }
}

/// Fields of `some`, with another condition.
mod other {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "notes", index(author, size, some(size)))]
    pub(crate) struct Note {
        pub(crate) id: i64,
        pub(crate) author: Option<i64>,
        pub(crate) size: Option<i32>,
    }
}

mod deleted {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks", soft_delete, index(author, size, some(author)), index(deleted_at, shelf, some(deleted_at)))]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        pub(crate) author: Option<i64>,
        pub(crate) size: i32,
        pub(crate) shelf: i32,
        pub(crate) deleted_at: Option<DateTime<Utc>>,
    }
}

/// The names of the indexes that the database lacks.
async fn missing(service: &Service) -> Vec<String> {
    let differences = service.migrations().diff().await.expect("the database can be compared");
    let name = |what: &DifferenceKind| match what {
        DifferenceKind::IndexMissing { index, .. } => index.clone(),
        other => panic!("{other:?}"),
    };
    differences.iter().filter(|difference| !difference.is_unused()).map(|one| name(&one.what)).collect()
}

#[test]
fn partial_index_is_created_and_recognised() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = database.service().await.resource::<some::Note>().resource::<deleted::Mark>();
        let written = directory.write_migration(&service).await;
        compare(database.backend(), "partial.up", &written.up());
        compare(database.backend(), "partial.down", &written.down());
        directory.apply(&service).await;
        assert_eq!(missing(&service).await, [""; 0]);
    });
}

#[test]
fn full_index_serves_for_a_partial_one_but_another_partial_one_does_not() {
    on_each_sql_backend(async |database| {
        let all = || async { database.service().await.resource::<all::Note>() };
        let some = || async { database.service().await.resource::<some::Note>() };
        let other = || async { database.service().await.resource::<other::Note>() };
        drop(some().await.migrate().await.expect("the table is created"));
        if database.backend() == Backend::MySql {
            // MySQL has no partial indexes.
            assert_eq!(missing(&all().await).await, [""; 0]);
            assert_eq!(missing(&other().await).await, [""; 0]);
            return;
        }
        assert_eq!(missing(&other().await).await, ["ix_notes__author__some_size"]);
        assert_eq!(missing(&all().await).await, ["ix_notes__author__size"]);
        drop(all().await.migrate().await.expect("both indexes exist"));
        assert_eq!(missing(&some().await).await, [""; 0]);
        assert_eq!(missing(&other().await).await, [""; 0]);
    });
}
