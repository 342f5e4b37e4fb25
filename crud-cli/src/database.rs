//! The database of a project, for its files.

use crud_shared::database::{self, DATABASES};

/// A database that a project runs on: a row of [`DATABASES`].
pub(crate) type Database = &'static database::Database;

/// The embedded database, on which the tests of every project run.
const EMBEDDED: Database = &DATABASES[0];

/// The names that `--database` takes.
pub(crate) fn names() -> Vec<&'static str> {
    DATABASES.iter().map(|database| database.name).collect()
}

/// The database of this name.
pub(crate) fn find(name: &str) -> Option<Database> {
    DATABASES.iter().find(|database| database.name == name)
}

/// The database of a project with these features of crud-runtime.
pub(crate) fn of_features(features: &[&str]) -> Database {
    let mut servers = DATABASES.iter().filter(|database| database.is_server);
    servers.find(|server| features.contains(&server.name)).unwrap_or(EMBEDDED)
}

/// The features of crud-runtime, besides the default ones. The embedded database is one of those.
pub(crate) fn features(database: Database) -> Vec<&'static str> {
    let server = database.is_server.then_some(database.name);
    let migrations = database.has_migrations.then_some("migrations");
    ["config"].into_iter().chain(migrations).chain(server).collect()
}

/// The URL of a project's database, without secrets.
pub(crate) fn url(database: Database, project: &str) -> String {
    database.url.replace("{project}", project)
}

/// The URL of a project's database, with a user and a placeholder for the password.
pub(crate) fn secret_url(database: Database, project: &str) -> String {
    url(database, project).replace("localhost", &format!("{project}:password@localhost"))
}

/// The command that creates an empty database.
pub(crate) fn create(database: Database, project: &str) -> String {
    database.create.replace("{project}", project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_database_is_found_by_its_name_and_by_its_feature() {
        for row in DATABASES {
            let found = find(row.name).expect("a database");
            assert_eq!(of_features(&features(found)), found);
        }
        assert!(!EMBEDDED.is_server);
    }
}
