//! [`Environment`]: the variables of the process, which override those of the file `.env`.

use std::fmt;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use crate::ConfigError;
use crate::settings::Source;

/// The name of the file of variables, in the working directory of the program.
pub const ENV_FILE: &str = ".env";

/// Variables of the process, which override those of a file. The file sets no variable of the process: other threads
/// may read those at any time, and child processes would inherit its secrets.
#[derive(Clone, Default)]
pub struct Environment(Vec<(String, String)>);

impl Environment {
    /// Reads `.env` of a directory, if it exists.
    ///
    /// # Errors
    /// When the file cannot be read, or has a line that is not `NAME=value`.
    pub fn read(directory: &Path) -> Result<Self, ConfigError> {
        let file = match File::open(directory.join(ENV_FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(ConfigError(format!("cannot read `{ENV_FILE}`: {error}"))),
        };
        let mut variables = Vec::new();
        for variable in dotenvy::from_read_iter(file) {
            variables.push(variable.map_err(|error| unreadable(&error, variables.last()))?);
        }
        Ok(Self(variables))
    }

    /// The value of a variable, and its source. An empty variable counts as unset. A variable of the process overrides
    /// the same one of the file.
    pub fn variable(&self, name: &str) -> Option<(String, Source)> {
        let given = match std::env::var(name) {
            Ok(value) => Some((value, Source::Environment)),
            Err(_) => self.0.iter().find(|(other, _)| other == name).map(|(_, value)| (value.clone(), Source::EnvFile)),
        };
        given.filter(|(value, _)| !value.is_empty())
    }
}

/// Shows names alone, since values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// The value of a variable of the process, or else of the file `.env` in the working directory; an empty variable
/// counts as unset.
///
/// # Errors
/// When the file cannot be read, or has a line that is not `NAME=value`.
pub fn variable(name: &str) -> Result<Option<String>, ConfigError> {
    Ok(Environment::read(Path::new("."))?.variable(name).map(|(value, _)| value))
}

/// The error about a file. The error of the reader would repeat the line, which may hold a password.
fn unreadable(error: &dotenvy::Error, last: Option<&(String, String)>) -> ConfigError {
    let place = last.map_or_else(|| "its first variable".to_owned(), |(name, _)| format!("the line after `{name}`"));
    let reason = match error {
        dotenvy::Error::LineParse(..) => "expected `NAME=value`, with quotes around a value that has spaces".to_owned(),
        other => other.to_string(),
    };
    ConfigError(format!("`{ENV_FILE}` cannot be used, at {place}: {reason}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Settings;

    /// A directory of this process with these files, which is removed afterwards.
    fn within<T>(name: &str, files: &[(&str, &str)], run: impl FnOnce(&Path) -> T) -> T {
        let directory = std::env::temp_dir().join(format!("crud-config-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        for (file, text) in files {
            fs::write(directory.join(file), text).expect("a file");
        }
        let result = run(&directory);
        fs::remove_dir_all(&directory).expect("the directory goes");
        result
    }

    #[test]
    fn a_file_of_variables_is_above_crud_toml() {
        let files = [("crud.toml", "max_limit = 50\ndefault_limit = 5"), (".env", "MAX_LIMIT=60\nDEFAULT_LIMIT=\n")];
        within("above", &files, |directory| {
            let settings = Settings::read(directory).expect("settings");
            let of = |key: &str| {
                let setting = settings.iter().find(|setting| setting.key.name == key).expect("the key");
                (setting.value.clone().unwrap_or_default(), setting.source)
            };
            assert_eq!(of("max_limit"), ("60".to_owned(), Source::EnvFile));
            assert_eq!(of("default_limit"), ("5".to_owned(), Source::File));
        });
    }

    #[test]
    fn an_error_in_the_file_repeats_no_value() {
        within("error", &[(".env", "BIND=127.0.0.1:80\nJWT_SECRET_KEY secret\n")], |directory| {
            let error = Environment::read(directory).expect_err("a line without `=`").to_string();
            assert!(error.contains("the line after `BIND`") && !error.contains("secret"), "{error}");
        });
        within("value", &[(".env", "MAX_LIMIT=many\n")], |directory| {
            let error = Settings::read(directory).expect_err("not a number").to_string();
            assert!(error.starts_with("`MAX_LIMIT` in `.env` must be an integer"), "{error}");
        });
    }

    #[test]
    fn nothing_tells_a_value_of_the_file() {
        within("told", &[(".env", "JWT_SECRET_KEY='s3cret $value'\n")], |directory| {
            let environment = Environment::read(directory).expect("an environment");
            assert_eq!(format!("{environment:?}"), "[\"JWT_SECRET_KEY\"]");
            assert_eq!(environment.variable("JWT_SECRET_KEY"), Some(("s3cret $value".to_owned(), Source::EnvFile)));
        });
    }
}
