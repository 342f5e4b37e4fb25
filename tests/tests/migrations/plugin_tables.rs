//! The tables of a plugin in a program that has migrations as files, across two versions of the plugin.

use crud_runtime::prelude::*;
use crud_runtime::{Plugin, Result};
use crud_tests::{Database, on_each_sql_backend};

use crate::support::{Directory, error_text};

/// A version of the plugin.
macro_rules! version {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        mod $name {
            use crud_runtime::prelude::*;

            /// A card of the board.
            #[derive(Debug, Clone, Resource)]
            #[crud(table = "board_card", internal)]
            pub(super) struct Card {
                pub(super) id: i64,
                $(pub(super) $field: $type,)*
            }
        }
    };
}

version!(first { place: i64 });
version!(second { place: i64, colour: Option<String> });
version!(third { colour: Option<String> });

/// A resource of the program.
#[derive(Debug, Clone, Resource)]
#[crud(table = "tasks")]
struct Task {
    id: i64,
}

/// The board, of a version.
struct Board(fn(Service) -> Service);

impl Plugin for Board {
    fn name(&self) -> &'static str {
        "board"
    }

    fn install(&self, service: Service) -> Result<Service> {
        Ok((self.0)(service))
    }
}

async fn with(database: &Database, cards: fn(Service) -> Service) -> Service {
    database.service().await.resource::<Task>().plugin(Board(cards)).expect("one plugin")
}

#[test]
fn next_version_of_a_plugin_is_migrated_by_files() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = with(database, Service::table::<first::Card>).await;
        let up = directory.write_migration(&service).await.up();
        assert!(up.contains("board_card") && up.contains("crud_owners"), "{up}");
        directory.apply(&service).await;
        let service = service.migrations_from(directory.path()).migrate().await.expect("the first version starts");
        service.store::<first::Card>().create(first::NewCard { place: 7 }).await.expect("a card");

        let next = with(database, Service::table::<second::Card>).await;
        let refused = error_text(next.migrations_from(directory.path()).migrate().await);
        assert!(refused.contains("table `board_card`, column `colour`: is missing"), "{refused}");
        let next = with(database, Service::table::<second::Card>).await;
        let up = directory.write_migration(&next).await.up();
        assert!(up.contains("ADD COLUMN") && up.contains("colour"), "{up}");
        directory.apply(&next).await;
        assert_eq!(next.migrations().diff().await.expect("a comparison"), []);
        let next = next.migrations_from(directory.path()).migrate().await.expect("the second version starts");
        let cards = next.store::<second::Card>().list(Select::all()).await.expect("the cards");
        assert_eq!(cards.iter().map(|card| (card.place, card.colour.clone())).collect::<Vec<_>>(), [(7, None)]);
    });
}

#[test]
fn older_version_of_a_plugin_uses_newer_tables_while_they_fit() {
    on_each_sql_backend(async |database| {
        // The files of the program with the older version, and those of the one with the newer version.
        let (older, newer) = (Directory::new(), Directory::new());
        let service = with(database, Service::table::<first::Card>).await;
        older.write_migration(&service).await;
        for file in older.files() {
            newer.write(&file, &std::fs::read_to_string(older.path().join(&file)).expect("the file"));
        }
        older.apply(&service).await;
        let next = with(database, Service::table::<second::Card>).await;
        newer.write_migration(&next).await;
        newer.apply(&next).await;
        let first = with(database, Service::table::<first::Card>).await.migrations_from(older.path()).migrate().await;
        first.expect("they fit").store::<first::Card>().create(first::NewCard { place: 7 }).await.expect("a card");

        let last = with(database, Service::table::<third::Card>).await;
        newer.write_migration(&last).await;
        newer.apply(&last).await;
        let first = with(database, Service::table::<first::Card>).await.migrations_from(older.path()).migrate().await;
        let error = error_text(first);
        assert!(error.contains("table `board_card`, column `place`: allows null"), "{error}");
        assert!(error.contains("this program is older than the migrations"), "{error}");
    });
}
