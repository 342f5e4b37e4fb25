//! Databases that the public knows, in the folder that `CRUD_TEST_DATABASES` names: a record shop and a film rental.

use std::path::PathBuf;
use std::{env, fs};

use crud_runtime::prelude::*;
use crud_runtime::schema::Verdict;
use crud_tests::{Api, Backend, Database, on_each_sql_backend, skip};

use crate::foreign::support::{catalogue, unchanged};

/// The text of a file of the folder; `None` without the folder.
fn text_of(file: &str) -> Option<String> {
    let Some(folder) = env::var_os("CRUD_TEST_DATABASES") else {
        skip("databases", "CRUD_TEST_DATABASES names no folder");
        return None;
    };
    Some(fs::read_to_string(PathBuf::from(folder).join(file)).expect("the file"))
}

mod rental {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table("language", unmanaged), prefix = "/languages", filter, sort)]
    pub(super) struct Language {
        #[crud(id, column = "language_id")]
        id: i32,
        last_update: DateTime<Utc>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table("film", unmanaged), prefix = "/films", filter, sort, pagination(cursor), search(title, description))]
    pub(super) struct Film {
        #[crud(id, column = "film_id")]
        id: i32,
        title: String,
        description: Option<String>,
        #[crud(references(Language, expand))]
        language_id: i32,
        #[crud(decimal(4, 2))]
        rental_rate: Decimal,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table("customer", unmanaged), prefix = "/customers", filter, sort, pagination(cursor), audit)]
    pub(super) struct Customer {
        #[crud(id, column = "customer_id")]
        id: i32,
        first_name: String,
        last_name: String,
        email: Option<String>,
        activebool: bool,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table("sales_by_store", unmanaged), prefix = "/sales", operations(list), filter(manager), sort(store))]
    pub(super) struct Sales {
        #[crud(id)]
        store: String,
        manager: String,
    }
}

async fn rental_shop(database: &Database) -> Service {
    let service = database.service().await.resource::<rental::Language>().resource::<rental::Film>();
    service.resource::<rental::Customer>().resource::<rental::Sales>().service_schema("film_service")
}

#[test]
fn film_rental_is_served_and_stays_as_it_is() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return; // it is written for PostgreSQL
        }
        let (Some(schema), Some(rows)) = (text_of("pagila-postgresql15.sql"), text_of("pagila-rows.sql")) else {
            return;
        };
        load(database, &schema).await;
        load(database, &rows).await;
        let before = catalogue(database).await;
        let service = rental_shop(database).await.migrate().await.expect("it is served");
        let differences = service.migrations().diff().await.expect("a comparison");
        assert!(differences.iter().all(|one| one.verdict() != Verdict::Refuses), "{differences:#?}");
        let api = Api::start(database, service).await;
        let films = api.get("/films?sort=title&limit=3&expand=language").await.ok();
        assert!(films["data"][0]["language"].is_object(), "{films}");
        let customers = api.get("/customers?sort=-last_name&limit=3").await.ok();
        assert!(customers["next_cursor"].is_string(), "{customers}");
        api.get("/sales?sort=store").await.ok();
        api.stop().await;
        unchanged(database, &before, "film_service").await;
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        let written =
            rental_shop(database).await.migrations().write(&directory).await.expect("a migration").expect("advice");
        let baseline = fs::read_to_string(written.baseline.expect("the tables as they are")).expect("the file");
        assert!(baseline.contains("CREATE TYPE") && baseline.contains("It leaves out the trigger"), "{baseline}");
    });
}

/// Runs a dump by its statements.
async fn load(database: &Database, dump: &str) {
    // A dump sets the search path to nothing for its session.
    let is_of_session = |line: &&str| line.starts_with("SELECT pg_catalog.set_config('search_path'");
    let lines = dump.lines().filter(|line| !is_of_session(line) && !line.ends_with(" OWNER TO postgres;"));
    database.execute(&lines.collect::<Vec<_>>().join("\n")).await;
}

mod shop {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "Artist", prefix = "/artists", filter, sort, pagination(cursor))]
    pub(super) struct Artist {
        #[crud(id, column = "ArtistId")]
        id: i64,
        #[crud(column = "Name")]
        name: Option<String>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "Album", prefix = "/albums", filter, sort, pagination(cursor))]
    pub(super) struct Album {
        #[crud(id, column = "AlbumId")]
        id: i64,
        #[crud(column = "Title")]
        title: String,
        #[crud(column = "ArtistId", references(Artist, expand))]
        artist_id: i64,
    }
}

#[test]
fn record_shop_in_a_file_is_served_and_stays_as_it_is() {
    on_each_sql_backend(async |database| {
        let Some(folder) = env::var_os("CRUD_TEST_DATABASES") else { return };
        if database.backend() != Backend::Sqlite {
            return; // the file is SQLite's
        }
        let file = database.url().strip_prefix("sqlite://").expect("a path");
        fs::copy(PathBuf::from(folder).join("chinook.sqlite"), file).expect("the copy");
        let before = catalogue(database).await;
        let service = database.service().await.resource::<shop::Artist>().resource::<shop::Album>();
        let service = service.check_schema().await.expect("it is served");
        let api = Api::start(database, service).await;
        let albums = api.get("/albums?sort=title&limit=3&expand=artist").await.ok();
        assert!(albums["data"][0]["artist"]["name"].is_string(), "{albums}");
        assert_eq!(api.get("/artists?name=AC%2FDC").await.ok()["data"][0]["id"], 1);
        api.stop().await;
        assert_eq!(catalogue(database).await, before);
    });
}
