//! [`PluginTable`]: a table of the file for a plugin of the program.

use std::fmt;

use toml_edit::{Item, TableLike, Value};

use crate::{ConfigError, FILE};

/// A table of the file, such as `[board]`, kept as it is written: the plugin of this name knows its keys.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginTable {
    /// The name of the table, and of the plugin.
    pub name: String,
    /// The keys, with their values.
    pub values: Vec<(String, PluginValue)>,
}

/// A value of a [`PluginTable`].
#[derive(Clone, PartialEq, Eq)]
pub enum PluginValue {
    /// A text in quotes.
    Text(String),
    /// An integer, `true` or `false`.
    Bare(String),
}

/// Shows keys alone, since values may be secrets.
impl fmt::Debug for PluginTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> = self.values.iter().map(|(key, _)| key).collect();
        f.debug_struct("PluginTable").field("name", &self.name).field("keys", &keys).finish()
    }
}

/// Hides the value, which may be a secret.
impl fmt::Debug for PluginValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PluginValue")
    }
}

impl PluginTable {
    /// Reads a table.
    ///
    /// # Errors
    /// For a value that is no text, integer or flag.
    pub(crate) fn read(name: &str, table: &dyn TableLike) -> Result<Self, ConfigError> {
        let values = table.iter().map(|(key, item)| match item {
            Item::Value(Value::String(text)) => Ok((key.to_owned(), PluginValue::Text(text.value().clone()))),
            Item::Value(Value::Integer(number)) => Ok((key.to_owned(), PluginValue::Bare(number.value().to_string()))),
            Item::Value(Value::Boolean(flag)) => Ok((key.to_owned(), PluginValue::Bare(flag.value().to_string()))),
            _ => Err(ConfigError(format!(
                "`{key}` of `[{name}]` in `{FILE}` must be text in quotes, an integer, `true` or `false`"
            ))),
        });
        Ok(Self { name: name.to_owned(), values: values.collect::<Result<_, _>>()? })
    }
}
