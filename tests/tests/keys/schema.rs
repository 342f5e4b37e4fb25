//! Tables of composite and given keys.

use crud_runtime::prelude::*;
use crud_tests::{on_each_backend, on_each_sql_backend};

use crate::line::{Line, Order};

/// A stay in a room.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, soft_delete, default_sort(desc(day)))]
struct Stay {
    #[crud(id)]
    room: i32,
    #[crud(id)]
    day: NaiveDate,
    guest: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A room by its number.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort)]
struct Room {
    #[crud(id(client))]
    number: i16,
}

#[test]
fn a_created_table_is_what_the_structs_want() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Order>().resource::<Line>();
        let service = service.resource::<Stay>().resource::<Room>().migrate().await.expect("the tables");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
        drop(service.migrate().await.expect("tables that are there"));
    });
}

#[test]
fn a_key_that_clients_set_is_assigned_by_nothing() {
    on_each_sql_backend(async |database| {
        drop(database.service().await);
        let rooms = "CREATE TABLE rooms (number SMALLINT NOT NULL PRIMARY KEY)";
        database.execute(rooms).await;
        drop(database.service().await.resource::<Room>().migrate().await.expect("a table that fits"));
    });
}
