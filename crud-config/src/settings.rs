//! [`Settings`]: the value of every key, and its source.

use std::path::Path;
use std::{fmt, fs, io};

use crud_shared::spelling;
use toml_edit::{Document, Item, Value};

use crate::environment::{ENV_FILE, Environment};
use crate::key::{ConfigKey, KEYS};
use crate::plugin_table::PluginTable;
use crate::{ConfigError, FILE};

/// The source of a value. An earlier source overrides a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A variable of the environment.
    Environment,
    /// A variable of the file `.env`.
    EnvFile,
    /// The file `crud.toml`.
    File,
    /// No source: the value is the default.
    Default,
}

/// A key with the value in force.
#[derive(Clone)]
pub struct Setting {
    /// The key.
    pub key: &'static ConfigKey,
    /// The value; `None` where the program decides.
    pub value: Option<String>,
    /// The source of the value.
    pub source: Source,
}

/// Hides secrets.
impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.as_deref().map(|value| self.key.shown(value));
        f.debug_struct("Setting")
            .field("key", &self.key.name)
            .field("value", &value)
            .field("source", &self.source)
            .finish()
    }
}

/// Every key with the value in force, in the order of [`KEYS`], and the tables of the file for plugins.
#[derive(Debug, Clone)]
pub struct Settings {
    settings: Vec<Setting>,
    plugin_tables: Vec<PluginTable>,
}

impl Settings {
    /// Reads `crud.toml` and `.env` of a directory, if they exist, and the environment.
    ///
    /// # Errors
    /// When a file cannot be read, a key is unknown, or a value is not legal for its key.
    pub fn read(directory: &Path) -> Result<Self, ConfigError> {
        let file = match fs::read_to_string(directory.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ConfigError(format!("cannot read `{FILE}`: {error}"))),
        };
        let environment = Environment::read(directory)?;
        Self::of(&file, |variable| environment.variable(variable))
    }

    /// Reads the text of a file, and an environment. An empty variable counts as unset.
    ///
    /// # Errors
    /// When the text is not valid TOML, a key is unknown, or a value is not legal for its key.
    ///
    /// ```
    /// use crud_config::Settings;
    ///
    /// let settings = Settings::new("database_url = 'sqlite://shop.db'", |_| None)?;
    /// assert_eq!(settings.value("database_url"), Some("sqlite://shop.db"));
    /// assert_eq!(settings.value("bind"), Some("0.0.0.0:8000"));
    /// # Ok::<(), crud_config::ConfigError>(())
    /// ```
    pub fn new(file: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let given = |value: &String| !value.is_empty();
        Self::of(file, |variable| environment(variable).filter(given).map(|value| (value, Source::Environment)))
    }

    /// Reads the text of a file, and variables with their sources.
    fn of(file: &str, variables: impl Fn(&str) -> Option<(String, Source)>) -> Result<Self, ConfigError> {
        let (written, plugin_tables) = read_file(file)?;
        let settings = KEYS.iter().map(|key| {
            let given = key.variable().and_then(|variable| Some((variables(&variable)?, variable)));
            if let Some(((value, source), variable)) = given {
                let place = || match source {
                    Source::EnvFile => format!("`{variable}` in `{ENV_FILE}`"),
                    _ => format!("the environment's `{variable}`"),
                };
                return checked(key, value, source, place);
            }
            if let Some((_, value)) = written.iter().find(|(name, _)| *name == key.name) {
                return checked(key, value.clone(), Source::File, || format!("`{}` in `{FILE}`", key.name));
            }
            Ok(Setting { key, value: key.default.map(str::to_owned), source: Source::Default })
        });
        let settings = Self { settings: settings.collect::<Result<_, _>>()?, plugin_tables };
        settings.check_limits()?;
        Ok(settings)
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|setting| setting.key.name == key)?.value.as_deref()
    }

    /// The value of a key that is a number.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.value(key)?.parse().ok()
    }

    /// Every setting.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter()
    }

    /// The tables of the file for plugins. The program checks that it has the plugins, and that they know the keys.
    pub fn plugin_tables(&self) -> &[PluginTable] {
        &self.plugin_tables
    }

    fn check_limits(&self) -> Result<(), ConfigError> {
        match (self.number("default_limit"), self.number("max_limit")) {
            (Some(default), Some(most)) if default > most => Err(ConfigError(format!(
                "`default_limit` is {default}, which is more than `max_limit`, {most}: expected {most} or less"
            ))),
            _ => Ok(()),
        }
    }
}

fn checked(
    key: &'static ConfigKey,
    value: String,
    source: Source,
    place: impl Fn() -> String,
) -> Result<Setting, ConfigError> {
    key.check(&value).map_err(|problem| ConfigError(format!("{} {problem}", place())))?;
    Ok(Setting { key, value: Some(value), source })
}

/// The keys of a file, with their values as text.
type WrittenKeys = Vec<(String, String)>;

/// The keys of a file, and its tables.
fn read_file(text: &str) -> Result<(WrittenKeys, Vec<PluginTable>), ConfigError> {
    // The error's display repeats the line, which may hold a password.
    let document = Document::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        ConfigError(format!("`{FILE}` is not valid TOML, line {line}: {}", error.message().replace('\n', ", ")))
    })?;
    let (mut values, mut tables) = (Vec::new(), Vec::new());
    for (name, item) in document.iter() {
        if let Some(table) = item.as_table_like().filter(|_| ConfigKey::find(name).is_none()) {
            tables.push(PluginTable::read(name, table)?);
            continue;
        }
        let key = ConfigKey::find(name).ok_or_else(|| unknown(name))?;
        values.push((name.to_owned(), value_text(key, item)?));
    }
    Ok((values, tables))
}

