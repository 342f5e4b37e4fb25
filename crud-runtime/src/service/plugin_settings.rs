//! [`PluginSettings`]: a plugin's table in `crud.toml`, and its variables in the environment.

use std::sync::Arc;
use std::time::Duration;

use crud_shared::{duration, spelling};

use super::builder::Service;
use crate::storage::error::{Error, Result};

/// The settings of a plugin: its table in `crud.toml`, such as `[board]`, and variables of the environment, such as
/// `BOARD_PLACES`, which override the file. [`Plugin::configure`](crate::Plugin::configure) reads them.
///
/// Each method names a key. A key of the file that no call names is an error at start, with the nearest one. A service
/// without [a configuration](crate::Service::from_config) has no settings.
///
/// ```
/// use crud_runtime::{Plugin, PluginSettings, Result};
///
/// /// A board with a number of places: `[board]` with `places = 12`, or `BOARD_PLACES=12`.
/// struct Board { places: u64 }
///
/// impl Plugin for Board {
///     fn name(&self) -> &'static str {
///         "board"
///     }
///
///     fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
///         self.places = settings.number("places")?.unwrap_or(self.places);
///         Ok(())
///     }
/// }
/// ```
#[derive(Debug)]
pub struct PluginSettings {
    /// The plugin, and the table.
    name: &'static str,
    table: SettingsTable,
    variables: Option<Variables>,
    /// The keys that the plugin has named.
    known: Vec<&'static str>,
}

/// A table of `crud.toml` as it is written: the keys and their values.
#[derive(Debug, Clone, Default)]
pub(super) struct SettingsTable {
    pub(super) name: String,
    pub(super) values: Vec<(String, WrittenValue)>,
}

/// A value as it is written.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "config"), allow(dead_code, reason = "services of a configuration have values"))]
pub(super) enum WrittenValue {
    /// A text in quotes.
    Text(String),
    /// A number, `true` or `false`.
    Bare(String),
}

/// The source of variables of the environment.
pub(super) type Variables = fn(&str) -> Result<Option<String>>;

/// The settings that a service has for its plugins.
#[derive(Debug, Clone, Default)]
pub(super) struct SettingsSource {
    pub(super) tables: Arc<[SettingsTable]>,
    pub(super) variables: Option<Variables>,
}

impl PluginSettings {
    /// The text of a key: `role = "editor"`.
    ///
    /// # Errors
    /// [`Error::Setup`] for a value that is not a text in quotes, or is empty.
    pub fn text(&mut self, key: &'static str) -> Result<Option<String>> {
        self.read(key, true, "text, in quotes", |text| (!text.trim().is_empty()).then(|| text.to_owned()))
    }

    /// The number of a key, from 0: `places = 12`.
    ///
    /// # Errors
    /// [`Error::Setup`] for another value.
    pub fn number(&mut self, key: &'static str) -> Result<Option<u64>> {
        self.read(key, false, "an integer from 0", |text| text.parse().ok())
    }

    /// The flag of a key: `open = true`.
    ///
    /// # Errors
    /// [`Error::Setup`] for another value.
    pub fn flag(&mut self, key: &'static str) -> Result<Option<bool>> {
        self.read(key, false, "`true` or `false`", |text| text.parse().ok())
    }

    /// The time of a key: `interval = "30s"`.
    ///
    /// # Errors
    /// [`Error::Setup`] for another value.
    pub fn time(&mut self, key: &'static str) -> Result<Option<Duration>> {
        self.read(key, true, "a time such as `30s`, in quotes", duration::parse)
    }

    /// Reads the value of a key. The error does not repeat the value, which could be secret.
    fn read<T>(
        &mut self,
        key: &'static str,
        is_quoted: bool,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        self.known.push(key);
        let variable = format!("{}_{key}", self.name).replace('-', "_").to_ascii_uppercase();
        if let Some(value) = self.variables.map_or(Ok(None), |variables| variables(&variable))? {
            let refused = || Error::Setup(format!("the variable `{variable}` must be {expected}"));
            return parse(&value).map(Some).ok_or_else(refused);
        }
        let Some((_, value)) = self.table.values.iter().find(|(name, _)| name == key) else { return Ok(None) };
        let parsed = match value {
            WrittenValue::Text(text) if is_quoted => parse(text),
            WrittenValue::Bare(text) if !is_quoted => parse(text),
            WrittenValue::Text(_) | WrittenValue::Bare(_) => None,
        };
        let refused = || Error::Setup(format!("`{key}` of `[{}]` in `crud.toml` must be {expected}", self.name));
        parsed.map(Some).ok_or_else(refused)
    }

    /// Refuses the keys that the plugin has not named.
    pub(super) fn finish(self) -> Result<()> {
        let is_known = |name: &str| self.known.contains(&name);
        let Some((unknown, _)) = self.table.values.iter().find(|(name, _)| !is_known(name)) else { return Ok(()) };
        let hint = match self.known.as_slice() {
            [] => "the plugin has no settings".to_owned(),
            known => spelling::hint(unknown, known.iter().copied()),
        };
        Err(Error::Setup(format!("`[{}]` in `crud.toml` has the unknown key `{unknown}`: {hint}", self.name)))
    }
}

impl Service {
    /// The settings of a plugin.
    pub(super) fn settings_of(&self, name: &'static str) -> PluginSettings {
        let SettingsSource { tables, variables } = &self.plugin_settings;
        let table = tables.iter().find(|table| table.name == name).cloned().unwrap_or_default();
        PluginSettings { name, table, variables: *variables, known: Vec::new() }
    }

    /// Refuses the tables of `crud.toml` that belong to no plugin.
    ///
    /// # Errors
    /// [`Error::Setup`] with the nearest name.
    pub(super) fn check_settings(&self) -> Result<()> {
        let names = || self.plugins.iter().map(|installed| installed.plugin.name());
        let tables = self.plugin_settings.tables.iter();
        let Some(unknown) = tables.map(|table| &table.name).find(|name| names().all(|known| known != *name)) else {
            return Ok(());
        };
        let hint = if self.plugins.is_empty() {
            "the service has no plugins".to_owned()
        } else {
            spelling::hint(unknown, names().collect::<Vec<_>>())
        };
        Err(Error::Setup(format!("`crud.toml` has the table `[{unknown}]`, which is no plugin of the service: {hint}")))
    }
}
