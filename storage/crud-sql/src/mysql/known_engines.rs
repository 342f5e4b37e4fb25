//! Programs that speak MySQL's protocol, and the statements that tell them apart.

use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use crate::known_engine::{KnownEngine, Standing};

/// Returns the version, and how the server was built.
const VERSION: &str = "SELECT CONCAT(VERSION(), ' ', @@version_comment)";

/// Returns the version of Aurora, whose `VERSION()` is that of MySQL.
const AURORA: &str = "SHOW VARIABLES LIKE 'aurora_version'";

/// The known engines. The first one whose mark is in the version applies.
const ENGINES: &[KnownEngine] = &[
    KnownEngine::new("PlanetScale", "planetscale", Standing::NotRun),
    KnownEngine::new(VITESS, "vitess", Standing::Supported),
    KnownEngine::new("TiDB", "tidb", Standing::NotRun),
    KnownEngine::new("Aurora MySQL", "aurora_version", Standing::NotRun),
];

const VITESS: &str = "Vitess";

/// The server of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Engine {
    /// The text of the server's version.
    pub(super) version: String,
    /// The program, unless it is MySQL or MariaDB itself.
    pub(super) known: Option<&'static KnownEngine>,
}

impl Engine {
    fn of_version(version: String) -> Self {
        Self { known: KnownEngine::of_version(ENGINES, &version), version }
    }

    /// Whether statements reach the servers through vtgate, which drops MySQL's session settings.
    pub(super) fn is_vtgate(&self) -> bool {
        self.known.is_some_and(|known| [VITESS, "PlanetScale"].contains(&known.name))
    }

    /// Asks a connection for its server's version.
    ///
    /// # Errors
    /// Errors of the statements.
    pub(super) async fn ask(connection: &mut MySqlConnection) -> sqlx::Result<Self> {
        let version: String = connection.fetch_one(VERSION).await?.try_get(0)?;
        let found = Self::of_version(version);
        if found.known.is_some() {
            return Ok(found);
        }
        match connection.fetch_optional(AURORA).await? {
            Some(row) => {
                Ok(Self::of_version(format!("{} aurora_version {}", found.version, row.try_get::<String, _>(1)?)))
            }
            None => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(version: &str) -> Option<&'static str> {
        Engine::of_version(version.to_owned()).known.map(|known| known.name)
    }

    #[test]
    fn engines_are_told_apart_by_their_version() {
        for (version, expected) in [
            ("8.4.6-Vitess Version: 24.0.4 (Git revision  branch '')", Some("Vitess")),
            ("8.0.34-PlanetScale Version: 21.0.0", Some("PlanetScale")),
            ("8.0.34-Vitess PlanetScale", Some("PlanetScale")),
            ("8.0.11-TiDB-v7.5.0 TiDB Server (Apache License 2.0)", Some("TiDB")),
            ("8.0.28 Source distribution aurora_version 3.04.0", Some("Aurora MySQL")),
            ("8.0.33 MySQL Community Server - GPL", None),
            ("8.0.35-27 Percona Server (GPL), Release 27", None),
            ("10.11.6-MariaDB-0+deb12u1 Debian 12", None),
        ] {
            assert_eq!(name(version), expected, "{version}");
        }
    }

    #[test]
    fn settings_of_a_session_are_vtgates_where_it_is_the_server() {
        for (version, expected) in [("8.4.6-Vitess", true), ("8.0.34-PlanetScale", true), ("8.0.11-TiDB-v7.5.0", false)]
        {
            assert_eq!(Engine::of_version(version.to_owned()).is_vtgate(), expected, "{version}");
        }
    }
}
