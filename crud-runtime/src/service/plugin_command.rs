//! [`PluginCommand`]: a command that a plugin adds to the service's program.

use std::fmt;
use std::future::Future;

use crate::http::state::ServiceState;
use crate::storage::error::Result;
use crate::storage::future::BoxFuture;

/// A command of a plugin: `NAME COMMAND` in the arguments of a program of [`config::run`](crate::config::run), where `NAME` is
/// the plugin's name. [`Plugin::commands`](crate::Plugin::commands) adds it, and `--help` lists it.
///
/// ```
/// use crud_runtime::{Plugin, PluginCommand, Result, ServiceState};
/// # use crud_runtime::prelude::*;
///
/// /// A card of the board.
/// #[derive(Debug, Clone, Resource)]
/// #[crud(table = "board_card", internal)]
/// struct Card { id: i64 }
///
/// /// Prints the number of cards: `shop board count`.
/// async fn count(state: ServiceState, _: Vec<String>) -> Result<()> {
///     println!("{} cards", state.app().store::<Card>().count(Select::all()).await?);
///     Ok(())
/// }
///
/// struct Board;
///
/// impl Plugin for Board {
///     fn name(&self) -> &'static str {
///         "board"
///     }
///
///     fn commands(&self) -> Vec<PluginCommand> {
///         vec![PluginCommand::new("count", "Prints the number of cards", count)]
///     }
/// }
/// ```
pub struct PluginCommand {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    #[cfg_attr(not(feature = "config"), allow(dead_code, reason = "programs of a configuration run commands"))]
    pub(super) run: RunCommand,
}

/// Runs a command with the arguments behind its name.
type RunCommand = Box<dyn FnOnce(ServiceState, Vec<String>) -> BoxFuture<'static, Result<()>> + Send>;

impl fmt::Debug for PluginCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginCommand").field("name", &self.name).field("about", &self.about).finish_non_exhaustive()
    }
}

impl PluginCommand {
    /// A command by its name, its sentence in the help, and a function of the state and of the arguments behind the name.
    pub fn new<F, W>(name: &'static str, about: &'static str, run: F) -> Self
    where
        F: FnOnce(ServiceState, Vec<String>) -> W + Send + 'static,
        W: Future<Output = Result<()>> + Send + 'static,
    {
        Self { name, about, run: Box::new(|state, arguments| Box::pin(run(state, arguments))) }
    }
}
