//! Commands of plugins, and their words in the help.

use std::ffi::OsString;
use std::fmt::Write;

use crud_shared::spelling;

use super::output::{print, setup};
use crate::service::builder::Service;
use crate::service::plugin_command::PluginCommand;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;

/// Runs the command of a plugin: its name, that of the command, arguments.
pub(super) fn run(service: &Service, words: Vec<OsString>) -> BoxFuture<'_, Result<()>> {
    Box::pin(async move {
        let mut words = words.into_iter().map(|word| word.to_string_lossy().into_owned());
        let name = words.next().unwrap_or_default();
        let commands = service.plugin_commands();
        let of_plugin = commands.into_iter().filter(|(plugin, _)| *plugin == name).map(|(_, command)| command);
        let of_plugin: Vec<PluginCommand> = of_plugin.collect();
        if of_plugin.is_empty() {
            return setup(format!("unrecognized subcommand '{name}': `--help` lists the commands"));
        }
        let wanted = words.next().unwrap_or_default();
        let known: Vec<&str> = of_plugin.iter().map(|command| command.name).collect();
        let hint = spelling::hint(&wanted, known);
        let Some(command) = of_plugin.into_iter().find(|command| command.name == wanted) else {
            return setup(format!("unrecognized command '{wanted}' of `{name}`: {hint}"));
        };
        service.check()?;
        (command.run)(service.state()?, words.collect()).await
    })
}

/// Prints the help of the program, with the commands of the plugins of its service where it can be built.
pub(super) fn print_help(help: &str, service: Result<Service>) -> Result<()> {
    let commands = service.map(|service| service.plugin_commands()).unwrap_or_default();
    let named: Vec<(String, &str)> =
        commands.iter().map(|(plugin, command)| (format!("{plugin} {}", command.name), command.about)).collect();
    let width = named.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text = help.to_owned();
    for (index, (name, about)) in named.iter().enumerate() {
        let heading = if index == 0 { "\n\nCommands of plugins:" } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{heading}\n  {name:width$}  {about}");
    }
    print(&text)
}
