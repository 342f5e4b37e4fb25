//! [`Database`]: what depends on the database of a project.

/// A database that a project runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    /// Embedded.
    Sqlite,
    /// A server.
    Postgres,
    /// A server, MySQL or MariaDB.
    Mysql,
}

impl Database {
    const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::Mysql];

    /// The database of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|database| database.name() == name)
    }

    /// The database of a project with these features of crud-runtime.
    pub(crate) fn of(features: &[&str]) -> Self {
        let servers = [Self::Postgres, Self::Mysql];
        servers.into_iter().find(|server| features.contains(&server.name())).unwrap_or(Self::Sqlite)
    }

    /// The name, also that of the feature.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Mysql => "mysql",
        }
    }

    /// The name as prose has it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
            Self::Mysql => "MySQL or MariaDB",
        }
    }

    /// Whether it is a server, with a host, a user and a password.
    pub(crate) const fn is_server(self) -> bool {
        !matches!(self, Self::Sqlite)
    }

    /// The features of crud-runtime beside the default ones, which include SQLite: the project's tests run on it.
    pub(crate) fn features(self) -> Vec<&'static str> {
        let server = self.is_server().then_some(self.name());
        ["config", "migrations"].into_iter().chain(server).collect()
    }

    /// The URL of a project's database, without secrets.
    pub(crate) fn url(self, project: &str) -> String {
        match self {
            Self::Sqlite => format!("sqlite://{project}.db"),
            Self::Postgres => format!("postgres://localhost:5432/{project}"),
            Self::Mysql => format!("mysql://localhost:3306/{project}"),
        }
    }

    /// The URL with a user and a placeholder for the password.
    pub(crate) fn secret_url(self, project: &str) -> String {
        self.url(project).replace("localhost", &format!("{project}:password@localhost"))
    }

    /// The command that creates an empty database.
    pub(crate) fn create(self, project: &str) -> String {
        match self {
            Self::Sqlite => String::new(),
            Self::Postgres => format!("createdb {project}"),
            Self::Mysql => format!("mysql -e 'CREATE DATABASE {project}'"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Database;

    #[test]
    fn the_databases_are_those_of_the_configuration() {
        let names: Vec<&str> = crud_config::DATABASES.iter().map(|database| database.name).collect();
        assert_eq!(names, Database::ALL.map(Database::name));
        for (database, configured) in Database::ALL.into_iter().zip(crud_config::DATABASES) {
            let url = database.url("shop");
            assert!(configured.schemes.iter().any(|scheme| url.starts_with(&format!("{scheme}:"))), "{url}");
        }
    }
}
