//! [`Database`]: the database of a project, for its files.

use crud_shared::database::{self, DATABASES};

/// A database that a project runs on: a row of [`DATABASES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Database(&'static database::Database);

/// The names that `--database` takes.
pub(crate) fn names() -> Vec<&'static str> {
    DATABASES.iter().map(|database| database.name).collect()
}

impl Database {
    /// The embedded database, on which the tests of every project run.
    const EMBEDDED: Self = Self(&DATABASES[0]);

    /// The database of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        DATABASES.iter().find(|database| database.name == name).map(Self)
    }

    /// The database of a project with these features of crud-runtime.
    pub(crate) fn of_features(features: &[&str]) -> Self {
        let mut servers = DATABASES.iter().filter(|database| database.is_server);
        servers.find(|server| features.contains(&server.name)).map_or(Self::EMBEDDED, Self)
    }

    /// Its name, which is that of crud-runtime's feature too.
    pub(crate) const fn name(self) -> &'static str {
        self.0.name
    }

    /// Its name for people.
    pub(crate) const fn title(self) -> &'static str {
        self.0.title
    }

    /// Whether it is a server: there are a host, a user and a password.
    pub(crate) const fn is_server(self) -> bool {
        self.0.is_server
    }

    /// Whether its tables change by written migrations.
    pub(crate) const fn has_migrations(self) -> bool {
        self.0.has_migrations
    }

    /// Whether a command creates its empty database.
    pub(crate) const fn is_created(self) -> bool {
        !self.0.create.is_empty()
    }

    /// The features of crud-runtime, besides the default ones. The embedded database is one of those.
    pub(crate) fn features(self) -> Vec<&'static str> {
        let server = self.is_server().then_some(self.0.name);
        let migrations = self.has_migrations().then_some("migrations");
        ["config"].into_iter().chain(migrations).chain(server).collect()
    }

    /// The URL of a project's database, without secrets.
    pub(crate) fn url(self, project: &str) -> String {
        self.0.url.replace("{project}", project)
    }

    /// The URL of a project's database, with a user and a placeholder for the password.
    pub(crate) fn secret_url(self, project: &str) -> String {
        self.url(project).replace("localhost", &format!("{project}:password@localhost"))
    }

    /// The command that creates an empty database.
    pub(crate) fn create(self, project: &str) -> String {
        self.0.create.replace("{project}", project)
    }
}

#[cfg(test)]
mod tests {
    use super::{DATABASES, Database};

    #[test]
    fn every_database_is_found_by_its_name_and_by_its_feature() {
        for row in DATABASES {
            let found = Database::find(row.name).expect("a database");
            assert_eq!(Database::of_features(&found.features()), found);
        }
        assert!(!Database::EMBEDDED.is_server());
    }
}