fn value_text(key: &ConfigKey, item: &Item) -> Result<String, ConfigError> {
    match item {
        Item::Value(Value::String(text)) if !key.is_number() && !key.is_flag() => Ok(text.value().clone()),
        Item::Value(Value::Integer(number)) if key.is_number() => Ok(number.value().to_string()),
        Item::Value(Value::Boolean(flag)) if key.is_flag() => Ok(flag.value().to_string()),
        _ if key.is_number() => Err(ConfigError(format!("`{}` in `{FILE}` must be an integer", key.name))),
        _ if key.is_flag() => Err(ConfigError(format!("`{}` in `{FILE}` must be `true` or `false`", key.name))),
        _ => Err(ConfigError(format!("`{}` in `{FILE}` must be text, in quotes", key.name))),
    }
}

/// The error about an unknown key.
fn unknown(name: &str) -> ConfigError {
    let hint = spelling::hint(name, KEYS.iter().map(|key| key.name));
    ConfigError(format!("`{FILE}` has the unknown key `{name}`: {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, PluginValue};

    fn read(file: &str, environment: &[(&str, &str)]) -> Result<Config, String> {
        let find = |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Settings::new(file, find).map(|settings| Config::new(&settings)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let file = "database_url = 'sqlite://a.db'\nmax_limit = 50\nrequest_timeout = '5s'";
        let config = read(file, &[("DATABASE_URL", "sqlite://b.db"), ("BIND", "")]).expect("a configuration");
        assert_eq!(config.database_url.as_deref(), Some("sqlite://b.db"));
        assert_eq!((config.max_limit, config.default_limit), (Some(50), None));
        assert_eq!(config.request_timeout, Some(std::time::Duration::from_secs(5)));
        assert_eq!(config.bind, "0.0.0.0:8000");
    }

    #[test]
    fn mistakes_are_told_with_what_is_legal() {
        let refused = |file: &str, environment: &[(&str, &str)]| read(file, environment).expect_err("a mistake");
        assert_eq!(refused("bnid = 'x'", &[]), "`crud.toml` has the unknown key `bnid`: did you mean `bind`?");
        assert!(refused("colour = 'x'", &[]).contains("expected `database_url`, `bind`"), "all keys");
        assert_eq!(refused("max_limit = '5'", &[]), "`max_limit` in `crud.toml` must be an integer");
        assert_eq!(
            refused("cors_credentials = 'true'", &[]),
            "`cors_credentials` in `crud.toml` must be `true` or `false`"
        );
        assert_eq!(refused("bind = 8000", &[]), "`bind` in `crud.toml` must be text, in quotes");
        assert!(refused("", &[("MAX_LIMIT", "x")]).starts_with("the environment's `MAX_LIMIT` must be an integer"));
        assert!(refused("default_limit = 9\nmax_limit = 5", &[]).contains("more than `max_limit`"));
    }

    #[test]
    fn origins_and_flags_are_read() {
        let file = "cors_origins = 'https://a.example http://localhost:5173'\ncors_credentials = true";
        let config = read(file, &[("CORS_MAX_AGE", "1m")]).expect("a configuration");
        let origins = config.cors_origins.expect("origins");
        assert_eq!(origins, ["https://a.example", "http://localhost:5173"]);
        assert!(config.cors_credentials);
        assert_eq!(config.cors_max_age, Some(std::time::Duration::from_mins(1)));
    }

    #[test]
    fn tables_of_plugins_are_kept_as_they_are_written() {
        let config = read("bind = '0.0.0.0:80'\n[board]\nplaces = 12\nrole = 'editor'", &[]).expect("a configuration");
        let values = [
            ("places".to_owned(), PluginValue::Bare("12".to_owned())),
            ("role".to_owned(), PluginValue::Text("editor".to_owned())),
        ];
        let [table] = config.plugin_tables.as_slice() else { panic!("{config:?}") };
        assert_eq!((table.name.as_str(), table.values.as_slice()), ("board", values.as_slice()));
        let error = read("[board]\nplaces = 1.5", &[]).expect_err("no integer");
        assert!(error.starts_with("`places` of `[board]` in `crud.toml` must be"), "{error}");
        assert!(read("[[board]]\nplaces = 1", &[]).is_err(), "no array of tables");
        assert!(!format!("{config:?}").contains("editor"), "a setting may be secret");
    }

    #[test]
    fn no_variable_of_the_environment_opens_a_service() {
        let config = |file: &str| read(file, &[("AUTH", "false")]).expect("a configuration");
        assert!(config("").auth && config("auth = true").auth);
        assert!(!config("auth = false").auth);
        assert!(!read("auth = false", &[("AUTH", "true")]).expect("a configuration").auth);
    }

    #[test]
    fn nothing_tells_a_password() {
        let settings = Settings::new("database_url = 'sqlite://a.db?key=secret'", |_| None).expect("settings");
        let told = format!("{settings:?} {:?}", Config::new(&settings));
        assert!(told.contains("sqlite://a.db?key=***") && !told.contains("secret"), "{told}");
    }

    #[test]
    fn a_broken_file_is_told_by_its_line_alone() {
        let error = read("bind = '0.0.0.0:80'\ndatabase_url = 'secret", &[]).expect_err("no TOML");
        assert!(error.starts_with("`crud.toml` is not valid TOML, line 2: "), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
