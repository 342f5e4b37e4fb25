//! The arguments of the `keys` commands.

use crud_runtime::{Error, Result};

/// Arguments of a command: options with their values, and plain arguments.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) plain: Vec<String>,
    options: Vec<(String, String)>,
}

impl Arguments {
    /// Parses arguments. `known` are the names of options, which are written `--NAME VALUE`.
    ///
    /// # Errors
    /// [`Error::Setup`] for an unknown option, and for an option without a value.
    pub(super) fn read(given: Vec<String>, known: &[&str], usage: &str) -> Result<Self> {
        let mut read = Self::default();
        let mut rest = given.into_iter();
        while let Some(argument) = rest.next() {
            let Some(name) = argument.strip_prefix("--") else {
                read.plain.push(argument);
                continue;
            };
            if !known.contains(&name) {
                return Err(Error::Setup(format!("unknown option `--{name}`: {usage}")));
            }
            let value = rest.next().ok_or_else(|| Error::Setup(format!("`--{name}` lacks its value: {usage}")))?;
            read.options.push((name.to_owned(), value));
        }
        Ok(read)
    }

    /// All values of an option, in the order given.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        self.options.iter().filter(|(other, _)| other == name).map(|(_, value)| value.clone()).collect()
    }

    /// The last value of an option.
    pub(super) fn last(&self, name: &str) -> Option<String> {
        self.all(name).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &[&str]) -> Result<Arguments> {
        Arguments::read(given.iter().map(|text| (*text).to_owned()).collect(), &["user", "role"], "usage")
    }

    #[test]
    fn options_are_told_from_plain_arguments() {
        let read = read(&["ci", "--role", "a", "--user", "ann", "--role", "b"]).unwrap();
        assert_eq!(
            (read.plain.as_slice(), read.all("role"), read.last("user")),
            (&["ci".to_owned()][..], vec!["a".to_owned(), "b".to_owned()], Some("ann".to_owned()))
        );
    }

    #[test]
    fn unknown_option_and_missing_value_are_errors() {
        assert!(read(&["--rule", "a"]).unwrap_err().to_string().contains("unknown option `--rule`"));
        assert!(read(&["--role"]).unwrap_err().to_string().contains("`--role` lacks its value"));
    }
}
