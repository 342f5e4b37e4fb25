//! [`DATABASES`]: the table of the databases that services run on.

/// A database that a service can run on: what the `crud` command, the configuration and the runtime know of it.
///
/// The runtime's table of back ends adds what needs a driver: how it connects, and its capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Database {
    /// The name, also of crud-runtime's feature.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The schemes of the database's URLs, the usual one first.
    pub schemes: &'static [&'static str],
    /// Whether the database is a server, with a host, a user and a password.
    pub is_server: bool,
    /// The URL of a project's database, without secrets; `{project}` stands for the project's name.
    pub url: &'static str,
    /// The command that creates a project's empty database; empty where the service or the server creates it.
    pub create: &'static str,
    /// Whether tables change by written migrations.
    pub has_migrations: bool,
}

/// The databases that services run on. A program knows those whose feature of crud-runtime is on.
pub const DATABASES: &[Database] = &[SQLITE, POSTGRES, MYSQL, MONGODB];

/// SQLite.
pub const SQLITE: Database = Database {
    name: "sqlite",
    title: "SQLite",
    schemes: &["sqlite"],
    is_server: false,
    url: "sqlite://{project}.db",
    create: "",
    has_migrations: true,
};

/// PostgreSQL.
pub const POSTGRES: Database = Database {
    name: "postgres",
    title: "PostgreSQL",
    schemes: &["postgres", "postgresql"],
    is_server: true,
    url: "postgres://localhost:5432/{project}",
    create: "createdb {project}",
    has_migrations: true,
};

/// MySQL and MariaDB.
pub const MYSQL: Database = Database {
    name: "mysql",
    title: "MySQL or MariaDB",
    schemes: &["mysql", "mariadb"],
    is_server: true,
    url: "mysql://localhost:3306/{project}",
    create: "mysql -e 'CREATE DATABASE {project}'",
    has_migrations: true,
};

/// MongoDB.
pub const MONGODB: Database = Database {
    name: "mongodb",
    title: "MongoDB",
    schemes: &["mongodb", "mongodb+srv"],
    is_server: true,
    url: "mongodb://localhost:27017/{project}",
    create: "",
    has_migrations: false,
};

#[cfg(test)]
mod tests {
    use super::DATABASES;

    #[test]
    fn the_url_of_a_project_has_the_usual_scheme() {
        for database in DATABASES {
            let scheme = database.url.split(':').next();
            assert_eq!(scheme, database.schemes.first().copied(), "{}", database.name);
        }
    }
}
