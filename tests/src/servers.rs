//! [`Servers`]: the databases' servers, started once for several test binaries.

use std::process::Command;
use std::sync::Arc;

use crate::backend::Backend;
use crate::cluster::{self, Cluster};
use crate::mariadb::{self, MariaDb};
use crate::mongodb::{self, MongoDb};

/// The running servers of the available back ends, which end with this process.
#[derive(Debug)]
pub struct Servers {
    postgres: Option<Arc<Cluster>>,
    mysql: Option<&'static MariaDb>,
    mongodb: Option<&'static MongoDb>,
}

impl Servers {
    /// Starts the servers of the available back ends.
    ///
    /// # Panics
    /// When one does not start.
    pub fn start() -> Self {
        let available = Backend::available();
        let has = |backend| available.contains(&backend);
        Self {
            postgres: has(Backend::Postgres).then(Cluster::get),
            mysql: has(Backend::MySql).then(MariaDb::get),
            mongodb: has(Backend::MongoDb).then(MongoDb::get),
        }
    }

    /// Names the servers in a command's environment, so that its tests use them.
    pub fn name_in<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        if let Some(server) = &self.postgres {
            command.env(cluster::STARTED, server.directory());
        }
        if let Some(directory) = self.mysql.and_then(MariaDb::directory) {
            command.env(mariadb::STARTED, directory);
        }
        if let Some(server) = self.mongodb {
            command.env(mongodb::RUNNING, server.url(""));
        }
        command
    }
}
